/*
kernel @layernorm_gelu(
    x: f32[4096,768] in,
    weight: f32[768] in,
    bias: f32[768] in,
    residual: f32[4096,768] in,
    y: f32[4096,768] out) {
  schedule(vector_ranges=[r0, r1, r2], vector_lanes=16, unroll=4, grain=20, task_ranges=1)
  parallel i0 < 4096 {
    %0 = const 768.0 : f32
    %2 = loop r0 < 768 reduce(sum f32 %1) { %1 = load x[i0, r0] : f32 }
    %3 = div %2, %0 : f32
    %7 = loop r1 < 768 reduce(sum f32 %6) {
      %4 = load x[i0, r1] : f32
      %5 = sub %4, %3 : f32
      %6 = mul %5, %5 : f32
    }
    %8 = div %7, %0 : f32
    %9 = const 1e-05 : f32
    %10 = add %8, %9 : f32
    %11 = rsqrt %10 : f32
    %12 = const 0.70710677 : f32
    %13 = const 1.0 : f32
    %14 = const 0.5 : f32
    loop r2 < 768 {
      %15 = load x[i0, r2] : f32
      %16 = sub %15, %3 : f32
      %17 = mul %16, %11 : f32
      %18 = load weight[r2] : f32
      %19 = mul %17, %18 : f32
      %20 = load bias[r2] : f32
      %21 = add %19, %20 : f32
      %22 = mul %21, %12 : f32
      %23 = erf %22 : f32
      %24 = add %23, %13 : f32
      %25 = mul %21, %14 : f32
      %26 = mul %25, %24 : f32
      %27 = load residual[i0, r2] : f32
      %28 = add %26, %27 : f32
      store y[i0, r2], %28
    }
  }
}
*/
// layernorm_gelu
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef f32 f32v __attribute__((vector_size(64)));
static inline f32v splat_f32v(f32 x) { return x - f32v{}; }
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline f32 hsum_f32v(f32v a) {
  f32v b;
  b = __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  a = a + b;
  b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
  a = a + b;
  b = __builtin_shufflevector(a, a, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1);
  a = a + b;
  b = __builtin_shufflevector(a, a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
  a = a + b;
  return a[0];
}
static inline f32 sqrt_f32(f32 x) { return __builtin_sqrtf(x); }
static inline f32 rsqrt_f32(f32 x) { return 1 / sqrt_f32(x); }
typedef unsigned u32;
typedef u32 u32v __attribute__((vector_size(64)));
static inline f32v abs_f32v(f32v x) { return (f32v)((u32v)x & (~(u32)0 >> 1)); }
static inline f32v fma_f32v(f32v a, f32v b, f32v c) {
#ifdef __clang__
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int l = 0; l < 16; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return a;
#endif
}
typedef int i32;
typedef i32 i32v __attribute__((vector_size(64)));
static inline f32v copysign_f32v(f32v x, f32v sign) {
  const i32v top = (i32)0x80000000 + i32v{};
  return __builtin_bit_cast(f32v, (__builtin_bit_cast(i32v, x) & ~top) | (__builtin_bit_cast(i32v, sign) & top));
}
static inline f32v exp_core_f32v(f32v r) {
  f32v p = fma_f32v(r, f32v{} + 0x1.6a5232p-10f, f32v{} + 0x1.12396cp-7f);
  p = fma_f32v(p, r, f32v{} + 0x1.5558aap-5f);
  p = fma_f32v(p, r, f32v{} + 0x1.555492p-3f);
  p = fma_f32v(p, r, f32v{} + 0x1.fffffcp-2f);
  return fma_f32v(p, r * r, r) + 1.0f;
}
static inline f32v exp_middle_f32v(f32v x) {
  const f32v t = fma_f32v(x, f32v{} + 0x1.715476p+0f, f32v{} + 0x1.8p23f);
  const f32v n = t - 0x1.8p23f;
  const f32v r = fma_f32v(n, f32v{} + 0x1.05c61p-29f, fma_f32v(n, f32v{} - 0x1.62e43p-1f, x));
  const f32v y = exp_core_f32v(r);
  return y * __builtin_bit_cast(f32v, (__builtin_bit_cast(i32v, t) << 23) + 0x3f800000);
}
static inline f32v erf_f32v(f32v x) {
  const f32v a = abs_f32v(x), s = x * x;
  f32v p = fma_f32v(s, f32v{} - 0x1.3ac59p-11f, f32v{} + 0x1.476882p-8f);
  p = fma_f32v(p, s, f32v{} - 0x1.b6939p-6f);
  p = fma_f32v(p, s, f32v{} + 0x1.ce1b0ep-4f);
  p = fma_f32v(p, s, f32v{} - 0x1.8126eap-2f);
  p = fma_f32v(p, s, f32v{} + 0x1.06eba6p-3f);
  const f32v small = fma_f32v(p, x, x);
  const f32v b = (a > 3.95f ? f32v{} + 3.95f : a) - 1.0f;
  f32v q = fma_f32v(b, f32v{} - 0x1.c0bd4ap-15f, f32v{} - 0x1.2df948p-16f);
  q = fma_f32v(q, b, f32v{} + 0x1.bd7efp-10f);
  q = fma_f32v(q, b, f32v{} - 0x1.459f5cp-7f);
  q = fma_f32v(q, b, f32v{} + 0x1.549d34p-5f);
  q = fma_f32v(q, b, f32v{} + 0x1.afaa66p-1f);
  q = fma_f32v(q, b, f32v{} + 0x1.51c9b2p+1f);
  q = fma_f32v(q, b, f32v{} + 0x1.d97fcp+0f);
  const f32v large = copysign_f32v(1.0f - exp_middle_f32v(-q), x);
  return a < 0.92f ? small : large;
}
typedef signed char i8;
extern "C" void litz_330f200453c77f32(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: weight
  const f32m* const b1 = (const f32m*)args[1];
  // b2: bias
  const f32m* const b2 = (const f32m*)args[2];
  // b3: residual
  const f32m* const b3 = (const f32m*)args[3];
  // b4: y
  f32m* const b4 = (f32m*)args[4];
  {
    for (i64 i0_i0 = begin, i0_i0e = end; i0_i0 < i0_i0e; ++i0_i0) {
      f32v a1_sum[4] = {splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f)};
      for (i64 i2_r0 = 0, i2_r0e = 768; i2_r0 < i2_r0e; i2_r0 += 64) {
        #pragma GCC unroll 4
        for (int u3 = 0; u3 < 4; ++u3) {
          const i64 i4_r0 = i2_r0 + u3 * 16;
          const f32v v5_x = *(const f32u*)(b0 + (768 * i0_i0) + i4_r0);
          a1_sum[u3] = a1_sum[u3] + v5_x;
        }
      }
      a1_sum[0] = a1_sum[0] + a1_sum[2];
      a1_sum[1] = a1_sum[1] + a1_sum[3];
      a1_sum[0] = a1_sum[0] + a1_sum[1];
      const f32 v6_sum = hsum_f32v(a1_sum[0]);
      const f32 v7_div = v6_sum / 0x1.8p+9f;
      f32v a8_sum[4] = {splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f)};
      for (i64 i9_r1 = 0, i9_r1e = 768; i9_r1 < i9_r1e; i9_r1 += 64) {
        #pragma GCC unroll 4
        for (int u10 = 0; u10 < 4; ++u10) {
          const i64 i11_r1 = i9_r1 + u10 * 16;
          const f32v v12_x = *(const f32u*)(b0 + (768 * i0_i0) + i11_r1);
          const f32v v13_sub = v12_x - v7_div;
          const f32v v14_mul = v13_sub * v13_sub;
          a8_sum[u10] = a8_sum[u10] + v14_mul;
        }
      }
      a8_sum[0] = a8_sum[0] + a8_sum[2];
      a8_sum[1] = a8_sum[1] + a8_sum[3];
      a8_sum[0] = a8_sum[0] + a8_sum[1];
      const f32 v15_sum = hsum_f32v(a8_sum[0]);
      const f32 v16_div = v15_sum / 0x1.8p+9f;
      const f32 v17_add = v16_div + 0x1.4f8b58p-17f;
      const f32 v18_rsqrt = rsqrt_f32(v17_add);
      for (i64 i19_r2 = 0, i19_r2e = 768; i19_r2 < i19_r2e; i19_r2 += 16) {
        const f32v v20_x = *(const f32u*)(b0 + (768 * i0_i0) + i19_r2);
        const f32v v21_sub = v20_x - v7_div;
        const f32v v22_mul = v21_sub * v18_rsqrt;
        const f32v v23_weight = *(const f32u*)(b1 + i19_r2);
        const f32v v24_mul = v22_mul * v23_weight;
        const f32v v25_bias = *(const f32u*)(b2 + i19_r2);
        const f32v v26_add = v24_mul + v25_bias;
        const f32v v27_mul = v26_add * 0x1.6a09e6p-1f;
        const f32v v28_erf = erf_f32v(v27_mul);
        const f32v v29_add = v28_erf + 0x1p+0f;
        const f32v v30_mul = v26_add * 0x1p-1f;
        const f32v v31_mul = v30_mul * v29_add;
        const f32v v32_residual = *(const f32u*)(b3 + (768 * i0_i0) + i19_r2);
        const f32v v33_add = v31_mul + v32_residual;
        *(f32u*)(b4 + (768 * i0_i0) + i19_r2) = v33_add;
      }
    }
  }
}
// phases: 4096 tasks, 20 at a time; scratch 0
