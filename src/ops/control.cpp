// Sub-graphs, effects, and ops that run outside of Litz.
#include "ops/infer.h"

namespace litz::ops {

namespace {

// The symbols of the sub-graph's inputs, bound by the operands' sizes.
std::map<std::string, Expr> bind_symbols(const ir::Graph& graph, const InferArgs& args) {
  std::map<std::string, Expr> bound;
  for (size_t i = 0; i < args.operands.size(); ++i) {
    const auto& formal = graph.type(graph.inputs()[i].value).shape;
    const auto& actual = operand(args, i).shape;
    for (size_t d = 0; d < formal.size() && d < actual.size(); ++d) {
      if (const auto name = formal[d].symbol_name()) bound.emplace(*name, actual[d]);
    }
  }
  return bound;
}

std::vector<Expr> substitute(const std::vector<Expr>& shape, const std::map<std::string, Expr>& values) {
  std::vector<Expr> out;
  for (const Expr& e : shape) out.push_back(e.substitute(values));
  return out;
}

std::vector<TensorType> call_infer(const InferArgs& args) {
  LITZ_CHECK(args.subgraphs.size() == 1 && args.subgraphs[0] != nullptr, "call needs one sub-graph");
  const ir::Graph& graph = *args.subgraphs[0];
  if (graph.inputs().size() != args.operands.size()) {
    fail("call", graph.name() + " takes " + std::to_string(graph.inputs().size()) + " operands, but got " +
                     std::to_string(args.operands.size()));
  }
  const auto bound = bind_symbols(graph, args);
  for (size_t i = 0; i < args.operands.size(); ++i) {
    const TensorType& formal = graph.type(graph.inputs()[i].value);
    const TensorType& actual = operand(args, i);
    if (formal.dtype == actual.dtype && substitute(formal.shape, bound) == actual.shape) continue;
    fail("call", "operand " + std::to_string(i) + " of " + graph.name() + " must be " + ir::to_string(formal) +
                     ", but is " + ir::to_string(actual));
  }
  std::vector<TensorType> results;
  for (const ir::Output& output : graph.outputs()) {
    TensorType type = graph.type(output.value);
    type.shape = substitute(type.shape, bound);
    results.push_back(std::move(type));
  }
  return results;
}

std::vector<TensorType> token_infer(const InferArgs& args) { return {make_type(args, DType::token, {})}; }

std::vector<TensorType> assert_infer(const InferArgs& args) {
  const TensorType& condition = operand(args, 0);
  if (condition.dtype != DType::boolean || condition.rank() != 0) {
    fail("assert", "'condition' must be bool[], but is " + ir::to_string(condition));
  }
  if (operand(args, 1).dtype != DType::token) fail("assert", "'order' must be a token");
  return {operand(args, 1)};
}

}  // namespace

std::vector<OpRecord> control_records() {
  std::vector<OpRecord> r;
  r.push_back({.name = "call",
               .kind = OpKind::composite,
               .operands = {{.name = "operands", .kind = OperandKind::variadic}},
               .results = -1,
               .doc = "runs the sub-graph; the results are its outputs. A pass inlines it",
               .infer = call_infer});
  r.push_back({.name = "token",
               .kind = OpKind::generator,
               .doc = "the first token of a chain of effects",
               .infer = token_infer});
  r.push_back({.name = "assert",
               .kind = OpKind::foreign,
               .operands = {{.name = "condition"}, {.name = "order"}},
               .attributes = {{"message", AttrKind::text}},
               .doc = "fails with `message` unless the condition holds",
               .infer = assert_infer,
               .effect = true});
  r.push_back(
      {.name = "foreign",
       .kind = OpKind::foreign,
       .operands = {{.name = "operands", .kind = OperandKind::variadic}},
       .attributes = {{"target", AttrKind::text}, {"payload", AttrKind::text}, {"effect", AttrKind::boolean, false}},
       .results = -1,
       .doc = "an op that Litz does not compile, run by whoever loads the program; carries its result types"});
  return r;
}

}  // namespace litz::ops
