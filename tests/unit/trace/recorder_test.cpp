#include "frontends/trace/recorder.h"

#include <gtest/gtest.h>

#include "interp/interp.h"
#include "litz/error.h"
#include "ops/record.h"

namespace litz::trace {
namespace {

using Sizes = std::vector<int64_t>;
using interp::Tensor;

ops::AtenArg tensor(const Value& v) { return ops::AtenTensor{v.id}; }

Value call_one(Recorder& recorder, const std::string& aten, std::vector<ops::AtenArg> args) {
  return recorder.call({.name = aten, .args = std::move(args), .used = {}}, {}).front();
}

Value permute(Recorder& recorder, const Value& x, Sizes dims) {
  return recorder.view("permute", {{"dims", std::move(dims)}}, x, {});
}

Value reshape(Recorder& recorder, const Value& x, std::vector<Expr> shape) {
  return recorder.view("reshape", {{"shape", std::move(shape)}}, x, {});
}

Value first(Recorder& recorder, const Value& x) {
  return recorder.view("select", {{"dim", int64_t{0}}, {"index", int64_t{0}}}, x, {});
}

// The result as its window onto an output of the graph shows it.
Tensor read(const Recorded& recorded, size_t i, const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
  const Result& result = recorded.results.at(i);
  const Tensor& memory = result.is_input ? inputs.at(result.index) : outputs.at(result.index);
  Tensor out(memory.dtype(), result.window.shape);
  interp::for_each_index(result.window.shape, [&](const interp::Index& index, int64_t n) {
    int64_t offset = result.window.offset;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * result.window.strides[d];
    out.set(n, memory.get(offset));
  });
  return out;
}

TEST(RecorderTest, RecordsThroughTheImporters) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({3}), "x", false);
  const Value y =
      call_one(recorder, "aten.mul.Tensor", {tensor(call_one(recorder, "aten.cos.default", {tensor(x)})), 2.0});
  const Recorded recorded = std::move(recorder).finish({{y}});
  ops::verify(recorded.graph);
  const auto outputs = interp::run(recorded.graph, {Tensor::of(DType::f32, {3}, {0, 1, 2})});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_FLOAT_EQ(static_cast<float>(outputs[0].number(0)), 2.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(outputs[0].number(1)), 1.0806046f);
  EXPECT_FALSE(recorded.results[0].is_input);
  EXPECT_EQ(recorded.results[0].window, row_major({3}));
}

TEST(RecorderTest, ACallThatIsNotImportedIsAUserError) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({3}), "x", false);
  EXPECT_THROW(call_one(recorder, "aten.no_such_op.default", {tensor(x)}), UserError);
  EXPECT_THROW(call_one(recorder, "aten.sum.dim_IntList", {tensor(x), Sizes{3}, false}), UserError);
}

TEST(RecorderTest, StridesAndFrozenInputsStandAtTheBorder) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, {{3, 2}, {1, 3}, 0}, "x", false);
  const Value w = recorder.input(DType::f32, row_major({3, 2}), "w", true);
  const Value y = call_one(recorder, "aten.add.Tensor", {tensor(x), tensor(w)});
  const Recorded recorded = std::move(recorder).finish({{y}});
  const auto& inputs = recorded.graph.inputs();
  EXPECT_EQ(inputs[0].strides, (std::vector<Expr>{1, 3}));
  EXPECT_TRUE(inputs[1].strides.empty());
  EXPECT_FALSE(inputs[0].frozen);
  EXPECT_TRUE(inputs[1].frozen);
}

TEST(RecorderTest, ViewsOfInputsStayWindowsOntoThem) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2, 3}), "x", false);
  const Value t = permute(recorder, x, {1, 0});
  const Recorded recorded = std::move(recorder).finish({{x, t, first(recorder, t)}});
  EXPECT_TRUE(recorded.graph.outputs().empty());
  for (const Result& r : recorded.results) EXPECT_TRUE(r.is_input);
  EXPECT_EQ(recorded.results[0].window, row_major({2, 3}));
  EXPECT_EQ(recorded.results[1].window, (Strided{{3, 2}, {1, 3}, 0}));
  EXPECT_EQ(recorded.results[2].window, (Strided{{2}, {3}, 0}));
}

