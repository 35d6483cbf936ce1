// log, log2, log10, log1p, the inverse hyperbolic functions and pow: log(x) = n log(2) + log(1 + f), x = 2^n (1 + f)
// with sqrt(1/2) <= 1 + f < sqrt(2), a polynomial in f.
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

constexpr MathText kTexts[] = {
    // Arguments that are not positive normal numbers are redone one by one.
    {"log_f32", R"(static inline f32@ log_f32@(f32@ x) {
  const i32@ u = __builtin_bit_cast(i32@, x), n = (u - 0x3f3504f3) >> 23;
  const f32@ f = __builtin_bit_cast(f32@, u - (n << 23)) - 1.0f;
  const f32@ e = __builtin_bit_cast(f32@, n + 0x4b400000) - 0x1.8p23f;
  f32@ p = fma_f32@(f, f32@{} - 0x1.38c9c8p-4f, f32@{} + 0x1.055f02p-3f);
  p = fma_f32@(p, f, f32@{} - 0x1.0d825ep-3f);
  p = fma_f32@(p, f, f32@{} + 0x1.22d92ap-3f);
  p = fma_f32@(p, f, f32@{} - 0x1.547288p-3f);
  p = fma_f32@(p, f, f32@{} + 0x1.99a01cp-3f);
  p = fma_f32@(p, f, f32@{} - 0x1.000226p-2f);
  p = fma_f32@(p, f, f32@{} + 0x1.555554p-2f);
  const f32@ s = f * f;
  f32@ y = fma_f32@(s, fma_f32@(p, f, f32@{} - 0.5f), e * (-0x1.05c61p-29f));
  y = fma_f32@(e, f32@{} + 0x1.62e43p-1f, f + y);
  if (any@(not_normal_f32@(x))) [[unlikely]] return log_rest_f32@(x, y);
  return y;
}
)"},
    {"not_normal_f32", R"(static inline bool not_normal_f32(f32 x) { return !(x >= 0x1p-126f && x < __builtin_inff()); }
)",
     R"(static inline i32v not_normal_f32v(f32v x) { return ~((x >= 0x1p-126f) & (x < __builtin_inff())); }
)"},
    {"log_rest_f32", R"(static __attribute__((noinline)) f32 log_rest_f32(f32 x, f32 y) {
  if (x >= 0x1p-126f && x < __builtin_inff()) return y;
  if (x < 0) return __builtin_nanf("");
  if (x == 0) return -__builtin_inff();
  return x < 1 ? (f32)log_core_f64((f64)x) : x;
}
)",
     R"(static __attribute__((noinline)) f32v log_rest_f32v(f32v x, f32v y) {
