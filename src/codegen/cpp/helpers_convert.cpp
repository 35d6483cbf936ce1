// Conversions between dtypes, as eager on x86 does them: float to integer goes by way of i32 (i64 for i64) and gives
// the lowest integer where the value does not fit; f32 to f16 and bf16 rounds to nearest even, NaN stays NaN.
#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {
namespace {

constexpr std::string_view kBf16ToF32[] = {
    R"(static inline f32 cast_bf16_f32(u16 x) { return __builtin_bit_cast(f32, (u32)x << 16); }
)",
    R"(static inline f32v cast_bf16_f32v(u16v x) { return (f32v)(__builtin_convertvector(x, u32v) << 16); }
)"};

constexpr std::string_view kF32ToBf16[] = {
    R"(static inline u16 cast_f32_bf16(f32 x) {
  const u32 u = __builtin_bit_cast(u32, x);
  return x != x ? (u16)((u >> 16) | 64) : (u16)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
)",
    R"(static inline u16v cast_f32_bf16v(f32v x) {
  const u32v u = (u32v)x;
  const u32v r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return __builtin_convertvector(x != x ? (u >> 16) | 64 : r, u16v);
}
)"};

// Without F16C: the exponent is moved by a multiplication, which also normalises subnormals.
constexpr std::string_view kF16ToF32[] = {
    R"(static inline f32 cast_f16_f32(u16 x) {
  const u32 a = (u32)(x & 0x7fff) << 13;
  u32 r = __builtin_bit_cast(u32, __builtin_bit_cast(f32, a) * 0x1p112f);
  if (a >= 0x0f800000) r |= 0x7f800000;
  return __builtin_bit_cast(f32, r | (u32)(x & 0x8000) << 16);
}
)",
    R"(static inline f32v cast_f16_f32v(u16v x) {
#if defined(__clang__) && defined(__F16C__)
  typedef _Float16 h __attribute__((vector_size(2 * $W)));
  return __builtin_convertvector((h)x, f32v);
#else
  const u32v u = __builtin_convertvector(x, u32v);
  const u32v a = (u & 0x7fff) << 13;
  const u32v r = (u32v)((f32v)a * 0x1p112f) | (a >= 0x0f800000 ? (u32v{} + 0x7f800000) : u32v{});
  return (f32v)(r | (u & 0x8000) << 16);
#endif
}
)"};

constexpr std::string_view kF32ToF16[] = {
    R"(static inline u16 cast_f32_f16(f32 x) {
  const u32 u = __builtin_bit_cast(u32, x), a = u & 0x7fffffff, s = u >> 16 & 0x8000;
  if (a >= 0x47800000) return (u16)(s | (a > 0x7f800000 ? 0x7e00 : 0x7c00));
  if (a < 0x38800000) return (u16)(s | (__builtin_bit_cast(u32, __builtin_bit_cast(f32, a) + 0.5f) - 0x3f000000));
  return (u16)(s | (a + 0xc8000fff + (a >> 13 & 1)) >> 13);
}
)",
    R"(static inline u16v cast_f32_f16v(f32v x) {
#if defined(__clang__) && defined(__F16C__)
  typedef _Float16 h __attribute__((vector_size(2 * $W)));
  return (u16v)__builtin_convertvector(x, h);
#else
  const u32v u = (u32v)x, a = u & 0x7fffffff, s = u >> 16 & 0x8000;
  const u32v huge = a > 0x7f800000 ? (u32v{} + 0x7e00) : (u32v{} + 0x7c00);
  const u32v tiny = (u32v)((f32v)a + 0.5f) - 0x3f000000;
  const u32v r = (a + 0xc8000fff + (a >> 13 & 1)) >> 13;
  return __builtin_convertvector(s | (a >= 0x47800000 ? huge : a < 0x38800000 ? tiny : r), u16v);
#endif
}
)"};

