// sin, cos and tan.
//
// The argument is reduced by multiples of pi, which three positive f32 numbers add up to (Cody and Waite; so -0 stays
// -0); from kLargest on, where that is no longer exact enough, by Payne and Hanek's method: the needed window of the
// bits of 2/pi times the mantissa.
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

// sin, cos or tan (which = 0, 1, 2) of an argument of at least 2^14. x = m 2^(e - 23); bits of 2/pi that m 2^(e - 23)
// turns into multiples of 4 do not matter; the next 96 do. The product's two top bits are the quadrant.
constexpr std::string_view kBig = R"(static __attribute__((noinline)) f32 trig_big_f32(f32 x, f32 y, int which) {
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
)";

constexpr std::string_view kBigVector =
    R"(static __attribute__((noinline)) f32v trig_big_f32v(f32v x, f32v y, int which) {
#pragma GCC unroll 1
  for (int l = 0; l < $W; ++l) y[l] = trig_big_f32(x[l], y[l], which);
  return y;
}
)";

constexpr MathText kTexts[] = {
    {"sin_f32", R"(static inline f32@ sin_f32@(f32@ x) {
  const f32@ y = sin_tame_f32@(x);
  const i32@ wild = abs_f32@(x) >= 30000.0f;
  if (any@(wild)) [[unlikely]] return trig_big_f32@(x, y, 0);
  return y;
}
)"},
    {"cos_f32", R"(static inline f32@ cos_f32@(f32@ x) {
  const f32@ y = cos_tame_f32@(x);
  const i32@ wild = abs_f32@(x) >= 30000.0f;
  if (any@(wild)) [[unlikely]] return trig_big_f32@(x, y, 1);
  return y;
}
)"},
    // For |x| < 30000, and NaN.
    {"sin_tame_f32", R"(static inline f32@ sin_tame_f32@(f32@ x) {
  const f32@ t = fma_f32@(x, f32@{} + 0x1.45f306p-2f, f32@{} + 0x1.8p23f);
  const f32@ q = t - 0x1.8p23f;
  f32@ r = fma_f32@(q, f32@{} - 0x1.921fb4p+1f, x);
  r = fma_f32@(q, f32@{} - 0x1.4442dp-23f, r);
  r = fma_f32@(q, f32@{} - 0x1.846988p-47f, r);
  return sin_core_f32@(r, __builtin_bit_cast(i32@, t) << 31);
}
)"},
    // For |x| < 30000, and NaN. cos(x) = (-1)^(q + 1) sin(x - (q + 1/2) pi)
    {"cos_tame_f32", R"(static inline f32@ cos_tame_f32@(f32@ x) {
  const f32@ t = fma_f32@(x, f32@{} + 0x1.45f306p-2f, f32@{} - 0.5f) + 0x1.8p23f;
  const f32@ q = fma_f32@(t - 0x1.8p23f, f32@{} + 2.0f, f32@{} + 1.0f);
  f32@ r = fma_f32@(q, f32@{} - 0x1.921fb4p+0f, x);
  r = fma_f32@(q, f32@{} - 0x1.4442dp-24f, r);
  r = fma_f32@(q, f32@{} - 0x1.846988p-48f, r);
  return sin_core_f32@(r, ~__builtin_bit_cast(i32@, t) << 31);
}
)"},
    // For |x| <= pi / 2, and NaN: nothing is to be reduced.
    {"sin_near_f32", R"(static inline f32@ sin_near_f32@(f32@ x) { return sin_core_f32@(x, i32@{}); }
)"},
    // sin(r) for |r| <= pi / 2, its sign changed by the top bit of `flip`. sin(-0) is -0.
    {"sin_core_f32", R"(static inline f32@ sin_core_f32@(f32@ r, i32@ flip) {
  const f32@ s = r * r;
  f32@ p = fma_f32@(s, f32@{} + 0x1.5dc906p-19f, f32@{} - 0x1.9f70fp-13f);
  p = fma_f32@(p, s, f32@{} + 0x1.110edap-7f);
  p = fma_f32@(s, f32@{} - 0x1.55554cp-3f, p * (s * s));
  p = fma_f32@(p, r, r);
  const i32@ top = (i32)0x80000000 + i32@{};
  return __builtin_bit_cast(f32@, (__builtin_bit_cast(i32@, p) & ~top) | ((__builtin_bit_cast(i32@, r) ^ flip) & top));
}
)"},
    {"tan_f32", R"(static inline f32@ tan_f32@(f32@ x) {
  const f64@ d = cast_f32_f64@(x);
  const f64@ t = d * 0x1.45f306dc9c883p-1 + 0x1.8p52;
  const f64@ q = t - 0x1.8p52;
  f64@ r = fma_f64@(q, f64@{} - 0x1.921fb54442d18p+0, d);
  r = fma_f64@(q, f64@{} - 0x1.1a62633145c07p-54, r);
  const f64@ s = sin_core_f64@(r), c = cos_core_f64@(r);
  const i64@ odd = __builtin_bit_cast(i64@, t) & 1;
  const f32@ y = cast_f64_f32@((odd ? -c : s) / (odd ? s : c));
  const i32@ wild = abs_f32@(x) >= 1048576.0f;
  if (any@(wild)) [[unlikely]] return trig_big_f32@(x, y, 2);
  return x == 0.0f ? x : y;
}
)"},
    {"sin_core_f64", R"(static inline f64@ sin_core_f64@(f64@ r) {
  const f64@ s = r * r;
  f64@ p = fma_f64@(s, f64@{} + 0x1.6cd1d2efc7f73p-19, f64@{} - 0x1.a00f7ea515cd1p-13);
  p = fma_f64@(p, s, f64@{} + 0x1.11110869c02e1p-7);
  p = fma_f64@(p, s, f64@{} - 0x1.5555554c70f6fp-3);
  return fma_f64@(p * s, r, r);
}
)"},
    {"cos_core_f64", R"(static inline f64@ cos_core_f64@(f64@ r) {
  const f64@ s = r * r;
  f64@ p = fma_f64@(s, f64@{} - 0x1.23d800baeb24ep-22, f64@{} + 0x1.a00f11801b4dap-16);
  p = fma_f64@(p, s, f64@{} - 0x1.6c16b40042af2p-10);
  p = fma_f64@(p, s, f64@{} + 0x1.55555546f42bdp-5);
  p = fma_f64@(p, s, f64@{} - 0x1.ffffffffebfbfp-2);
  return fma_f64@(p, s, f64@{} + 1.0);
}
)"},
    {"trig_big_f32", kBig, kBigVector},
};

}  // namespace

std::span<const MathText> trigonometric_texts() { return kTexts; }

}  // namespace litz::codegen::cpp