#pragma GCC unroll 1
  for (int l = 0; l < $W; ++l) y[l] = log_rest_f32(x[l], y[l]);
  return y;
}
)"},
    // log(1 + f) and the exponent n, x = 2^n (1 + f), of a positive normal number; 38 bits.
    {"log_parts_f64", R"(static inline f64@ log_parts_f64@(f64@ x, f64@* n) {
  const i64@ u = __builtin_bit_cast(i64@, x), e = (u - 0x3fe6a09e667f3bcd) >> 52;
  const f64@ f = __builtin_bit_cast(f64@, u - (e << 52)) - 1.0;
  *n = __builtin_bit_cast(f64@, e + 0x4338000000000000) - 0x1.8p52;
  f64@ p = fma_f64@(f, f64@{} - 0x1.8c98e31211e2cp-5, f64@{} + 0x1.77cc15c91fcap-4);
  p = fma_f64@(p, f, f64@{} - 0x1.7da6f99b998e4p-4);
  p = fma_f64@(p, f, f64@{} + 0x1.71ddf9d29995dp-4);
  p = fma_f64@(p, f, f64@{} - 0x1.94b539bd7c487p-4);
  p = fma_f64@(p, f, f64@{} + 0x1.c6e493a117856p-4);
  p = fma_f64@(p, f, f64@{} - 0x1.0022aada0fa4ep-3);
  p = fma_f64@(p, f, f64@{} + 0x1.2494e0fcae61bp-3);
  p = fma_f64@(p, f, f64@{} - 0x1.555468d02d578p-3);
  p = fma_f64@(p, f, f64@{} + 0x1.999988a9bc06ep-3);
  p = fma_f64@(p, f, f64@{} - 0x1.00000158d4ecdp-2);
  p = fma_f64@(p, f, f64@{} + 0x1.555555651fc0fp-2);
  p = fma_f64@(p, f, f64@{} - 0x1.fffffffeedcfbp-2);
  return fma_f64@(p, f * f, f);
}
)"},
    {"log_core_f64", R"(static inline f64@ log_core_f64@(f64@ x) {
  f64@ n;
  const f64@ y = log_parts_f64@(x, &n);
  return fma_f64@(n, f64@{} + 0x1.62e42fefa39efp-1, y);
}
)"},
    // log(1 + u) for u > -1: what 1 + u loses comes back as its quotient.
    {"log1p_core_f64", R"(static inline f64@ log1p_core_f64@(f64@ u) {
  const f64@ x = 1.0 + u;
  return log_core_f64@(x) + (u - (x - 1.0)) / x;
}
)"},
    // `y` where it is the logarithm of a positive finite x, the special values elsewhere.
    {"log_special_f32", R"(static inline f32@ log_special_f32@(f32@ x, f32@ y) {
  y = x < __builtin_inff() ? y : x;
  y = x == 0.0f ? f32@{} - __builtin_inff() : y;
  return x < 0.0f ? f32@{} + __builtin_nanf("") : y;
}
)"},
    {"log2_f32", R"(static inline f32@ log2_f32@(f32@ x) {
  f64@ n;
  const f64@ y = log_parts_f64@(cast_f32_f64@(x), &n);
  return log_special_f32@(x, cast_f64_f32@(fma_f64@(y, f64@{} + 0x1.71547652b82fep+0, n)));
}
)"},
    {"log10_f32", R"(static inline f32@ log10_f32@(f32@ x) {
  f64@ n;
  const f64@ y = log_parts_f64@(cast_f32_f64@(x), &n);
  return log_special_f32@(x, cast_f64_f32@(fma_f64@(y, f64@{} + 0x1.bcb7b1526e50ep-2, n * 0x1.34413509f79ffp-2)));
}
)"},
    {"log1p_f32", R"(static inline f32@ log1p_f32@(f32@ x) {
  const f32@ y = cast_f64_f32@(log1p_core_f64@(cast_f32_f64@(x)));
  return x == 0.0f ? x : log_special_f32@(1.0f + x, y);
}
)"},
    {"asinh_f32", R"(static inline f32@ asinh_f32@(f32@ x) {
  const f32@ a = abs_f32@(x);
  const f64@ d = cast_f32_f64@(a), s = d * d;
  const f32@ y = cast_f64_f32@(log1p_core_f64@(d + s / (1.0 + sqrt_f64@(s + 1.0))));
  return copysign_f32@(a < __builtin_inff() ? y : a, x);
}
)"},
    {"acosh_f32", R"(static inline f32@ acosh_f32@(f32@ x) {
  const f64@ t = cast_f32_f64@(x) - 1.0;
  const f32@ y = cast_f64_f32@(log1p_core_f64@(t + sqrt_f64@(t * (t + 2.0))));
  const f32@ rest = x < 1.0f ? f32@{} + __builtin_nanf("") : x;
  return (x >= 1.0f) & (x < __builtin_inff()) ? y : rest;
}
)"},
    {"atanh_f32", R"(static inline f32@ atanh_f32@(f32@ x) {
  const f32@ a = abs_f32@(x);
  const f64@ d = cast_f32_f64@(a);
  const f32@ y = cast_f64_f32@(0.5 * log1p_core_f64@(2.0 * d / (1.0 - d)));
  const f32@ rest = a == 1.0f ? f32@{} + __builtin_inff() : f32@{} + __builtin_nanf("");
  return a == 0.0f ? x : copysign_f32@(a < 1.0f ? y : rest, x);
}
)"},
    // |x|^y as 2^(y log2|x|); then signs and the exceptions of C99.
    {"pow_f32", R"(static inline f32@ pow_f32@(f32@ x, f32@ y) {
  const f32@ a = abs_f32@(x);
  f64@ n;
  const f64@ m = log_parts_f64@(cast_f32_f64@(a), &n);
  f64@ l = fma_f64@(m, f64@{} + 0x1.71547652b82fep+0, n);
  const f64@ big = f64@{} + 1e300;
  l = sel_f64@(a == 0.0f, -big, sel_f64@(a < __builtin_inff(), l, big));
  f64@ e = cast_f32_f64@(y) * l;
  e = e < -200.0 ? f64@{} - 200.0 : e;
  e = e > 200.0 ? f64@{} + 200.0 : e;
  f32@ r = cast_f64_f32@(exp_core_f64@(e * 0x1.62e42fefa39efp-1));
  const f32@ h = 0.5f * y, b = abs_f32@(y);
  const f32@ odd = (b < 0x1p24f) & (h != trunc_f32@(h)) & (y == trunc_f32@(y)) ? -f32@{} : f32@{};
  r = copysign_f32@(r, __builtin_bit_cast(f32@, __builtin_bit_cast(i32@, x) & __builtin_bit_cast(i32@, odd)));
  const f32@ nan = f32@{} + __builtin_nanf("");
  r = (x < 0.0f) & (a < __builtin_inff()) & (y != trunc_f32@(y)) ? nan : r;
  r = (x != x) | (y != y) ? nan : r;
  return (x == 1.0f) | (y == 0.0f) | ((a == 1.0f) & (b == __builtin_inff())) ? f32@{} + 1.0f : r;
}
)"},
};

}  // namespace

std::span<const MathText> logarithm_texts() { return kTexts; }

}  // namespace litz::codegen::cpp
