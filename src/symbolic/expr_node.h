// Inside an Expr; included by the .cpp files of this folder only.
//
// An Expr is constant + sum of terms. Terms are sorted by their factors, no two have the same factors and no
// coefficient is 0. Factors are sorted; a power is a repeated factor.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/expr.h"

namespace litz {

enum class AtomKind : uint8_t { symbol, floor_div, mod, min, max };

// min and max have two or more sorted arguments; floor_div and mod have two.
struct Atom {
  AtomKind kind;
  std::string name;
  std::vector<Expr> args;
};
using AtomPtr = std::shared_ptr<const Atom>;

struct Term {
  int64_t coefficient = 1;
  std::vector<AtomPtr> factors;
};

struct ExprNode {
  std::vector<Term> terms;
};

// A product with more terms than this is refused with a UserError: no shape needs it, and hostile text could.
inline constexpr size_t kMaxTerms = 4096;

struct ExprAccess {
  static const std::vector<Term>& terms(const Expr& e) {
    static const std::vector<Term> none;
    return e.node_ ? e.node_->terms : none;
  }
  static int64_t offset(const Expr& e) { return e.constant_; }
  // `terms` must be in normal form.
  static Expr make(int64_t constant, std::vector<Term> terms) {
    Expr e(constant);
    if (!terms.empty()) e.node_ = std::make_shared<const ExprNode>(ExprNode{std::move(terms)});
    return e;
  }
  // The same terms with another constant.
  static Expr with_offset(const Expr& e, int64_t constant) {
    Expr result = e;
    result.constant_ = constant;
    return result;
  }
  static bool same_node(const Expr& a, const Expr& b) { return a.node_ == b.node_; }
};

inline const std::vector<Term>& terms_of(const Expr& e) { return ExprAccess::terms(e); }
inline int64_t offset_of(const Expr& e) { return ExprAccess::offset(e); }

// Arithmetic that throws a UserError on overflow.
int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);

inline int64_t floor_div_int(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0
inline int64_t mod_int(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }      // b > 0

int compare(const Expr& a, const Expr& b);
int compare(const AtomPtr& a, const AtomPtr& b);
int compare_factors(const std::vector<AtomPtr>& a, const std::vector<AtomPtr>& b);

Expr atom(AtomKind kind, std::vector<Expr> args);
Expr from_term(Term term);
// Sorts and merges, then joins pairs such as 16*floor_div(x, 16) + mod(x, 16).
Expr sum_of(int64_t constant, std::vector<Term> terms);
// The single atom that `e` consists of, with coefficient 1 and constant 0; null otherwise.
const Atom* single_atom(const Expr& e);

// floor_div, mod, min and max that may use bounds of symbols; an empty map gives the normal form.
Expr floor_div_with(const Expr& a, const Expr& b, const BoundsMap& bounds);
Expr mod_with(const Expr& a, const Expr& b, const BoundsMap& bounds);
Expr min_max_with(AtomKind kind, const std::vector<Expr>& args, const BoundsMap& bounds);

// Rebuilds an atom of kind floor_div, mod, min or max from new arguments.
Expr rebuild(AtomKind kind, const std::vector<Expr>& args, const BoundsMap& bounds);

}  // namespace litz
