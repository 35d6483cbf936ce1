// Index expressions as Triton text.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "codegen/triton/helpers.h"
#include "symbolic/expr.h"

namespace litz::codegen::triton {

// Prints expressions. `//` and `%` of Triton round towards zero: where an operand may be negative, or nothing is known
// about it, helpers that round towards minus infinity stand in.
class IndexPrinter : public ExprPrinter {
 public:
  // `symbol_text` gives a symbol's text, `bounds` what its values lie in.
  IndexPrinter(std::function<std::string(const std::string&)> symbol_text, const BoundsMap& bounds, Helpers* helpers)
      : symbol_text_(std::move(symbol_text)), bounds_(bounds), helpers_(helpers) {}

  // In parentheses unless it is a single word.
  std::string text(const Expr& e);

  std::string constant(int64_t value) override;
  std::string symbol(const std::string& name) override;
  std::string add(const std::string& a, const std::string& b) override;
  std::string mul(const std::string& a, const std::string& b) override;
  std::string floor_div(const std::string& a, const std::string& b) override;
  std::string mod(const std::string& a, const std::string& b) override;
  std::string min(const std::string& a, const std::string& b) override;
  std::string max(const std::string& a, const std::string& b) override;

 private:
  enum class Form : uint8_t { sum, product, single };
  // What is known of a text made before.
  struct Known {
    std::optional<Bounds> bounds;
    Form form = Form::single;
  };
  // In parentheses if its form binds less than `form`.
  std::string wrapped(const std::string& text, Form form) const;
  std::string keep(std::string text, std::optional<Bounds> bounds, Form form);
  std::string keep(std::string text, const std::string& a, const std::string& b,
                   Expr (*operation)(const Expr&, const Expr&), Form form);
  bool non_negative(const std::string& text) const;

  std::function<std::string(const std::string&)> symbol_text_;
  const BoundsMap& bounds_;
  Helpers* helpers_;
  std::map<std::string, Known> known_;
};

}  // namespace litz::codegen::triton
