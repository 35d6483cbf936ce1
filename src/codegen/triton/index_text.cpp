#include "codegen/triton/index_text.h"

namespace litz::codegen::triton {

std::string IndexPrinter::text(const Expr& e) { return wrapped(print(e, *this), Form::single); }

std::string IndexPrinter::wrapped(const std::string& text, Form form) const {
  const auto it = known_.find(text);
  return it != known_.end() && it->second.form < form ? "(" + text + ")" : text;
}

std::string IndexPrinter::keep(std::string text, std::optional<Bounds> bounds, Form form) {
  known_.insert_or_assign(text, Known{bounds, form});
  return text;
}

// The bounds follow from those of the two parts.
std::string IndexPrinter::keep(std::string text, const std::string& a, const std::string& b,
                               Expr (*operation)(const Expr&, const Expr&), Form form) {
  const std::optional<Bounds>& left = known_[a].bounds;
  const std::optional<Bounds>& right = known_[b].bounds;
  std::optional<Bounds> bounds;
  if (left && right) {
    bounds = bounds_of(operation(Expr::symbol("a"), Expr::symbol("b")), {{"a", *left}, {"b", *right}});
  }
  return keep(std::move(text), bounds, form);
}

bool IndexPrinter::non_negative(const std::string& text) const {
  const auto it = known_.find(text);
  return it != known_.end() && it->second.bounds && it->second.bounds->low >= 0;
}

std::string IndexPrinter::constant(int64_t value) {
  return keep(std::to_string(value), Bounds{value, value}, value < 0 ? Form::product : Form::single);
}

std::string IndexPrinter::symbol(const std::string& name) {
  const auto it = bounds_.find(name);
  return keep(symbol_text_(name), it == bounds_.end() ? std::nullopt : std::optional(it->second), Form::single);
}

std::string IndexPrinter::add(const std::string& a, const std::string& b) {
  std::string text = b.starts_with("-") ? a + " - " + b.substr(1) : a + " + " + b;
  return keep(std::move(text), a, b, [](const Expr& x, const Expr& y) { return x + y; }, Form::sum);
}

std::string IndexPrinter::mul(const std::string& a, const std::string& b) {
  std::string text =
      a == "-1" ? "-" + wrapped(b, Form::product) : wrapped(a, Form::product) + "*" + wrapped(b, Form::product);
  return keep(std::move(text), a, b, [](const Expr& x, const Expr& y) { return x * y; }, Form::product);
}

std::string IndexPrinter::floor_div(const std::string& a, const std::string& b) {
  std::string text = non_negative(a) ? "(" + wrapped(a, Form::single) + " // " + wrapped(b, Form::single) + ")"
                                     : helpers_->use("_floor_div") + "(" + a + ", " + b + ")";
  return keep(std::move(text), a, b, [](const Expr& x, const Expr& y) { return litz::floor_div(x, y); }, Form::single);
}

std::string IndexPrinter::mod(const std::string& a, const std::string& b) {
  std::string text = non_negative(a) ? "(" + wrapped(a, Form::single) + " % " + wrapped(b, Form::single) + ")"
                                     : helpers_->use("_floor_mod") + "(" + a + ", " + b + ")";
  return keep(std::move(text), a, b, [](const Expr& x, const Expr& y) { return litz::mod(x, y); }, Form::single);
}

std::string IndexPrinter::min(const std::string& a, const std::string& b) {
  return keep(
      "tl.minimum(" + a + ", " + b + ")", a, b, [](const Expr& x, const Expr& y) { return litz::min(x, y); },
      Form::single);
}

std::string IndexPrinter::max(const std::string& a, const std::string& b) {
  return keep(
      "tl.maximum(" + a + ", " + b + ")", a, b, [](const Expr& x, const Expr& y) { return litz::max(x, y); },
      Form::single);
}

}  // namespace litz::codegen::triton
