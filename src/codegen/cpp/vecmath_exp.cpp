// exp, exp2, expm1, sinh, cosh and tanh: exp(x) = 2^n exp(r), |r| <= log(2) / 2, a polynomial in r.
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

constexpr MathText kTexts[] = {
    // exp(x) for |x| <= 80, and NaN: the result needs no care.
    {"exp_middle_f32", R"(static inline f32@ exp_middle_f32@(f32@ x) {
  const f32@ t = fma_f32@(x, f32@{} + 0x1.715476p+0f, f32@{} + 0x1.8p23f);
  const f32@ n = t - 0x1.8p23f;
  const f32@ r = fma_f32@(n, f32@{} + 0x1.05c61p-29f, fma_f32@(n, f32@{} - 0x1.62e43p-1f, x));
  const f32@ y = exp_core_f32@(r);
  return y * __builtin_bit_cast(f32@, (__builtin_bit_cast(i32@, t) << 23) + 0x3f800000);
}
)"},
    // exp(r) for |r| <= log(2) / 2.
    {"exp_core_f32", R"(static inline f32@ exp_core_f32@(f32@ r) {
  f32@ p = fma_f32@(r, f32@{} + 0x1.6a5232p-10f, f32@{} + 0x1.12396cp-7f);
  p = fma_f32@(p, r, f32@{} + 0x1.5558aap-5f);
  p = fma_f32@(p, r, f32@{} + 0x1.555492p-3f);
  p = fma_f32@(p, r, f32@{} + 0x1.fffffcp-2f);
  return fma_f32@(p, r * r, r) + 1.0f;
}
)"},
    {"exp_f32", R"(static inline f32@ exp_f32@(f32@ x) {
  x = x < -104.0f ? f32@{} - 104.0f : x;
  x = x > 89.0f ? f32@{} + 89.0f : x;
  const f32@ t = fma_f32@(x, f32@{} + 0x1.715476p+0f, f32@{} + 0x1.8p23f);
  const f32@ n = t - 0x1.8p23f;
  const f32@ r = fma_f32@(n, f32@{} + 0x1.05c61p-29f, fma_f32@(n, f32@{} - 0x1.62e43p-1f, x));
  return scale_f32@(exp_core_f32@(r), t);
}
)"},
    {"exp2_f32", R"(static inline f32@ exp2_f32@(f32@ x) {
  x = x < -151.0f ? f32@{} - 151.0f : x;
  x = x > 129.0f ? f32@{} + 129.0f : x;
  const f32@ t = x + 0x1.8p23f;
  const f32@ r = x - (t - 0x1.8p23f);
  f32@ p = fma_f32@(r, f32@{} + 0x1.416b5cp-13f, f32@{} + 0x1.5f0834p-10f);
  p = fma_f32@(p, r, f32@{} + 0x1.3b2dep-7f);
  p = fma_f32@(p, r, f32@{} + 0x1.c6af7cp-5f);
  p = fma_f32@(p, r, f32@{} + 0x1.ebfbdcp-3f);
  p = fma_f32@(p, r, f32@{} + 0x1.62e43p-1f);
  return scale_f32@(fma_f32@(p, r, f32@{} + 1.0f), t);
}
)"},
    // y * 2^n for t = n + 1.5 * 2^23, -152 < n < 130: in two steps, so that only a subnormal result is rounded.
    {"scale_f32", R"(static inline f32@ scale_f32@(f32@ y, f32@ t) {
  const i32@ n = __builtin_bit_cast(i32@, t) - 0x4b400000, a = n >> 1, b = n - a;
  return y * __builtin_bit_cast(f32@, (a + 127) << 23) * __builtin_bit_cast(f32@, (b + 127) << 23);
}
)",
     R"(static inline f32v scale_f32v(f32v y, f32v t) {
#if defined(__AVX512F__) && $W == 16
  return __builtin_ia32_scalefps512_mask(y, t - 0x1.8p23f, f32v{}, (u16)-1, 4);
#else
  const i32v n = (i32v)t - 0x4b400000, a = n >> 1, b = n - a;
  return y * (f32v)((a + 127) << 23) * (f32v)((b + 127) << 23);
