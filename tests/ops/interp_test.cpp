// The table on the interpreter: it covers every record, its graphs verify and survive their text, and what is stated
// twice (a kernel and a decomposition, a view and its index map) agrees.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "interp/interp.h"
#include "tests/ops/case_list.h"

namespace litz::op_cases {
namespace {

using interp::Tensor;

TEST(OpCases, CoverEveryRecord) {
  std::set<std::string> covered;
  std::set<std::string> names;
  for (const OpCase& c : all_cases()) {
    covered.insert(c.op);
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " stands twice";
  }
  for (const ops::OpRecord& r : ops::all_records()) {
    // What runs outside of Litz, and the start of a chain of effects, have tests of their own.
    if (r.kind == ops::OpKind::foreign || r.name == "token") continue;
    EXPECT_TRUE(covered.contains(std::string(r.name))) << r.name << " has no case in tests/ops";
  }
}

TEST(OpCases, GraphsVerifyAndSurviveTheirText) {
  for (const OpCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const ir::Graph graph = c.graph();
    ASSERT_NO_THROW(ops::verify(graph));
    const auto parsed = ir::parse_graph(ir::print(graph));
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_TRUE(ir::structurally_equal(graph, *parsed));
    ASSERT_NO_THROW(ops::verify(*parsed));
  }
}

TEST(OpCases, RunTwiceTheSame) {
  for (const OpCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const auto first = interp::run(c.graph(), c.make_inputs());
    EXPECT_EQ(first, interp::run(c.graph(), c.make_inputs()));
  }
}

std::vector<const Tensor*> operands_of(const OpCase& c, const std::vector<Tensor>& inputs) {
  std::vector<const Tensor*> out;
  size_t next = 0;
  for (const Input& input : c.inputs) out.push_back(input.absent ? nullptr : &inputs[next++]);
  return out;
}

TEST(OpCases, DecompositionsAgreeWithKernels) {
  int compared = 0;
  for (const OpCase& c : all_cases()) {
    if (c.build || !ops::record(c.op).decompose) continue;
    SCOPED_TRACE(c.name);
    const auto inputs = c.make_inputs();
    const ir::Attributes attributes = c.graph().nodes().back().attributes;
    const auto direct = interp::apply(c.op, operands_of(c, inputs), attributes);
    const auto parts = interp::apply_decomposed(c.op, operands_of(c, inputs), attributes);
    EXPECT_EQ(difference(c, direct, parts), "");
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

// The decomposition as a graph whose sizes above 1 are symbols, equal sizes the same one.
ir::Graph symbolic_decomposition(const OpCase& c, const ir::Attributes& attributes) {
  ir::GraphBuilder graph("symbolic");
  ops::Builder b(graph);
  std::vector<ir::ValueId> operands;
  for (const Input& input : c.inputs) {
    ir::TensorType type{.dtype = input.dtype};
    for (int64_t size : input.shape)
      type.shape.push_back(size > 1 ? Expr::symbol("s" + std::to_string(size)) : Expr(size));
    operands.push_back(input.absent ? ir::kNoValue : graph.input(type, "x"));
  }
  for (ir::ValueId id : ops::record(c.op).decompose(b, operands, attributes)) graph.output({.value = id});
  return std::move(graph).finish();
}

TEST(OpCases, DecompositionsHoldForSizesKnownAtRunTime) {
  // Those need constants by their nature.
  const std::set<std::string> constant_only = {"adaptive_avg_pool2d", "group_norm"};
  int compared = 0;
  for (const OpCase& c : all_cases()) {
    if (c.build || !ops::record(c.op).decompose || constant_only.contains(c.op)) continue;
    if (c.name == "attention/shared-heads") continue;  // how many share a head must be known
    SCOPED_TRACE(c.name);
    const ir::Graph graph = symbolic_decomposition(c, c.graph().nodes().back().attributes);
    ASSERT_NO_THROW(ops::verify(graph)) << ir::print(graph);
    const auto inputs = c.make_inputs();
    EXPECT_EQ(difference(c, interp::run(c.graph(), inputs), interp::run(graph, inputs)), "");
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

// The element of the operand that `map` names for each element of the result.
TEST(OpCases, IndexMapsAgreeWithViews) {
  int compared = 0;
  for (const OpCase& c : all_cases()) {
    const ops::OpRecord& r = ops::record(c.op);
    if (c.build || r.kind != ops::OpKind::view) continue;
    SCOPED_TRACE(c.name);
    const ir::Graph graph = c.graph();
    const ir::Node& node = graph.nodes().back();
    const ir::TensorType* operand = &graph.type(node.operands[0]);
    const ir::TensorType& result = graph.type(node.results[0]);
    std::vector<Expr> index;
    for (int d = 0; d < result.rank(); ++d) index.push_back(Expr::symbol("i" + std::to_string(d)));
    const auto mapped = r.map(index, {.operands = std::span(&operand, 1), .attributes = node.attributes}, result);
    const auto inputs = c.make_inputs();
    const Tensor expected = interp::run(graph, inputs)[0];
    interp::for_each_index(expected.shape(), [&](const interp::Index& at, int64_t i) {
      std::map<std::string, int64_t> values;
      for (size_t d = 0; d < at.size(); ++d) values["i" + std::to_string(d)] = at[d];
      interp::Index source;
      for (const Expr& e : mapped) source.push_back(e.evaluate(values));
      ASSERT_EQ(expected.get(i), inputs[0].get(inputs[0].offset(source)));
    });
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(Difference, SeesWhatItShould) {
  const OpCase exact{.name = "x", .op = "add"};
  const OpCase near{.name = "x", .op = "exp", .ulps = 1};
  const auto of = [](DType dtype, double value) { return std::vector{Tensor::of(dtype, {1}, {value})}; };
  const double next = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(difference(exact, of(DType::f32, 1), of(DType::f32, 1)), "");
  EXPECT_NE(difference(exact, of(DType::f32, 1), of(DType::f32, next)), "");
  EXPECT_NE(difference(exact, of(DType::f32, 0.0), of(DType::f32, -0.0)), "");
  EXPECT_EQ(difference(near, of(DType::f32, 1), of(DType::f32, next)), "");
  EXPECT_NE(difference(near, of(DType::f32, 1), of(DType::f32, 1 + 3 * (next - 1))), "");
  EXPECT_NE(difference(near, of(DType::f32, NAN), of(DType::f32, 1)), "");
  EXPECT_EQ(difference(near, of(DType::f32, NAN), of(DType::f32, NAN)), "");
  EXPECT_NE(difference(near, of(DType::f32, INFINITY), of(DType::f32, -INFINITY)), "");
  EXPECT_NE(difference(near, of(DType::f32, 1), of(DType::f64, 1)), "");
  EXPECT_NE(difference(near, of(DType::i32, 1), of(DType::i32, 2)), "");
}

}  // namespace
}  // namespace litz::op_cases
