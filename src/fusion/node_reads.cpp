#include "fusion/node_reads.h"

#include <algorithm>

namespace litz::fusion {
namespace {

bool template_dtype(DType d) { return d == DType::f32 || d == DType::bf16; }

}  // namespace

bool template_covers(const ir::Graph& graph, const ir::Node& node, std::string* why_not) {
  const ir::TensorType& out = graph.type(node.results[0]);
  if (!template_dtype(out.dtype)) {
    *why_not = "no template for " + std::string(dtype_name(out.dtype));
    return false;
  }
  if (node.op == "convolution" && graph.type(node.operands[1]).layout.is_default()) {
    *why_not = "the convolution's shape has no blocked form";
    return false;
  }
  for (const Expr& e : out.shape) {
    if (e == Expr(0)) {
      *why_not = "empty result";
      return false;
    }
  }
  if (node.op == "dot" || node.op == "linear") {
    const ir::TensorType& lhs = graph.type(node.operands[0]);
    if (lhs.shape.back() == Expr(0)) {
      *why_not = "empty inner dimension";
      return false;
    }
  }
  return true;
}

NodeRole role_of(const ir::Graph& graph, const Views& views, const ir::Node& node) {
  using ops::OpKind;
  std::string why_not;
  switch (ops::record(node.op).kind) {
    case OpKind::view:
      return views.is_view(node.results[0]) ? NodeRole::view : NodeRole::elementwise;
    case OpKind::generator:
      return views.is_generated(node.results[0]) ? NodeRole::view : NodeRole::elementwise;
    case OpKind::pointwise:
      return NodeRole::elementwise;
    case OpKind::gather:
      return node.op == "embedding" || node.op == "index_select" || node.op == "gather" || node.op == "index"
                 ? NodeRole::elementwise
                 : NodeRole::foreign;
    case OpKind::shuffle:
      if (views.is_absorbed(node.results[0])) return NodeRole::view;
      return node.op == "cat" || node.op == "pad" || node.op == "layout_convert" || node.op == "slice_scatter" ||
                     node.op == "select_scatter"
                 ? NodeRole::elementwise
                 : NodeRole::foreign;
    case OpKind::reduction:
      return node.results.size() == 1 ? NodeRole::reduction : NodeRole::foreign;
    case OpKind::window:
      return node.op == "max_pool2d" || node.op == "avg_pool2d" ? NodeRole::window : NodeRole::foreign;
    case OpKind::matmul:
      return template_covers(graph, node, &why_not) ? NodeRole::templated : NodeRole::window;
    case OpKind::convolution:
      if (template_covers(graph, node, &why_not)) return NodeRole::templated;
      return node.attributes.get<bool>("transposed") ? NodeRole::foreign : NodeRole::window;
    case OpKind::attention:
      return template_covers(graph, node, &why_not) ? NodeRole::templated : NodeRole::foreign;
    default:
      return NodeRole::foreign;
  }
}

std::vector<InlineRead> inline_reads(const ir::Graph& graph, const Views& views, const ir::Node& node,
                                     const Index& index) {
  const ops::OpRecord& record = ops::record(node.op);
  auto shape = [&](uint32_t operand) -> const std::vector<Expr>& { return graph.type(node.operands[operand]).shape; };
  std::vector<InlineRead> reads;
  if (record.kind == ops::OpKind::pointwise) {
    for (uint32_t o = 0; o < node.operands.size(); ++o) {
      if (node.operands[o] != ir::kNoValue) reads.push_back({o, broadcast_index(index, shape(o))});
    }
  } else if (record.kind == ops::OpKind::view) {
    LITZ_CHECK(!views.is_view(node.results[0]), "a view reads nothing");
    NodeArgs args(graph, node);
    reads.push_back({0, record.map(index, args.get(), graph.type(node.results[0]))});
  } else if (node.op == "embedding") {
    reads.push_back({1, Index(index.begin(), index.end() - 1)});
  } else if (node.op == "index_select") {
    const auto dim = static_cast<size_t>(node.attributes.get<int64_t>("dim"));
    if (shape(1).empty()) {
      reads.push_back({1, {}});
    } else {
      reads.push_back({1, {index.at(dim)}});
    }
  } else if (node.op == "gather") {
    reads.push_back({1, index});
  } else if (node.op == "index") {
    // Index operands broadcast together; see index_layout in emit_node.cpp for where they stand in the result.
    const auto& dims = node.attributes.get<std::vector<int64_t>>("dims");
    size_t rank = 0;
    for (uint32_t o = 1; o < node.operands.size(); ++o) rank = std::max(rank, shape(o).size());
    const bool adjacent = dims.back() - dims.front() == static_cast<int64_t>(dims.size()) - 1;
    const size_t first = adjacent ? static_cast<size_t>(dims.front()) : 0;
    const Index part(index.begin() + static_cast<ptrdiff_t>(first),
                     index.begin() + static_cast<ptrdiff_t>(first + rank));
    for (uint32_t o = 1; o < node.operands.size(); ++o) reads.push_back({o, broadcast_index(part, shape(o))});
  } else if (node.op == "layout_convert" || node.op == "slice_scatter" || node.op == "select_scatter") {
    reads.push_back({0, index});
  }
  return reads;
}

}  // namespace litz::fusion
