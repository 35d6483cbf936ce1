#include "passes/own_outputs.h"

#include <set>

#include "passes/rewriter.h"

namespace litz::passes {

ir::Graph own_outputs(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  for (const ir::Node& node : graph.nodes()) rewriter.copy(node);
  ir::GraphBuilder& builder = rewriter.graph();
  ops::Builder ops(builder);
  std::set<ir::ValueId> taken;
  for (const ir::Output& output : graph.outputs()) {
    ir::Output mapped = output;
    mapped.value = rewriter.map(output.value);
    const bool computed = graph.value(output.value).node >= 0;
    if (!computed || !taken.insert(output.value).second) mapped.value = ops.add("identity", {mapped.value});
    builder.output(std::move(mapped));
  }
  return std::move(builder).finish();
}

}  // namespace litz::passes
