// Bounds of expressions, and simplification by them.
#include <algorithm>

#include "symbolic/expr_node.h"

namespace litz {

namespace {

std::optional<Bounds> atom_bounds(const Atom& a, const BoundsMap& bounds);

// The corners decide, as every operation here is monotonic in each argument.
template <typename Op>
std::optional<Bounds> by_corners(const Bounds& a, const Bounds& b, Op op) {
  std::optional<Bounds> out;
  for (int64_t x : {a.low, a.high}) {
    for (int64_t y : {b.low, b.high}) {
      int64_t r = 0;
      if (!op(x, y, &r)) return std::nullopt;
      out = out ? Bounds{std::min(out->low, r), std::max(out->high, r)} : Bounds{r, r};
    }
  }
  return out;
}

std::optional<Bounds> add_bounds(const Bounds& a, const Bounds& b) {
  Bounds r{};
  if (__builtin_add_overflow(a.low, b.low, &r.low) || __builtin_add_overflow(a.high, b.high, &r.high)) {
    return std::nullopt;
  }
  return r;
}

std::optional<Bounds> mul_bounds(const Bounds& a, const Bounds& b) {
  return by_corners(a, b, [](int64_t x, int64_t y, int64_t* r) { return !__builtin_mul_overflow(x, y, r); });
}

std::optional<Bounds> mod_bounds(const Expr& x, const Expr& divisor, const BoundsMap& bounds) {
  auto b = bounds_of(divisor, bounds);
  if (!b || b->low < 1) return std::nullopt;
  auto a = bounds_of(x, bounds);
  if (!a) return Bounds{0, b->high - 1};
  if (b->low == b->high && floor_div_int(a->low, b->low) == floor_div_int(a->high, b->low)) {
    return Bounds{mod_int(a->low, b->low), mod_int(a->high, b->low)};
  }
  return Bounds{0, a->low >= 0 ? std::min(a->high, b->high - 1) : b->high - 1};
}

std::optional<Bounds> atom_bounds(const Atom& a, const BoundsMap& bounds) {
  switch (a.kind) {
    case AtomKind::symbol: {
      auto it = bounds.find(a.name);
      if (it == bounds.end()) return std::nullopt;
      return it->second;
    }
    case AtomKind::floor_div: {
      auto x = bounds_of(a.args[0], bounds);
      auto y = bounds_of(a.args[1], bounds);
      if (!x || !y || y->low < 1) return std::nullopt;
      return by_corners(*x, *y, [](int64_t p, int64_t q, int64_t* r) {
        *r = floor_div_int(p, q);
        return true;
      });
    }
    case AtomKind::mod:
      return mod_bounds(a.args[0], a.args[1], bounds);
    default:
      break;
  }
  std::optional<Bounds> out;
  for (const Expr& arg : a.args) {
    auto x = bounds_of(arg, bounds);
    if (!x) return std::nullopt;
    if (!out) {
      out = x;
    } else if (a.kind == AtomKind::min) {
      out = Bounds{std::min(out->low, x->low), std::min(out->high, x->high)};
    } else {
      out = Bounds{std::max(out->low, x->low), std::max(out->high, x->high)};
    }
  }
  return out;
}

}  // namespace

std::optional<Bounds> bounds_of(const Expr& e, const BoundsMap& bounds) {
  Bounds sum{offset_of(e), offset_of(e)};
  for (const Term& t : terms_of(e)) {
    std::optional<Bounds> product = Bounds{t.coefficient, t.coefficient};
    for (const AtomPtr& f : t.factors) {
      auto b = atom_bounds(*f, bounds);
      if (!b) return std::nullopt;
      product = mul_bounds(*product, *b);
      if (!product) return std::nullopt;
    }
    auto next = add_bounds(sum, *product);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

Expr simplify(const Expr& e, const BoundsMap& bounds) {
  Expr sum(offset_of(e));
  for (const Term& t : terms_of(e)) {
    Expr term(t.coefficient);
    for (const AtomPtr& f : t.factors) {
      if (f->kind == AtomKind::symbol) {
        auto it = bounds.find(f->name);
        const bool fixed = it != bounds.end() && it->second.low == it->second.high;
        term = term * (fixed ? Expr(it->second.low) : from_term(Term{1, {f}}));
        continue;
      }
      std::vector<Expr> args;
      for (const Expr& arg : f->args) args.push_back(simplify(arg, bounds));
      term = term * rebuild(f->kind, args, bounds);
    }
    sum = sum + term;
  }
  return sum;
}

}  // namespace litz
