/*
kernel @layernorm_gelu(
    x: f32[4096,768] in,
    weight: f32[768] in,
    bias: f32[768] in,
    residual: f32[4096,768] in,
    y: f32[4096,768] out) {
  schedule(grain=2, task_ranges=1)
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
static inline f32 sqrt_f32(f32 x) { return __builtin_sqrtf(x); }
static inline f32 rsqrt_f32(f32 x) { return 1 / sqrt_f32(x); }
static inline f32 abs_f32(f32 x) { return __builtin_fabsf(x); }
static inline f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
typedef int i32;
static inline f32 copysign_f32(f32 x, f32 sign) {
  const i32 top = (i32)0x80000000 + i32{};
  return __builtin_bit_cast(f32, (__builtin_bit_cast(i32, x) & ~top) | (__builtin_bit_cast(i32, sign) & top));
}
static inline f32 exp_core_f32(f32 r) {
  f32 p = fma_f32(r, f32{} + 0x1.6a5232p-10f, f32{} + 0x1.12396cp-7f);
  p = fma_f32(p, r, f32{} + 0x1.5558aap-5f);
  p = fma_f32(p, r, f32{} + 0x1.555492p-3f);
  p = fma_f32(p, r, f32{} + 0x1.fffffcp-2f);
  return fma_f32(p, r * r, r) + 1.0f;
}
static inline f32 exp_middle_f32(f32 x) {
  const f32 t = fma_f32(x, f32{} + 0x1.715476p+0f, f32{} + 0x1.8p23f);
  const f32 n = t - 0x1.8p23f;
  const f32 r = fma_f32(n, f32{} + 0x1.05c61p-29f, fma_f32(n, f32{} - 0x1.62e43p-1f, x));
  const f32 y = exp_core_f32(r);
  return y * __builtin_bit_cast(f32, (__builtin_bit_cast(i32, t) << 23) + 0x3f800000);
}
static inline f32 erf_f32(f32 x) {
  const f32 a = abs_f32(x), s = x * x;
  f32 p = fma_f32(s, f32{} - 0x1.3ac59p-11f, f32{} + 0x1.476882p-8f);
  p = fma_f32(p, s, f32{} - 0x1.b6939p-6f);
  p = fma_f32(p, s, f32{} + 0x1.ce1b0ep-4f);
  p = fma_f32(p, s, f32{} - 0x1.8126eap-2f);
  p = fma_f32(p, s, f32{} + 0x1.06eba6p-3f);
  const f32 small = fma_f32(p, x, x);
  const f32 b = (a > 3.95f ? f32{} + 3.95f : a) - 1.0f;
  f32 q = fma_f32(b, f32{} - 0x1.c0bd4ap-15f, f32{} - 0x1.2df948p-16f);
  q = fma_f32(q, b, f32{} + 0x1.bd7efp-10f);
  q = fma_f32(q, b, f32{} - 0x1.459f5cp-7f);
  q = fma_f32(q, b, f32{} + 0x1.549d34p-5f);
  q = fma_f32(q, b, f32{} + 0x1.afaa66p-1f);
  q = fma_f32(q, b, f32{} + 0x1.51c9b2p+1f);
  q = fma_f32(q, b, f32{} + 0x1.d97fcp+0f);
  const f32 large = copysign_f32(1.0f - exp_middle_f32(-q), x);
  return a < 0.92f ? small : large;
}
typedef signed char i8;
extern "C" void litz_75548ddb0096016e(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
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
      f32 a1_sum = 0x0p+0f;
      for (i64 i2_r0 = 0, i2_r0e = 768; i2_r0 < i2_r0e; i2_r0 += 32) {
        f32 a3_sum = 0x0p+0f;
        for (i64 i4_r0 = i2_r0, i4_r0e = i2_r0 + 32; i4_r0 < i4_r0e; i4_r0 += 1) {
          const f32 v5_x = b0[(768 * i0_i0) + i4_r0];
          a3_sum = a3_sum + v5_x;
        }
        a1_sum = a1_sum + a3_sum;
      }
      const f32 v6_sum = a1_sum;
      const f32 v7_div = v6_sum / 0x1.8p+9f;
      f32 a8_sum = 0x0p+0f;
      for (i64 i9_r1 = 0, i9_r1e = 768; i9_r1 < i9_r1e; i9_r1 += 32) {
        f32 a10_sum = 0x0p+0f;
        for (i64 i11_r1 = i9_r1, i11_r1e = i9_r1 + 32; i11_r1 < i11_r1e; i11_r1 += 1) {
          const f32 v12_x = b0[(768 * i0_i0) + i11_r1];
          const f32 v13_sub = v12_x - v7_div;
          const f32 v14_mul = v13_sub * v13_sub;
          a10_sum = a10_sum + v14_mul;
        }
        a8_sum = a8_sum + a10_sum;
      }
      const f32 v15_sum = a8_sum;
      const f32 v16_div = v15_sum / 0x1.8p+9f;
      const f32 v17_add = v16_div + 0x1.4f8b58p-17f;
      const f32 v18_rsqrt = rsqrt_f32(v17_add);
      for (i64 i19_r2 = 0; i19_r2 < 768; ++i19_r2) {
        const f32 v20_x = b0[(768 * i0_i0) + i19_r2];
        const f32 v21_sub = v20_x - v7_div;
        const f32 v22_mul = v21_sub * v18_rsqrt;
        const f32 v23_weight = b1[i19_r2];
        const f32 v24_mul = v22_mul * v23_weight;
        const f32 v25_bias = b2[i19_r2];
        const f32 v26_add = v24_mul + v25_bias;
        const f32 v27_mul = v26_add * 0x1.6a09e6p-1f;
        const f32 v28_erf = erf_f32(v27_mul);
        const f32 v29_add = v28_erf + 0x1p+0f;
        const f32 v30_mul = v26_add * 0x1p-1f;
        const f32 v31_mul = v30_mul * v29_add;
        const f32 v32_residual = b3[(768 * i0_i0) + i19_r2];
        const f32 v33_add = v31_mul + v32_residual;
        b4[(768 * i0_i0) + i19_r2] = v33_add;
      }
    }
  }
}
// phases: 4096 tasks, 2 at a time; scratch 0
