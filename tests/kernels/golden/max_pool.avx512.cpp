/*
kernel @max_pool(x: f32[1,4,112,112,16] in, y: f32[1,4,56,56,16] out) {
  schedule(vector_ranges=[ci], vector_lanes=16, unroll=4, task_ranges=2, task_block=10)
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
static inline i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
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
typedef signed char i8;
extern "C" void litz_8a493e200a63be9c(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: y
  f32m* const b1 = (f32m*)args[1];
  {
    i64 t2 = begin;
    i64 i1_h = t2 % 6 * 10;
    t2 /= 6;
    i64 i0_co = t2;
    for (i64 t3 = begin; t3 < end; ++t3) {
      for (i64 i4_h = i1_h, i4_he = min_i64(i1_h + 10, 56); i4_h < i4_he; ++i4_h) {
        for (i64 i5_w = 0, i5_we = 56; i5_w < i5_we; ++i5_w) {
          f32v a6_max = splat_f32v(-__builtin_inff());
          for (i64 i7_kh = 0, i7_khe = 3; i7_kh < i7_khe; i7_kh += 1) {
            const i64 v8_index = ((2 * i4_h) + i7_kh) + (-1);
            const bool v9_ge = v8_index >= 0L;
            const bool v10_lt = v8_index < 112L;
            const bool v11_bit_and = (bool)(v9_ge & v10_lt);
            for (i64 i12_kw = 0, i12_kwe = 3; i12_kw < i12_kwe; i12_kw += 1) {
              const i64 v13_index = (i12_kw + (2 * i5_w)) + (-1);
              const bool v14_ge = v13_index >= 0L;
              const bool v15_lt = v13_index < 112L;
              const bool v16_bit_and = (bool)(v14_ge & v15_lt);
              const bool v17_bit_and = (bool)(v11_bit_and & v16_bit_and);
              const f32v v18_x = v17_bit_and ? (f32v)*(const f32u*)(b0 + (((((200704 * i0_co) + (3584 * i4_h)) + (1792 * i7_kh)) + (16 * i12_kw)) + (32 * i5_w)) + (-1808)) : splat_f32v(-__builtin_inff());
              a6_max = max_f32v(a6_max, v18_x);
            }
          }
          const f32v v19_max = a6_max;
          *(f32u*)(b1 + ((50176 * i0_co) + (896 * i4_h)) + (16 * i5_w)) = v19_max;
        }
      }
      i1_h += 10;
      if (i1_h >= 56) {
        i1_h = 0;
        ++i0_co;
      }
    }
  }
}
// phases: 24 tasks, 1 at a time; scratch 0
