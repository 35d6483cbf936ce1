/*
kernel @bias_relu(x: f32[1,4,56,56,16] in, bias: f32[64] in, y: f32[1,4,56,56,16] out) {
  schedule(vector_ranges=[ci], vector_lanes=16, unroll=4, task_ranges=2, task_block=784)
  parallel co < 4, h < 3136, ci < 16 {
    %0 = load x[0, co, floor_div(h, 56), mod(h, 56), ci] : f32
    %1 = load bias[ci + 16*co] : f32
    %2 = add %0, %1 : f32
    %3 = const 0.0 : f32
    %4 = max %2, %3 : f32
    store y[0, co, floor_div(h, 56), mod(h, 56), ci], %4
  }
}
*/
// bias_relu
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef f32 f32v __attribute__((vector_size(64)));
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline f32v max_f32v(f32v a, f32v b) {
#if defined(__clang__) && defined(__AVX512F__) && 16 * 4 == 64
  return a != a ? a : __builtin_ia32_maxps512(a, b, 4);
#else
  return a != a ? a : a > b ? a : b;
#endif
}
static inline f32v splat_f32v(f32 x) { return x - f32v{}; }
typedef signed char i8;
extern "C" void litz_e6ebb0b8f9a2db11(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: bias
  const f32m* const b1 = (const f32m*)args[1];
  // b2: y
  f32m* const b2 = (f32m*)args[2];
  {
    i64 t2 = begin;
    i64 i1_h = t2 % 4 * 784;
    t2 /= 4;
    i64 i0_co = t2;
    for (i64 t3 = begin; t3 < end; ++t3) {
      const f32v v4_bias = *(const f32u*)(b1 + 16 * i0_co);
      for (i64 i5_h = i1_h, i5_he = i1_h + 784; i5_h < i5_he; ++i5_h) {
        const f32v v6_x = *(const f32u*)(b0 + (50176 * i0_co) + (16 * i5_h));
        const f32v v7_add = v6_x + v4_bias;
        const f32v v8_max = max_f32v(v7_add, splat_f32v(0x0p+0f));
        *(f32u*)(b2 + (50176 * i0_co) + (16 * i5_h)) = v8_max;
      }
      i1_h += 784;
      if (i1_h >= 3136) {
        i1_h = 0;
        ++i0_co;
      }
    }
  }
}
// phases: 16 tasks, 1 at a time; scratch 0
