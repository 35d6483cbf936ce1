// Normal forms of floor_div, mod, min and max.
#include <algorithm>
#include <numeric>
#include <set>

#include "symbolic/expr_node.h"

namespace litz {

namespace {

// a = b*quotient + remainder; coefficients of the remainder are smaller than b and keep their sign, its constant is in
// [0, b). `b` is positive.
struct Split {
  Expr quotient;
  Expr remainder;
};

Split split_by(const Expr& a, int64_t b) {
  std::vector<Term> quotient;
  std::vector<Term> remainder;
  for (const Term& t : terms_of(a)) {
    if (t.coefficient / b != 0) quotient.push_back({t.coefficient / b, t.factors});
    if (t.coefficient % b != 0) remainder.push_back({t.coefficient % b, t.factors});
  }
  const int64_t c = offset_of(a);
  return {sum_of(floor_div_int(c, b), std::move(quotient)), sum_of(mod_int(c, b), std::move(remainder))};
}

// a = g*multiple + low where each term of `multiple` had a coefficient divisible by g.
struct Multiple {
  Expr multiple;
  Expr low;
};

Multiple take_multiples(const Expr& a, int64_t g) {
  std::vector<Term> multiple;
  std::vector<Term> low;
  for (const Term& t : terms_of(a)) {
    if (t.coefficient % g == 0) {
      multiple.push_back({t.coefficient / g, t.factors});
    } else {
      low.push_back(t);
    }
  }
  const int64_t c = offset_of(a);
  return {sum_of(floor_div_int(c, g), std::move(multiple)), sum_of(mod_int(c, g), std::move(low))};
}

// The k for which all values of `e` lie in [k*b, (k+1)*b).
std::optional<int64_t> constant_quotient(const Expr& e, int64_t b, const BoundsMap& bounds) {
  auto range = bounds_of(e, bounds);
  if (!range) return std::nullopt;
  const int64_t k = floor_div_int(range->low, b);
  if (floor_div_int(range->high, b) != k) return std::nullopt;
  return k;
}

// Divisors g of b, 1 < g < b, for which part of `e` is a multiple of g; largest first.
std::vector<int64_t> useful_divisors(const Expr& e, int64_t b) {
  std::set<int64_t, std::greater<>> found;
  for (const Term& t : terms_of(e)) {
    const int64_t g = std::gcd(t.coefficient, b);
    if (g > 1 && g < b) found.insert(g);
  }
  return {found.begin(), found.end()};
}

// a = g*multiple + low with g a divisor of b and `low` always in [0, g).
struct Partial {
  int64_t g;
  Expr multiple;
  Expr low;
};

std::optional<Partial> split_low_part(const Expr& a, int64_t b, const BoundsMap& bounds) {
  for (int64_t g : useful_divisors(a, b)) {
    Multiple m = take_multiples(a, g);
    if (auto k = constant_quotient(m.low, g, bounds)) {
      return Partial{g, m.multiple + Expr(*k), m.low - Expr(checked_mul(*k, g))};
    }
  }
  return std::nullopt;
}

Expr floor_div_by(const Expr& a, int64_t b, const BoundsMap& bounds) {
  if (b == 1) return a;
  if (a.is_constant()) return floor_div_int(a.constant(), b);
  const auto [quotient, r] = split_by(a, b);
  if (r.is_constant()) return quotient;
  if (auto k = constant_quotient(r, b, bounds)) return quotient + Expr(*k);
  // Dividing by g first loses nothing: floor_div(g*m + low, b) = floor_div(m, b / g) for low in [0, g).
  if (auto p = split_low_part(r, b, bounds)) return quotient + floor_div_by(p->multiple, b / p->g, bounds);
  const int64_t c = offset_of(r);
  const Expr inner = r - Expr(c);
  if (const Atom* x = single_atom(inner); x != nullptr && x->args.size() == 2 && x->args[1].is_constant()) {
    const int64_t d = x->args[1].constant();
    int64_t db = 0;
    int64_t dc = 0;
    if (x->kind == AtomKind::floor_div && !__builtin_mul_overflow(d, b, &db) && !__builtin_mul_overflow(d, c, &dc)) {
      return quotient + floor_div_by(x->args[0] + Expr(dc), db, bounds);
    }
    if (x->kind == AtomKind::mod && c == 0 && d % b == 0) {
      return quotient + mod_with(floor_div_by(x->args[0], b, bounds), d / b, bounds);
    }
  }
  return quotient + atom(AtomKind::floor_div, {r, b});
}

// Replaces c*mod(x, m) by c*x where c*m is a multiple of b; nothing if there is none.
std::optional<Expr> drop_inner_mod(const Expr& a, int64_t b) {
  for (const Term& t : terms_of(a)) {
    for (size_t i = 0; i < t.factors.size(); ++i) {
      const Atom& f = *t.factors[i];
      if (f.kind != AtomKind::mod || !f.args[1].is_constant()) continue;
      const __int128 step = static_cast<__int128>(t.coefficient) * f.args[1].constant();
      if (step % b != 0) continue;
      Term rest = t;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(i));
      const Expr scale = sum_of(0, {rest});
      return a - from_term(t) + scale * f.args[0];
    }
  }
  return std::nullopt;
}

Expr mod_by(const Expr& a, int64_t b, const BoundsMap& bounds) {
  if (b == 1) return 0;
  if (a.is_constant()) return mod_int(a.constant(), b);
  const Expr r = split_by(a, b).remainder;
  if (r.is_constant()) return r;
  if (auto simpler = drop_inner_mod(r, b)) return mod_by(*simpler, b, bounds);
  if (auto k = constant_quotient(r, b, bounds)) return r - Expr(checked_mul(*k, b));
  if (auto p = split_low_part(r, b, bounds)) {
    return Expr(p->g) * mod_by(p->multiple, b / p->g, bounds) + p->low;
  }
  return atom(AtomKind::mod, {r, b});
}

// Order of monomials that products keep: by degree, then by factors.
bool leads(const Term& a, const Term& b) {
  if (a.factors.size() != b.factors.size()) return a.factors.size() > b.factors.size();
  return compare_factors(a.factors, b.factors) < 0;
}

std::optional<Term> divide_term(const Term& a, const Term& b) {
  if (a.coefficient % b.coefficient != 0 || b.coefficient == -1) return std::nullopt;
  Term q{a.coefficient / b.coefficient, {}};
  size_t j = 0;
  for (const AtomPtr& f : a.factors) {
    if (j < b.factors.size() && compare(f, b.factors[j]) == 0) {
      ++j;
    } else {
      q.factors.push_back(f);
    }
  }
  if (j != b.factors.size()) return std::nullopt;
  return q;
}

// Polynomial division by a divisor with symbols: a = b*quotient + remainder, taken only as far as terms divide exactly.
Split divide(const Expr& a, const Expr& b) {
  const auto& divisor = terms_of(b);
  const Term& lead = *std::min_element(divisor.begin(), divisor.end(), leads);
  Expr quotient = 0;
  Expr rest = a;
  Expr untouched = 0;  // terms that the leading term does not divide
  for (size_t step = 0; step < 64 && !rest.is_constant(); ++step) {
    const auto& terms = terms_of(rest);
    const Term top = *std::min_element(terms.begin(), terms.end(), leads);
    const Expr top_expr = from_term(top);
    if (auto q = divide_term(top, lead)) {
      const Expr factor = sum_of(0, {*q});
      quotient = quotient + factor;
      rest = rest - factor * b;
    } else {
      untouched = untouched + top_expr;
      rest = rest - top_expr;
    }
  }
  return {quotient, rest + untouched};
}

size_t size_of(const Expr& e) { return terms_of(e).size() + (offset_of(e) != 0 ? 1 : 0); }

Split split_symbolic(const Expr& a, const Expr& b) {
  Split s = divide(a, b);
  if (size_of(s.remainder) < size_of(a)) return s;
  return {0, a};
}

// True if every value of `a` is in [0, b).
bool within(const Expr& a, const Expr& b, const BoundsMap& bounds) {
  auto low = bounds_of(a, bounds);
  if (!low || low->low < 0) return false;
  auto gap = bounds_of(b - a, bounds);
  return gap && gap->low > 0;
}

}  // namespace

