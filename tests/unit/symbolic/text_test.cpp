#include <gtest/gtest.h>

#include "symbolic/expr.h"

namespace litz {
namespace {

std::string round_trip(std::string_view text) {
  auto e = Expr::parse(text);
  return e ? e->to_string() : "error: " + e.error();
}

TEST(ExprText, Prints) {
  EXPECT_EQ(round_trip("2*s+4-s"), "s + 4");
  EXPECT_EQ(round_trip("-s - 4"), "-s - 4");
  EXPECT_EQ(round_trip("16 * a * b"), "16*a*b");
  EXPECT_EQ(round_trip("floor_div(x, 16)*3"), "3*floor_div(x, 16)");
  EXPECT_EQ(round_trip("mod(x, s0)"), "mod(x, s0)");
  EXPECT_EQ(round_trip("ceil_div(x, 2)"), "floor_div(x + 1, 2)");
  EXPECT_EQ(round_trip("min(b, a, 3)"), "min(3, a, b)");
  EXPECT_EQ(round_trip("(a + 1)*(b - 1)"), "a*b - a + b - 1");
  EXPECT_EQ(round_trip("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(round_trip("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(round_trip("s0.5$ + _t"), "_t + s0.5$");
  EXPECT_EQ(round_trip("4*%12 + mod(%3, 8)"), "4*%12 + mod(%3, 8)");
}

TEST(ExprText, RefusesBadText) {
  for (const char* text : {"", "a +", "a b", "3a", "floor_div(a)", "floor_div(a, 0)", "mod(a, -3)", "sin(a)", "(a",
                           "a)", "9223372036854775808", "a**b", "1.5", "min(a)", "a/2", "\"", "a\n;"}) {
    EXPECT_FALSE(Expr::parse(text)) << text;
  }
  EXPECT_FALSE(Expr::parse(std::string(100000, '(')));
  EXPECT_FALSE(Expr::parse(std::string(60000, '(')));
  EXPECT_FALSE(Expr::parse(std::string(60000, '-')));
}

TEST(ExprText, RefusesExplosions) {
  std::string text = "1";
  for (int i = 0; i < 20; ++i) {
    text += "*(";
    for (int j = 0; j < 10; ++j) text += "v" + std::to_string(i * 10 + j) + "+";
    text += "1)";
  }
  EXPECT_FALSE(Expr::parse(text));
}

struct CppPrinter : ExprPrinter {
  std::string constant(int64_t value) override { return std::to_string(value); }
  std::string symbol(const std::string& name) override { return name; }
  std::string add(const std::string& p, const std::string& q) override { return "(" + p + "+" + q + ")"; }
  std::string mul(const std::string& p, const std::string& q) override { return p + "*" + q; }
  std::string floor_div(const std::string& p, const std::string& q) override { return "(" + p + ")/(" + q + ")"; }
  std::string mod(const std::string& p, const std::string& q) override { return "(" + p + ")%(" + q + ")"; }
  std::string min(const std::string& p, const std::string& q) override { return "min(" + p + "," + q + ")"; }
  std::string max(const std::string& p, const std::string& q) override { return "max(" + p + "," + q + ")"; }
};

TEST(ExprText, PrinterWalksBottomUp) {
  CppPrinter printer;
  EXPECT_EQ(print(*Expr::parse("768*i + j + 2"), printer), "((768*i+j)+2)");
  EXPECT_EQ(print(*Expr::parse("floor_div(i + 1, 3)*n"), printer), "n*((i+1))/(3)");
  EXPECT_EQ(print(*Expr::parse("min(a, b, c)"), printer), "min(min(a,b),c)");
  EXPECT_EQ(print(Expr(0), printer), "0");
  EXPECT_EQ(print(*Expr::parse("mod(i, 4) - j"), printer), "(-1*j+(i)%(4))");
}

}  // namespace
}  // namespace litz
