// Integer arithmetic as ir/scalar.h states it: wraps, never traps, shifts past the width are defined.
#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {
namespace {

// $S tag, $T type, $U unsigned type of that width, $M signed type of that width, $B bits. `vector` empty: lane by lane.
struct Family {
  std::string_view name;
  int arity;
  std::string_view scalar;
  std::string_view vector;
};

constexpr Family kFamilies[] = {
    {"add", 2, "($T)(($U)a + ($U)b)", "($Tv)(($Uv)a + ($Uv)b)"},
    {"sub", 2, "($T)(($U)a - ($U)b)", "($Tv)(($Uv)a - ($Uv)b)"},
    {"mul", 2, "($T)((u64)a * (u64)b)", "($Tv)(($Uv)a * ($Uv)b)"},
    {"neg", 1, "($T)(0u - ($U)a)", "($Tv)($Uv{} - ($Uv)a)"},
    {"bit_not", 1, "($T)~a", "~a"},
    {"bit_and", 2, "($T)(a & b)", "a & b"},
    {"bit_or", 2, "($T)(a | b)", "a | b"},
    {"bit_xor", 2, "($T)(a ^ b)", "a ^ b"},
    {"min", 2, "b < a ? b : a", "b < a ? b : a"},
    {"max", 2, "b > a ? b : a", "b > a ? b : a"},
    {"div", 2, "b == 0 ? ($T)0 : b == ($T)-1 && ($T)-1 < 0 ? neg_$S(a) : ($T)(a / b)", ""},
    {"fmod", 2, "b == 0 || (b == ($T)-1 && ($T)-1 < 0) ? ($T)0 : ($T)(a % b)", ""},
    {"shl", 2, "($U)b < $B ? ($T)((u64)a << b) : ($T)0", "($Uv)b < $B ? ($Tv)(($Uv)a << (($Uv)b & ($B - 1))) : $Tv{}"},
};

constexpr std::string_view kAbsSigned = "a < 0 ? neg_$S@(a) : a";
constexpr std::string_view kSignScalar = "($T)((a > 0) - (a < 0))";
constexpr std::string_view kSignVector = "($Tv)(a < 0) - ($Tv)(a > 0)";
constexpr std::string_view kShrSigned = "($T)(a >> (($U)b < $B ? b : $B - 1))";
constexpr std::string_view kShrSignedVector = "a >> (($Uv)b < $B ? b : splat_$Sv($B - 1))";
constexpr std::string_view kShrUnsigned = "b < $B ? ($T)(a >> b) : ($T)0";
constexpr std::string_view kShrUnsignedVector = "b < $B ? a >> (b & ($B - 1)) : $Tv{}";

std::string function(const Tag& tag, std::string_view name, int arity, std::string_view body, bool lanes) {
  std::string text = "static inline $T@ " + std::string(name) + "_$S@($T@ a" + (arity == 2 ? ", $T@ b" : "") + ") {";
  if (lanes) {
    text += "\n  $T@ r;\n#pragma GCC unroll $W\n  for (int l = 0; l < $W; ++l) r[l] = " + std::string(name) +
            "_$S(a[l]" + (arity == 2 ? ", b[l]" : "") + ");\n  return r;\n}\n";
  } else {
    text += " return " + std::string(body) + "; }\n";
  }
  return replace_all(std::move(text), {{"$S", tag.name},
                                       {"$T", tag.type},
                                       {"$U", tag.unsigned_},
                                       {"$M", tag.mask},
                                       {"$B", std::to_string(tag.bytes * 8)}});
}

}  // namespace

std::optional<std::string> integer_helper(std::string_view name, Form form) {
  const bool vector = form.vector;
  const size_t split = name.rfind('_');
  if (split == std::string_view::npos) return std::nullopt;
  const Tag* tag = find_tag(name.substr(split + 1));
  if (!tag || tag->name == "b1" || tag->name.find('f') != std::string_view::npos) return std::nullopt;
  const std::string_view op = name.substr(0, split);
  const bool is_signed = tag->type == tag->mask;
  if (op == "abs") return is_signed ? function(*tag, op, 1, kAbsSigned, false) : function(*tag, op, 1, "a", false);
  if (op == "sign") return function(*tag, op, 1, vector ? kSignVector : kSignScalar, false);
  if (op == "shr") {
    if (vector) return function(*tag, op, 2, is_signed ? kShrSignedVector : kShrUnsignedVector, false);
    return function(*tag, op, 2, is_signed ? kShrSigned : kShrUnsigned, false);
  }
  for (const Family& family : kFamilies) {
    if (family.name != op) continue;
    return function(*tag, op, family.arity, vector ? family.vector : family.scalar, vector && family.vector.empty());
  }
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
