#include <gtest/gtest.h>

#include <random>

#include "litz/error.h"
#include "symbolic/expr.h"

namespace litz {
namespace {

const Expr a = Expr::symbol("a");
const Expr b = Expr::symbol("b");
const Expr s = Expr::symbol("s");
const Expr x = Expr::symbol("x");

TEST(Expr, NormalForm) {
  EXPECT_EQ((Expr(2) * s + 4 - s).to_string(), "s + 4");
  EXPECT_EQ(a * b + b * a, Expr(2) * a * b);
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ(a - a, Expr(0));
  EXPECT_TRUE((a - a).is_constant());
  EXPECT_EQ((a + 1) * (a + 1) - a * a, 2 * a + 1);
  EXPECT_EQ(product({a, 2, b}), 2 * a * b);
  EXPECT_EQ(product({}), Expr(1));
}

TEST(Expr, SymbolsAndConstants) {
  EXPECT_EQ(s.symbol_name(), "s");
  EXPECT_EQ((s + 1).symbol_name(), std::nullopt);
  EXPECT_EQ((2 * s).symbol_name(), std::nullopt);
  EXPECT_EQ(Expr(7).constant(), 7);
  EXPECT_THROW((void)s.constant(), InternalError);
  EXPECT_EQ((a * floor_div(b, 4)).symbols(), (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(floor_div(b, 4).depends_on("b"));
  EXPECT_FALSE(floor_div(b, 4).depends_on("a"));
}

TEST(Expr, FloorDivOfConstants) {
  EXPECT_EQ(floor_div(7, 2), Expr(3));
  EXPECT_EQ(floor_div(-7, 2), Expr(-4));
  EXPECT_EQ(mod(-7, 2), Expr(1));
  EXPECT_EQ(ceil_div(7, 2), Expr(4));
  EXPECT_EQ(floor_div(INT64_MIN, 3), Expr(INT64_MIN / 3 - 1));
  EXPECT_THROW(floor_div(a, 0), InternalError);
  EXPECT_THROW(mod(a, -2), InternalError);
}

TEST(Expr, FloorDivPullsOutMultiples) {
  EXPECT_EQ(floor_div(16 * a, 16), a);
  EXPECT_EQ(floor_div(16 * a + b, 16), a + floor_div(b, 16));
  EXPECT_EQ(floor_div(17 * a, 16), a + floor_div(a, 16));
  EXPECT_EQ(floor_div(4 * a, 8), floor_div(a, 2));
  EXPECT_EQ(floor_div(4 * a + 3, 8), floor_div(a, 2));
  EXPECT_EQ(floor_div(a + 16, 16), floor_div(a, 16) + 1);
  EXPECT_EQ(floor_div(a, 1), a);
  EXPECT_EQ(floor_div(16 * a + 5, 16), a);
}

TEST(Expr, ModDropsMultiples) {
  EXPECT_EQ(mod(16 * a, 16), Expr(0));
  EXPECT_EQ(mod(16 * a + b, 16), mod(b, 16));
  EXPECT_EQ(mod(32 * a + b, 16), mod(b, 16));
  EXPECT_EQ(mod(16 * a + 21, 16), Expr(5));
  EXPECT_EQ(mod(4 * a + 3, 8), 4 * mod(a, 2) + 3);
  EXPECT_EQ(mod(a, 1), Expr(0));
  EXPECT_EQ(mod(mod(a, 12), 4), mod(a, 4));
  EXPECT_EQ(mod(mod(a, 4), 12), mod(a, 4));
  EXPECT_EQ(mod(3 * mod(a, 4), 12), 3 * mod(a, 4));
  EXPECT_EQ(mod(3 * mod(a, 4) + b, 12), mod(3 * a + b, 12));
}

TEST(Expr, NestedDivisions) {
  EXPECT_EQ(floor_div(floor_div(x, 3), 5), floor_div(x, 15));
  EXPECT_EQ(floor_div(floor_div(x, 3) + 2, 5), floor_div(x + 6, 15));
  EXPECT_EQ(floor_div(mod(x, 12), 4), mod(floor_div(x, 4), 3));
  EXPECT_EQ(floor_div(mod(x, 4), 4), Expr(0));
  EXPECT_EQ(floor_div(mod(x, 4), 5), Expr(0));
}

TEST(Expr, JoinsQuotientAndRemainder) {
  EXPECT_EQ(16 * floor_div(x, 16) + mod(x, 16), x);
  EXPECT_EQ(mod(x, 16) + b + 16 * floor_div(x, 16), x + b);
  EXPECT_EQ(32 * floor_div(x, 16) + 2 * mod(x, 16), 2 * x);
  EXPECT_EQ(a * 16 * floor_div(x, 16) + a * mod(x, 16), a * x);
  EXPECT_EQ(16 * floor_div(x + 5, 16) + mod(x + 5, 16), x + 5);
  EXPECT_EQ(8 * floor_div(4 * x + 2, 8) + mod(4 * x + 2, 8), 4 * x + 2);
  EXPECT_EQ(16 * floor_div(17 * x, 16) + mod(17 * x, 16), 17 * x);
  EXPECT_EQ(s * floor_div(x, s) + mod(x, s), x);
  EXPECT_EQ(x - 16 * floor_div(x, 16), mod(x, 16));
  EXPECT_EQ(2 * x + b - 32 * floor_div(x, 16) + 1, 2 * mod(x, 16) + b + 1);
}

TEST(Expr, JoinsSeveralLevels) {
  // An index split into [n, h, w] and put together again.
  const Expr w = mod(x, 7);
  const Expr h = mod(floor_div(x, 7), 5);
  const Expr n = floor_div(x, 35);
  EXPECT_EQ(35 * n + 7 * h + w, x);
  EXPECT_EQ(7 * h + w, mod(x, 35));
}

TEST(Expr, SymbolicDivisors) {
  EXPECT_EQ(floor_div(s * a, s), a);
  EXPECT_EQ(floor_div(s * a + b, s), a + floor_div(b, s));
  EXPECT_EQ(mod(s * a + b, s), mod(b, s));
  EXPECT_EQ(floor_div(s * a + a, s + 1), a);
  EXPECT_EQ(mod(s * a * b, s * b), Expr(0));
  EXPECT_EQ(floor_div(s, s), Expr(1));
  EXPECT_EQ(floor_div(a, s).evaluate({{"a", -7}, {"s", 2}}), -4);
}

TEST(Expr, MinAndMax) {
  EXPECT_EQ(min(3, 5), Expr(3));
  EXPECT_EQ(max(a, a + 3), a + 3);
  EXPECT_EQ(min(a, b), min(b, a));
  EXPECT_EQ(min(min(a, b), s), min(a, min(s, b)));
  EXPECT_EQ(max(max(a, 4), 7), max(a, 7));
  EXPECT_EQ(min(a, a), a);
  EXPECT_EQ(min(INT64_MIN, INT64_MAX), Expr(INT64_MIN));
}

TEST(Expr, Substitute) {
  const Expr e = a * 3 + floor_div(b, 4) + 1;
  EXPECT_EQ(e.substitute({{"b", 4 * s}}), 3 * a + s + 1);
  EXPECT_EQ(e.substitute({{"a", 2}, {"b", 9}}), Expr(9));
  EXPECT_EQ(e.substitute({}), e);
  EXPECT_EQ((a + b).substitute({{"a", b}, {"b", a}}), a + b);
}

TEST(Expr, EvaluateNeedsEverySymbol) {
  EXPECT_EQ((a * b + 1).evaluate({{"a", 3}, {"b", -4}}), -11);
  EXPECT_THROW((void)(a + b).evaluate({{"a", 1}}), InternalError);
  EXPECT_THROW((void)floor_div(a, b).evaluate({{"a", 1}, {"b", 0}}), UserError);
}

TEST(Expr, OverflowIsAnError) {
  EXPECT_THROW(Expr(INT64_MAX) + 1, UserError);
  EXPECT_THROW(Expr(INT64_MAX) * 2, UserError);
  EXPECT_THROW(Expr(INT64_MIN) * -1, UserError);
  EXPECT_THROW((void)(a * a).evaluate({{"a", int64_t{1} << 32}}), UserError);
  EXPECT_THROW((INT64_MAX * a) + (INT64_MAX * a), UserError);
  EXPECT_NO_THROW(floor_div(floor_div(a, INT64_MAX), INT64_MAX));
}

TEST(Expr, OrderIsTotal) {
  const std::vector<Expr> all = {
      0, 1, a, b, a + 1, a * b, floor_div(a, 3), mod(a, 3), min(a, b), Expr::symbol("i10"), Expr::symbol("i2")};
  for (const Expr& p : all) {
    EXPECT_FALSE(p < p);
    for (const Expr& q : all) EXPECT_EQ((p < q) + (q < p) + (p == q), 1);
  }
  EXPECT_LT(Expr::symbol("i2"), Expr::symbol("i10"));
}

TEST(Expr, AsLinear) {
  auto l = as_linear(3 * a * b + 2 * a + floor_div(b, 4) + 5, "a");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->coefficient, 3 * b + 2);
  EXPECT_EQ(l->rest, floor_div(b, 4) + 5);
  EXPECT_FALSE(as_linear(a * a, "a"));
  EXPECT_FALSE(as_linear(floor_div(a, 4), "a"));
  auto none = as_linear(b + 1, "a");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->coefficient, Expr(0));
}

// Random expressions: the normal form has the value that the operations have.
class Fuzz {
 public:
  explicit Fuzz(uint32_t seed) : rng_(seed) {}

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(rng_); }

