/*
kernel @linear(x: bf16[128,1024] in, w: bf16[256,1024] in, bias: bf16[256] in, y: bf16[128,256] out) {
  schedule(tile_m=2, tile_n=4, block_m=128, block_n=32, block_k=256, pack_lhs=true)
  template matmul(m=128, n=256, k=1024, dtype=bf16,
      lhs=x strides(0, 1024, 1),
      rhs=w strides(0, 1, 1024)) epilogue(%0) {
    %1 = load bias[n] : bf16
    %2 = cast %1 : f32
    %3 = add %0, %2 : f32
    %4 = cast %3 : bf16
    store y[m, n], %4
  }
}
*/
// linear
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef unsigned short u16;
typedef u16 u16m __attribute__((may_alias));
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef unsigned u32;
static inline f32 cast_bf16_f32(u16 x) { return __builtin_bit_cast(f32, (u32)x << 16); }
static inline u16 cast_f32_bf16(f32 x) {
  const u32 u = __builtin_bit_cast(u32, x);
  return x != x ? (u16)((u >> 16) | 64) : (u16)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
typedef unsigned char u8;
typedef u8 u8m __attribute__((may_alias));
typedef signed char i8;
#define madd(a, b, c) ((a) * (b) + (c))

static void pack_left(const u16m* from, i64 rows, i64 k, f32m* to) {
  for (i64 r = 0; r < rows; ++r) {
    const u16m* const x = from + r * 1024;
    f32m* const y = to + r * 272;
    i64 i = 0;
    for (; i < k; ++i) y[i] = cast_bf16_f32(*(const u16m*)(x + i * 1));
    y[k] = 0;
  }
}
static __attribute__((noinline)) void tile_2(const f32m* a, const f32m* b, f32m* c, i64 steps, bool adds) {
  f32 c0_0 = {}, c0_1 = {}, c0_2 = {}, c0_3 = {};
  f32 c1_0 = {}, c1_1 = {}, c1_2 = {}, c1_3 = {};
  i64 s = 0;
  #pragma GCC unroll 1
  for (; s < steps; ++s) {
    {
      const f32 w0 = *(const f32m*)(b + s * 4 + 0);
      const f32 w1 = *(const f32m*)(b + s * 4 + 1);
      const f32 w2 = *(const f32m*)(b + s * 4 + 2);
      const f32 w3 = *(const f32m*)(b + s * 4 + 3);
      { const f32 t = a[s]; c0_0 = madd(t, w0, c0_0); c0_1 = madd(t, w1, c0_1); c0_2 = madd(t, w2, c0_2); c0_3 = madd(t, w3, c0_3); }
      { const f32 t = a[s + 272]; c1_0 = madd(t, w0, c1_0); c1_1 = madd(t, w1, c1_1); c1_2 = madd(t, w2, c1_2); c1_3 = madd(t, w3, c1_3); }
    }
  }
  if (adds) {
    c0_0 += *(const f32m*)(c + 0);
    c0_1 += *(const f32m*)(c + 1);
    c0_2 += *(const f32m*)(c + 2);
    c0_3 += *(const f32m*)(c + 3);
    c1_0 += *(const f32m*)(c + 4);
    c1_1 += *(const f32m*)(c + 5);
    c1_2 += *(const f32m*)(c + 6);
    c1_3 += *(const f32m*)(c + 7);
  }
  *(f32m*)(c + 0) = c0_0;
  *(f32m*)(c + 1) = c0_1;
  *(f32m*)(c + 2) = c0_2;
  *(f32m*)(c + 3) = c0_3;
  *(f32m*)(c + 4) = c1_0;
  *(f32m*)(c + 5) = c1_1;
  *(f32m*)(c + 6) = c1_2;
  *(f32m*)(c + 7) = c1_3;
}
static void pack_right(const u16m* from, i64 k, i64 n, f32m* to) {
  const i64 valid = n < 4 ? n : 4;
  // columns before this one are copied
  i64 first = 0;
  for (i64 j = first; j < valid; ++j)
    for (i64 i = 0; i < k; ++i) to[i * 4 + j] = cast_bf16_f32(*(const u16m*)(from + i * 1 + j * 1024));
  for (i64 j = valid; j < 4; ++j)
    for (i64 i = 0; i < k; ++i) to[i * 4 + j] = 0;
}
static void epilogue(void* const* args, i64 b, i64 m0, i64 rows, i64 n0, const f32m* c) {
  // b0: x
  const u16m* const b0 = (const u16m*)args[0];
  // b1: w
  const u16m* const b1 = (const u16m*)args[1];
  // b2: bias
  const u16m* const b2 = (const u16m*)args[2];
  // b3: y
  u16m* const b3 = (u16m*)args[3];
  for (i64 n = n0; n < n0 + 4; n += 1) {
    const u16 v0_bias = b2[n];
    const f32 v1_cast = cast_bf16_f32(v0_bias);
    for (i64 i = 0; i < rows; ++i) {
      const i64 m = m0 + i;
      const f32 sum = *(const f32m*)(c + i * 4 + (n - n0));
      const f32 v2_add = sum + v1_cast;
      const u16 v3_cast = cast_f32_bf16(v2_add);
      b3[(256 * m) + n] = v3_cast;
    }
  }
}
extern "C" void litz_4bc096d569645773(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  const u16m* const left = (const u16m*)args[0] + 0;
  const u16m* const right = (const u16m*)args[1] + 0;
  f32m* const sums = (f32m*)scratch;
  f32m* const rows = (f32m*)((u8m*)scratch + 16384);
  f32m* const panels = (f32m*)((u8m*)scratch + 155648);
  for (i64 task = begin; task < end; ++task) {
    const i64 nb = task % 8, mb = task / 8 % 1, b = task / 8;
    const i64 t0 = mb * 64, t1 = t0 + 64 < 64 ? t0 + 64 : 64;
    const i64 p0 = nb * 8, p1 = p0 + 8 < 64 ? p0 + 8 : 64;
    const i64 m0 = (t0) * 2;
    for (i64 k0 = 0; k0 < 1024; k0 += 256) {
      const i64 kc = k0 + 256 < 1024 ? 256 : 1024 - k0;
      pack_left(left + b * 0 + m0 * 1024 + k0 * 1, (t1) * 2 - m0, kc, rows);
      for (i64 p = p0; p < p1; ++p) {
        f32m* const packed = panels;
        pack_right(right + p * 4096 + b * 0 + k0 * 1, kc, 256 - p * 4, packed);
        const f32m* const w = (const f32m*)packed;
        for (i64 i = t0; i < t1; ++i) {
          const i64 m = (i) * 2;
          const f32m* const a = rows + (m - m0) * 272;
          f32m* const c = sums + ((p - p0) * 128 + (m - m0)) * 4;
          tile_2(a, w, c, (kc + 0) / 1, k0 > 0);
          if (k0 + kc == 1024) epilogue(args, b, m, 2, p * 4, c);
        }
      }
    }
  }
}
// phases: 8 tasks, 1 at a time; scratch 159744
