#include "codegen/cpp/index_text.h"

#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

// ExprPrinter hands strings around; two flags travel as their first characters.
std::string pack(const IndexText& t) {
  return std::string(t.vector ? "v" : "s") + (t.non_negative ? "+" : "?") + t.text;
}
IndexText unpack(const std::string& s) { return {s.substr(2), s[0] == 'v', s[1] == '+'}; }

std::string as_vector(const IndexText& t) { return t.vector ? t.text : "splat_i64v(" + t.text + ")"; }

class Printer : public ExprPrinter {
 public:
  explicit Printer(const std::function<IndexText(const std::string&)>& symbol) : symbol_(symbol) {}

  std::string constant(int64_t value) override {
    std::string text = std::to_string(value);
    if (value > INT32_MAX || value < INT32_MIN) text += "L";
    if (value == INT64_MIN) text = "(-9223372036854775807L - 1)";
    return pack({value < 0 ? "(" + text + ")" : text, false, value >= 0});
  }
  std::string symbol(const std::string& name) override { return pack(symbol_(name)); }
  std::string add(const std::string& a, const std::string& b) override { return infix(a, " + ", b); }
  std::string mul(const std::string& a, const std::string& b) override { return infix(a, " * ", b); }
  std::string floor_div(const std::string& a, const std::string& b) override { return divide(a, " / ", "fdiv", b); }
  std::string mod(const std::string& a, const std::string& b) override { return divide(a, " % ", "fmodulo", b); }
  std::string min(const std::string& a, const std::string& b) override { return call("min_i64", a, b); }
  std::string max(const std::string& a, const std::string& b) override { return call("max_i64", a, b); }

 private:
  std::string infix(const std::string& a, const char* op, const std::string& b) {
    const IndexText x = unpack(a), y = unpack(b);
    // A range of one iteration stands at 0.
    const bool product = op[1] == '*';
    if (x.text == "0" || y.text == "0") return x.text == "0" ? (product ? a : b) : (product ? b : a);
    return pack({"(" + x.text + op + y.text + ")", x.vector || y.vector, x.non_negative && y.non_negative});
  }
  std::string divide(const std::string& a, const char* op, const char* helper, const std::string& b) {
    const IndexText x = unpack(a), y = unpack(b);
    LITZ_CHECK(!y.vector, "division of an index by one that differs from lane to lane");
    if (x.vector) return pack({std::string(helper) + "v(" + x.text + ", " + y.text + ")", true, x.non_negative});
    if (x.non_negative) return pack({"(" + x.text + op + y.text + ")", false, true});
    const bool is_mod = op[1] == '%';
    return pack({std::string(helper) + "(" + x.text + ", " + y.text + ")", false, is_mod});
  }
  std::string call(const char* helper, const std::string& a, const std::string& b) {
    const IndexText x = unpack(a), y = unpack(b);
    const bool non_negative = x.non_negative && y.non_negative;
    if (x.vector || y.vector) {
      return pack({std::string(helper) + "v(" + as_vector(x) + ", " + as_vector(y) + ")", true, non_negative});
    }
    return pack({std::string(helper) + "(" + x.text + ", " + y.text + ")", false, non_negative});
  }

  const std::function<IndexText(const std::string&)>& symbol_;
};

}  // namespace

IndexText index_text(const Expr& e, const std::function<IndexText(const std::string&)>& symbol) {
  Printer printer(symbol);
  IndexText result = unpack(print(e, printer));
  // Drops the parentheses around the whole.
  std::string& text = result.text;
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    int depth = 0;
    size_t i = 0;
    for (; i + 1 < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (i + 1 == text.size()) text = text.substr(1, text.size() - 2);
  }
  return result;
}

}  // namespace litz::codegen::cpp