  // Returns an expression and its value at `values`, worked out beside it with plain integers.
  std::pair<Expr, int64_t> make(int depth, const std::map<std::string, int64_t>& values) {
    if (depth == 0 || pick(0, 5) == 0) {
      if (pick(0, 2) == 0) {
        const int64_t c = pick(-20, 20);
        return {c, c};
      }
      auto it = std::next(values.begin(), pick(0, static_cast<int64_t>(values.size()) - 1));
      return {Expr::symbol(it->first), it->second};
    }
    auto [p, pv] = make(depth - 1, values);
    auto [q, qv] = make(depth - 1, values);
    const int64_t d = std::vector<int64_t>{1, 2, 3, 4, 8, 12, 16}[static_cast<size_t>(pick(0, 6))];
    const int64_t floor = pv / d - (pv % d < 0);
    switch (pick(0, 7)) {
      case 0:
        return {p + q, pv + qv};
      case 1:
        return {p - q, pv - qv};
      case 2:
        return {p * Expr(d) + q, pv * d + qv};
      case 3:
        return {floor_div(p, d), floor};
      case 4:
        return {mod(p, d), pv - floor * d};
      case 5:
        return {floor_div(p, d) * Expr(d) + mod(p, d) + q, pv + qv};
      case 6:
        return {min(p, q), std::min(pv, qv)};
      default:
        return {max(p, q), std::max(pv, qv)};
    }
  }

