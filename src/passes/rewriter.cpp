#include "passes/rewriter.h"

namespace litz::passes {

Rewriter::Rewriter(const ir::Graph& from)
    : from_(from), graph_(from.name()), builder_(graph_), map_(from.values().size(), ir::kNoValue) {
  for (const ir::Input& input : from.inputs()) {
    const ir::Value& v = from.value(input.value);
    map_[input.value] = graph_.input(v.type, v.name, input.strides, input.frozen);
  }
  for (ir::ValueId id = 0; id < from.values().size(); ++id) {
    const ir::Value& v = from.value(id);
    if (v.constant >= 0) map_[id] = graph_.constant(v.type, from.constants()[v.constant], v.name);
  }
}

ir::ValueId Rewriter::map(ir::ValueId old) const {
  if (old == ir::kNoValue) return old;
  const ir::ValueId value = map_.at(old);
  LITZ_CHECK(value != ir::kNoValue, "%" + from_.value(old).name + " has no counterpart yet");
  return value;
}

std::vector<ir::ValueId> Rewriter::map_all(const std::vector<ir::ValueId>& old) const {
  std::vector<ir::ValueId> out;
  for (ir::ValueId v : old) out.push_back(map(v));
  return out;
}

void Rewriter::copy(const ir::Node& node) {
  std::vector<ir::TensorType> types;
  for (ir::ValueId r : node.results) types.push_back(from_.type(r));
  copy_as(node, map_all(node.operands), types);
}

void Rewriter::copy_as(const ir::Node& node, std::vector<ir::ValueId> operands,
                       const std::vector<ir::TensorType>& types) {
  std::vector<std::string> names;
  for (ir::ValueId r : node.results) names.push_back(from_.value(r).name);
  ir::Node copy = node;
  copy.operands = std::move(operands);
  copy.results.clear();
  const std::vector<ir::ValueId> results = graph_.add(std::move(copy), types, names);
  for (size_t i = 0; i < results.size(); ++i) map_[node.results[i]] = results[i];
}

void Rewriter::replace(ir::ValueId result, ir::ValueId value) { map_.at(result) = value; }

ir::Graph Rewriter::finish() && {
  for (const ir::Output& output : from_.outputs()) {
    ir::Output mapped = output;
    mapped.value = map(output.value);
    graph_.output(std::move(mapped));
  }
  return std::move(graph_).finish();
}

ir::Graph rewrite(const ir::Graph& graph, const std::function<bool(Rewriter&, const ir::Node&)>& visit) {
  Rewriter rewriter(graph);
  for (const ir::Node& node : graph.nodes()) {
    rewriter.locate(node);
    if (!visit(rewriter, node)) rewriter.copy(node);
  }
  return std::move(rewriter).finish();
}

bool has_effect(const ir::Node& node) {
  const ir::Attribute* flag = node.attributes.find("effect");
  const bool* set = flag == nullptr ? nullptr : std::get_if<bool>(flag);
  return ops::record(node.op).effect || (set != nullptr && *set);
}

std::vector<bool> frozen_values(const ir::Graph& graph) {
  std::vector<bool> frozen(graph.values().size(), false);
  for (const ir::Input& input : graph.inputs()) frozen[input.value] = input.frozen;
  for (ir::ValueId id = 0; id < graph.values().size(); ++id) {
    if (graph.value(id).constant >= 0) frozen[id] = true;
  }
  for (const ir::Node& node : graph.nodes()) {
    const ops::OpRecord& record = ops::record(node.op);
    bool all =
        !has_effect(node) && record.kind != ops::OpKind::foreign && node.subgraphs.empty() && node.defines.empty();
    for (ir::ValueId v : node.operands) all = all && (v == ir::kNoValue || frozen[v]);
    for (ir::ValueId r : node.results) frozen[r] = all;
  }
  return frozen;
}

std::vector<int> use_counts(const ir::Graph& graph) {
  std::vector<int> uses(graph.values().size(), 0);
  for (const ir::Node& node : graph.nodes()) {
    for (ir::ValueId v : node.operands) {
      if (v != ir::kNoValue) ++uses[v];
    }
  }
  for (const ir::Output& output : graph.outputs()) ++uses[output.value];
  return uses;
}

}  // namespace litz::passes