#endif
}
)"},
    // exp(x) for |x| <= 700, in f64 but with 39 bits.
    {"exp_core_f64", R"(static inline f64@ exp_core_f64@(f64@ x) {
  const f64@ t = fma_f64@(x, f64@{} + 0x1.71547652b82fep+0, f64@{} + 0x1.8p52);
  const f64@ r = fma_f64@(t - 0x1.8p52, f64@{} - 0x1.62e42fefa39efp-1, x);
  f64@ p = fma_f64@(r, f64@{} + 0x1.9e8967510b924p-16, f64@{} + 0x1.a1855e03100f3p-13);
  p = fma_f64@(p, r, f64@{} + 0x1.6c18d302d5315p-10);
  p = fma_f64@(p, r, f64@{} + 0x1.1110a260c8991p-7);
  p = fma_f64@(p, r, f64@{} + 0x1.5555541e6967ap-5);
  p = fma_f64@(p, r, f64@{} + 0x1.5555557dd2459p-3);
  p = fma_f64@(p, r, f64@{} + 0x1.000000005de7cp-1);
  const f64@ y = fma_f64@(p, r * r, r) + 1.0;
  return y * __builtin_bit_cast(f64@, (__builtin_bit_cast(i64@, t) << 52) + 0x3ff0000000000000);
}
)"},
    // exp(x) - 1 for |x| <= 700: 2^n (exp(r) - 1) + (2^n - 1), so that nothing cancels.
    {"expm1_core_f64", R"(static inline f64@ expm1_core_f64@(f64@ x) {
  const f64@ t = fma_f64@(x, f64@{} + 0x1.71547652b82fep+0, f64@{} + 0x1.8p52);
  const f64@ r = fma_f64@(t - 0x1.8p52, f64@{} - 0x1.62e42fefa39efp-1, x);
  f64@ p = fma_f64@(r, f64@{} + 0x1.9e8967510b924p-16, f64@{} + 0x1.a1855e03100f3p-13);
  p = fma_f64@(p, r, f64@{} + 0x1.6c18d302d5315p-10);
  p = fma_f64@(p, r, f64@{} + 0x1.1110a260c8991p-7);
  p = fma_f64@(p, r, f64@{} + 0x1.5555541e6967ap-5);
  p = fma_f64@(p, r, f64@{} + 0x1.5555557dd2459p-3);
  p = fma_f64@(p, r, f64@{} + 0x1.000000005de7cp-1);
  const f64@ s = __builtin_bit_cast(f64@, (__builtin_bit_cast(i64@, t) << 52) + 0x3ff0000000000000);
  return fma_f64@(fma_f64@(p, r * r, r), s, s - 1.0);
}
)"},
    {"bounded_f64", R"(static inline f64@ bounded_f64@(f32@ x) {
  x = x < -120.0f ? f32@{} - 120.0f : x;
  x = x > 120.0f ? f32@{} + 120.0f : x;
  return cast_f32_f64@(x);
}
)"},
    {"expm1_f32", R"(static inline f32@ expm1_f32@(f32@ x) {
  const f32@ y = cast_f64_f32@(expm1_core_f64@(bounded_f64@(x)));
  return x == 0.0f ? x : y;
}
)"},
    // sinh(|x|) = (e + e / (e + 1)) / 2 with e = exp(|x|) - 1.
    {"sinh_f32", R"(static inline f32@ sinh_f32@(f32@ x) {
  const f64@ e = expm1_core_f64@(bounded_f64@(abs_f32@(x)));
  return copysign_f32@(cast_f64_f32@(0.5 * (e + e / (e + 1.0))), x);
}
)"},
    {"cosh_f32", R"(static inline f32@ cosh_f32@(f32@ x) {
  const f64@ e = exp_core_f64@(bounded_f64@(x));
  return cast_f64_f32@(0.5 * (e + 1.0 / e));
}
)"},
    // Small arguments by a polynomial, others as 1 - 2 / (exp(2 |x|) + 1).
    {"tanh_f32", R"(static inline f32@ tanh_f32@(f32@ x) {
  const f32@ a = abs_f32@(x), s = x * x;
  f32@ p = fma_f32@(s, f32@{} - 0x1.8286b6p-8f, f32@{} + 0x1.54c3a6p-6f);
  p = fma_f32@(p, s, f32@{} - 0x1.b89ab8p-5f);
  p = fma_f32@(p, s, f32@{} + 0x1.1109bep-3f);
  p = fma_f32@(p, s, f32@{} - 0x1.55553ep-2f);
  const f32@ small = fma_f32@(p * s, x, x);
  const f32@ e = exp_middle_f32@(2.0f * (a > 10.0f ? f32@{} + 10.0f : a));
  return copysign_f32@(a < 0.6f ? small : 1.0f - 2.0f / (e + 1.0f), x);
}
)"},
    {"copysign_f32", R"(static inline f32@ copysign_f32@(f32@ x, f32@ sign) {
  const i32@ top = (i32)0x80000000 + i32@{};
  return __builtin_bit_cast(f32@, (__builtin_bit_cast(i32@, x) & ~top) | (__builtin_bit_cast(i32@, sign) & top));
}
)"},
};

}  // namespace

std::span<const MathText> exponential_texts() { return kTexts; }

}  // namespace litz::codegen::cpp
