#include "frontends/trace/strided.h"

#include <gtest/gtest.h>

#include "litz/error.h"

namespace litz::trace {
namespace {

using Sizes = std::vector<int64_t>;

TEST(StridedTest, RowMajor) {
  EXPECT_EQ(row_major({2, 3, 4}), (Strided{{2, 3, 4}, {12, 4, 1}, 0}));
  EXPECT_EQ(row_major({}).strides, Sizes{});
  EXPECT_EQ(row_major({2, 0, 3}).strides, (Sizes{3, 3, 1}));
  EXPECT_TRUE(is_row_major(Sizes{2, 1, 3}, Sizes{3, 99, 1}));
  EXPECT_TRUE(is_row_major(Sizes{2, 0}, Sizes{7, 7}));
  EXPECT_FALSE(is_row_major(Sizes{2, 3}, Sizes{1, 2}));
}

TEST(StridedTest, ViewsFromTheirRecords) {
  const Strided x = row_major({2, 3, 4});
  const auto view = [&](std::string_view op, const ir::Attributes& a) { return view_of(op, a, x); };
  EXPECT_EQ(view("permute", {{"dims", Sizes{2, 0, 1}}}), (Strided{{4, 2, 3}, {1, 12, 4}, 0}));
  EXPECT_EQ(view("select", {{"dim", int64_t{1}}, {"index", int64_t{-1}}}), (Strided{{2, 4}, {12, 1}, 8}));
  EXPECT_EQ(view("slice", {{"dim", int64_t{2}}, {"start", int64_t{1}}, {"end", INT64_MAX}, {"step", int64_t{2}}}),
            (Strided{{2, 3, 2}, {12, 4, 2}, 1}));
  EXPECT_EQ(view("unsqueeze", {{"dim", int64_t{1}}}).shape, (Sizes{2, 1, 3, 4}));
  EXPECT_EQ(view("unfold", {{"dim", int64_t{1}}, {"size", int64_t{2}}, {"step", int64_t{1}}}),
            (Strided{{2, 2, 4, 2}, {12, 4, 1, 4}, 0}));
}

TEST(StridedTest, ExpandHasStrideZero) {
  const Strided x{{3, 1}, {5, 1}, 7};
  EXPECT_EQ(view_of("expand", {{"shape", std::vector<Expr>{2, 3, 4}}}, x), (Strided{{2, 3, 4}, {0, 5, 0}, 7}));
}

TEST(StridedTest, ViewsOfViewsKeepTheirPlace) {
  Strided x = row_major({4, 6});
  x = view_of("slice", {{"dim", int64_t{0}}, {"start", int64_t{1}}, {"end", int64_t{3}}, {"step", int64_t{1}}}, x);
  x = view_of("permute", {{"dims", Sizes{1, 0}}}, x);
  x = view_of("select", {{"dim", int64_t{0}}, {"index", int64_t{2}}}, x);
  EXPECT_EQ(x, (Strided{{2}, {6}, 8}));
}

TEST(StridedTest, BadViewsAreUserErrors) {
  const Strided x = row_major({2, 3});
  EXPECT_THROW(view_of("select", {{"dim", int64_t{0}}, {"index", int64_t{2}}}, x), IndexError);
  EXPECT_THROW(view_of("permute", {{"dims", Sizes{0, 0}}}, x), UserError);
}

TEST(StridedTest, ReshapeWithoutACopy) {
  EXPECT_EQ(reshaped(row_major({4, 6}), {2, 2, 6}), (Strided{{2, 2, 6}, {12, 6, 1}, 0}));
  // Columns 1 and 2 of a [4, 6]: the outer dimension splits, and does not join with the inner one.
  const Strided part{{4, 2}, {6, 1}, 1};
  EXPECT_EQ(reshaped(part, {2, 2, 2}), (Strided{{2, 2, 2}, {12, 6, 1}, 1}));
  EXPECT_FALSE(reshaped(part, {8}).has_value());
  EXPECT_FALSE(reshaped(Strided{{3, 2}, {1, 3}, 0}, {6}).has_value());
  EXPECT_EQ(reshaped(Strided{{3, 1, 2}, {2, 77, 1}, 0}, {6}), (Strided{{6}, {1}, 0}));
  EXPECT_EQ(reshaped(Strided{{3}, {0}, 0}, {3, 1})->strides[0], 0);
  EXPECT_EQ(reshaped(row_major({0, 4}), {2, 0})->shape, (Sizes{2, 0}));
  EXPECT_EQ(reshaped(Strided{{1, 1}, {5, 9}, 3}, {})->offset, 3);
}

TEST(StridedTest, Dense) {
  EXPECT_TRUE(is_dense(row_major({2, 3})));
  EXPECT_TRUE(is_dense({{3, 2}, {1, 3}, 0}));
  EXPECT_FALSE(is_dense({{3, 2}, {1, 3}, 1}));
  EXPECT_FALSE(is_dense({{2, 2}, {0, 1}, 0}));
  EXPECT_FALSE(is_dense({{2, 2}, {4, 1}, 0}));
}

TEST(StridedTest, SameWindow) {
  EXPECT_TRUE(same_window({{2, 1}, {3, 8}, 1}, {{2, 1}, {3, 1}, 1}));
  EXPECT_TRUE(same_window({{0, 2}, {3, 8}, 1}, {{0, 2}, {2, 1}, 0}));
  EXPECT_FALSE(same_window({{2, 1}, {3, 1}, 1}, {{2, 1}, {3, 1}, 0}));
}

}  // namespace
}  // namespace litz::trace
