#include "passes/fold_batch_norm.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// Operands of batch_norm_inference.
enum : size_t { kInput, kScale, kShift, kMean, kVariance };

bool folds(const ir::Graph& graph, const ir::Node& norm, const std::vector<bool>& frozen,
           const std::vector<int>& uses) {
  const ir::Node* conv = graph.producer(norm.operands[kInput]);
  if (conv == nullptr || conv->op != "convolution" || uses[conv->results[0]] != 1) return false;
  if (graph.type(norm.results[0]).dtype != DType::f32 || conv->attributes.get<bool>("transposed")) return false;
  for (size_t o = kScale; o <= kVariance; ++o) {
    if (norm.operands[o] == ir::kNoValue) continue;
    if (!frozen[norm.operands[o]] || graph.type(norm.operands[o]).dtype != DType::f32) return false;
  }
  const ir::ValueId bias = conv->operands.size() > 2 ? conv->operands[2] : ir::kNoValue;
  return frozen[conv->operands[1]] && (bias == ir::kNoValue || frozen[bias]);
}

void fold(Rewriter& r, const ir::Node& norm) {
  const ir::Graph& from = r.from();
  const ir::Node& conv = *from.producer(norm.operands[kInput]);
  ops::Builder& b = r.builder();
  const ir::ValueId eps = b.scalar(DType::f32, norm.attributes.get<double>("eps"));
  const ir::ValueId deviation = b.add("sqrt", {b.add("add", {r.map(norm.operands[kVariance]), eps})});
  ir::ValueId scale = b.add("reciprocal", {deviation});
  if (norm.operands[kScale] != ir::kNoValue) scale = b.add("mul", {scale, r.map(norm.operands[kScale])});

  ir::ValueId shift = r.map(norm.operands[kMean]);
  const bool has_bias = conv.operands.size() > 2 && conv.operands[2] != ir::kNoValue;
  shift = has_bias ? b.add("sub", {r.map(conv.operands[2]), shift}) : b.add("neg", {shift});
  shift = b.add("mul", {shift, scale});
  if (norm.operands[kShift] != ir::kNoValue) shift = b.add("add", {shift, r.map(norm.operands[kShift])});

  // One factor and one summand a channel, which join the convolution's kernel: its weight stays as it is.
  std::vector<Expr> channels(from.type(norm.results[0]).shape.size() - 1, Expr(1));
  channels[0] = b.type(scale).shape[0];
  b.set_location(conv.location);
  const ir::ValueId product =
      b.add("convolution", {r.map(conv.operands[0]), r.map(conv.operands[1]), ir::kNoValue}, conv.attributes);
  b.set_location(norm.location);
  const ir::ValueId scaled = b.add("mul", {product, b.add("reshape", {scale}, {{"shape", channels}})});
  r.replace(norm.results[0], b.add("add", {scaled, b.add("reshape", {shift}, {{"shape", channels}})}));
}

}  // namespace

ir::Graph fold_batch_norm(const ir::Graph& graph, const PassContext&) {
  const std::vector<bool> frozen = frozen_values(graph);
  const std::vector<int> uses = use_counts(graph);
  return rewrite(graph, [&](Rewriter& r, const ir::Node& node) {
    if (node.op != "batch_norm_inference" || !folds(graph, node, frozen, uses)) return false;
    fold(r, node);
    return true;
  });
}

}  // namespace litz::passes
