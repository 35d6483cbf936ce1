/*
kernel @bias_relu(x: f32[1,4,56,56,16] in, bias: f32[64] in, y: f32[1,4,56,56,16] out) {
  schedule(task_ranges=2, task_block=784)
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
static inline f32 max_f32(f32 a, f32 b) { return a != a ? a : a > b ? a : b; }
typedef signed char i8;
extern "C" void litz_7f1b7459f3c9f6c8(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
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
      for (i64 i4_h = i1_h, i4_he = i1_h + 784; i4_h < i4_he; ++i4_h) {
        for (i64 i5_ci = 0, i5_cie = 16; i5_ci < i5_cie; ++i5_ci) {
          const f32 v6_x = b0[(i5_ci + (50176 * i0_co)) + (16 * i4_h)];
          const f32 v7_bias = b1[i5_ci + (16 * i0_co)];
          const f32 v8_add = v6_x + v7_bias;
          const f32 v9_max = max_f32(v8_add, 0x0p+0f);
          b2[(i5_ci + (50176 * i0_co)) + (16 * i4_h)] = v9_max;
        }
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
