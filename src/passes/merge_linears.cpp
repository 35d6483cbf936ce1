#include "passes/merge_linears.h"

#include <map>

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// Output columns must fill whole vectors, so that a slice of the merged result starts on one.
constexpr int64_t kColumns = 32;

bool is_source(const ir::Graph& graph, ir::ValueId v) {
  const ir::Node* node = graph.producer(v);
  while (node != nullptr && node->op == "permute") node = graph.producer(node->operands[0]);
  return node == nullptr;
}

bool mergeable(const ir::Graph& graph, const ir::Node& node, const std::vector<bool>& frozen) {
  if (node.op != "linear") return false;
  const ir::ValueId weight = node.operands[1];
  const ir::TensorType& type = graph.type(weight);
  if (!frozen[weight] || !is_source(graph, weight) || !type.layout.is_default()) return false;
  if (!type.shape[0].is_constant() || type.shape[0].constant() % kColumns != 0) return false;
  const ir::ValueId bias = node.operands.size() > 2 ? node.operands[2] : ir::kNoValue;
  return bias == ir::kNoValue || (frozen[bias] && graph.producer(bias) == nullptr);
}

// Linears that can be one, by what they must have in common.
using Siblings = std::map<std::string, std::vector<const ir::Node*>>;

std::string key_of(const ir::Graph& graph, const ir::Node& node) {
  const bool has_bias = node.operands.size() > 2 && node.operands[2] != ir::kNoValue;
  return std::to_string(node.operands[0]) + (has_bias ? " bias " : " ") +
         std::string(dtype_name(graph.type(node.operands[1]).dtype));
}

// A permute chain over an input may stand after the first sibling; it is built again here.
ir::ValueId source(Rewriter& r, ir::ValueId v) {
  const ir::Node* node = r.from().producer(v);
  if (node == nullptr) return r.map(v);
  return r.builder().add(node->op, {source(r, node->operands[0])}, node->attributes);
}

void merge(Rewriter& r, const std::vector<const ir::Node*>& siblings) {
  ops::Builder& b = r.builder();
  std::vector<ir::ValueId> weights;
  std::vector<ir::ValueId> biases;
  for (const ir::Node* s : siblings) {
    weights.push_back(source(r, s->operands[1]));
    if (s->operands.size() > 2 && s->operands[2] != ir::kNoValue) biases.push_back(r.map(s->operands[2]));
  }
  const ir::Attributes along_rows{{"dim", int64_t{0}}};
  const ir::ValueId weight = b.add("cat", weights, along_rows);
  const ir::ValueId bias = biases.empty() ? ir::kNoValue : b.add("cat", biases, along_rows);
  const ir::ValueId product = b.add("linear", {r.map(siblings[0]->operands[0]), weight, bias});
  const int64_t last = b.type(product).rank() - 1;
  int64_t start = 0;
  for (const ir::Node* s : siblings) {
    const int64_t columns = r.from().type(s->operands[1]).shape[0].constant();
    const ir::ValueId part =
        b.add("slice", {product}, {{"dim", last}, {"start", start}, {"end", start + columns}, {"step", int64_t{1}}});
    r.replace(s->results[0], part);
    start += columns;
  }
}

}  // namespace

ir::Graph merge_linears(const ir::Graph& graph, const PassContext&) {
  const std::vector<bool> frozen = frozen_values(graph);
  Siblings siblings;
  for (const ir::Node& node : graph.nodes()) {
    if (mergeable(graph, node, frozen)) siblings[key_of(graph, node)].push_back(&node);
  }
  return rewrite(graph, [&](Rewriter& r, const ir::Node& node) {
    if (!mergeable(graph, node, frozen)) return false;
    const auto& group = siblings.at(key_of(graph, node));
    if (group.size() < 2) return false;
    if (group.front() == &node) merge(r, group);
    return true;
  });
}

}  // namespace litz::passes
