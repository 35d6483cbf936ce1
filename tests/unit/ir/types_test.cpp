#include "ir/types.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace litz::ir {
namespace {

TensorType type_of(std::vector<Expr> shape, Layout layout) {
  return {.dtype = DType::f32, .shape = std::move(shape), .layout = std::move(layout)};
}

std::vector<Expr> simplified(std::vector<Expr> exprs, const BoundsMap& bounds) {
  for (Expr& e : exprs) e = simplify(e, bounds);
  return exprs;
}

std::vector<std::string> texts(const std::vector<Expr>& exprs) {
  std::vector<std::string> out;
  for (const Expr& e : exprs) out.push_back(e.to_string());
  return out;
}

using Texts = std::vector<std::string>;

// i0, i1, … with the bounds that the shape gives them.
std::vector<Expr> index_symbols(const std::vector<Expr>& shape, BoundsMap* bounds) {
  std::vector<Expr> index;
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::string name = "i" + std::to_string(i);
    index.push_back(Expr::symbol(name));
    if (shape[i].is_constant()) (*bounds)[name] = {0, shape[i].constant() - 1};
  }
  return index;
}

TEST(PhysicalShape, OfEachKindOfLayout) {
  EXPECT_EQ(texts(physical_shape(type_of({2, 3}, {}))), (Texts{"2", "3"}));
  EXPECT_EQ(texts(physical_shape(type_of({1, 64, 56, 56}, {.order = {0, 2, 3, 1}}))), (Texts{"1", "56", "56", "64"}));
  EXPECT_EQ(texts(physical_shape(type_of({1, 64, 56, 56}, {.splits = {{1, 16}}}))),
            (Texts{"1", "4", "56", "56", "16"}));
  EXPECT_EQ(texts(physical_shape(type_of({100, 7}, {.splits = {{0, 32}}}))), (Texts{"4", "7", "32"}));
  EXPECT_EQ(texts(physical_shape(type_of({100, 7}, {.splits = {{0, 32}, {1, 2}}}))), (Texts{"4", "4", "32", "2"}));
  EXPECT_EQ(texts(physical_shape(type_of({}, {}))), Texts{});
}

TEST(PhysicalShape, KeepsSymbols) {
  const Expr n = Expr::symbol("n");
  EXPECT_EQ(physical_shape(type_of({n, 64}, {.order = {1, 0}})), (std::vector<Expr>{64, n}));
  EXPECT_EQ(physical_shape(type_of({n, 64}, {.splits = {{0, 16}}})), (std::vector<Expr>{ceil_div(n, 16), 64, 16}));
}

TEST(PhysicalIndex, OfABlockedActivation) {
  const TensorType type = type_of({2, 64, 56, 56}, {.splits = {{1, 16}}});
  BoundsMap bounds;
  const std::vector<Expr> index = index_symbols(type.shape, &bounds);
  EXPECT_EQ(texts(physical_index(type, index, bounds)),
            texts({index[0], floor_div(index[1], 16), index[2], index[3], mod(index[1], 16)}));
}

TEST(PhysicalIndex, SimplifiesByBounds) {
  const TensorType type = type_of({64}, {.splits = {{0, 16}}});
  const Expr outer = Expr::symbol("a"), inner = Expr::symbol("r");
  const BoundsMap bounds = {{"a", {0, 3}}, {"r", {0, 15}}};
  EXPECT_EQ(texts(physical_index(type, {outer * 16 + inner}, bounds)), (Texts{"a", "r"}));
}

TEST(PhysicalIndex, LaterSplitOfADimensionIsTheFiner) {
  // Blocks of 16 input channels, 16 output channels and pairs of input channels, as for dot instructions.
  const TensorType type = type_of({32, 32}, {.splits = {{1, 8}, {0, 16}, {1, 2}}});
  EXPECT_EQ(texts(physical_shape(type)), (Texts{"2", "2", "8", "16", "2"}));
  EXPECT_EQ(texts(physical_index(type, {17, 21}, {})), (Texts{"1", "1", "2", "1", "1"}));
}

struct LayoutCase {
  std::string name;
  std::vector<int64_t> shape;
  Layout layout;
};

class InverseLayouts : public testing::TestWithParam<LayoutCase> {};

// Every element has a place of its own inside the physical shape, and logical_index finds it again.
TEST_P(InverseLayouts, AreBijectiveOnElements) {
  const LayoutCase& c = GetParam();
  const TensorType type = type_of({c.shape.begin(), c.shape.end()}, c.layout);
  const std::vector<Expr> physical = physical_shape(type);
  std::set<std::vector<int64_t>> places;
  std::vector<int64_t> at(c.shape.size(), 0);
  int64_t count = 1;
  for (const int64_t size : c.shape) count *= size;
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    for (size_t d = c.shape.size(); d-- > 0;) {
      at[d] = rest % c.shape[d];
      rest /= c.shape[d];
    }
    const std::vector<Expr> index(at.begin(), at.end());
    const std::vector<Expr> where = physical_index(type, index, {});
    ASSERT_EQ(where.size(), physical.size());
    std::vector<int64_t> place;
    for (size_t d = 0; d < where.size(); ++d) {
      ASSERT_TRUE(where[d].is_constant());
      ASSERT_GE(where[d].constant(), 0);
      ASSERT_LT(where[d].constant(), physical[d].constant());
      place.push_back(where[d].constant());
    }
    EXPECT_TRUE(places.insert(place).second) << "element " << n << " shares its place";
    EXPECT_EQ(logical_index(type, where, {}), index) << "element " << n;
  }
  EXPECT_LE(count, storage_elements(type).constant());
}

