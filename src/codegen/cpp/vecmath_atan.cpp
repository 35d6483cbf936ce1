// asin, acos, atan and atan2, all from atan on [0, 1].
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

constexpr MathText kTexts[] = {
    // atan(z) for 0 <= z <= 1, 33 bits.
    {"atan_core_f64", R"(static inline f64@ atan_core_f64@(f64@ z) {
  const f64@ s = z * z;
  f64@ p = fma_f64@(s, f64@{} - 0x1.6debfb950758p-11, f64@{} + 0x1.42d91c9ca791p-8);
  p = fma_f64@(p, s, f64@{} - 0x1.0b0c10dd600c5p-6);
  p = fma_f64@(p, s, f64@{} + 0x1.1a6cace416ccap-5);
  p = fma_f64@(p, s, f64@{} - 0x1.be97ebaf0b8aap-5);
  p = fma_f64@(p, s, f64@{} + 0x1.2958a5f865269p-4);
  p = fma_f64@(p, s, f64@{} - 0x1.700b23510faa5p-4);
  p = fma_f64@(p, s, f64@{} + 0x1.c66e4ceb35801p-4);
  p = fma_f64@(p, s, f64@{} - 0x1.248a2cba0355fp-3);
  p = fma_f64@(p, s, f64@{} + 0x1.999937f3ba2abp-3);
  p = fma_f64@(p, s, f64@{} - 0x1.555554874538p-2);
  return fma_f64@(p * s, z, z);
}
)"},
    {"atan_f32", R"(static inline f32@ atan_f32@(f32@ x) {
  const f32@ a = abs_f32@(x);
  const f64@ d = cast_f32_f64@(a);
  const f64@ r = atan_core_f64@(d > 1.0 ? 1.0 / d : d);
  return copysign_f32@(cast_f64_f32@(d > 1.0 ? 0x1.921fb54442d18p+0 - r : r), x);
}
)"},
    // asin(x) = 2 atan(x / (1 + sqrt(1 - x^2)))
    {"asin_f32", R"(static inline f32@ asin_f32@(f32@ x) {
  const f64@ d = cast_f32_f64@(abs_f32@(x));
  const f64@ r = atan_core_f64@(d / (1.0 + sqrt_f64@((1.0 - d) * (1.0 + d))));
  return copysign_f32@(cast_f64_f32@(r + r), x);
}
)"},
    // acos(x) = 2 atan(sqrt((1 - x) / (1 + x)))
    {"acos_f32", R"(static inline f32@ acos_f32@(f32@ x) {
  const f64@ d = cast_f32_f64@(abs_f32@(x));
  const f64@ r = 2.0 * atan_core_f64@(sqrt_f64@((1.0 - d) / (1.0 + d)));
  return cast_f64_f32@(sel_f64@(x < 0.0f, 0x1.921fb54442d18p+1 - r, r));
}
)"},
    {"atan2_f32", R"(static inline f32@ atan2_f32@(f32@ y, f32@ x) {
  const f64@ b = cast_f32_f64@(abs_f32@(y)), a = cast_f32_f64@(abs_f32@(x));
  const f64@ low = b > a ? a : b, high = b > a ? b : a;
  // 0 / 0 counts as 0, inf / inf as 1.
  const f64@ q = low == high ? (low == 0.0 ? f64@{} : f64@{} + 1.0) : low / high;
  f64@ r = atan_core_f64@(q);
  r = b > a ? 0x1.921fb54442d18p+0 - r : r;
  r = sel_f64@(__builtin_bit_cast(i32@, x) < 0, 0x1.921fb54442d18p+1 - r, r);
  const f32@ z = copysign_f32@(cast_f64_f32@(r), y);
  return (x != x) | (y != y) ? x + y : z;
}
)"},
};

}  // namespace

std::span<const MathText> inverse_trigonometric_texts() { return kTexts; }

}  // namespace litz::codegen::cpp
