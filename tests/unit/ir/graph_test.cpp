#include "ir/graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/check.h"

namespace litz::ir {
namespace {

TensorType f32(std::vector<Expr> shape) { return {.dtype = DType::f32, .shape = std::move(shape)}; }

TEST(GraphBuilder, BuildsInOrder) {
  GraphBuilder b("sincos");
  const ValueId x = b.input(f32({10}), "x");
  const ValueId y = b.add({.op = "cos", .operands = {x}}, {f32({10})})[0];
  const ValueId z = b.add({.op = "sin", .operands = {y}}, {f32({10})}, {"z"})[0];
  b.output({.value = z});
  const Graph g = std::move(b).finish();
  EXPECT_EQ(g.name(), "sincos");
  ASSERT_EQ(g.nodes().size(), 2u);
  EXPECT_EQ(g.producer(x), nullptr);
  EXPECT_EQ(g.producer(z), &g.nodes()[1]);
  EXPECT_EQ(g.value(y).name, "0");
  EXPECT_EQ(g.value(z).name, "z");
  EXPECT_EQ(g.nodes()[1].results, std::vector<ValueId>{z});
}

TEST(GraphBuilder, NamesAreUnique) {
  GraphBuilder b;
  const ValueId first = b.input(f32({}), "x");
  const ValueId second = b.input(f32({}), "x");
  const ValueId third = b.input(f32({}), "x_1");
  const ValueId taken = b.input(f32({}), "0");
  const ValueId fresh = b.input(f32({}), "");
  const Graph g = std::move(b).finish();
  EXPECT_EQ(g.value(first).name, "x");
  EXPECT_EQ(g.value(second).name, "x_1");
  EXPECT_NE(g.value(third).name, "x_1");
  EXPECT_EQ(g.value(taken).name, "0");
  EXPECT_EQ(g.value(fresh).name, "1");
}

TEST(GraphBuilder, RefusesWhatIsNotDefined) {
  GraphBuilder b;
  const ValueId x = b.input(f32({2, 3}), "x");
  EXPECT_THROW(b.add({.op = "cos", .operands = {x + 1}}, {f32({})}), InternalError);
  EXPECT_THROW(b.output({.value = x + 1}), InternalError);
  EXPECT_THROW(b.output({.value = x, .strides = {1}}), InternalError);
  EXPECT_THROW(b.output({.value = x, .written_to = 1}), InternalError);
  EXPECT_THROW(b.input(f32({2}), "y", {1, 1}), InternalError);
  EXPECT_THROW(b.input({.shape = {2}, .layout = {.order = {1}}}, "z"), InternalError);
}

TEST(GraphBuilder, WritesNoIdentityOrder) {
  GraphBuilder b;
  const ValueId x = b.input({.shape = {2, 3}, .layout = {.order = {0, 1}}}, "x");
  EXPECT_TRUE(b.type(x).layout.is_default());
}

TEST(Graph, UsersCountANodeOnce) {
  GraphBuilder b;
  const ValueId x = b.input(f32({}), "x");
  const ValueId y = b.add({.op = "mul", .operands = {x, x}}, {f32({})})[0];
  b.add({.op = "clamp", .operands = {y, kNoValue, x}}, {f32({})});
  const Graph g = std::move(b).finish();
  EXPECT_EQ(g.users()[x], (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(g.users()[y], std::vector<uint32_t>{1});
}

TEST(Attributes, CompareFloatsByBits) {
  const double nan = std::nan("");
  EXPECT_EQ((Attributes{{"a", nan}}), (Attributes{{"a", nan}}));
  EXPECT_NE((Attributes{{"a", 0.0}}), (Attributes{{"a", -0.0}}));
  EXPECT_EQ((Attributes{{"a", std::vector<double>{nan}}}), (Attributes{{"a", std::vector<double>{nan}}}));
  EXPECT_NE((Attributes{{"a", 1.0}}), (Attributes{{"a", int64_t{1}}}));
}

TEST(Attributes, SetReplaces) {
  Attributes a = {{"dim", int64_t{1}}};
  a.set("dim", int64_t{2});
  a.set("keepdim", true);
  EXPECT_EQ(a.get<int64_t>("dim"), 2);
  EXPECT_EQ(a.items().size(), 2u);
  EXPECT_THROW(a.get<bool>("dim"), InternalError);
  EXPECT_THROW(a.get<bool>("dims"), InternalError);
}

Graph two_inputs(const std::string& first, bool swap, int64_t size = 4) {
  GraphBuilder b("g");
  const ValueId x = b.input(f32({size}), first);
  const ValueId y = b.input(f32({size}), "y");
  std::vector<ValueId> operands = {x, y};
  if (swap) std::swap(operands[0], operands[1]);
  Node node{.op = "sub", .operands = operands};
  node.location.source = first;
  b.output({.value = b.add(std::move(node), {f32({size})})[0]});
  return std::move(b).finish();
}

TEST(StructurallyEqual, IgnoresNamesAndLocations) {
  EXPECT_TRUE(structurally_equal(two_inputs("x", false), two_inputs("other", false)));
  EXPECT_FALSE(structurally_equal(two_inputs("x", false), two_inputs("x", true)));
  EXPECT_FALSE(structurally_equal(two_inputs("x", false), two_inputs("x", false, 5)));
}

}  // namespace
}  // namespace litz::ir
