/*
kernel @transpose_add(x: f32[1000,500] in, z: f32[500,1000] in, y: f32[500,1000] out) {
  schedule(vector_ranges=[i1], tile_ranges=[i0], vector_lanes=16, unroll=4, task_ranges=1, task_block=16)
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
static inline i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
typedef f32 f32v __attribute__((vector_size(64)));
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline void ldt_f32v(const f32m* p, i64 s, f32v* t) {
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) t[l] = *(const f32u*)(p + l * s);
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) {
    if (l & 8) continue;
    const f32v a = t[l], b = t[l + 8];
    t[l] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    t[l + 8] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) {
    if (l & 4) continue;
    const f32v a = t[l], b = t[l + 4];
    t[l] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    t[l + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) {
    if (l & 2) continue;
    const f32v a = t[l], b = t[l + 2];
    t[l] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    t[l + 2] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) {
    if (l & 1) continue;
    const f32v a = t[l], b = t[l + 1];
    t[l] = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    t[l + 1] = __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
}
static inline f32v ldsp_f32v(const f32m* p, i64 s, int n) {
  f32v r = {};
  for (int l = 0; l < n; ++l) r[l] = p[l * s];
  return r;
}
typedef int i32;
typedef i32 i32v __attribute__((vector_size(64)));
static inline i32v iota_i32v() { return i32v{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
static inline i32v belowv(int n) { return iota_i32v() < n; }
typedef bool b1x __attribute__((ext_vector_type(16)));
typedef f32 f32x __attribute__((ext_vector_type(16)));
static inline f32v ldp_f32v(const f32m* p, int n) {
#if __has_builtin(__builtin_masked_load)
  return (f32v)__builtin_masked_load(__builtin_convertvector(belowv(n), b1x), (const f32*)p, (f32x)f32v{});
#else
  f32v r = {};
  for (int l = 0; l < n; ++l) r[l] = p[l];
  return r;
#endif
}
static inline void stp_f32v(f32m* p, f32v v, int n) {
  if (sizeof(f32) < 4) {
    for (int l = 0; l < n; ++l) p[l] = v[l];
    return;
  }
#if __has_builtin(__builtin_masked_store)
  __builtin_masked_store(__builtin_convertvector(belowv(n), b1x), (f32x)v, (f32*)p);
#else
  for (int l = 0; l < n; ++l) p[l] = v[l];
#endif
}
static inline f32v lds_f32v(const f32m* p, i64 s) {
  f32v r;
#pragma GCC unroll 16
  for (int l = 0; l < 16; ++l) r[l] = p[l * s];
  return r;
}
typedef signed char i8;
extern "C" void litz_5e3172cc4b7f2541(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: z
  const f32m* const b1 = (const f32m*)args[1];
  // b2: y
  f32m* const b2 = (f32m*)args[2];
  {
    i64 i0_i0 = begin * 16;
    const i64 i0_i0e = min_i64(end * 16, 500);
    for (; i0_i0 + 16 <= i0_i0e; i0_i0 += 16) {
      for (i64 i1_i1 = 0; i1_i1 < 992; i1_i1 += 16) {
        f32v v3_x[16];
        ldt_f32v(b0 + i0_i0 + (500 * i1_i1), 500, v3_x);
        for (int u2_i0 = 0; u2_i0 < 16; ++u2_i0) {
          const i64 i4_i0 = i0_i0 + u2_i0;
          const f32v v5_z = *(const f32u*)(b1 + (1000 * i4_i0) + i1_i1);
          const f32v v6_add = v3_x[u2_i0] + v5_z;
          *(f32u*)(b2 + (1000 * i4_i0) + i1_i1) = v6_add;
        }
      }
      for (i64 i7_i0 = i0_i0; i7_i0 < i0_i0 + 16; ++i7_i0) {
        const f32v v8_x = ldsp_f32v(b0 + i7_i0 + (500 * 992), 500, 8);
        const f32v v9_z = ldp_f32v(b1 + (1000 * i7_i0) + 992, 8);
        const f32v v10_add = v8_x + v9_z;
        stp_f32v(b2 + (1000 * i7_i0) + 992, v10_add, 8);
      }
    }
    for (; i0_i0 < i0_i0e; ++i0_i0) {
      i64 i11_i1 = 0;
      const i64 i11_i1e = 1000;
      for (; i11_i1 + 16 <= i11_i1e; i11_i1 += 16) {
        const f32v v12_x = lds_f32v(b0 + i0_i0 + (500 * i11_i1), 500);
        const f32v v13_z = *(const f32u*)(b1 + (1000 * i0_i0) + i11_i1);
        const f32v v14_add = v12_x + v13_z;
        *(f32u*)(b2 + (1000 * i0_i0) + i11_i1) = v14_add;
      }
      if (i11_i1 < i11_i1e) {
        const f32v v15_x = ldsp_f32v(b0 + i0_i0 + (500 * i11_i1), 500, 8);
        const f32v v16_z = ldp_f32v(b1 + (1000 * i0_i0) + i11_i1, 8);
        const f32v v17_add = v15_x + v16_z;
        stp_f32v(b2 + (1000 * i0_i0) + i11_i1, v17_add, 8);
      }
    }
  }
}
// phases: 32 tasks, 1 at a time; scratch 0