// $A, $B: the types; $L: the lowest integer of $B as a float; $M: the mask type of $A.
constexpr std::string_view kFloatToInt[] = {
    R"(static inline $B cast_$A_$B($A x) {
  const bool fits = x >= $L && x < -($L);
  return fits ? ($B)x : (($B)1 << (sizeof($B) * 8 - 1));
}
)",
    R"(static inline $Bv cast_$A_$Bv($Av x) {
  const $Mv fits = (x >= $L) & (x < -($L));
  const $Bv r = __builtin_convertvector(fits ? x : $Av{}, $Bv);
  return __builtin_convertvector(fits, $Bv) ? r : ($Bv{} + (($B)1 << (sizeof($B) * 8 - 1)));
}
)"};

constexpr std::string_view kPlain[] = {
    R"(static inline $B cast_$A_$B($A x) { return ($B)x; }
)",
    R"(static inline $Bv cast_$A_$Bv($Av x) { return __builtin_convertvector(x, $Bv); }
)"};

constexpr std::string_view kThroughI32 =
    R"(static inline $B@ cast_$A_$B@($A@ x) { return cast_i32_$B@(cast_$A_i32@(x)); }
)";

constexpr std::string_view kToBool[] = {
    R"(static inline bool cast_$A_b1($A x) { return x != 0; }
)",
    R"(static inline i32v cast_$A_b1v($Av x) { return __builtin_convertvector(x != 0, i32v); }
)"};

constexpr std::string_view kFromBool[] = {
    R"(static inline $B cast_b1_$B(bool x) { return ($B)x; }
)",
    R"(static inline $Bv cast_b1_$Bv(i32v x) { return __builtin_convertvector(x & 1, $Bv); }
)"};

constexpr std::string_view kSelect[] = {
    R"(static inline $T sel_$S(bool m, $T a, $T b) { return m ? a : b; }
)",
    R"(static inline $Tv sel_$Sv(i32v m, $Tv a, $Tv b) { return __builtin_convertvector(m, $Mv) ? a : b; }
)"};

std::optional<std::string> cast_helper(const Tag& from, const Tag& to, bool vector) {
  const auto one_of = [&](std::string_view a, std::string_view b) { return from.name == a && to.name == b; };
  if (one_of("bf16", "f32")) return std::string(kBf16ToF32[vector]);
  if (one_of("f32", "bf16")) return std::string(kF32ToBf16[vector]);
  if (one_of("f16", "f32")) return std::string(kF16ToF32[vector]);
  if (one_of("f32", "f16")) return std::string(kF32ToF16[vector]);
  const auto fill = [&](std::string_view text) {
    const std::string_view lowest = to.name == "i64" ? "-0x1p63" : "-0x1p31";
    return replace_all(std::string(text), {{"$A", from.name},
                                           {"$B", to.name},
                                           {"$M", from.mask},
                                           {"$L", std::string(lowest) + (from.name == "f32" ? "f" : "")}});
  };
  if (to.name == "b1") return fill(kToBool[vector]);
  if (from.name == "b1") return fill(kFromBool[vector]);
  const bool from_float = from.name == "f32" || from.name == "f64";
  const bool to_float = to.name == "f32" || to.name == "f64";
  if (!from_float || to_float) return fill(kPlain[vector]);
  return fill(to.bytes < 4 ? kThroughI32 : kFloatToInt[vector]);
}

}  // namespace

std::optional<std::string> convert_helper(std::string_view name, Form form) {
  const bool vector = form.vector;
  if (name.starts_with("sel_")) {
    const Tag* tag = find_tag(name.substr(4));
    if (!tag || tag->name == "b1") return std::nullopt;
    return replace_all(std::string(kSelect[vector]), {{"$S", tag->name}, {"$T", tag->type}, {"$M", tag->mask}});
  }
  if (!name.starts_with("cast_")) return std::nullopt;
  name.remove_prefix(5);
  const size_t split = name.find('_');
  if (split == std::string_view::npos) return std::nullopt;
  const Tag* from = find_tag(name.substr(0, split));
  const Tag* to = find_tag(name.substr(split + 1));
  if (!from || !to || from == to) return std::nullopt;
  return cast_helper(*from, *to, vector);
}

}  // namespace litz::codegen::cpp