Expr floor_div_with(const Expr& a, const Expr& b, const BoundsMap& bounds) {
  if (b.is_constant()) {
    LITZ_CHECK(b.constant() > 0, "division of a size expression by " + b.to_string());
    return floor_div_by(a, b.constant(), bounds);
  }
  if (a == Expr(0)) return 0;
  const auto [quotient, r] = split_symbolic(a, b);
  if (r == Expr(0) || within(r, b, bounds)) return quotient;
  return quotient + atom(AtomKind::floor_div, {r, b});
}

Expr mod_with(const Expr& a, const Expr& b, const BoundsMap& bounds) {
  if (b.is_constant()) {
    LITZ_CHECK(b.constant() > 0, "remainder of a size expression by " + b.to_string());
    return mod_by(a, b.constant(), bounds);
  }
  if (a == Expr(0)) return 0;
  const Expr r = split_symbolic(a, b).remainder;
  if (r == Expr(0) || within(r, b, bounds)) return r;
  return atom(AtomKind::mod, {r, b});
}

Expr min_max_with(AtomKind kind, const std::vector<Expr>& args, const BoundsMap& bounds) {
  std::vector<Expr> kept;
  // Keeps `x` unless some kept value always wins over it; drops kept values that it always beats.
  auto wins = [&](const Expr& x, const Expr& y) {
    if (x.is_constant() && y.is_constant()) {
      return kind == AtomKind::min ? x.constant() <= y.constant() : x.constant() >= y.constant();
    }
    const Expr gap = kind == AtomKind::min ? y - x : x - y;
    auto range = bounds_of(gap, bounds);
    return range && range->low >= 0;
  };
  auto add = [&](const Expr& x) {
    if (std::any_of(kept.begin(), kept.end(), [&](const Expr& k) { return wins(k, x); })) return;
    std::erase_if(kept, [&](const Expr& k) { return wins(x, k); });
    kept.push_back(x);
  };
  for (const Expr& arg : args) {
    const Atom* a = single_atom(arg);
    if (a != nullptr && a->kind == kind) {
      for (const Expr& inner : a->args) add(inner);
    } else {
      add(arg);
    }
  }
  if (kept.size() == 1) return kept[0];
  std::sort(kept.begin(), kept.end());
  return atom(kind, std::move(kept));
}

Expr rebuild(AtomKind kind, const std::vector<Expr>& args, const BoundsMap& bounds) {
  switch (kind) {
    case AtomKind::floor_div:
      return floor_div_with(args[0], args[1], bounds);
    case AtomKind::mod:
      return mod_with(args[0], args[1], bounds);
    default:
      return min_max_with(kind, args, bounds);
  }
}

Expr floor_div(const Expr& a, const Expr& b) { return floor_div_with(a, b, {}); }
Expr mod(const Expr& a, const Expr& b) { return mod_with(a, b, {}); }
Expr min(const Expr& a, const Expr& b) { return min_max_with(AtomKind::min, {a, b}, {}); }
Expr max(const Expr& a, const Expr& b) { return min_max_with(AtomKind::max, {a, b}, {}); }
Expr ceil_div(const Expr& a, const Expr& b) { return floor_div(a + b - Expr(1), b); }

}  // namespace litz
