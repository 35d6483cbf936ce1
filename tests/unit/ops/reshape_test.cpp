#include "ops/reshape.h"

#include <gtest/gtest.h>

namespace litz::ops {
namespace {

std::string mapped(const std::vector<Expr>& from, const std::vector<Expr>& to) {
  std::vector<Expr> index;
  for (size_t d = 0; d < from.size(); ++d) index.push_back(Expr::symbol("i" + std::to_string(d)));
  std::string out;
  for (const Expr& e : reshape_map(index, from, to)) out += (out.empty() ? "" : "; ") + e.to_string();
  return out;
}

TEST(ReshapeMap, SizesOfOneNeedNoDivision) {
  EXPECT_EQ(mapped({1, 5, 1, 7}, {5, 7}), "i1; i3");
  EXPECT_EQ(mapped({5, 7}, {1, 5, 7, 1}), "0; i0; i1; 0");
  EXPECT_EQ(mapped({}, {1, 1}), "0; 0");
}

TEST(ReshapeMap, DimensionsAreMatchedInGroups) {
  EXPECT_EQ(mapped({96, 64}, {8, 12, 64}), "floor_div(i0, 12); mod(i0, 12); i1");
  EXPECT_EQ(mapped({8, 12, 64}, {96, 64}), "12*i0 + i1; i2");
  EXPECT_EQ(mapped({24, 5, 6}, {4, 6, 30}), "floor_div(i0, 6); mod(i0, 6); 6*i1 + i2");
}

TEST(ReshapeMap, UnalignedSizesGoThroughTheLinearIndex) {
  EXPECT_EQ(mapped({4, 15}, {6, 10}), "i0 + floor_div(5*i0 + i1, 10); mod(5*i0 + i1, 10)");
}

TEST(ReshapeMap, SymbolsMatchThemselves) {
  const Expr s = Expr::symbol("s");
  EXPECT_EQ(mapped({s, 768}, {s, 12, 64}), "i0; floor_div(i1, 64); mod(i1, 64)");
  EXPECT_EQ(mapped({s * Expr(4), 8}, {s, 4, 8}), "floor_div(i0, 4); mod(i0, 4); i1");
}

TEST(ReshapeMap, NoElementsMapAnywhere) { EXPECT_EQ(mapped({0, 7}, {3, 0, 2}), "0; 0; 0"); }

}  // namespace
}  // namespace litz::ops
