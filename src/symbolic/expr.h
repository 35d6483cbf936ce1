// Integer expressions over named symbols: sizes, strides, offsets and loop indices.
//
// An Expr is always in normal form: a sum of terms, each a coefficient times a product of atoms; an atom is a symbol,
// floor_div, mod, min or max. Equal normal forms are equal expressions, so operator== is structural. Constants take no
// allocation. Example: (2*s + 4) - s prints as "s + 4".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace litz {

struct ExprNode;  // in expr.cpp

class Expr {
 public:
  Expr(int64_t value = 0) : constant_(value) {}  // NOLINT(google-explicit-constructor): integers are expressions
  // A name of letters, digits and "_.$" that does not start with a digit or dot, or "%" and a name or number.
  static Expr symbol(std::string_view name);

  bool is_constant() const { return node_ == nullptr; }
  // The value; requires is_constant().
  int64_t constant() const;
  // The symbol's name, if the expression is exactly one symbol.
  std::optional<std::string> symbol_name() const;
  std::set<std::string> symbols() const;
  bool depends_on(std::string_view symbol) const;

  // Replaces symbols; symbols not in the map stay.
  Expr substitute(const std::map<std::string, Expr>& values) const;
  // Throws InternalError if a symbol is missing.
  int64_t evaluate(const std::map<std::string, int64_t>& values) const;

  std::string to_string() const;
  static Result<Expr> parse(std::string_view text);

  bool operator==(const Expr& other) const;
  bool operator<(const Expr& other) const;  // a total order, for containers; no arithmetic meaning

 private:
  friend struct ExprAccess;
  int64_t constant_ = 0;
  std::shared_ptr<const ExprNode> node_;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
// Rounds towards minus infinity. The divisor must be positive.
Expr floor_div(const Expr& a, const Expr& b);
// In [0, b). The divisor must be positive.
Expr mod(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);
Expr product(const std::vector<Expr>& factors);

// Inclusive bounds of a symbol.
struct Bounds {
  int64_t low;
  int64_t high;
  bool operator==(const Bounds&) const = default;
};
using BoundsMap = std::map<std::string, Bounds>;

// Bounds of an expression, if all of its symbols have bounds and nothing overflows.
std::optional<Bounds> bounds_of(const Expr& e, const BoundsMap& bounds);
// Uses the symbols' bounds to remove floor_div and mod: with r in [0, 16), (16*a + r) / 16 becomes a.
Expr simplify(const Expr& e, const BoundsMap& bounds);

// e = coefficient * symbol + rest with `rest` free of the symbol; nothing if e is not of that form.
struct Linear {
  Expr coefficient;
  Expr rest;
};
std::optional<Linear> as_linear(const Expr& e, std::string_view symbol);

// Walks an expression bottom-up; used by code generators to print it in their language.
struct ExprPrinter {
  virtual ~ExprPrinter() = default;
  virtual std::string constant(int64_t value) = 0;
  virtual std::string symbol(const std::string& name) = 0;
  virtual std::string add(const std::string& a, const std::string& b) = 0;
  virtual std::string mul(const std::string& a, const std::string& b) = 0;
  virtual std::string floor_div(const std::string& a, const std::string& b) = 0;
  virtual std::string mod(const std::string& a, const std::string& b) = 0;
  virtual std::string min(const std::string& a, const std::string& b) = 0;
  virtual std::string max(const std::string& a, const std::string& b) = 0;
};
std::string print(const Expr& e, ExprPrinter& printer);

}  // namespace litz
