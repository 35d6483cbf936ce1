#include "passes/simplify.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

const ir::Node* new_producer(Rewriter& r, ir::ValueId value) { return r.graph().peek().producer(value); }

bool is_reshape(const ir::Node* node) {
  return node != nullptr && (node->op == "reshape" || node->op == "squeeze" || node->op == "unsqueeze");
}

bool simplify_reshape(Rewriter& r, const ir::Node& node) {
  ir::ValueId x = r.map(node.operands[0]);
  const std::vector<Expr>& shape = r.from().type(node.results[0]).shape;
  bool changed = node.op != "reshape";  // one form for all three
  while (is_reshape(new_producer(r, x))) {
    x = new_producer(r, x)->operands[0];
    changed = true;
  }
  if (r.builder().type(x).shape == shape) {
    r.replace(node.results[0], x);
    return true;
  }
  if (!changed) return false;
  r.replace(node.results[0], r.builder().add("reshape", {x}, {{"shape", shape}}));
  return true;
}

bool simplify_permute(Rewriter& r, const ir::Node& node) {
  ir::ValueId x = r.map(node.operands[0]);
  std::vector<int64_t> dims = node.attributes.get<std::vector<int64_t>>("dims");
  bool changed = false;
  const ir::Node* before = new_producer(r, x);
  if (before != nullptr && before->op == "permute") {
    const auto& inner = before->attributes.get<std::vector<int64_t>>("dims");
    for (int64_t& d : dims) d = inner[static_cast<size_t>(d)];
    x = before->operands[0];
    changed = true;
  }
  bool identity = true;
  for (size_t d = 0; d < dims.size(); ++d) identity = identity && dims[d] == static_cast<int64_t>(d);
  if (identity) {
    r.replace(node.results[0], x);
    return true;
  }
  if (!changed) return false;
  r.replace(node.results[0], r.builder().add("permute", {x}, {{"dims", dims}}));
  return true;
}

// A node that gives its first operand unchanged.
bool changes_nothing(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "identity") return true;
  if (node.op != "convert" && node.op != "expand" && node.op != "slice" && node.op != "layout_convert") return false;
  const ir::TensorType& from = graph.type(node.operands[0]);
  const ir::TensorType& to = graph.type(node.results[0]);
  if (node.op == "slice" && node.attributes.get<int64_t>("step") != 1) return false;
  return from == to;
}

}  // namespace

ir::Graph simplify(const ir::Graph& graph, const PassContext&) {
  return rewrite(graph, [](Rewriter& r, const ir::Node& node) {
    if (changes_nothing(r.from(), node)) {
      r.replace(node.results[0], r.map(node.operands[0]));
      return true;
    }
    if (is_reshape(&node)) return simplify_reshape(r, node);
    if (node.op == "permute") return simplify_permute(r, node);
    return false;
  });
}

}  // namespace litz::passes
