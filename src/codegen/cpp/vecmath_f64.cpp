// Functions of f64, and fmod: the C library lane by lane. fmod of f32 has a fast path in f64.
#include "codegen/cpp/helpers.h"
#include "codegen/cpp/vecmath.h"

namespace litz::codegen::cpp {
namespace {

constexpr std::string_view kUnary[] = {"exp",  "exp2", "expm1", "log",   "log2",  "log10", "log1p",
                                       "sin",  "cos",  "tan",   "asin",  "acos",  "atan",  "sinh",
                                       "cosh", "tanh", "asinh", "acosh", "atanh", "erf",   "erfc"};
constexpr std::string_view kBinary[] = {"pow", "atan2", "fmod"};

constexpr std::string_view kUnaryTexts[] = {
    R"(static inline f64 $N_f64(f64 x) { return __builtin_$N(x); }
)",
    R"(static __attribute__((noinline)) f64v $N_f64v(f64v x) {
#pragma GCC unroll 1
  for (int l = 0; l < $W; ++l) x[l] = __builtin_$N(x[l]);
  return x;
}
)"};

constexpr std::string_view kBinaryTexts[] = {
    R"(static inline f64 $N_f64(f64 x, f64 y) { return __builtin_$N(x, y); }
)",
    R"(static __attribute__((noinline)) f64v $N_f64v(f64v x, f64v y) {
#pragma GCC unroll 1
  for (int l = 0; l < $W; ++l) x[l] = __builtin_$N(x[l], y[l]);
  return x;
}
)"};

// The remainder x - q y is exact in f64 while q fits in 29 bits; q may be one too large.
constexpr MathText kFmod[] = {
    {"fmod_f32", R"(static inline f32 fmod_f32(f32 x, f32 y) { return __builtin_fmodf(x, y); }
)",
     R"(static inline f32v fmod_f32v(f32v x, f32v y) {
  const f64v a = cast_f32_f64v(abs_f32v(x)), b = cast_f32_f64v(abs_f32v(y));
  const f64v q = trunc_f64v(a / b);
  f64v r = fma_f64v(-q, b, a);
  r = r < 0.0 ? r + b : r;
  const f32v z = copysign_f32v(cast_f64_f32v(r), x);
  if (anyv(~__builtin_convertvector((q < 0x1p29) & (b < __builtin_inf()), i32v))) [[unlikely]] return fmod_rest_f32v(x, y);
  return z;
}
)"},
    {"fmod_rest_f32", "", R"(static __attribute__((noinline)) f32v fmod_rest_f32v(f32v x, f32v y) {
#pragma GCC unroll 1
  for (int l = 0; l < $W; ++l) x[l] = __builtin_fmodf(x[l], y[l]);
  return x;
}
)"},
};

}  // namespace

std::span<const MathText> remainder_texts() { return kFmod; }

std::optional<std::string> f64_math_text(std::string_view name, bool vector) {
  if (!name.ends_with("_f64")) return std::nullopt;
  name.remove_suffix(4);
  for (const std::string_view function : kUnary) {
    if (function == name) return replace_all(std::string(kUnaryTexts[vector]), {{"$N", name}});
  }
  for (const std::string_view function : kBinary) {
    if (function == name) return replace_all(std::string(kBinaryTexts[vector]), {{"$N", name}});
  }
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
