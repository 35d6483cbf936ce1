#include "passes/common_subexpressions.h"

#include <map>

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// What makes two nodes compute the same: op, operands, attributes, result types.
std::string key_of(const Rewriter& r, const ir::Node& node) {
  std::string key = node.op;
  for (ir::ValueId v : node.operands) key += " " + std::to_string(v == ir::kNoValue ? v : r.map(v));
  for (const auto& [name, value] : node.attributes.items()) key += " " + name + "=" + ir::to_string(value);
  for (ir::ValueId v : node.results) key += " " + ir::to_string(r.from().type(v));
  return key;
}

}  // namespace

ir::Graph common_subexpressions(const ir::Graph& graph, const PassContext&) {
  std::map<std::string, std::vector<ir::ValueId>> seen;
  return rewrite(graph, [&seen](Rewriter& r, const ir::Node& node) {
    const ops::OpRecord& record = ops::record(node.op);
    const bool apart =
        has_effect(node) || record.kind == ops::OpKind::foreign || !node.subgraphs.empty() || !node.defines.empty();
    if (apart) return false;
    auto [it, added] = seen.try_emplace(key_of(r, node));
    if (added) {
      r.copy(node);
      for (ir::ValueId v : node.results) it->second.push_back(r.map(v));
      return true;
    }
    for (size_t i = 0; i < node.results.size(); ++i) r.replace(node.results[i], it->second[i]);
    return true;
  });
}

}  // namespace litz::passes
