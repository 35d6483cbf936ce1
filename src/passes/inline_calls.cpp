#include "passes/inline_calls.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// Appends the nodes of `callee`, its inputs bound to `arguments`; gives its outputs.
std::vector<ir::ValueId> inline_graph(Rewriter& r, const ir::Graph& callee, const std::vector<ir::ValueId>& arguments) {
  std::vector<ir::ValueId> map(callee.values().size(), ir::kNoValue);
  for (size_t i = 0; i < callee.inputs().size(); ++i) map[callee.inputs()[i].value] = arguments.at(i);
  for (ir::ValueId id = 0; id < callee.values().size(); ++id) {
    const ir::Value& v = callee.value(id);
    if (v.constant >= 0) map[id] = r.graph().constant(v.type, callee.constants()[v.constant], v.name);
  }
  auto mapped = [&map](const std::vector<ir::ValueId>& from) {
    std::vector<ir::ValueId> out;
    for (ir::ValueId v : from) out.push_back(v == ir::kNoValue ? v : map[v]);
    return out;
  };
  for (const ir::Node& node : callee.nodes()) {
    std::vector<ir::ValueId> results;
    if (node.op == "call") {
      results = inline_graph(r, *node.subgraphs.at(0), mapped(node.operands));
    } else {
      std::vector<ir::TensorType> types;
      std::vector<std::string> names;
      for (ir::ValueId v : node.results) {
        types.push_back(callee.type(v));
        names.push_back(callee.value(v).name);
      }
      ir::Node copy = node;
      copy.operands = mapped(node.operands);
      copy.results.clear();
      results = r.graph().add(std::move(copy), types, names);
    }
    for (size_t i = 0; i < node.results.size(); ++i) map[node.results[i]] = results[i];
  }
  std::vector<ir::ValueId> outputs;
  for (const ir::Output& o : callee.outputs()) outputs.push_back(map[o.value]);
  return outputs;
}

}  // namespace

ir::Graph inline_calls(const ir::Graph& graph, const PassContext&) {
  return rewrite(graph, [](Rewriter& r, const ir::Node& node) {
    if (node.op != "call") return false;
    const std::vector<ir::ValueId> results = inline_graph(r, *node.subgraphs.at(0), r.map_all(node.operands));
    for (size_t i = 0; i < node.results.size(); ++i) r.replace(node.results[i], results[i]);
    return true;
  });
}

}  // namespace litz::passes
