// Expressions as text: to_string, parse, print.
#include <cctype>

#include "symbolic/expr_node.h"

namespace litz {

namespace {

std::string_view kind_name(AtomKind kind) {
  switch (kind) {
    case AtomKind::floor_div:
      return "floor_div";
    case AtomKind::mod:
      return "mod";
    case AtomKind::min:
      return "min";
    case AtomKind::max:
      return "max";
    case AtomKind::symbol:
      break;
  }
  return "symbol";
}

std::string atom_text(const Atom& a) {
  if (a.kind == AtomKind::symbol) return a.name;
  std::string out(kind_name(a.kind));
  for (size_t i = 0; i < a.args.size(); ++i) out += (i == 0 ? "(" : ", ") + a.args[i].to_string();
  return out + ")";
}

// Recursive descent over  sum := ['-'] product {('+'|'-') product};  product := factor {'*' factor};
// factor := integer | '-' factor | name | name '(' sum {',' sum} ')' | '(' sum ')'.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expr parse_all() {
    Expr e = parse_sum();
    skip_space();
    if (at_ != text_.size()) fail("unexpected text");
    return e;
  }

 private:
  static constexpr int kMaxDepth = 100;

  [[noreturn]] void fail(const std::string& what) {
    throw UserError(what + " at character " + std::to_string(at_ + 1) + " of \"" + std::string(text_.substr(0, 200)) +
                    "\"");
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }

  Expr parse_sum() {
    if (++depth_ > kMaxDepth) fail("expression is nested too deeply");
    Expr sum = parse_product();
    while (true) {
      if (accept('+')) {
        sum = sum + parse_product();
      } else if (accept('-')) {
        sum = sum - parse_product();
      } else {
        break;
      }
    }
    --depth_;
    return sum;
  }

  Expr parse_product() {
    Expr e = parse_factor();
    while (accept('*')) e = e * parse_factor();
    return e;
  }

  Expr parse_factor() {
    bool negative = false;
    while (accept('-')) negative = !negative;
    skip_space();
    if (at_ >= text_.size()) fail("unexpected end");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c)) return parse_integer(negative);
    Expr e;
    if (accept('(')) {
      e = parse_sum();
      expect(')');
    } else if (std::isalpha(c) || c == '_' || c == '$' || c == '%') {
      e = parse_name();
    } else {
      fail("expected a number, a name or '('");
    }
    return negative ? Expr(-1) * e : e;
  }

  Expr parse_integer(bool negative) {
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      const int64_t digit = text_[at_++] - '0';
      value = checked_add(checked_mul(value, 10), negative ? -digit : digit);
    }
    return value;
  }

  Expr parse_name() {
    const size_t begin = at_;
    if (text_[at_] == '%') ++at_;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (!std::isalnum(c) && c != '_' && c != '.' && c != '$') break;
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "%") fail("expected a name after '%'");
    if (!accept('(')) return Expr::symbol(name);
    std::vector<Expr> args = {parse_sum()};
    while (accept(',')) args.push_back(parse_sum());
    expect(')');
    return call(name, args);
  }

  Expr call(std::string_view name, const std::vector<Expr>& args) {
    if (args.size() >= 2 && args.size() <= 64 && (name == "min" || name == "max")) {
      return min_max_with(name == "min" ? AtomKind::min : AtomKind::max, args, {});
    }
    if (args.size() != 2 || (name != "floor_div" && name != "mod" && name != "ceil_div")) {
      fail("no function " + std::string(name) + " of " + std::to_string(args.size()) + " arguments");
    }
    if (args[1].is_constant() && args[1].constant() <= 0) fail("the divisor must be positive");
    if (name == "floor_div") return floor_div(args[0], args[1]);
    return name == "mod" ? mod(args[0], args[1]) : ceil_div(args[0], args[1]);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

std::string print_atom(const Atom& a, ExprPrinter& printer) {
  if (a.kind == AtomKind::symbol) return printer.symbol(a.name);
  std::string out = print(a.args[0], printer);
  for (size_t i = 1; i < a.args.size(); ++i) {
    const std::string next = print(a.args[i], printer);
    switch (a.kind) {
      case AtomKind::floor_div:
        out = printer.floor_div(out, next);
        break;
      case AtomKind::mod:
        out = printer.mod(out, next);
        break;
      case AtomKind::min:
        out = printer.min(out, next);
        break;
      default:
        out = printer.max(out, next);
        break;
    }
  }
  return out;
}

}  // namespace

std::string Expr::to_string() const {
  if (is_constant()) return std::to_string(constant_);
  std::string out;
  for (const Term& t : node_->terms) {
    const bool negative = t.coefficient < 0;
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    // The magnitude as unsigned, so that the smallest integer has one.
    const uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(t.coefficient) : static_cast<uint64_t>(t.coefficient);
    if (magnitude != 1) out += std::to_string(magnitude) + "*";
    for (size_t i = 0; i < t.factors.size(); ++i) out += (i == 0 ? "" : "*") + atom_text(*t.factors[i]);
  }
  if (constant_ > 0) out += " + " + std::to_string(constant_);
  if (constant_ < 0) out += " - " + std::to_string(0 - static_cast<uint64_t>(constant_));
  return out;
}

Result<Expr> Expr::parse(std::string_view text) {
  if (text.size() > (64u << 10)) return Failure{"expression text is too long"};
  try {
    return Parser(text).parse_all();
  } catch (const Error& e) {
    return Failure{e.what()};
  }
}

std::string print(const Expr& e, ExprPrinter& printer) {
  std::string sum;
  auto add = [&](const std::string& text) { sum = sum.empty() ? text : printer.add(sum, text); };
  for (const Term& t : terms_of(e)) {
    std::string factors;
    for (const AtomPtr& f : t.factors) {
      const std::string text = print_atom(*f, printer);
      factors = factors.empty() ? text : printer.mul(factors, text);
    }
    add(t.coefficient == 1 ? factors : printer.mul(printer.constant(t.coefficient), factors));
  }
  if (offset_of(e) != 0 || sum.empty()) add(printer.constant(offset_of(e)));
  return sum;
}

}  // namespace litz
