// erf and erfc.
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

constexpr MathText kTexts[] = {
    // Small arguments by a polynomial, others as 1 - exp(-P(|x|)); from 3.95 on the result is 1.
    {"erf_f32", R"(static inline f32@ erf_f32@(f32@ x) {
  const f32@ a = abs_f32@(x), s = x * x;
  f32@ p = fma_f32@(s, f32@{} - 0x1.3ac59p-11f, f32@{} + 0x1.476882p-8f);
  p = fma_f32@(p, s, f32@{} - 0x1.b6939p-6f);
  p = fma_f32@(p, s, f32@{} + 0x1.ce1b0ep-4f);
  p = fma_f32@(p, s, f32@{} - 0x1.8126eap-2f);
  p = fma_f32@(p, s, f32@{} + 0x1.06eba6p-3f);
  const f32@ small = fma_f32@(p, x, x);
  const f32@ b = (a > 3.95f ? f32@{} + 3.95f : a) - 1.0f;
  f32@ q = fma_f32@(b, f32@{} - 0x1.c0bd4ap-15f, f32@{} - 0x1.2df948p-16f);
  q = fma_f32@(q, b, f32@{} + 0x1.bd7efp-10f);
  q = fma_f32@(q, b, f32@{} - 0x1.459f5cp-7f);
  q = fma_f32@(q, b, f32@{} + 0x1.549d34p-5f);
  q = fma_f32@(q, b, f32@{} + 0x1.afaa66p-1f);
  q = fma_f32@(q, b, f32@{} + 0x1.51c9b2p+1f);
  q = fma_f32@(q, b, f32@{} + 0x1.d97fcp+0f);
  const f32@ large = copysign_f32@(1.0f - exp_middle_f32@(-q), x);
  return a < 0.92f ? small : large;
}
)"},
    // erfc(|x|) = exp(-x^2) P(u), u = (|x| - 2) / (|x| + 2)
    {"erfc_f32", R"(static inline f32@ erfc_f32@(f32@ x) {
  const f32@ a = abs_f32@(x);
  const f64@ d = cast_f32_f64@(a > 11.0f ? f32@{} + 11.0f : a);
  const f64@ u = (d - 2.0) / (d + 2.0);
  f64@ p = fma_f64@(u, f64@{} + 0x1.95493af449b6p-20, f64@{} + 0x1.185f6d4b89512p-19);
  p = fma_f64@(p, u, f64@{} - 0x1.6f6044bf9729ap-17);
  p = fma_f64@(p, u, f64@{} - 0x1.cb9ee1ec092ebp-16);
  p = fma_f64@(p, u, f64@{} + 0x1.adc8b2f1ce3c4p-16);
  p = fma_f64@(p, u, f64@{} + 0x1.6d037c09f0848p-13);
  p = fma_f64@(p, u, f64@{} + 0x1.72dc73b8605c2p-15);
  p = fma_f64@(p, u, f64@{} - 0x1.01640a8b3759dp-10);
  p = fma_f64@(p, u, f64@{} - 0x1.bc3629aa3d0f1p-11);
  p = fma_f64@(p, u, f64@{} + 0x1.ca95aad67f62bp-8);
  p = fma_f64@(p, u, f64@{} + 0x1.e9477947b15a8p-9);
  p = fma_f64@(p, u, f64@{} - 0x1.437f0b3216c51p-4);
  p = fma_f64@(p, u, f64@{} + 0x1.eeea7dba18962p-3);
  p = fma_f64@(p, u, f64@{} - 0x1.b57034eff80b6p-2);
  p = fma_f64@(p, u, f64@{} + 0x1.058671b53798dp-2);
  const f64@ r = p * exp_core_f64@(-d * d);
  return cast_f64_f32@(sel_f64@(x < 0.0f, 2.0 - r, r));
}
)"},
};

}  // namespace

std::span<const MathText> error_function_texts() { return kTexts; }

}  // namespace litz::codegen::cpp