TEST(RecorderTest, AnOpGivesATensorOfItsOwn) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2}), "x", false);
  // The importer of clamp with bounds that are tensors gives the operand back where both are absent.
  const Value y = call_one(recorder, "aten.clamp.Tensor", {tensor(x), std::monostate(), std::monostate()});
  EXPECT_NE(y.root, x.root);
  const Recorded recorded = std::move(recorder).finish({{y}});
  EXPECT_FALSE(recorded.results[0].is_input);
}

TEST(RecorderTest, ResultsOfOneRootShareAnOutput) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2, 3}), "x", false);
  const Value y = call_one(recorder, "aten.neg.default", {tensor(x)});
  const Value row = first(recorder, y);
  const Value t = permute(recorder, y, {1, 0});
  const Recorded recorded = std::move(recorder).finish({{row, t, y}});
  ops::verify(recorded.graph);
  ASSERT_EQ(recorded.graph.outputs().size(), 1u);
  const std::vector<Tensor> inputs = {Tensor::of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6})};
  const auto outputs = interp::run(recorded.graph, inputs);
  EXPECT_EQ(read(recorded, 0, outputs, inputs), Tensor::of(DType::f32, {3}, {-1, -2, -3}));
  EXPECT_EQ(read(recorded, 1, outputs, inputs), Tensor::of(DType::f32, {3, 2}, {-1, -4, -2, -5, -3, -6}));
  EXPECT_EQ(read(recorded, 2, outputs, inputs), Tensor::of(DType::f32, {2, 3}, {-1, -2, -3, -4, -5, -6}));
}

TEST(RecorderTest, ASinglePartIsAnOutputOfItsOwn) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2, 3}), "x", false);
  const Value row = first(recorder, call_one(recorder, "aten.neg.default", {tensor(x)}));
  const Recorded recorded = std::move(recorder).finish({{row}});
  const auto outputs = interp::run(recorded.graph, {Tensor::of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(outputs.at(0), Tensor::of(DType::f32, {3}, {-1, -2, -3}));
  EXPECT_EQ(recorded.results[0].window, row_major({3}));
}

TEST(RecorderTest, AWholeTransposedResultKeepsItsStrides) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2, 3}), "x", false);
  const Value t = permute(recorder, call_one(recorder, "aten.neg.default", {tensor(x)}), {1, 0});
  const Recorded recorded = std::move(recorder).finish({{t}});
  EXPECT_EQ(recorded.results[0].window, (Strided{{3, 2}, {1, 3}, 0}));
  EXPECT_EQ(recorded.graph.type(recorded.graph.outputs()[0].value).shape, (std::vector<Expr>{2, 3}));
}

TEST(RecorderTest, AReshapeThatCopiesIsARootOfItsOwn) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2, 3}), "x", false);
  const Value t = permute(recorder, x, {1, 0});
  const Value view = reshape(recorder, x, {6});
  const Value copy = reshape(recorder, t, {6});
  EXPECT_EQ(view.root, x.root);
  EXPECT_EQ(copy.root, copy.id);
  const Recorded recorded = std::move(recorder).finish({{copy, view}});
  const std::vector<Tensor> inputs = {Tensor::of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6})};
  const auto outputs = interp::run(recorded.graph, inputs);
  EXPECT_EQ(read(recorded, 0, outputs, inputs), Tensor::of(DType::f32, {6}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read(recorded, 1, outputs, inputs), Tensor::of(DType::f32, {6}, {1, 2, 3, 4, 5, 6}));
}

TEST(RecorderTest, PlacesReachTheNodes) {
  Recorder recorder("f");
  const Value x = recorder.input(DType::f32, row_major({2}), "x", false);
  const ops::AtenCall sin{.name = "aten.sin.default", .args = {tensor(x)}, .used = {}};
  const auto y = recorder.call(sin, {.source = "a.cpp:3", .op = "litz::sin"});
  const Recorded recorded = std::move(recorder).finish(y);
  EXPECT_EQ(recorded.graph.nodes().at(0).location.source, "a.cpp:3");
  EXPECT_EQ(recorded.graph.nodes().at(0).location.op, "litz::sin");
}

}  // namespace
}  // namespace litz::trace
