// How ATen calls become nodes: the graph's text.
#include "ops/aten.h"

#include <gtest/gtest.h>

namespace litz::ops {
namespace {

TensorType type(DType dtype, std::vector<Expr> shape) { return {.dtype = dtype, .shape = std::move(shape)}; }

// The ops of the graph that a call makes, or why it is not imported. `$i` among the arguments is tensor i.
struct Imported {
  std::string ops;
  std::vector<TensorType> results;
  std::string reason;
};

Imported import(const std::vector<TensorType>& tensors, const AtenCall& call) {
  ir::GraphBuilder graph("g");
  Builder builder(graph);
  for (const TensorType& t : tensors) graph.input(t, "x");
  auto ids = import_aten(builder, call);
  Imported out;
  if (!ids) {
    out.reason = ids.error();
    return out;
  }
  for (ValueId id : *ids)
    out.results.push_back(id == ir::kNoValue ? TensorType{.dtype = DType::token} : graph.type(id));
  const ir::Graph done = std::move(graph).finish();
  EXPECT_NO_THROW(verify(done)) << ir::print(done);
  for (const ir::Node& n : done.nodes()) out.ops += (out.ops.empty() ? "" : " ") + n.op;
  return out;
}

const TensorType kMatrix = type(DType::f32, {4, 6});
const AtenTensor x0{0};
const AtenTensor x1{1};
const AtenTensor x2{2};
using Ints = std::vector<int64_t>;

TEST(ImportAten, PlainRecords) {
  EXPECT_EQ(import({kMatrix}, {"aten.sin.default", {x0}, {}}).ops, "sin");
  EXPECT_EQ(import({kMatrix}, {"aten.clone.default", {x0, std::monostate{}}, {}}).ops, "identity");
  EXPECT_EQ(import({kMatrix}, {"aten.gelu.default", {x0, std::string("tanh")}, {}}).ops, "gelu");
  EXPECT_EQ(import({kMatrix, type(DType::f32, {6, 2})}, {"aten.mm.default", {x0, x1}, {}}).results[0],
            type(DType::f32, {4, 2}));
}

TEST(ImportAten, NumbersTakeTheDtypeThatPyTorchGivesThem) {
  EXPECT_EQ(import({type(DType::i64, {3})}, {"aten.add.Tensor", {x0, 0.5, int64_t{1}}, {}}).results[0].dtype,
            DType::f32);
  EXPECT_EQ(import({type(DType::u8, {3})}, {"aten.add.Scalar", {x0, int64_t{300}, int64_t{1}}, {}}).results[0].dtype,
            DType::u8);
  EXPECT_EQ(import({type(DType::bf16, {3})}, {"aten.mul.Tensor", {x0, 0.1}, {}}).results[0].dtype, DType::bf16);
  EXPECT_EQ(import({type(DType::boolean, {3})}, {"aten.add.Tensor", {x0, true, int64_t{1}}, {}}).results[0].dtype,
            DType::boolean);
  EXPECT_EQ(import({type(DType::i32, {3})}, {"aten.pow.Tensor_Scalar", {x0, 0.5}, {}}).results[0].dtype, DType::f32);
}

TEST(ImportAten, ShapesAreResolved) {
  EXPECT_EQ(import({kMatrix}, {"aten.view.default", {x0, Ints{3, -1}}, {}}).results[0], type(DType::f32, {3, 8}));
  EXPECT_EQ(import({kMatrix}, {"aten.expand.default", {x0, Ints{2, -1, 6}, false}, {}}).results[0],
            type(DType::f32, {2, 4, 6}));
  EXPECT_EQ(import({kMatrix}, {"aten.transpose.int", {x0, int64_t{-1}, int64_t{0}}, {}}).results[0],
            type(DType::f32, {6, 4}));
  EXPECT_EQ(import({kMatrix}, {"aten.slice.Tensor", {x0, int64_t{1}, std::monostate{}, INT64_MAX, int64_t{2}}, {}})
                .results[0],
            type(DType::f32, {4, 3}));
  const Imported parts = import({kMatrix}, {"aten.split.Tensor", {x0, int64_t{4}, int64_t{1}}, {}});
  EXPECT_EQ(parts.results, (std::vector{type(DType::f32, {4, 4}), type(DType::f32, {4, 2})}));
}

TEST(ImportAten, ResultsThatAreNotReadAreLeftOut) {
  const std::vector<TensorType> norm = {kMatrix, type(DType::f32, {6}), type(DType::f32, {6})};
  AtenCall call{"aten.native_layer_norm.default", {x0, Ints{6}, x1, x2, 1e-5}, {true, false, false}};
  EXPECT_EQ(import(norm, call).ops, "layer_norm");
  call.used = {};
  EXPECT_EQ(import(norm, call).ops, "native_layer_norm");
  const TensorType q = type(DType::f32, {1, 2, 4, 8});
  AtenCall attention{"aten._scaled_dot_product_flash_attention_for_cpu.default",
                     {x0, x0, x0, 0.0, false, std::monostate{}, std::monostate{}},
                     {true, false}};
  EXPECT_EQ(import({q}, attention).ops, "attention");
  attention.used = {true, true};
  EXPECT_EQ(import({q}, attention).reason, "its logsumexp is read");
}

TEST(ImportAten, SaysWhyNot) {
  EXPECT_EQ(import({kMatrix}, {"aten.svd.default", {x0}, {}}).reason, "Litz has no aten.svd.default");
  EXPECT_EQ(import({kMatrix}, {"aten.native_dropout.default", {x0, 0.5, true}, {}}).reason,
            "random numbers are not generated yet");
  const TensorType mask = type(DType::boolean, {4});
  EXPECT_EQ(import({kMatrix, mask}, {"aten.index.Tensor", {x0, std::vector<AtenTensor>{x1}}, {}}).reason,
            "a mask as an index gives a size known at run time");
  EXPECT_EQ(import({kMatrix, type(DType::f32, {5})}, {"aten.add.Tensor", {x0, x1, int64_t{1}}, {}}).reason,
            "add: shapes [4, 6] and [5] do not broadcast: sizes 6 and 5 at dimension -1");
}

TEST(ImportAten, NamesAreSortedAndKnown) {
  const auto names = aten_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GT(names.size(), 300u);
}

}  // namespace
}  // namespace litz::ops
