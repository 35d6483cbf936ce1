/*
kernel @linear(x: bf16[128,1024] in, w: bf16[256,1024] in, bias: bf16[256] in, y: bf16[128,256] out) {
  schedule(vector_lanes=16, tile_m=14, tile_n=32, block_m=140, block_n=32, block_k=256, pack_lhs=true, dot=true)
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
typedef float f32;
typedef f32 f32v __attribute__((vector_size(64)));
typedef unsigned u32;
typedef u32 u32v __attribute__((vector_size(64)));
typedef unsigned short u16;
typedef u16 u16m __attribute__((may_alias));
typedef long i64;
typedef u16 u16v __attribute__((vector_size(32)));
typedef u16v u16u __attribute__((aligned(2), may_alias));
typedef f32 f32m __attribute__((may_alias));
typedef u32v u32u __attribute__((aligned(4), may_alias));
typedef u32 u32m __attribute__((may_alias));
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline f32v cast_bf16_f32v(u16v x) { return (f32v)(__builtin_convertvector(x, u32v) << 16); }
static inline u16v cast_f32_bf16v(f32v x) {
  const u32v u = (u32v)x;
  const u32v r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return __builtin_convertvector(x != x ? (u >> 16) | 64 : r, u16v);
}
typedef unsigned char u8;
typedef u8 u8m __attribute__((may_alias));
typedef signed char i8;
static inline f32v dot(f32v c, u32v a, u32v b) {
#if defined(__clang__)
  typedef __bf16 pairs __attribute__((vector_size(sizeof(u32v))));
  return __builtin_ia32_dpbf16ps_512(c, (pairs)a, (pairs)b);
#else
#if __GNUC__ >= 13
  typedef __bf16 pairs __attribute__((vector_size(sizeof(u32v))));
#else
  typedef short pairs __attribute__((vector_size(sizeof(u32v))));
#endif
  return __builtin_ia32_dpbf16ps_v16sf(c, (pairs)a, (pairs)b);
#endif
}

static void pack_left(const u16m* from, i64 rows, i64 k, u16m* to) {
  for (i64 r = 0; r < rows; ++r) {
    const u16m* const x = from + r * 1024;
    u16m* const y = to + r * 288;
    i64 i = 0;
    for (; i + 16 <= k; i += 16) {
      __builtin_prefetch(x + i + 2048);
      *(u16u*)(y + i) = *(const u16u*)(x + i);
    }
    for (; i < k; ++i) y[i] = *(x + i * 1);
    y[k] = 0;
  }
}
static __attribute__((noinline)) void tile_13(const u16m* a, const u16m* b, f32m* c, i64 steps, bool adds) {
  f32v c0_0 = {}, c0_1 = {};
  f32v c1_0 = {}, c1_1 = {};
  f32v c2_0 = {}, c2_1 = {};
  f32v c3_0 = {}, c3_1 = {};
  f32v c4_0 = {}, c4_1 = {};
  f32v c5_0 = {}, c5_1 = {};
  f32v c6_0 = {}, c6_1 = {};
  f32v c7_0 = {}, c7_1 = {};
  f32v c8_0 = {}, c8_1 = {};
  f32v c9_0 = {}, c9_1 = {};
  f32v c10_0 = {}, c10_1 = {};
  f32v c11_0 = {}, c11_1 = {};
  f32v c12_0 = {}, c12_1 = {};
  i64 s = 0;
  #pragma GCC unroll 1
  for (; s < steps; ++s) {
    {
      const u32v w0 = *(const u32u*)(b + s * 64 + 0);
      const u32v w1 = *(const u32u*)(b + s * 64 + 32);
      { const u32v t = *(const u32m*)(a + s * 2) - u32v{}; c0_0 = dot(c0_0, t, w0); c0_1 = dot(c0_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 288) - u32v{}; c1_0 = dot(c1_0, t, w0); c1_1 = dot(c1_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 576) - u32v{}; c2_0 = dot(c2_0, t, w0); c2_1 = dot(c2_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 864) - u32v{}; c3_0 = dot(c3_0, t, w0); c3_1 = dot(c3_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1152) - u32v{}; c4_0 = dot(c4_0, t, w0); c4_1 = dot(c4_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1440) - u32v{}; c5_0 = dot(c5_0, t, w0); c5_1 = dot(c5_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1728) - u32v{}; c6_0 = dot(c6_0, t, w0); c6_1 = dot(c6_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2016) - u32v{}; c7_0 = dot(c7_0, t, w0); c7_1 = dot(c7_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2304) - u32v{}; c8_0 = dot(c8_0, t, w0); c8_1 = dot(c8_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2592) - u32v{}; c9_0 = dot(c9_0, t, w0); c9_1 = dot(c9_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2880) - u32v{}; c10_0 = dot(c10_0, t, w0); c10_1 = dot(c10_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 3168) - u32v{}; c11_0 = dot(c11_0, t, w0); c11_1 = dot(c11_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 3456) - u32v{}; c12_0 = dot(c12_0, t, w0); c12_1 = dot(c12_1, t, w1); }
    }
  }
  if (adds) {
    c0_0 += *(const f32u*)(c + 0);
    c0_1 += *(const f32u*)(c + 16);
    c1_0 += *(const f32u*)(c + 32);
    c1_1 += *(const f32u*)(c + 48);
    c2_0 += *(const f32u*)(c + 64);
    c2_1 += *(const f32u*)(c + 80);
    c3_0 += *(const f32u*)(c + 96);
    c3_1 += *(const f32u*)(c + 112);
    c4_0 += *(const f32u*)(c + 128);
    c4_1 += *(const f32u*)(c + 144);
    c5_0 += *(const f32u*)(c + 160);
    c5_1 += *(const f32u*)(c + 176);
    c6_0 += *(const f32u*)(c + 192);
    c6_1 += *(const f32u*)(c + 208);
    c7_0 += *(const f32u*)(c + 224);
    c7_1 += *(const f32u*)(c + 240);
    c8_0 += *(const f32u*)(c + 256);
    c8_1 += *(const f32u*)(c + 272);
    c9_0 += *(const f32u*)(c + 288);
    c9_1 += *(const f32u*)(c + 304);
    c10_0 += *(const f32u*)(c + 320);
    c10_1 += *(const f32u*)(c + 336);
    c11_0 += *(const f32u*)(c + 352);
    c11_1 += *(const f32u*)(c + 368);
    c12_0 += *(const f32u*)(c + 384);
    c12_1 += *(const f32u*)(c + 400);
  }
  *(f32u*)(c + 0) = c0_0;
  *(f32u*)(c + 16) = c0_1;
  *(f32u*)(c + 32) = c1_0;
  *(f32u*)(c + 48) = c1_1;
  *(f32u*)(c + 64) = c2_0;
  *(f32u*)(c + 80) = c2_1;
  *(f32u*)(c + 96) = c3_0;
  *(f32u*)(c + 112) = c3_1;
  *(f32u*)(c + 128) = c4_0;
  *(f32u*)(c + 144) = c4_1;
  *(f32u*)(c + 160) = c5_0;
  *(f32u*)(c + 176) = c5_1;
  *(f32u*)(c + 192) = c6_0;
  *(f32u*)(c + 208) = c6_1;
  *(f32u*)(c + 224) = c7_0;
  *(f32u*)(c + 240) = c7_1;
  *(f32u*)(c + 256) = c8_0;
  *(f32u*)(c + 272) = c8_1;
  *(f32u*)(c + 288) = c9_0;
  *(f32u*)(c + 304) = c9_1;
  *(f32u*)(c + 320) = c10_0;
  *(f32u*)(c + 336) = c10_1;
  *(f32u*)(c + 352) = c11_0;
  *(f32u*)(c + 368) = c11_1;
  *(f32u*)(c + 384) = c12_0;
  *(f32u*)(c + 400) = c12_1;
}
static __attribute__((noinline)) void tile_12(const u16m* a, const u16m* b, f32m* c, i64 steps, bool adds) {
  f32v c0_0 = {}, c0_1 = {};
  f32v c1_0 = {}, c1_1 = {};
  f32v c2_0 = {}, c2_1 = {};
  f32v c3_0 = {}, c3_1 = {};
  f32v c4_0 = {}, c4_1 = {};
  f32v c5_0 = {}, c5_1 = {};
  f32v c6_0 = {}, c6_1 = {};
  f32v c7_0 = {}, c7_1 = {};
  f32v c8_0 = {}, c8_1 = {};
  f32v c9_0 = {}, c9_1 = {};
  f32v c10_0 = {}, c10_1 = {};
  f32v c11_0 = {}, c11_1 = {};
  i64 s = 0;
  #pragma GCC unroll 1
  for (; s < steps; ++s) {
    {
      const u32v w0 = *(const u32u*)(b + s * 64 + 0);
      const u32v w1 = *(const u32u*)(b + s * 64 + 32);
      { const u32v t = *(const u32m*)(a + s * 2) - u32v{}; c0_0 = dot(c0_0, t, w0); c0_1 = dot(c0_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 288) - u32v{}; c1_0 = dot(c1_0, t, w0); c1_1 = dot(c1_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 576) - u32v{}; c2_0 = dot(c2_0, t, w0); c2_1 = dot(c2_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 864) - u32v{}; c3_0 = dot(c3_0, t, w0); c3_1 = dot(c3_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1152) - u32v{}; c4_0 = dot(c4_0, t, w0); c4_1 = dot(c4_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1440) - u32v{}; c5_0 = dot(c5_0, t, w0); c5_1 = dot(c5_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 1728) - u32v{}; c6_0 = dot(c6_0, t, w0); c6_1 = dot(c6_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2016) - u32v{}; c7_0 = dot(c7_0, t, w0); c7_1 = dot(c7_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2304) - u32v{}; c8_0 = dot(c8_0, t, w0); c8_1 = dot(c8_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2592) - u32v{}; c9_0 = dot(c9_0, t, w0); c9_1 = dot(c9_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 2880) - u32v{}; c10_0 = dot(c10_0, t, w0); c10_1 = dot(c10_1, t, w1); }
      { const u32v t = *(const u32m*)(a + s * 2 + 3168) - u32v{}; c11_0 = dot(c11_0, t, w0); c11_1 = dot(c11_1, t, w1); }
    }
  }
  if (adds) {
    c0_0 += *(const f32u*)(c + 0);
    c0_1 += *(const f32u*)(c + 16);
    c1_0 += *(const f32u*)(c + 32);
    c1_1 += *(const f32u*)(c + 48);
    c2_0 += *(const f32u*)(c + 64);
    c2_1 += *(const f32u*)(c + 80);
    c3_0 += *(const f32u*)(c + 96);
    c3_1 += *(const f32u*)(c + 112);
    c4_0 += *(const f32u*)(c + 128);
    c4_1 += *(const f32u*)(c + 144);
    c5_0 += *(const f32u*)(c + 160);
    c5_1 += *(const f32u*)(c + 176);
    c6_0 += *(const f32u*)(c + 192);
    c6_1 += *(const f32u*)(c + 208);
    c7_0 += *(const f32u*)(c + 224);
    c7_1 += *(const f32u*)(c + 240);
    c8_0 += *(const f32u*)(c + 256);
    c8_1 += *(const f32u*)(c + 272);
    c9_0 += *(const f32u*)(c + 288);
    c9_1 += *(const f32u*)(c + 304);
    c10_0 += *(const f32u*)(c + 320);
    c10_1 += *(const f32u*)(c + 336);
    c11_0 += *(const f32u*)(c + 352);
    c11_1 += *(const f32u*)(c + 368);
  }
  *(f32u*)(c + 0) = c0_0;
  *(f32u*)(c + 16) = c0_1;
  *(f32u*)(c + 32) = c1_0;
  *(f32u*)(c + 48) = c1_1;
  *(f32u*)(c + 64) = c2_0;
  *(f32u*)(c + 80) = c2_1;
  *(f32u*)(c + 96) = c3_0;
  *(f32u*)(c + 112) = c3_1;
  *(f32u*)(c + 128) = c4_0;
  *(f32u*)(c + 144) = c4_1;
  *(f32u*)(c + 160) = c5_0;
  *(f32u*)(c + 176) = c5_1;
  *(f32u*)(c + 192) = c6_0;
  *(f32u*)(c + 208) = c6_1;
  *(f32u*)(c + 224) = c7_0;
  *(f32u*)(c + 240) = c7_1;
  *(f32u*)(c + 256) = c8_0;
  *(f32u*)(c + 272) = c8_1;
  *(f32u*)(c + 288) = c9_0;
  *(f32u*)(c + 304) = c9_1;
  *(f32u*)(c + 320) = c10_0;
  *(f32u*)(c + 336) = c10_1;
  *(f32u*)(c + 352) = c11_0;
  *(f32u*)(c + 368) = c11_1;
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
extern "C" void litz_f19046e855f12ea7(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  const u16m* const left = (const u16m*)args[0] + 0;
  const u16m* const right = (const u16m*)args[1] + 0;
  f32m* const sums = (f32m*)scratch;
  u16m* const rows = (u16m*)((u8m*)scratch + 16384);
  f32m* const panels = (f32m*)((u8m*)scratch + 90112);
  for (i64 task = begin; task < end; ++task) {
    const i64 nb = task % 8, mb = task / 8 % 1, b = task / 8;
    const i64 t0 = mb * 10, t1 = t0 + 10 < 10 ? t0 + 10 : 10;
    const i64 p0 = nb * 1, p1 = p0 + 1 < 8 ? p0 + 1 : 8;
    const i64 m0 = (t0) * 12 + ((t0) < 8 ? (t0) : 8);
    for (i64 k0 = 0; k0 < 1024; k0 += 256) {
      const i64 kc = k0 + 256 < 1024 ? 256 : 1024 - k0;
      pack_left(left + b * 0 + m0 * 1024 + k0 * 1, (t1) * 12 + ((t1) < 8 ? (t1) : 8) - m0, kc, rows);
      for (i64 p = p0; p < p1; ++p) {
        f32m* const packed = panels;
        pack_right((const f32m*)(right + p * 32768 + b * 0 + k0 * 1), kc / 2, 256 - p * 32, packed);
        const u16m* const w = (const u16m*)packed;
        for (i64 i = t0; i < t1; ++i) {
          const i64 m = (i) * 12 + ((i) < 8 ? (i) : 8);
          const u16m* const a = rows + (m - m0) * 288;
          f32m* const c = sums + ((p - p0) * 128 + (m - m0)) * 32;
          if (i < 8) tile_13(a, w, c, (kc + 1) / 2, k0 > 0);
          else tile_12(a, w, c, (kc + 1) / 2, k0 > 0);
          if (k0 + kc == 1024) epilogue(args, b, m, 12 + ((i) < 8), p * 32, c);
        }
      }
    }
  }
}
// phases: 8 tasks, 1 at a time; scratch 106496
