/*
kernel @linear(x: bf16[128,1024] in, w: bf16[256,1024] in, bias: bf16[256] in, y: bf16[128,256] out) {
  schedule(vector_lanes=16, tile_m=32, tile_n=32, block_m=128, block_n=32, block_k=512, amx=true)
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
typedef long i64;
typedef unsigned char u8;
typedef u8 u8m __attribute__((may_alias));
typedef unsigned short u16;
typedef u16 u16m __attribute__((may_alias));
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef f32 f32v __attribute__((vector_size(64)));
typedef f32v f32u __attribute__((aligned(4), may_alias));
typedef u16 u16v __attribute__((vector_size(32)));
typedef u16v u16u __attribute__((aligned(2), may_alias));
typedef unsigned u32;
typedef u32 u32v __attribute__((vector_size(64)));
static inline f32v cast_bf16_f32v(u16v x) { return (f32v)(__builtin_convertvector(x, u32v) << 16); }
static inline u16v cast_f32_bf16v(f32v x) {
  const u32v u = (u32v)x;
  const u32v r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return __builtin_convertvector(x != x ? (u >> 16) | 64 : r, u16v);
}
typedef signed char i8;
#define MATRIX_UNIT __attribute__((noinline, target("amx-tile,amx-bf16")))
#if defined(__clang__)
#define tile_load(t, p, step) __builtin_ia32_tileloadd64(t, p, step)
#define tile_store(t, p, step) __builtin_ia32_tilestored64(t, p, step)
#define tile_zero(t) __builtin_ia32_tilezero(t)
#define tile_dot(c, a, b) __builtin_ia32_tdpbf16ps(c, a, b)
#define tile_config(p) __builtin_ia32_tile_loadconfig(p)
#define tile_release() __builtin_ia32_tilerelease()
#else
#define tile_load(t, p, step) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #t : : "r"(p), "r"((i64)(step)) : "memory")
#define tile_store(t, p, step) \
  asm volatile("tilestored %%tmm" #t ", (%0,%1,1)" : : "r"(p), "r"((i64)(step)) : "memory")
#define tile_zero(t) asm volatile("tilezero %%tmm" #t : :)
#define tile_dot(c, a, b) asm volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c : :)
#define tile_config(p) asm volatile("ldtilecfg (%0)" : : "r"(p) : "memory")
#define tile_release() asm volatile("tilerelease" : :)
#endif
static MATRIX_UNIT void configure(i64 rows) {
  u8m c[64] = {1};
  const i64 upper = rows < 16 ? rows : 16, lower = rows - upper;
  const i64 of_register[8] = {upper, upper, lower, lower, upper, lower, 16, 16};
  for (i64 i = 0; i < 8; ++i) {
    c[16 + 2 * i] = of_register[i] > 0 ? 64 : 0;
    c[48 + i] = (u8)of_register[i];
  }
  tile_config(c);
}
static MATRIX_UNIT void release() { tile_release(); }

static MATRIX_UNIT void tile_32(const u16m* a, const u16m* b, f32m* c, i64 steps, bool adds) {
  if (adds) {
    tile_load(0, c + 0, 128);
    tile_load(1, c + 16, 128);
    tile_load(2, c + 512, 128);
    tile_load(3, c + 528, 128);
  }
  else {
    tile_zero(0);
    tile_zero(1);
    tile_zero(2);
    tile_zero(3);
  }
  #pragma GCC unroll 1
  for (i64 s = 0; s < steps; ++s) {
    tile_load(4, a + s * 32 + 0, 2048);
    tile_load(6, b + s * 1024 + 0, 128);
    tile_dot(0, 4, 6);
    tile_load(7, b + s * 1024 + 32, 128);
    tile_dot(1, 4, 7);
    tile_load(5, a + s * 32 + 16384, 2048);
    tile_dot(2, 5, 6);
    tile_dot(3, 5, 7);
  }
  tile_store(0, c + 0, 128);
  tile_store(1, c + 16, 128);
  tile_store(2, c + 512, 128);
  tile_store(3, c + 528, 128);
}
static void pack_right(const f32m* from, i64 k, i64 n, f32m* to) {
  const i64 valid = n < 32 ? n : 32;
  // columns before this one are copied
  i64 first = 0;
  if (k >= 16 && valid >= 16) {
    for (; first < valid; first += 16) {
      const i64 j = first + 16 <= valid ? first : valid - 16;
      for (i64 s = 0; s < k; s += 16) {
        const i64 k0 = s + 16 <= k ? s : k - 16;
        const f32m* const x = from + j * 512 + k0;
        f32m* const y = to + k0 * 32 + j;
        // the same of the next panel comes nearer meanwhile
        __builtin_prefetch(x + 16384, 0, 2);
        __builtin_prefetch(x + 16896, 0, 2);
        __builtin_prefetch(x + 17408, 0, 2);
        __builtin_prefetch(x + 17920, 0, 2);
        __builtin_prefetch(x + 18432, 0, 2);
        __builtin_prefetch(x + 18944, 0, 2);
        __builtin_prefetch(x + 19456, 0, 2);
        __builtin_prefetch(x + 19968, 0, 2);
        __builtin_prefetch(x + 20480, 0, 2);
        __builtin_prefetch(x + 20992, 0, 2);
        __builtin_prefetch(x + 21504, 0, 2);
        __builtin_prefetch(x + 22016, 0, 2);
        __builtin_prefetch(x + 22528, 0, 2);
        __builtin_prefetch(x + 23040, 0, 2);
        __builtin_prefetch(x + 23552, 0, 2);
        __builtin_prefetch(x + 24064, 0, 2);
        f32v r0 = *(const f32u*)(x + 0);
        f32v r1 = *(const f32u*)(x + 512);
        f32v r2 = *(const f32u*)(x + 1024);
        f32v r3 = *(const f32u*)(x + 1536);
        f32v r4 = *(const f32u*)(x + 2048);
        f32v r5 = *(const f32u*)(x + 2560);
        f32v r6 = *(const f32u*)(x + 3072);
        f32v r7 = *(const f32u*)(x + 3584);
        f32v r8 = *(const f32u*)(x + 4096);
        f32v r9 = *(const f32u*)(x + 4608);
        f32v r10 = *(const f32u*)(x + 5120);
        f32v r11 = *(const f32u*)(x + 5632);
        f32v r12 = *(const f32u*)(x + 6144);
        f32v r13 = *(const f32u*)(x + 6656);
        f32v r14 = *(const f32u*)(x + 7168);
        f32v r15 = *(const f32u*)(x + 7680);
        f32v t;
        t = __builtin_shufflevector(r0, r1, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r1 = __builtin_shufflevector(r0, r1, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r0 = t;
        t = __builtin_shufflevector(r2, r3, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r3 = __builtin_shufflevector(r2, r3, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r2 = t;
        t = __builtin_shufflevector(r4, r5, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r5 = __builtin_shufflevector(r4, r5, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r4 = t;
        t = __builtin_shufflevector(r6, r7, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r7 = __builtin_shufflevector(r6, r7, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r6 = t;
        t = __builtin_shufflevector(r8, r9, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r9 = __builtin_shufflevector(r8, r9, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r8 = t;
        t = __builtin_shufflevector(r10, r11, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r11 = __builtin_shufflevector(r10, r11, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r10 = t;
        t = __builtin_shufflevector(r12, r13, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r13 = __builtin_shufflevector(r12, r13, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r12 = t;
        t = __builtin_shufflevector(r14, r15, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r15 = __builtin_shufflevector(r14, r15, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
        r14 = t;
        t = __builtin_shufflevector(r0, r2, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r2 = __builtin_shufflevector(r0, r2, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r0 = t;
        t = __builtin_shufflevector(r1, r3, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r3 = __builtin_shufflevector(r1, r3, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r1 = t;
        t = __builtin_shufflevector(r4, r6, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r6 = __builtin_shufflevector(r4, r6, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r4 = t;
        t = __builtin_shufflevector(r5, r7, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r7 = __builtin_shufflevector(r5, r7, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r5 = t;
        t = __builtin_shufflevector(r8, r10, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r10 = __builtin_shufflevector(r8, r10, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r8 = t;
        t = __builtin_shufflevector(r9, r11, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r11 = __builtin_shufflevector(r9, r11, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r9 = t;
        t = __builtin_shufflevector(r12, r14, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r14 = __builtin_shufflevector(r12, r14, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r12 = t;
        t = __builtin_shufflevector(r13, r15, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r15 = __builtin_shufflevector(r13, r15, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r13 = t;
        t = __builtin_shufflevector(r0, r4, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r4 = __builtin_shufflevector(r0, r4, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r0 = t;
        t = __builtin_shufflevector(r1, r5, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r5 = __builtin_shufflevector(r1, r5, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r1 = t;
        t = __builtin_shufflevector(r2, r6, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r6 = __builtin_shufflevector(r2, r6, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r2 = t;
        t = __builtin_shufflevector(r3, r7, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r7 = __builtin_shufflevector(r3, r7, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r3 = t;
        t = __builtin_shufflevector(r8, r12, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r12 = __builtin_shufflevector(r8, r12, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r8 = t;
        t = __builtin_shufflevector(r9, r13, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r13 = __builtin_shufflevector(r9, r13, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r9 = t;
        t = __builtin_shufflevector(r10, r14, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r14 = __builtin_shufflevector(r10, r14, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r10 = t;
        t = __builtin_shufflevector(r11, r15, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r15 = __builtin_shufflevector(r11, r15, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        r11 = t;
        t = __builtin_shufflevector(r0, r8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r8 = __builtin_shufflevector(r0, r8, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r0 = t;
        t = __builtin_shufflevector(r1, r9, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r9 = __builtin_shufflevector(r1, r9, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r1 = t;
        t = __builtin_shufflevector(r2, r10, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r10 = __builtin_shufflevector(r2, r10, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r2 = t;
        t = __builtin_shufflevector(r3, r11, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r11 = __builtin_shufflevector(r3, r11, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r3 = t;
        t = __builtin_shufflevector(r4, r12, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r12 = __builtin_shufflevector(r4, r12, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r4 = t;
        t = __builtin_shufflevector(r5, r13, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r13 = __builtin_shufflevector(r5, r13, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r5 = t;
        t = __builtin_shufflevector(r6, r14, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r14 = __builtin_shufflevector(r6, r14, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r6 = t;
        t = __builtin_shufflevector(r7, r15, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r15 = __builtin_shufflevector(r7, r15, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        r7 = t;
        *(f32u*)(y + 0) = r0;
        *(f32u*)(y + 32) = r1;
        *(f32u*)(y + 64) = r2;
        *(f32u*)(y + 96) = r3;
        *(f32u*)(y + 128) = r4;
        *(f32u*)(y + 160) = r5;
        *(f32u*)(y + 192) = r6;
        *(f32u*)(y + 224) = r7;
        *(f32u*)(y + 256) = r8;
        *(f32u*)(y + 288) = r9;
        *(f32u*)(y + 320) = r10;
        *(f32u*)(y + 352) = r11;
        *(f32u*)(y + 384) = r12;
        *(f32u*)(y + 416) = r13;
        *(f32u*)(y + 448) = r14;
        *(f32u*)(y + 480) = r15;
      }
    }
  }
  for (i64 j = first; j < valid; ++j)
    for (i64 i = 0; i < k; ++i) to[i * 32 + j] = *(const f32m*)(from + i * 1 + j * 512);
  for (i64 j = valid; j < 32; ++j)
    for (i64 i = 0; i < k; ++i) to[i * 32 + j] = 0;
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
  for (i64 n = n0; n < n0 + 32; n += 16) {
    const u16v v0_bias = *(const u16u*)(b2 + n);
    const f32v v1_cast = cast_bf16_f32v(v0_bias);
    for (i64 i = 0; i < rows; ++i) {
      const i64 m = m0 + i;
      const f32v sum = *(const f32u*)(c + i * 32 + (n - n0));
      const f32v v2_add = sum + v1_cast;
      const u16v v3_cast = cast_f32_bf16v(v2_add);
      *(u16u*)(b3 + (256 * m) + n) = v3_cast;
    }
  }
}
extern "C" void litz_25c91f37f4331d77(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  const u16m* const left = (const u16m*)args[0] + 0;
  const u16m* const right = (const u16m*)args[1] + 0;
  f32m* const sums = (f32m*)scratch;
  f32m* const panels = (f32m*)((u8m*)scratch + 16384);
  i64 configured = 0;
  for (i64 task = begin; task < end; ++task) {
    const i64 nb = task % 8, mb = task / 8 % 1, b = task / 8;
    const i64 t0 = mb * 4, t1 = t0 + 4 < 4 ? t0 + 4 : 4;
    const i64 p0 = nb * 1, p1 = p0 + 1 < 8 ? p0 + 1 : 8;
    const i64 m0 = (t0) * 32;
    for (i64 k0 = 0; k0 < 1024; k0 += 512) {
      const i64 kc = k0 + 512 < 1024 ? 512 : 1024 - k0;
      for (i64 p = p0; p < p1; ++p) {
        f32m* const packed = panels;
        pack_right((const f32m*)(right + p * 32768 + b * 0 + k0 * 1), kc / 2, 256 - p * 32, packed);
        const u16m* const w = (const u16m*)packed;
        for (i64 i = t0; i < t1; ++i) {
          const i64 m = (i) * 32;
          const u16m* const a = left + b * 0 + m * 1024 + k0;
          f32m* const c = sums + ((p - p0) * 128 + (m - m0)) * 32;
          if (configured != 32) configure(configured = 32);
          tile_32(a, w, c, (kc + 31) / 32, k0 > 0);
          if (k0 + kc == 1024) epilogue(args, b, m, 32, p * 32, c);
        }
      }
    }
  }
  release();
}
// phases: 8 tasks, 1 at a time; scratch 49152