 private:
  std::mt19937 rng_;
};

TEST(Expr, RandomExpressionsKeepTheirValue) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Fuzz fuzz(seed);
    const std::map<std::string, int64_t> values = {
        {"i", fuzz.pick(-30, 30)}, {"j", fuzz.pick(0, 15)}, {"k", fuzz.pick(0, 3)}};
    const auto [e, value] = fuzz.make(5, values);
    ASSERT_EQ(e.evaluate(values), value) << "seed " << seed << ": " << e.to_string();
    BoundsMap bounds = {{"j", {0, 15}}, {"k", {0, 3}}, {"i", {-30, 30}}};
    ASSERT_EQ(simplify(e, bounds).evaluate(values), value) << "seed " << seed << ": " << e.to_string();
    auto range = bounds_of(e, bounds);
    ASSERT_TRUE(range);
    ASSERT_LE(range->low, value) << "seed " << seed << ": " << e.to_string();
    ASSERT_GE(range->high, value) << "seed " << seed << ": " << e.to_string();
    auto back = Expr::parse(e.to_string());
    ASSERT_TRUE(back) << back.error();
    ASSERT_EQ(*back, e) << "seed " << seed << ": " << e.to_string() << " came back as " << back->to_string();
    std::map<std::string, Expr> constants;
    for (const auto& [name, v] : values) constants[name] = v;
    ASSERT_EQ(e.substitute(constants), Expr(value)) << "seed " << seed << ": " << e.to_string();
  }
}

}  // namespace
}  // namespace litz
