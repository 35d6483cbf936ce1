#include "passes/dead_code.h"

#include "passes/rewriter.h"

namespace litz::passes {

ir::Graph dead_code(const ir::Graph& graph, const PassContext&) {
  std::vector<bool> live(graph.values().size(), false);
  for (const ir::Output& output : graph.outputs()) live[output.value] = true;
  std::vector<bool> keep(graph.nodes().size(), false);
  for (size_t n = graph.nodes().size(); n-- > 0;) {
    const ir::Node& node = graph.nodes()[n];
    keep[n] = has_effect(node) || !node.defines.empty();
    for (ir::ValueId r : node.results) keep[n] = keep[n] || live[r] || graph.type(r).dtype == DType::token;
    if (!keep[n]) continue;
    for (ir::ValueId v : node.operands) {
      if (v != ir::kNoValue) live[v] = true;
    }
  }
  Rewriter rewriter(graph);
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    if (keep[n]) rewriter.copy(graph.nodes()[n]);
  }
  return std::move(rewriter).finish();
}

}  // namespace litz::passes
