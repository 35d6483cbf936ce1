// Floating-point helpers with one rounding or none: minimum and maximum that keep NaN, rounding, fma, sign, index
// maths.
#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {
namespace {

// $T: f32 or f64; $F: "f" or nothing; $M, $U: integers of that width.
struct Family {
  std::string_view name;
  std::string_view scalar;
  std::string_view vector;
};

#define LITZ_ROUNDING(name, builtin)                                                                    \
  {name, "static inline $T " name "_$T($T x) { return __builtin_" builtin "$F(x); }\n",                 \
   "static inline $Tv " name "_$Tv($Tv x) {\n#ifdef __clang__\n  return __builtin_elementwise_" builtin \
   "(x);\n#else\n  for (int l = 0; l < $W; ++l) x[l] = __builtin_" builtin "$F(x[l]);\n  return x;\n#endif\n}\n"}

constexpr Family kFamilies[] = {
    LITZ_ROUNDING("floor", "floor"),
    LITZ_ROUNDING("ceil", "ceil"),
    LITZ_ROUNDING("trunc", "trunc"),
    LITZ_ROUNDING("round", "rint"),
    LITZ_ROUNDING("sqrt", "sqrt"),
    {"fma", R"(static inline $T fma_$T($T a, $T b, $T c) { return __builtin_fma$F(a, b, c); }
)",
     R"(static inline $Tv fma_$Tv($Tv a, $Tv b, $Tv c) {
#ifdef __clang__
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int l = 0; l < $W; ++l) a[l] = __builtin_fma$F(a[l], b[l], c[l]);
  return a;
#endif
}
)"},
    {"abs", R"(static inline $T abs_$T($T x) { return __builtin_fabs$F(x); }
)",
     R"(static inline $Tv abs_$Tv($Tv x) { return ($Tv)(($Uv)x & (~($U)0 >> 1)); }
)"},
    // x86's maximum gives its second operand if either is NaN.
    {"max", R"(static inline $T max_$T($T a, $T b) { return a != a ? a : a > b ? a : b; }
)",
     R"(static inline $Tv max_$Tv($Tv a, $Tv b) {
#if defined(__clang__) && defined(__AVX512F__) && $W * $N == 64
  return a != a ? a : __builtin_ia32_maxp$X512(a, b, 4);
#else
  return a != a ? a : a > b ? a : b;
#endif
}
)"},
    {"min", R"(static inline $T min_$T($T a, $T b) { return a != a ? a : a < b ? a : b; }
)",
     R"(static inline $Tv min_$Tv($Tv a, $Tv b) {
#if defined(__clang__) && defined(__AVX512F__) && $W * $N == 64
  return a != a ? a : __builtin_ia32_minp$X512(a, b, 4);
#else
  return a != a ? a : a < b ? a : b;
#endif
}
)"},
    // x / s by a product with 1 / s and one correction, which leave loops faster than a division (Markstein). What the
    // correction turns into NaN (infinities, overflow, tiny s) is divided.
    {"quotient", "",
     R"(static inline $Tv quotient_$Tv($Tv x, $T s) {
  const $T r = 1 / s;
  const $Tv a = x * r, d = splat_$Tv(s), q = fma_$Tv(fma_$Tv(-a, d, x), splat_$Tv(r), a);
  if (anyv(__builtin_convertvector(q != q, i32v))) [[unlikely]] return x / d;
  return q;
}
)"},
    {"sign", R"(static inline $T sign_$T($T x) { return ($T)((x > 0) - (x < 0)); }
)",
     R"(static inline $Tv sign_$Tv($Tv x) { return __builtin_convertvector((x < 0) - (x > 0), $Tv); }
)"},
    {"rsqrt", R"(static inline $T rsqrt_$T($T x) { return 1 / sqrt_$T(x); }
)",
     R"(static inline $Tv rsqrt_$Tv($Tv x) { return 1 / sqrt_$Tv(x); }
)"},
};

struct Plain {
  std::string_view name;
  std::string_view scalar;
  std::string_view vector;
};

constexpr Plain kPlain[] = {
    {"any", R"(static inline bool any(bool m) { return m; }
)",
     R"(static inline bool anyv(i32v m) {
#if __has_builtin(__builtin_reduce_or)
  return __builtin_reduce_or(m) != 0;
#else
  i32 r = 0;
  for (int l = 0; l < $W; ++l) r |= m[l];
  return r != 0;
#endif
}
)"},
    {"fdiv", R"(static inline i64 fdiv(i64 a, i64 b) { return a / b - (a % b < 0); }
)",
     R"(static inline i64v fdivv(i64v a, i64 b) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) a[l] = a[l] / b - (a[l] % b < 0);
  return a;
}
)"},
    {"fmodulo", R"(static inline i64 fmodulo(i64 a, i64 b) { return a % b < 0 ? a % b + b : a % b; }
)",
     R"(static inline i64v fmodulov(i64v a, i64 b) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) a[l] = a[l] % b < 0 ? a[l] % b + b : a[l] % b;
  return a;
}
)"},
    // args: as KernelFault in artifact/kernel.h. The first fault stays.
    {"fault", R"(static inline void fault(void* f, i64 check, i64 index, i64 size) {
  i64 none = 0;
  i64* p = (i64*)f;
  if (__atomic_compare_exchange_n(p, &none, check, false, 5, 5)) p[1] = index, p[2] = size;
}
)",
     ""},
};

}  // namespace

std::optional<std::string> float_helper(std::string_view name, Form form) {
  const bool vector = form.vector;
  for (const Plain& plain : kPlain) {
    if (plain.name != name) continue;
    const std::string_view text = vector ? plain.vector : plain.scalar;
    return text.empty() ? std::nullopt : std::optional(std::string(text));
  }
  const size_t split = name.rfind('_');
  if (split == std::string_view::npos) return std::nullopt;
  const Tag* tag = find_tag(name.substr(split + 1));
  if (!tag || (tag->name != "f32" && tag->name != "f64")) return std::nullopt;
  for (const Family& family : kFamilies) {
    if (family.name != name.substr(0, split)) continue;
    const std::string_view text = vector ? family.vector : family.scalar;
    if (text.empty()) return std::nullopt;
    const bool single = tag->name == "f32";
    return replace_all(std::string(text), {{"$T", tag->name},
                                           {"$F", single ? "f" : ""},
                                           {"$X", single ? "s" : "d"},
                                           {"$N", single ? "4" : "8"},
                                           {"$M", tag->mask},
                                           {"$U", tag->unsigned_}});
  }
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
