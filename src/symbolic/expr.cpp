#include "symbolic/expr.h"

#include <algorithm>
#include <cctype>

#include "symbolic/expr_node.h"

namespace litz {

namespace {

[[noreturn]] void overflow() {
  throw UserError("a size, stride or offset does not fit a 64-bit integer; use smaller tensors");
}

// A name, or '%' and a name or number: Kernel IR's scalar values.
bool is_identifier(std::string_view name) {
  const bool scalar = name.starts_with('%');
  if (scalar) name.remove_prefix(1);
  if (name.empty() || name[0] == '.' || (!scalar && std::isdigit(static_cast<unsigned char>(name[0])))) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '$'; });
}

template <typename T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// i2 before i10: shorter names first when they share everything before their digits.
int compare_names(const std::string& a, const std::string& b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  auto digits_only = [](const std::string& s, size_t from) {
    return from < s.size() && std::all_of(s.begin() + from, s.end(), [](unsigned char c) { return std::isdigit(c); });
  };
  if (digits_only(a, i) && digits_only(b, i) && a.size() != b.size()) return three_way(a.size(), b.size());
  return three_way(a, b);
}

std::vector<AtomPtr> merged(const std::vector<AtomPtr>& a, const std::vector<AtomPtr>& b) {
  std::vector<AtomPtr> out(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(),
             [](const AtomPtr& x, const AtomPtr& y) { return compare(x, y) < 0; });
  return out;
}

const Atom* first_of_kind(const Term& term, AtomKind kind, size_t* position) {
  for (size_t i = 0; i < term.factors.size(); ++i) {
    if (term.factors[i]->kind == kind) {
      *position = i;
      return term.factors[i].get();
    }
  }
  return nullptr;
}

// Position of the term with the same factors and coefficient; terms.size() if absent.
size_t find_term(const std::vector<Term>& terms, const Term& wanted) {
  size_t i = 0;
  while (i < terms.size() &&
         (terms[i].coefficient != wanted.coefficient || compare_factors(terms[i].factors, wanted.factors) != 0)) {
    ++i;
  }
  return i;
}

// term / factors[position], as an expression.
Expr without_factor(Term term, size_t position) {
  term.factors.erase(term.factors.begin() + static_cast<std::ptrdiff_t>(position));
  return term.factors.empty() ? Expr(term.coefficient) : from_term(std::move(term));
}

Expr without_terms(int64_t constant, const std::vector<Term>& terms, size_t i, size_t j) {
  std::vector<Term> rest;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (k != i && k != j) rest.push_back(terms[k]);
  }
  return ExprAccess::make(constant, std::move(rest));
}

// terms[i] is c*mod(x, b). With c*b*floor_div(x, b) in the sum both become c*x; with c*b*mod(floor_div(x, b), m) both
// become c*mod(x, b*m).
std::optional<Expr> join_mod(int64_t constant, const std::vector<Term>& terms, size_t i) {
  size_t position = 0;
  const Atom* m = first_of_kind(terms[i], AtomKind::mod, &position);
  if (m == nullptr) return std::nullopt;
  const Expr& x = m->args[0];
  const Expr& b = m->args[1];
  const Expr quotient = floor_div(x, b);
  const Expr c = without_factor(terms[i], position);
  const Expr scale = c * b;
  const Expr whole = scale * quotient;
  if (terms_of(whole).size() == 1 && offset_of(whole) == 0) {
    if (size_t j = find_term(terms, terms_of(whole)[0]); j < terms.size() && j != i) {
      return without_terms(constant, terms, i, j) + c * x;
    }
  }
  for (size_t j = 0; j < terms.size(); ++j) {
    size_t at = 0;
    const Atom* other = j == i ? nullptr : first_of_kind(terms[j], AtomKind::mod, &at);
    if (other == nullptr || !(other->args[0] == quotient)) continue;
    if (without_factor(terms[j], at) == scale) {
      return without_terms(constant, terms, i, j) + c * mod(x, b * other->args[1]);
    }
  }
  return std::nullopt;
}

// terms[i] is -c*b*floor_div(x, b). With c*x in the sum both become c*mod(x, b).
std::optional<Expr> join_floor_div(int64_t constant, const std::vector<Term>& terms, size_t i) {
  size_t position = 0;
  const Atom* d = first_of_kind(terms[i], AtomKind::floor_div, &position);
  if (d == nullptr || !d->args[1].is_constant()) return std::nullopt;
  const int64_t b = d->args[1].constant();
  Term scale = terms[i];
  if (scale.coefficient % b != 0 || scale.coefficient == INT64_MIN) return std::nullopt;
  scale.coefficient = -(scale.coefficient / b);
  const Expr c = without_factor(scale, position);
  const Expr whole = c * d->args[0];
  for (const Term& t : terms_of(whole)) {
    if (size_t j = find_term(terms, t); j == terms.size() || j == i) return std::nullopt;
  }
  return without_terms(constant, terms, i, i) - whole + c * mod(d->args[0], d->args[1]);
}

