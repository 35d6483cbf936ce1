// Small graphs: what ops do together.
#include "ops/compose.h"
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

using ir::ValueId;
using ops::Builder;
using Operands = const std::vector<ValueId>&;

// A graph with the case's inputs; `body` gives the outputs.
std::function<ir::Graph(const OpCase&)> graph(std::function<std::vector<ValueId>(Builder&, Operands)> body) {
  return [body = std::move(body)](const OpCase& c) {
    ir::GraphBuilder g("graph");
    Builder b(g);
    std::vector<ValueId> inputs;
    for (const Input& input : c.inputs) {
      ir::TensorType type{.dtype = input.dtype};
      for (int64_t size : input.shape) type.shape.emplace_back(size);
      inputs.push_back(g.input(type, "x" + std::to_string(inputs.size())));
    }
    for (ValueId id : body(b, inputs)) g.output({.value = id});
    return std::move(g).finish();
  };
}

std::vector<ValueId> sin_cos(Builder& b, Operands x) { return {b.add("sin", {b.add("cos", {x[0]})})}; }

std::vector<ValueId> layer_norm_gelu(Builder& b, Operands x) {
  const ValueId normal =
      b.add("layer_norm", {x[0], ir::kNoValue, ir::kNoValue}, {{"normalized_dims", int64_t{1}}, {"eps", 1e-5}});
  const ValueId scaled = ops::with_number(b, "add", b.add("mul", {normal, x[1]}), 0.1);
  return {b.add("add", {b.add("gelu", {scaled}), x[2]})};
}

std::vector<ValueId> scaled_softmax(Builder& b, Operands x) {
  const ValueId scores = b.add("add", {ops::with_number(b, "mul", x[0], 0.125), x[1]});
  return {b.add("softmax", {scores}, {{"dim", int64_t{1}}})};
}

std::vector<ValueId> residual_block(Builder& b, Operands x) {
  const Attributes conv{{"stride", Integers{1, 1}}, {"padding", Integers{1, 1}}, {"dilation", Integers{1, 1}},
                        {"groups", int64_t{1}},     {"transposed", false},       {"output_padding", Integers{0, 0}}};
  const ValueId y = b.add("convolution", {x[0], x[1], ir::kNoValue}, conv);
  const ValueId normal = b.add("batch_norm_inference", {y, x[2], x[3], x[4], x[5]}, {{"eps", 1e-5}});
  return {b.add("relu", {b.add("add", {normal, x[0]})})};
}

std::vector<ValueId> mlp(Builder& b, Operands x) {
  const ValueId hidden = b.add("relu", {b.add("linear", {x[0], x[1], x[2]})});
  return {b.add("linear", {hidden, x[3], x[4]})};
}

// Integers wrap in their width before they are widened.
std::vector<ValueId> wrap_then_widen(Builder& b, Operands x) {
  return {ops::convert(b, b.add("add", {x[0], x[0]}), DType::i64)};
}

std::vector<ValueId> u8_then_i16(Builder& b, Operands x) {
  return {ops::convert(b, b.add("add", {x[0], x[0]}), DType::i16), ops::convert(b, b.add("neg", {x[0]}), DType::f32)};
}

// A rounding to bf16 between two ops stays.
std::vector<ValueId> rounds_between(Builder& b, Operands x) {
  return {b.add("sub", {b.add("add", {x[0], x[1]}), x[1]})};
}

std::vector<ValueId> times_zero(Builder& b, Operands x) { return {ops::with_number(b, "mul", x[0], 0)}; }

// An index made from what it reads.
std::vector<ValueId> gather_from_itself(Builder& b, Operands x) {
  const ValueId n = b.scalar_int(DType::i64, 9);
  const ValueId places = b.add("remainder", {x[0], n});
  return {b.add("gather", {x[0], places}, {{"dim", int64_t{0}}}), b.add("add", {places, x[0]})};
}

std::vector<ValueId> transpose_add(Builder& b, Operands x) {
  return {b.add("add", {ops::permute(b, x[0], {1, 0}), x[1]}), b.add("exp", {x[1]})};
}

