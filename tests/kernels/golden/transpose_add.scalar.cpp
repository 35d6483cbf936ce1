/*
kernel @transpose_add(x: f32[1000,500] in, z: f32[500,1000] in, y: f32[500,1000] out) {
  schedule(grain=16, task_ranges=1)
  parallel i0 < 500, i1 < 1000 {
    %0 = load x[i1, i0] : f32
    %1 = load z[i0, i1] : f32
    %2 = add %0, %1 : f32
    store y[i0, i1], %2
  }
}
*/
// transpose_add
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef signed char i8;
extern "C" void litz_2e7904501e5db501(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: z
  const f32m* const b1 = (const f32m*)args[1];
  // b2: y
  f32m* const b2 = (f32m*)args[2];
  {
    for (i64 i0_i0 = begin, i0_i0e = end; i0_i0 < i0_i0e; ++i0_i0) {
      for (i64 i1_i1 = 0, i1_i1e = 1000; i1_i1 < i1_i1e; ++i1_i1) {
        const f32 v2_x = b0[i0_i0 + (500 * i1_i1)];
        const f32 v3_z = b1[(1000 * i0_i0) + i1_i1];
        const f32 v4_add = v2_x + v3_z;
        b2[(1000 * i0_i0) + i1_i1] = v4_add;
      }
    }
  }
}
// phases: 500 tasks, 16 at a time; scratch 0
