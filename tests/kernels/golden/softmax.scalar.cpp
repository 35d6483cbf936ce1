/*
kernel @softmax(x: f32[8192,512] in, m: f32[512] in, y: f32[8192,512] out, row: f32[512] local) {
  schedule(grain=3, task_ranges=1)
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
static inline f32 max_f32(f32 a, f32 b) { return a != a ? a : a > b ? a : b; }
static inline f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
typedef int i32;
static inline f32 scale_f32(f32 y, f32 t) {
  const i32 n = __builtin_bit_cast(i32, t) - 0x4b400000, a = n >> 1, b = n - a;
  return y * __builtin_bit_cast(f32, (a + 127) << 23) * __builtin_bit_cast(f32, (b + 127) << 23);
}
static inline f32 exp_core_f32(f32 r) {
  f32 p = fma_f32(r, f32{} + 0x1.6a5232p-10f, f32{} + 0x1.12396cp-7f);
  p = fma_f32(p, r, f32{} + 0x1.5558aap-5f);
  p = fma_f32(p, r, f32{} + 0x1.555492p-3f);
  p = fma_f32(p, r, f32{} + 0x1.fffffcp-2f);
  return fma_f32(p, r * r, r) + 1.0f;
}
static inline f32 exp_f32(f32 x) {
  x = x < -104.0f ? f32{} - 104.0f : x;
  x = x > 89.0f ? f32{} + 89.0f : x;
  const f32 t = fma_f32(x, f32{} + 0x1.715476p+0f, f32{} + 0x1.8p23f);
  const f32 n = t - 0x1.8p23f;
  const f32 r = fma_f32(n, f32{} + 0x1.05c61p-29f, fma_f32(n, f32{} - 0x1.62e43p-1f, x));
  return scale_f32(exp_core_f32(r), t);
}
typedef short i16;
extern "C" void litz_be327ca1a4329daa(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
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
      f32 a1_max = -__builtin_inff();
      for (i64 i2_r0 = 0, i2_r0e = 512; i2_r0 < i2_r0e; i2_r0 += 1) {
        const f32 v3_x = b0[(512 * i0_i0) + i2_r0];
        const f32 v4_mul = v3_x * 0x1p-3f;
        const f32 v5_m = b1[i2_r0];
        const f32 v6_add = v4_mul + v5_m;
        b3[i2_r0] = v6_add;
        a1_max = max_f32(a1_max, v6_add);
      }
      const f32 v7_max = a1_max;
      f32 a8_sum = 0x0p+0f;
      for (i64 i9_r1 = 0, i9_r1e = 512; i9_r1 < i9_r1e; i9_r1 += 32) {
        f32 a10_sum = 0x0p+0f;
        for (i64 i11_r1 = i9_r1, i11_r1e = i9_r1 + 32; i11_r1 < i11_r1e; i11_r1 += 1) {
          const f32 v12_row = b3[i11_r1];
          const f32 v13_sub = v12_row - v7_max;
          const f32 v14_exp = exp_f32(v13_sub);
          b3[i11_r1] = v14_exp;
          a10_sum = a10_sum + v14_exp;
        }
        a8_sum = a8_sum + a10_sum;
      }
      const f32 v15_sum = a8_sum;
      for (i64 i16_r2 = 0; i16_r2 < 512; ++i16_r2) {
        const f32 v17_row = b3[i16_r2];
        const f32 v18_div = v17_row / v15_sum;
        b2[(512 * i0_i0) + i16_r2] = v18_div;
      }
    }
  }
}
// phases: 8192 tasks, 3 at a time; scratch 2048
