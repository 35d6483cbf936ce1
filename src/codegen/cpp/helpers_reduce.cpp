// From one value a lane to one value: in a fixed order, halves onto halves. Steps of argmax and argmin.
#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {
namespace {

std::string fold(std::string_view op, const Tag& tag, int lanes) {
  const std::string type(tag.type);
  const bool is_float = type[0] == 'f';
  std::string text = "static inline " + type + " h" + std::string(op) + "_" + std::string(tag.name) + "v(" + type +
                     "v a) {\n  " + type + "v b;\n";
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    text += "  b = __builtin_shufflevector(a, a, " + rotation(lanes, distance) + ");\n";
    const std::string_view helper = op == "sum" ? "add" : op == "prod" ? "mul" : op;
    if (is_float && (op == "sum" || op == "prod")) {
      text += op == "sum" ? "  a = a + b;\n" : "  a = a * b;\n";
    } else {
      text += "  a = " + std::string(helper) + "_" + std::string(tag.name) + "v(a, b);\n";
    }
  }
  return text + "  return a[0];\n}\n";
}

// Whether x replaces the best value so far: it is further out, or it is the first NaN.
constexpr std::string_view kBetter[] = {
    R"(static inline bool $N_$S($T x, $T a) { return x $O a || (x != x && a == a); }
)",
    R"(static inline i32v $N_$Sv($Tv x, $Tv a) {
  return __builtin_convertvector((x $O a) | ((x != x) & (a == a)), i32v);
}
)"};

// The best lane, the first of equals; $I is the type of the index.
constexpr std::string_view kArg = R"(static inline i64 harg$N_$S_$Iv($Tv a, $Iv i, $T* best) {
  int k = 0;
#pragma GCC unroll 1
  for (int l = 1; l < $W; ++l) {
    const bool same = a[l] == a[k] || (a[l] != a[l] && a[k] != a[k]);
    if ($N_$S(a[l], a[k]) || (same && i[l] < i[k])) k = l;
  }
  *best = a[k];
  return i[k];
}
)";

}  // namespace

std::string rotation(int lanes, int distance) {
  std::string text;
  for (int l = 0; l < lanes; ++l) text += (l ? ", " : "") + std::to_string((l + distance) % lanes);
  return text;
}

std::optional<std::string> reduce_helper(std::string_view name, Form form) {
  const size_t split = name.find('_');
  if (split == std::string_view::npos) return std::nullopt;
  const std::string_view op = name.substr(0, split);
  std::string_view rest = name.substr(split + 1);
  const bool arg = op == "hargmore" || op == "hargless";
  std::string_view index;
  if (arg) {
    const size_t second = rest.find('_');
    if (second == std::string_view::npos) return std::nullopt;
    index = rest.substr(second + 1);
    rest = rest.substr(0, second);
  }
  const Tag* tag = find_tag(rest);
  if (!tag || tag->name == "b1") return std::nullopt;
  const auto fill = [&](std::string_view text, std::string_view kind) {
    return replace_all(
        std::string(text),
        {{"$N", kind}, {"$O", kind == "more" ? ">" : "<"}, {"$S", tag->name}, {"$T", tag->type}, {"$I", index}});
  };
  if (op == "more" || op == "less") return fill(kBetter[form.vector], op);
  if (!form.vector) return std::nullopt;
  if (arg) return fill(kArg, op.substr(4));
  if (op == "hsum" || op == "hprod" || op == "hmax" || op == "hmin") return fold(op.substr(1), *tag, form.lanes);
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
