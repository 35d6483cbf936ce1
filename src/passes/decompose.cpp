#include "passes/decompose.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// Attention stays whole where the template takes it: f32 or bf16, known head sizes.
bool stays_whole(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != "attention") return false;
  const ir::TensorType& q = graph.type(node.operands[0]);
  const bool constant = q.shape[3].is_constant() && q.shape[3].constant() <= 256 && q.elements() != Expr(0) &&
                        graph.type(node.operands[1]).elements() != Expr(0);
  return (q.dtype == DType::f32 || q.dtype == DType::bf16) && constant;
}

bool must_decompose(const ir::Graph& graph, const ir::Node& node) {
  const ops::OpRecord& record = ops::record(node.op);
  if (!record.decompose) return false;
  return record.kind == ops::OpKind::composite || (record.kind == ops::OpKind::attention && !stays_whole(graph, node));
}

}  // namespace

ir::Graph decompose(const ir::Graph& graph, const PassContext&) {
  ir::Graph current = graph;
  for (bool changed = true; changed;) {
    changed = false;
    current = rewrite(current, [&changed](Rewriter& r, const ir::Node& node) {
      if (!must_decompose(r.from(), node)) return false;
      const std::vector<ir::ValueId> operands = r.map_all(node.operands);
      const std::vector<ir::ValueId> results = ops::record(node.op).decompose(r.builder(), operands, node.attributes);
      for (size_t i = 0; i < node.results.size(); ++i) r.replace(node.results[i], results.at(i));
      changed = true;
      return true;
    });
  }
  return current;
}

}  // namespace litz::passes