std::optional<Expr> join(int64_t constant, const std::vector<Term>& terms) {
  for (size_t i = 0; i < terms.size() && terms.size() > 1; ++i) {
    if (auto joined = join_mod(constant, terms, i)) return joined;
    if (auto joined = join_floor_div(constant, terms, i)) return joined;
  }
  return std::nullopt;
}

bool has_division(const std::vector<Term>& terms) {
  size_t unused = 0;
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) {
    return first_of_kind(t, AtomKind::mod, &unused) || first_of_kind(t, AtomKind::floor_div, &unused);
  });
}

void collect_symbols(const Expr& e, std::set<std::string>& out) {
  for (const Term& t : terms_of(e)) {
    for (const AtomPtr& a : t.factors) {
      if (a->kind == AtomKind::symbol) out.insert(a->name);
      for (const Expr& arg : a->args) collect_symbols(arg, out);
    }
  }
}

int64_t evaluate_atom(const Atom& a, const std::map<std::string, int64_t>& values) {
  if (a.kind == AtomKind::symbol) {
    auto it = values.find(a.name);
    LITZ_CHECK(it != values.end(), "no value for symbol " + a.name);
    return it->second;
  }
  int64_t result = a.args[0].evaluate(values);
  for (size_t i = 1; i < a.args.size(); ++i) {
    const int64_t b = a.args[i].evaluate(values);
    if (a.kind == AtomKind::min) {
      result = std::min(result, b);
    } else if (a.kind == AtomKind::max) {
      result = std::max(result, b);
    } else {
      if (b <= 0) throw UserError("division by " + std::to_string(b) + " in a size expression");
      result = a.kind == AtomKind::floor_div ? floor_div_int(result, b) : mod_int(result, b);
    }
  }
  return result;
}

}  // namespace

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) overflow();
  return r;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) overflow();
  return r;
}

int compare(const AtomPtr& a, const AtomPtr& b) {
  if (a == b) return 0;
  if (a->kind != b->kind) return three_way(a->kind, b->kind);
  if (a->kind == AtomKind::symbol) return compare_names(a->name, b->name);
  if (a->args.size() != b->args.size()) return three_way(a->args.size(), b->args.size());
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (int c = compare(a->args[i], b->args[i])) return c;
  }
  return 0;
}

int compare_factors(const std::vector<AtomPtr>& a, const std::vector<AtomPtr>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int c = compare(a[i], b[i])) return c;
  }
  return three_way(b.size(), a.size());  // the longer product first
}

int compare(const Expr& a, const Expr& b) {
  if (!ExprAccess::same_node(a, b)) {
    const auto& x = terms_of(a);
    const auto& y = terms_of(b);
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
      if (int c = compare_factors(x[i].factors, y[i].factors)) return c;
      if (int c = three_way(x[i].coefficient, y[i].coefficient)) return c;
    }
    if (x.size() != y.size()) return three_way(x.size(), y.size());
  }
  return three_way(offset_of(a), offset_of(b));
}

Expr from_term(Term term) {
  std::vector<Term> terms;
  terms.push_back(std::move(term));
  return ExprAccess::make(0, std::move(terms));
}

Expr atom(AtomKind kind, std::vector<Expr> args) {
  return from_term(Term{1, {std::make_shared<const Atom>(Atom{kind, "", std::move(args)})}});
}

const Atom* single_atom(const Expr& e) {
  const auto& terms = terms_of(e);
  if (terms.size() != 1 || offset_of(e) != 0) return nullptr;
  if (terms[0].coefficient != 1 || terms[0].factors.size() != 1) return nullptr;
  return terms[0].factors[0].get();
}

Expr sum_of(int64_t constant, std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return compare_factors(a.factors, b.factors) < 0; });
  std::vector<Term> out;
  for (Term& t : terms) {
    if (t.factors.empty()) {
      constant = checked_add(constant, t.coefficient);
    } else if (!out.empty() && compare_factors(out.back().factors, t.factors) == 0) {
      out.back().coefficient = checked_add(out.back().coefficient, t.coefficient);
    } else {
      out.push_back(std::move(t));
    }
  }
  std::erase_if(out, [](const Term& t) { return t.coefficient == 0; });
  if (out.size() > kMaxTerms) throw UserError("a size expression has too many terms");
  if (out.size() > 1 && has_division(out)) {
    if (auto joined = join(constant, out)) return *joined;
  }
  return ExprAccess::make(constant, std::move(out));
}

Expr Expr::symbol(std::string_view name) {
  LITZ_CHECK(is_identifier(name), "not a symbol name: " + std::string(name));
  return from_term(Term{1, {std::make_shared<const Atom>(Atom{AtomKind::symbol, std::string(name), {}})}});
}

