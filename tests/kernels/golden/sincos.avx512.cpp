/*
kernel @sincos(x: f32[10000] in, y: f32[10000] out) {
  ops("cos (model.py:3)", "sin (model.py:3)")
  schedule(vector_ranges=[i0], vector_lanes=16, unroll=4, task_ranges=1, task_block=5120)
  parallel i0 < 10000 {
    %0 = load x[i0] : f32
    %1 = cos %0 : f32
    %2 = sin %1 : f32
    store y[i0], %2
  }
}
*/
// sincos
//   cos (model.py:3)
//   sin (model.py:3)
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef float f32;
typedef f32 f32m __attribute__((may_alias));
static inline i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
typedef f32 f32v __attribute__((vector_size(64)));
typedef f32v f32u __attribute__((aligned(4), may_alias));
static inline f32v fma_f32v(f32v a, f32v b, f32v c) {
#ifdef __clang__
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int l = 0; l < 16; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return a;
#endif
}
typedef int i32;
typedef i32 i32v __attribute__((vector_size(64)));
static inline f32v sin_core_f32v(f32v r, i32v flip) {
  const f32v s = r * r;
  f32v p = fma_f32v(s, f32v{} + 0x1.5dc906p-19f, f32v{} - 0x1.9f70fp-13f);
  p = fma_f32v(p, s, f32v{} + 0x1.110edap-7f);
  p = fma_f32v(s, f32v{} - 0x1.55554cp-3f, p * (s * s));
  p = fma_f32v(p, r, r);
  const i32v top = (i32)0x80000000 + i32v{};
  return __builtin_bit_cast(f32v, (__builtin_bit_cast(i32v, p) & ~top) | ((__builtin_bit_cast(i32v, r) ^ flip) & top));
}
static inline f32v cos_tame_f32v(f32v x) {
  const f32v t = fma_f32v(x, f32v{} + 0x1.45f306p-2f, f32v{} - 0.5f) + 0x1.8p23f;
  const f32v q = fma_f32v(t - 0x1.8p23f, f32v{} + 2.0f, f32v{} + 1.0f);
  f32v r = fma_f32v(q, f32v{} - 0x1.921fb4p+0f, x);
  r = fma_f32v(q, f32v{} - 0x1.4442dp-24f, r);
  r = fma_f32v(q, f32v{} - 0x1.846988p-48f, r);
  return sin_core_f32v(r, ~__builtin_bit_cast(i32v, t) << 31);
}
typedef unsigned u32;
typedef u32 u32v __attribute__((vector_size(64)));
static inline f32v abs_f32v(f32v x) { return (f32v)((u32v)x & (~(u32)0 >> 1)); }
static inline bool anyv(i32v m) {
#if __has_builtin(__builtin_reduce_or)
  return __builtin_reduce_or(m) != 0;
#else
  i32 r = 0;
  for (int l = 0; l < 16; ++l) r |= m[l];
  return r != 0;
#endif
}
typedef unsigned long u64;
typedef double f64;
static inline f64 fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
static inline f64 sin_core_f64(f64 r) {
  const f64 s = r * r;
  f64 p = fma_f64(s, f64{} + 0x1.6cd1d2efc7f73p-19, f64{} - 0x1.a00f7ea515cd1p-13);
  p = fma_f64(p, s, f64{} + 0x1.11110869c02e1p-7);
  p = fma_f64(p, s, f64{} - 0x1.5555554c70f6fp-3);
  return fma_f64(p * s, r, r);
}
static inline f64 cos_core_f64(f64 r) {
  const f64 s = r * r;
  f64 p = fma_f64(s, f64{} - 0x1.23d800baeb24ep-22, f64{} + 0x1.a00f11801b4dap-16);
  p = fma_f64(p, s, f64{} - 0x1.6c16b40042af2p-10);
  p = fma_f64(p, s, f64{} + 0x1.55555546f42bdp-5);
  p = fma_f64(p, s, f64{} - 0x1.ffffffffebfbfp-2);
  return fma_f64(p, s, f64{} + 1.0);
}
static __attribute__((noinline)) f32 trig_big_f32(f32 x, f32 y, int which) {
  static const u32 bits[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                             0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  const u32 u = __builtin_bit_cast(u32, x) & 0x7fffffff;
  if (u < 0x46800000) return y;
  if (u >= 0x7f800000) return x - x;
  const int o = (int)(u >> 23) - 127 - 23 + 30;
  const u32* w = bits + (o >> 5);
  unsigned __int128 p = ((unsigned __int128)w[0] << 96 | (unsigned __int128)w[1] << 64 | (u64)w[2] << 32 | w[3]);
  p = (p << (o & 31)) >> 32;
  p *= (u & 0x7fffff) | 0x800000;
  const i64 fraction = (i64)(u64)(p >> 30);
  int q = (int)(p >> 94) + (fraction < 0);
  f64 r = (f64)fraction * 0x1.921fb54442d18p-64;
  if (x < 0) r = -r, q = -q;
  const f64 s = sin_core_f64(r), c = cos_core_f64(r);
  if (which == 2) return (f32)(q & 1 ? -c / s : s / c);
  q += which;
  const f64 v = q & 1 ? c : s;
  return (f32)(q & 2 ? -v : v);
}
static __attribute__((noinline)) f32v trig_big_f32v(f32v x, f32v y, int which) {
#pragma GCC unroll 1
  for (int l = 0; l < 16; ++l) y[l] = trig_big_f32(x[l], y[l], which);
  return y;
}
static inline f32v cos_f32v(f32v x) {
  const f32v y = cos_tame_f32v(x);
  const i32v wild = abs_f32v(x) >= 30000.0f;
  if (anyv(wild)) [[unlikely]] return trig_big_f32v(x, y, 1);
  return y;
}
static inline f32v sin_near_f32v(f32v x) { return sin_core_f32v(x, i32v{}); }
typedef signed char i8;
extern "C" void litz_30b59193618d6f3f(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  // b0: x
  const f32m* const b0 = (const f32m*)args[0];
  // b1: y
  f32m* const b1 = (f32m*)args[1];
  {
    for (i64 i0_i0 = begin * 5120, i0_i0e = min_i64(end * 5120, 10000); i0_i0 < i0_i0e; i0_i0 += 16) {
      const f32v v1_x = *(const f32u*)(b0 + i0_i0);
      const f32v v2_cos = cos_f32v(v1_x);
      const f32v v3_sin = sin_near_f32v(v2_cos);
      *(f32u*)(b1 + i0_i0) = v3_sin;
    }
  }
}
// phases: 2 tasks, 1 at a time; scratch 0
