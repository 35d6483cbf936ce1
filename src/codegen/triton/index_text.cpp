#include "codegen/triton/index_text.h"

namespace litz::codegen::triton {

namespace {

// The bounds of an expression made of two parts whose bounds are known.
std::optional<Bounds> combined(const std::optional<Bounds>& a, const std::optional<Bounds>& b,
                               Expr (*operation)(const Expr&, const Expr&)) {
  if (!a || !b) return std::nullopt;
  return bounds_of(operation(Expr::symbol("a"), Expr::symbol("b")), {{"a", *a}, {"b", *b}});
}

}  // namespace

std::string IndexPrinter::text(const Expr& e) { return wrapped(print(e, *this)); }

std::string IndexPrinter::wrapped(const std::string& text) const {
  const auto it = known_.find(text);
  return it != known_.end() && !it->second.single ? "(" + text + ")" : text;
}

std::string IndexPrinter::keep(std::string text, std::optional<Bounds> bounds, bool single) {
  known_.insert_or_assign(text, Known{bounds, single});
  return text;
}

bool IndexPrinter::non_negative(const std::string& text) const {
  const auto it = known_.find(text);
  return it != known_.end() && it->second.bounds && it->second.bounds->low >= 0;
}

std::string IndexPrinter::constant(int64_t value) {
  return keep(std::to_string(value), Bounds{value, value}, /*single=*/value >= 0);
}

std::string IndexPrinter::symbol(const std::string& name) {
  const auto it = bounds_.find(name);
  return keep(symbol_text_(name), it == bounds_.end() ? std::nullopt : std::optional(it->second), /*single=*/true);
}

std::string IndexPrinter::add(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return x + y; });
  const bool negative = b.starts_with("-");
  return keep(negative ? a + " - " + b.substr(1) : a + " + " + b, bounds, /*single=*/false);
}

std::string IndexPrinter::mul(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return x * y; });
  if (a == "-1") return keep("-" + wrapped(b), bounds, /*single=*/false);
  const std::string left =
      known_[a].single || a.find_first_not_of("-0123456789") == std::string::npos ? a : "(" + a + ")";
  return keep(left + "*" + wrapped(b), bounds, /*single=*/false);
}

std::string IndexPrinter::floor_div(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return litz::floor_div(x, y); });
  if (non_negative(a)) return keep("(" + wrapped(a) + " // " + wrapped(b) + ")", bounds, /*single=*/true);
  return keep(helpers_->use("_floor_div") + "(" + a + ", " + b + ")", bounds, /*single=*/true);
}

std::string IndexPrinter::mod(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return litz::mod(x, y); });
  if (non_negative(a)) return keep("(" + wrapped(a) + " % " + wrapped(b) + ")", bounds, /*single=*/true);
  return keep(helpers_->use("_floor_mod") + "(" + a + ", " + b + ")", bounds, /*single=*/true);
}

std::string IndexPrinter::min(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return litz::min(x, y); });
  return keep("tl.minimum(" + a + ", " + b + ")", bounds, /*single=*/true);
}

std::string IndexPrinter::max(const std::string& a, const std::string& b) {
  const std::optional<Bounds> bounds =
      combined(known_[a].bounds, known_[b].bounds, [](const Expr& x, const Expr& y) { return litz::max(x, y); });
  return keep("tl.maximum(" + a + ", " + b + ")", bounds, /*single=*/true);
}

}  // namespace litz::codegen::triton