int64_t Expr::constant() const {
  LITZ_CHECK(is_constant(), "not a constant: " + to_string());
  return constant_;
}

std::optional<std::string> Expr::symbol_name() const {
  const Atom* a = single_atom(*this);
  if (a == nullptr || a->kind != AtomKind::symbol) return std::nullopt;
  return a->name;
}

std::set<std::string> Expr::symbols() const {
  std::set<std::string> out;
  collect_symbols(*this, out);
  return out;
}

bool Expr::depends_on(std::string_view symbol) const {
  for (const Term& t : terms_of(*this)) {
    for (const AtomPtr& a : t.factors) {
      if (a->kind == AtomKind::symbol && a->name == symbol) return true;
      for (const Expr& arg : a->args) {
        if (arg.depends_on(symbol)) return true;
      }
    }
  }
  return false;
}

Expr Expr::substitute(const std::map<std::string, Expr>& values) const {
  if (is_constant() || values.empty()) return *this;
  Expr sum(constant_);
  for (const Term& t : node_->terms) {
    Expr product(t.coefficient);
    for (const AtomPtr& a : t.factors) {
      if (a->kind == AtomKind::symbol) {
        auto it = values.find(a->name);
        product = product * (it == values.end() ? from_term(Term{1, {a}}) : it->second);
        continue;
      }
      std::vector<Expr> args;
      for (const Expr& arg : a->args) args.push_back(arg.substitute(values));
      product = product * rebuild(a->kind, args, {});
    }
    sum = sum + product;
  }
  return sum;
}

int64_t Expr::evaluate(const std::map<std::string, int64_t>& values) const {
  int64_t sum = constant_;
  for (const Term& t : terms_of(*this)) {
    int64_t product = t.coefficient;
    for (const AtomPtr& a : t.factors) product = checked_mul(product, evaluate_atom(*a, values));
    sum = checked_add(sum, product);
  }
  return sum;
}

bool Expr::operator==(const Expr& other) const { return compare(*this, other) == 0; }
bool Expr::operator<(const Expr& other) const { return compare(*this, other) < 0; }

Expr operator+(const Expr& a, const Expr& b) {
  const int64_t constant = checked_add(offset_of(a), offset_of(b));
  if (b.is_constant()) return ExprAccess::with_offset(a, constant);
  if (a.is_constant()) return ExprAccess::with_offset(b, constant);
  std::vector<Term> terms = terms_of(a);
  terms.insert(terms.end(), terms_of(b).begin(), terms_of(b).end());
  return sum_of(constant, std::move(terms));
}

Expr operator-(const Expr& a, const Expr& b) { return a + b * Expr(-1); }

Expr operator*(const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return checked_mul(a.constant(), b.constant());
  if (a.is_constant()) return b * a;
  const int64_t bc = offset_of(b);
  if (b.is_constant() && bc == 1) return a;
  if (b.is_constant() && bc == 0) return 0;
  if ((terms_of(a).size() + 1) * (terms_of(b).size() + 1) > kMaxTerms) {
    throw UserError("a size expression has too many terms");
  }
  std::vector<Term> terms;
  for (const Term& t : terms_of(a)) {
    if (bc != 0) terms.push_back({checked_mul(t.coefficient, bc), t.factors});
    for (const Term& u : terms_of(b)) {
      terms.push_back({checked_mul(t.coefficient, u.coefficient), merged(t.factors, u.factors)});
    }
  }
  const int64_t ac = offset_of(a);
  for (const Term& u : terms_of(b)) {
    if (ac != 0) terms.push_back({checked_mul(u.coefficient, ac), u.factors});
  }
  const int64_t constant = checked_mul(ac, bc);
  // A scaled sum stays in normal form.
  if (b.is_constant()) return ExprAccess::make(constant, std::move(terms));
  return sum_of(constant, std::move(terms));
}

Expr product(const std::vector<Expr>& factors) {
  Expr result(1);
  for (const Expr& f : factors) result = result * f;
  return result;
}

std::optional<Linear> as_linear(const Expr& e, std::string_view symbol) {
  std::vector<Term> coefficient;
  std::vector<Term> rest;
  for (const Term& t : terms_of(e)) {
    Term others{t.coefficient, {}};
    int count = 0;
    for (const AtomPtr& a : t.factors) {
      if (a->kind == AtomKind::symbol && a->name == symbol) {
        ++count;
        continue;
      }
      for (const Expr& arg : a->args) {
        if (arg.depends_on(symbol)) return std::nullopt;
      }
      others.factors.push_back(a);
    }
    if (count > 1) return std::nullopt;
    (count == 1 ? coefficient : rest).push_back(std::move(others));
  }
  return Linear{sum_of(0, std::move(coefficient)), sum_of(offset_of(e), std::move(rest))};
}

}  // namespace litz
