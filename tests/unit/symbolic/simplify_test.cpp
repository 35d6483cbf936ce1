#include <gtest/gtest.h>

#include "symbolic/expr.h"

namespace litz {
namespace {

const Expr a = Expr::symbol("a");
const Expr b = Expr::symbol("b");
const Expr c = Expr::symbol("c");
const Expr r = Expr::symbol("r");

TEST(Simplify, RemovesDivisionByBounds) {
  const BoundsMap bounds = {{"r", {0, 15}}};
  EXPECT_EQ(simplify(floor_div(16 * a + r, 16), bounds), a);
  EXPECT_EQ(simplify(mod(16 * a + r, 16), bounds), r);
  EXPECT_EQ(simplify(mod(32 * a + r, 16), bounds), r);
  EXPECT_EQ(simplify(floor_div(r + 16, 16), bounds), Expr(1));
  EXPECT_EQ(simplify(floor_div(15 - r, 16), bounds), Expr(0));
  EXPECT_EQ(simplify(mod(15 - r, 16), bounds), 15 - r);
  EXPECT_EQ(simplify(floor_div(r - 16, 16), bounds), Expr(-1));
}

TEST(Simplify, LeavesWhatBoundsDoNotDecide) {
  const BoundsMap bounds = {{"r", {0, 16}}};
  EXPECT_EQ(simplify(floor_div(16 * a + r, 16), bounds), a + floor_div(r, 16));
  EXPECT_EQ(simplify(mod(a, 16), bounds), mod(a, 16));
}

TEST(Simplify, Partially) {
  const BoundsMap bounds = {{"b", {0, 3}}, {"c", {0, 3}}};
  EXPECT_EQ(simplify(floor_div(4 * a + b, 8), bounds), floor_div(a, 2));
  EXPECT_EQ(simplify(mod(4 * a + b, 8), bounds), 4 * mod(a, 2) + b);
  EXPECT_EQ(simplify(floor_div(16 * a + 4 * b + c, 64), bounds), floor_div(a, 4));
  EXPECT_EQ(simplify(mod(16 * a + 4 * b + c, 64), bounds), 16 * mod(a, 4) + 4 * b + c);
  EXPECT_EQ(simplify(floor_div(4 * a + b + 4, 8), bounds), floor_div(a + 1, 2));
}

TEST(Simplify, ReshapeOfAnIndexComesBack) {
  // [8, 6, 4] flattened to 192 and split as [8, 24], then as [8, 6, 4].
  const BoundsMap bounds = {{"a", {0, 7}}, {"b", {0, 5}}, {"c", {0, 3}}};
  const Expr flat = 24 * a + 4 * b + c;
  EXPECT_EQ(simplify(floor_div(flat, 24), bounds), a);
  const Expr low = simplify(mod(flat, 24), bounds);
  EXPECT_EQ(low, 4 * b + c);
  EXPECT_EQ(simplify(floor_div(low, 4), bounds), b);
  EXPECT_EQ(simplify(mod(low, 4), bounds), c);
}

TEST(Simplify, MinAndMaxByBounds) {
  const BoundsMap bounds = {{"a", {0, 7}}, {"b", {7, 9}}};
  EXPECT_EQ(simplify(min(a, b), bounds), a);
  EXPECT_EQ(simplify(max(a, b), bounds), b);
  EXPECT_EQ(simplify(max(a, 0), bounds), a);
  EXPECT_EQ(simplify(min(a, 5), bounds), min(a, 5));
}

TEST(Simplify, FixedSymbolsBecomeConstants) { EXPECT_EQ(simplify(4 * a + b, {{"a", {0, 0}}}), b); }

TEST(Simplify, SymbolicDivisor) {
  const BoundsMap bounds = {{"a", {0, 3}}, {"b", {4, 100}}};
  EXPECT_EQ(simplify(mod(a, b), bounds), a);
  EXPECT_EQ(simplify(floor_div(b * c + a, b), bounds), c);
}

TEST(BoundsOf, Arithmetic) {
  const BoundsMap bounds = {{"a", {-2, 3}}, {"b", {4, 5}}};
  EXPECT_EQ(bounds_of(a + b, bounds), (Bounds{2, 8}));
  EXPECT_EQ(bounds_of(a * b, bounds), (Bounds{-10, 15}));
  EXPECT_EQ(bounds_of(-1 * a, bounds), (Bounds{-3, 2}));
  EXPECT_EQ(bounds_of(floor_div(a, 2), bounds), (Bounds{-1, 1}));
  EXPECT_EQ(bounds_of(mod(a, 16), bounds), (Bounds{0, 15}));
  EXPECT_EQ(bounds_of(mod(b, 16), bounds), (Bounds{4, 5}));
  EXPECT_EQ(bounds_of(floor_div(b, a + 3), bounds), (Bounds{0, 5}));
  EXPECT_EQ(bounds_of(min(a, b), bounds), (Bounds{-2, 3}));
  EXPECT_EQ(bounds_of(c, bounds), std::nullopt);
  EXPECT_EQ(bounds_of(7, {}), (Bounds{7, 7}));
}

TEST(BoundsOf, OverflowGivesNone) {
  const BoundsMap bounds = {{"a", {0, INT64_MAX}}};
  EXPECT_EQ(bounds_of(a + 1, bounds), std::nullopt);
  EXPECT_EQ(bounds_of(2 * a, bounds), std::nullopt);
  EXPECT_EQ(bounds_of(a * a, bounds), std::nullopt);
}

}  // namespace
}  // namespace litz
