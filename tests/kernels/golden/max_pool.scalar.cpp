/*
kernel @max_pool(x: f32[1,4,112,112,16] in, y: f32[1,4,56,56,16] out) {
  schedule(task_ranges=2, task_block=4)
  parallel co < 4, h < 56, w < 56, ci < 16 {
    %12 = loop kh < 3, kw < 3 reduce(max f32 %11) {
      %0 = index 2*h + kh - 1
      %1 = index kw + 2*w - 1
      %2 = const 0 : i64
      %3 = const 112 : i64
      %4 = ge %0, %2 : bool
      %5 = lt %0, %3 : bool
      %6 = ge %1, %2 : bool
      %7 = lt %1, %3 : bool
      %8 = bit_and %4, %5 : bool
      %9 = bit_and %6, %7 : bool
      %10 = bit_and %8, %9 : bool
      %11 = load x[0, co, 2*h + kh - 1, kw + 2*w - 1, ci] if %10 else -inf : f32
    }
    store y[0, co, h, w, ci], %12
  }
}
*/
// max_pool
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef signed char i8;
static inline f32 max_f32(f32 a, f32 b) { return a != a ? a : a > b ? a : b; }
extern "C" void litz_7272213dc3881c22(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: y
  f32m* const b1 = (f32m*)args[1];
  {
    i64 t2 = begin;
    i64 i1_h = t2 % 14 * 4;
    t2 /= 14;
    i64 i0_co = t2;
    for (i64 t3 = begin; t3 < end; ++t3) {
      for (i64 i4_h = i1_h, i4_he = i1_h + 4; i4_h < i4_he; ++i4_h) {
        for (i64 i5_w = 0, i5_we = 56; i5_w < i5_we; ++i5_w) {
          for (i64 i6_ci = 0, i6_cie = 16; i6_ci < i6_cie; ++i6_ci) {
            f32 a7_max = -__builtin_inff();
            for (i64 i8_kh = 0, i8_khe = 3; i8_kh < i8_khe; i8_kh += 1) {
              const i64 v9_index = ((2 * i4_h) + i8_kh) + (-1);
              const bool v10_ge = v9_index >= 0L;
              const bool v11_lt = v9_index < 112L;
              const bool v12_bit_and = (bool)(v10_ge & v11_lt);
              for (i64 i13_kw = 0, i13_kwe = 3; i13_kw < i13_kwe; i13_kw += 1) {
                const i64 v14_index = (i13_kw + (2 * i5_w)) + (-1);
                const bool v15_ge = v14_index >= 0L;
                const bool v16_lt = v14_index < 112L;
                const bool v17_bit_and = (bool)(v15_ge & v16_lt);
                const bool v18_bit_and = (bool)(v12_bit_and & v17_bit_and);
                const f32 v19_x = v18_bit_and ? (f32)(b0[(((((i6_ci + (200704 * i0_co)) + (3584 * i4_h)) + (1792 * i8_kh)) + (16 * i13_kw)) + (32 * i5_w)) + (-1808)]) : -__builtin_inff();
                a7_max = max_f32(a7_max, v19_x);
              }
            }
            const f32 v20_max = a7_max;
            b1[((i6_ci + (50176 * i0_co)) + (896 * i4_h)) + (16 * i5_w)] = v20_max;
          }
        }
      }
      i1_h += 4;
      if (i1_h >= 56) {
        i1_h = 0;
        ++i0_co;
      }
    }
  }
}
// phases: 56 tasks, 1 at a time; scratch 0
