/*
kernel @column_sum(x: f32[4096,768] in, y: f32[768] out) {
  schedule(vector_ranges=[i0], vector_lanes=64, unroll=4, task_ranges=1, task_block=64)
  parallel i0 < 768 {
    %1 = loop r0 < 4096 reduce(sum f32 %0) { %0 = load x[r0, i0] : f32 }
    store y[i0], %1
  }
}
*/
// column_sum
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
typedef f32 f32v __attribute__((vector_size(256)));
static inline f32v splat_f32v(f32 x) { return x - f32v{}; }
typedef f32v f32u __attribute__((aligned(4), may_alias));
typedef signed char i8;
extern "C" void litz_a12be3e5a5fe1564(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: y
  f32m* const b1 = (f32m*)args[1];
  {
    for (i64 i0_i0 = begin * 64, i0_i0e = end * 64; i0_i0 < i0_i0e; i0_i0 += 64) {
      f32v a1_sum = splat_f32v(0x0p+0f);
      for (i64 i2_r0 = 0, i2_r0e = 4096; i2_r0 < i2_r0e; i2_r0 += 1024) {
        f32v a3_sum = splat_f32v(0x0p+0f);
        for (i64 i4_r0 = i2_r0, i4_r0e = i2_r0 + 1024; i4_r0 < i4_r0e; i4_r0 += 32) {
          f32v a5_sum = splat_f32v(0x0p+0f);
          for (i64 i6_r0 = i4_r0, i6_r0e = i4_r0 + 32; i6_r0 < i6_r0e; i6_r0 += 1) {
            const f32v v7_x = *(const f32u*)(b0 + i0_i0 + (768 * i6_r0));
            a5_sum = a5_sum + v7_x;
          }
          a3_sum = a3_sum + a5_sum;
        }
        a1_sum = a1_sum + a3_sum;
      }
      const f32v v8_sum = a1_sum;
      *(f32u*)(b1 + i0_i0) = v8_sum;
    }
  }
}
// phases: 12 tasks, 1 at a time; scratch 0