// The same with symbols for indices: the expressions cancel, and without padding physical to logical and back too.
TEST_P(InverseLayouts, CancelAsExpressions) {
  const LayoutCase& c = GetParam();
  const TensorType type = type_of({c.shape.begin(), c.shape.end()}, c.layout);
  BoundsMap bounds;
  const std::vector<Expr> index = index_symbols(type.shape, &bounds);
  EXPECT_EQ(texts(logical_index(type, physical_index(type, index, bounds), bounds)), texts(simplified(index, bounds)));
  BoundsMap physical_bounds;
  const std::vector<Expr> physical = index_symbols(physical_shape(type), &physical_bounds);
  EXPECT_EQ(texts(physical_index(type, logical_index(type, physical, physical_bounds), physical_bounds)),
            texts(simplified(physical, physical_bounds)));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, InverseLayouts,
    testing::Values(LayoutCase{"plain", {3, 4}, {}}, LayoutCase{"nhwc", {2, 5, 3, 4}, {.order = {0, 2, 3, 1}}},
                    LayoutCase{"blocked", {2, 32, 3, 2}, {.splits = {{1, 16}}}},
                    LayoutCase{"blocked_padded", {2, 21, 3, 2}, {.splits = {{1, 8}}, .padding = Padding::zero}},
                    LayoutCase{"packed", {70, 5}, {.splits = {{0, 32}}, .padding = Padding::zero}},
                    LayoutCase{"packed_pairs", {70, 5}, {.splits = {{0, 32}, {1, 2}}, .padding = Padding::undefined}},
                    LayoutCase{"conv_weight", {20, 6, 3, 3}, {.order = {0, 2, 3, 1}, .splits = {{0, 16}, {1, 2}}}},
                    LayoutCase{"twice", {40, 20}, {.order = {1, 0}, .splits = {{1, 4}, {0, 16}, {1, 2}}}},
                    LayoutCase{"scalar", {}, {}}, LayoutCase{"block_of_one", {3}, {.splits = {{0, 1}}}}),
    [](const auto& param) { return param.param.name; });

TEST(ContiguousStrides, RowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (std::vector<Expr>{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), std::vector<Expr>{});
  const Expr n = Expr::symbol("n");
  EXPECT_EQ(contiguous_strides({2, n, 4}), (std::vector<Expr>{4 * n, 4, 1}));
}

TEST(StorageElements, CountPadding) {
  EXPECT_EQ(storage_elements(type_of({100, 7}, {.splits = {{0, 32}}})), Expr(int64_t{4} * 32 * 7));
  EXPECT_EQ(storage_elements(type_of({0, 7}, {})), Expr(0));
  EXPECT_EQ(storage_elements(type_of({}, {})), Expr(1));
}

TEST(TypeText, ShowsLayoutAndDevice) {
  EXPECT_EQ(to_string(type_of({1, 64}, {})), "f32[1,64]");
  EXPECT_EQ(to_string(type_of({1, 64}, {.splits = {{1, 16}}})), "f32[1,64]{0,1|1:16}");
  EXPECT_EQ(to_string(type_of({1, 64}, {.order = {1, 0}})), "f32[1,64]{1,0}");
  EXPECT_EQ(to_string(type_of({9}, {.splits = {{0, 4}}, .padding = Padding::zero})), "f32[9]{0|0:4|zero}");
  EXPECT_EQ(to_string({.dtype = DType::i64, .shape = {Expr::symbol("n") + 1}, .device = DeviceKind::cuda}),
            "i64[n + 1]@cuda");
  EXPECT_EQ(to_string({.dtype = DType::token}), "token");
}

TEST(LayoutProblem, SaysWhatIsWrong) {
  EXPECT_FALSE(layout_problem({.order = {1, 0}, .splits = {{1, 4}}}, 2).has_value());
  EXPECT_TRUE(layout_problem({.order = {1, 1}}, 2).has_value());
  EXPECT_TRUE(layout_problem({.order = {0}}, 2).has_value());
  EXPECT_TRUE(layout_problem({.splits = {{2, 4}}}, 2).has_value());
  EXPECT_TRUE(layout_problem({.splits = {{-1, 4}}}, 2).has_value());
  EXPECT_TRUE(layout_problem({.splits = {{0, 0}}}, 2).has_value());
}

TEST(PhysicalIndex, RefusesAnotherRank) {
  EXPECT_THROW(physical_index(type_of({2, 3}, {}), {0}, {}), InternalError);
  EXPECT_THROW(logical_index(type_of({2, 3}, {.splits = {{0, 2}}}), {0, 0}, {}), InternalError);
}

}  // namespace
}  // namespace litz::ir