std::vector<ValueId> two_users(Builder& b, Operands x) {
  const ValueId e = b.add("exp", {x[0]});
  const ValueId sum = ops::reduce(b, "sum", e, {1}, /*keepdim=*/true);
  return {b.add("div", {e, sum}), e, ops::reduce(b, "amax", x[0], {0}, /*keepdim=*/false)};
}

// The same value and an input as outputs.
std::vector<ValueId> repeated_outputs(Builder& b, Operands x) {
  const ValueId y = b.add("relu", {x[0]});
  return {y, x[0], y};
}

std::vector<ValueId> slices_and_cat(Builder& b, Operands x) {
  const auto part = [&](int64_t start, int64_t end) {
    return b.add("slice", {x[0]}, {{"dim", int64_t{1}}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
  };
  const ValueId left = b.add("sin", {part(0, 7)});
  const ValueId right = b.add("cos", {part(7, 19)});
  return {b.add("cat", {right, left, x[0]}, {{"dim", int64_t{1}}})};
}

std::vector<ValueId> flip_add(Builder& b, Operands x) {
  return {b.add("add", {x[0], b.add("flip", {x[0]}, {{"dims", Integers{0}}})})};
}

std::vector<ValueId> call_twice(Builder& b, Operands x) {
  ir::GraphBuilder inner("block");
  Builder ib(inner);
  const ValueId a = inner.input(b.type(x[0]), "a");
  const ValueId w = inner.input(b.type(x[1]), "w");
  inner.output({.value = ib.add("tanh", {ib.add("mul", {a, w})})});
  const auto block = std::make_shared<const ir::Graph>(std::move(inner).finish());
  const ValueId once = b.call(block, {x[0], x[1]})[0];
  return {b.call(block, {once, x[1]})[0]};
}

}  // namespace

void graph_cases(CaseList& list) {
  list.add_graph("sin", "of-cos", {f32({1009})}, graph(sin_cos), {.ulps = 4});
  list.add_graph("layer_norm", "gelu", {f32({9, 67}), f32({67}), f32({9, 67})}, graph(layer_norm_gelu),
                 {.ulps = 64, .absolute = 1e-5});
  list.add_graph("softmax", "scaled-masked", {f32({9, 67}), f32({67})}, graph(scaled_softmax),
                 {.ulps = 16, .absolute = 1e-6});
  list.add_graph("convolution", "residual-block",
                 {f32({1, 16, 7, 9}), f32({16, 16, 3, 3}), f32({16}), f32({16}), f32({16}), f32({16}, Fill::positive)},
                 graph(residual_block), {.ulps = 64, .absolute = 2e-3});
  list.add_graph("linear", "mlp", {f32({9, 33}), f32({65, 33}), f32({65}), f32({7, 65}), f32({7})}, graph(mlp),
                 {.ulps = 64, .absolute = 1e-2});
  list.add_graph("convert", "wrap-then-widen", {in(DType::i32, {17}, Fill::special)}, graph(wrap_then_widen));
  list.add_graph("convert", "u8-then-i16", {in(DType::u8, {17}, Fill::special)}, graph(u8_then_i16));
  list.add_graph("add", "rounds-between", {in(DType::bf16, {65}), in(DType::bf16, {65})}, graph(rounds_between));
  list.add_graph("mul", "times-zero", {f32({33}, Fill::special)}, graph(times_zero));
  list.add_graph("gather", "from-itself", {in(DType::i64, {9})}, graph(gather_from_itself));
  list.add_graph("permute", "transpose-add", {f32({37, 19}), f32({19, 37})}, graph(transpose_add), {.ulps = 3});
  list.add_graph("sum", "two-users", {f32({9, 35})}, graph(two_users), {.ulps = 16, .absolute = 1e-6});
  list.add_graph("relu", "repeated-outputs", {f32({3, 11})}, graph(repeated_outputs));
  list.add_graph("cat", "of-slices", {f32({5, 19})}, graph(slices_and_cat), {.ulps = 3});
  list.add_graph("flip", "add", {in(DType::i32, {8, 2})}, graph(flip_add));
  list.add_graph("call", "twice", {f32({5, 9}), f32({5, 9})}, graph(call_twice), {.ulps = 8});
}

}  // namespace litz::op_cases
