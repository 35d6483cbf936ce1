/*
kernel @softmax(x: f32[8192,512] in, m: f32[512] in, y: f32[8192,512] out, row: f32[512] local) {
  schedule(vector_ranges=[r0, r1, r2], vector_lanes=16, unroll=4, grain=46, task_ranges=1)
  parallel i0 < 8192 {
    %0 = const 0.125 : f32
    %5 = loop r0 < 512 reduce(max f32 %4) {
      %1 = load x[i0, r0] : f32
      %2 = mul %1, %0 : f32
      %3 = load m[r0] : f32
      %4 = add %2, %3 : f32
      store row[r0], %4
    }
    %9 = loop r1 < 512 reduce(sum f32 %8) {
      %6 = load row[r1] : f32
      %7 = sub %6, %5 : f32
      %8 = exp %7 : f32
      store row[r1], %8
    }
    loop r2 < 512 {
      %10 = load row[r2] : f32
      %11 = div %10, %9 : f32
      store y[i0, r2], %11
    }
  }
}
*/
// softmax
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef signed char i8;
typedef f32 f32v __attribute__((vector_size(64)));
static inline f32v splat_f32v(f32 x) { return x - f32v{}; }
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline f32v max_f32v(f32v a, f32v b) {
#if defined(__clang__) && defined(__AVX512F__) && 16 * 4 == 64
  return a != a ? a : __builtin_ia32_maxps512(a, b, 4);
#else
  return a != a ? a : a > b ? a : b;
#endif
}
static inline f32 hmax_f32v(f32v a) {
  f32v b;
  b = __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  a = max_f32v(a, b);
  b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
  a = max_f32v(a, b);
  b = __builtin_shufflevector(a, a, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1);
  a = max_f32v(a, b);
  b = __builtin_shufflevector(a, a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
  a = max_f32v(a, b);
  return a[0];
}
static inline f32v fma_f32v(f32v a, f32v b, f32v c) {
#ifdef __clang__
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int l = 0; l < 16; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return a;
#endif
}
typedef unsigned short u16;
typedef int i32;
typedef i32 i32v __attribute__((vector_size(64)));
static inline f32v scale_f32v(f32v y, f32v t) {
#if defined(__AVX512F__) && 16 == 16
  return __builtin_ia32_scalefps512_mask(y, t - 0x1.8p23f, f32v{}, (u16)-1, 4);
#else
  const i32v n = (i32v)t - 0x4b400000, a = n >> 1, b = n - a;
  return y * (f32v)((a + 127) << 23) * (f32v)((b + 127) << 23);
#endif
}
static inline f32v exp_core_f32v(f32v r) {
  f32v p = fma_f32v(r, f32v{} + 0x1.6a5232p-10f, f32v{} + 0x1.12396cp-7f);
  p = fma_f32v(p, r, f32v{} + 0x1.5558aap-5f);
  p = fma_f32v(p, r, f32v{} + 0x1.555492p-3f);
  p = fma_f32v(p, r, f32v{} + 0x1.fffffcp-2f);
  return fma_f32v(p, r * r, r) + 1.0f;
}
static inline f32v exp_f32v(f32v x) {
  x = x < -104.0f ? f32v{} - 104.0f : x;
  x = x > 89.0f ? f32v{} + 89.0f : x;
  const f32v t = fma_f32v(x, f32v{} + 0x1.715476p+0f, f32v{} + 0x1.8p23f);
  const f32v n = t - 0x1.8p23f;
  const f32v r = fma_f32v(n, f32v{} + 0x1.05c61p-29f, fma_f32v(n, f32v{} - 0x1.62e43p-1f, x));
  return scale_f32v(exp_core_f32v(r), t);
}
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
static inline bool anyv(i32v m) {
#if __has_builtin(__builtin_reduce_or)
  return __builtin_reduce_or(m) != 0;
#else
  i32 r = 0;
  for (int l = 0; l < 16; ++l) r |= m[l];
  return r != 0;
#endif
}
static inline f32v quotient_f32v(f32v x, f32 s) {
  const f32 r = 1 / s;
  const f32v a = x * r, d = splat_f32v(s), q = fma_f32v(fma_f32v(-a, d, x), splat_f32v(r), a);
  if (anyv(__builtin_convertvector(q != q, i32v))) [[unlikely]] return x / d;
  return q;
}
extern "C" void litz_beee94d0f80f6eab(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: m
  const f32m* const b1 = (const f32m*)args[1];
  // b2: y
  f32m* const b2 = (f32m*)args[2];
  // b3: row
  f32m* const b3 = (f32m*)((i8*)scratch + 0);
  {
    for (i64 i0_i0 = begin, i0_i0e = end; i0_i0 < i0_i0e; ++i0_i0) {
      f32v a1_max[4] = {splat_f32v(-__builtin_inff()), splat_f32v(-__builtin_inff()), splat_f32v(-__builtin_inff()), splat_f32v(-__builtin_inff())};
      for (i64 i2_r0 = 0, i2_r0e = 512; i2_r0 < i2_r0e; i2_r0 += 64) {
        #pragma GCC unroll 4
        for (int u3 = 0; u3 < 4; ++u3) {
          const i64 i4_r0 = i2_r0 + u3 * 16;
          const f32v v5_x = *(const f32u*)(b0 + (512 * i0_i0) + i4_r0);
          const f32v v6_mul = v5_x * 0x1p-3f;
          const f32v v7_m = *(const f32u*)(b1 + i4_r0);
          const f32v v8_add = v6_mul + v7_m;
          *(f32u*)(b3 + i4_r0) = v8_add;
          a1_max[u3] = max_f32v(a1_max[u3], v8_add);
        }
      }
      a1_max[0] = max_f32v(a1_max[0], a1_max[2]);
      a1_max[1] = max_f32v(a1_max[1], a1_max[3]);
      a1_max[0] = max_f32v(a1_max[0], a1_max[1]);
      const f32 v9_max = hmax_f32v(a1_max[0]);
      f32v a10_sum[4] = {splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f), splat_f32v(0x0p+0f)};
      for (i64 i11_r1 = 0, i11_r1e = 512; i11_r1 < i11_r1e; i11_r1 += 64) {
        #pragma GCC unroll 4
        for (int u12 = 0; u12 < 4; ++u12) {
          const i64 i13_r1 = i11_r1 + u12 * 16;
          const f32v v14_row = *(const f32u*)(b3 + i13_r1);
          const f32v v15_sub = v14_row - v9_max;
          const f32v v16_exp = exp_f32v(v15_sub);
          *(f32u*)(b3 + i13_r1) = v16_exp;
          a10_sum[u12] = a10_sum[u12] + v16_exp;
        }
      }
      a10_sum[0] = a10_sum[0] + a10_sum[2];
      a10_sum[1] = a10_sum[1] + a10_sum[3];
      a10_sum[0] = a10_sum[0] + a10_sum[1];
      const f32 v17_sum = hsum_f32v(a10_sum[0]);
      for (i64 i18_r2 = 0, i18_r2e = 512; i18_r2 < i18_r2e; i18_r2 += 16) {
        const f32v v19_row = *(const f32u*)(b3 + i18_r2);
        const f32v v20_div = quotient_f32v(v19_row, v17_sum);
        *(f32u*)(b2 + (512 * i0_i0) + i18_r2) = v20_div;
      }
    }
  }
}
// phases: 8192 tasks, 46 at a time; scratch 2048
