#include "fusion/resolve.h"

#include <algorithm>

namespace litz::fusion {

NodeArgs::NodeArgs(const ir::Graph& graph, const ir::Node& node) : attributes_(&node.attributes) {
  for (ir::ValueId v : node.operands) types_.push_back(v == ir::kNoValue ? nullptr : &graph.type(v));
}

bool Views::is_view(ir::ValueId value) const {
  const ir::Node* node = graph_.producer(value);
  if (node == nullptr || materialized_.contains(value)) return false;
  return ops::record(node->op).kind == ops::OpKind::view || (is_absorbed(value) && node->op == "layout_convert");
}

void Views::materialize(ir::ValueId value) {
  if (absorbed_.erase(value) > 0) {
    const ir::ValueId from = graph_.producer(value)->operands[0];
    absorbed_.erase(from);
    return;
  }
  materialized_.insert(value);
}

std::vector<ir::ValueId> Views::parts(ir::ValueId value) const {
  if (!is_absorbed(value)) return {value};
  const ir::ValueId from = graph_.producer(value)->operands[0];
  if (!is_absorbed(from)) return {value};
  const auto& operands = graph_.producer(from)->operands;
  return {operands.begin(), operands.end()};
}

bool Views::is_generated(ir::ValueId value) const {
  const ir::Node* node = graph_.producer(value);
  return node != nullptr && !materialized_.contains(value) && ops::record(node->op).kind == ops::OpKind::generator;
}

Views::Place Views::resolve(ir::ValueId value, Index index, const BoundsMap& bounds) const {
  while (is_view(value)) {
    const ir::Node& node = *graph_.producer(value);
    NodeArgs args(graph_, node);
    if (!is_absorbed(value)) {
      index = simplify_all(ops::record(node.op).map(index, args.get(), graph_.type(value)), bounds);
    }
    value = node.operands[0];
  }
  return {value, std::move(index)};
}

ir::ValueId Views::base(ir::ValueId value) const {
  while (is_view(value)) value = graph_.producer(value)->operands[0];
  return value;
}

bool Views::shows_each_once(ir::ValueId value) const {
  for (; is_view(value); value = graph_.producer(value)->operands[0]) {
    const ir::Node& node = *graph_.producer(value);
    const bool rearranges = node.op == "permute" || node.op == "flip" || node.op == "reshape" || node.op == "squeeze" ||
                            node.op == "unsqueeze";
    if (!rearranges && graph_.type(value) != graph_.type(node.operands[0])) return false;
  }
  return true;
}

std::optional<Index> Views::forward(const ir::Node& view, const Index& index, const BoundsMap& bounds) const {
  const ir::TensorType& from = graph_.type(view.operands[0]);
  const ir::TensorType& to = graph_.type(view.results[0]);
  if (view.op == "permute") {
    Index out;
    for (int64_t d : view.attributes.get<std::vector<int64_t>>("dims")) out.push_back(index.at(d));
    return out;
  }
  if (view.op == "flip") {
    NodeArgs args(graph_, view);
    return simplify_all(ops::record("flip").map(index, args.get(), to), bounds);
  }
  const bool reshapes = view.op == "reshape" || view.op == "squeeze" || view.op == "unsqueeze";
  if (!reshapes && from.shape != to.shape) return std::nullopt;
  if (!reshapes && view.op != "expand") return std::nullopt;
  // A reshape read backwards is the reshape from `to` to `from`.
  const ir::TensorType* operand = &to;
  ir::Attributes attributes{{"shape", from.shape}};
  ops::InferArgs args{std::span(&operand, 1), attributes};
  return simplify_all(ops::record("reshape").map(index, args, from), bounds);
}

Index broadcast_index(const Index& index, const std::vector<Expr>& from) {
  LITZ_CHECK(from.size() <= index.size(), "operand has more dimensions than the result");
  Index out(index.end() - static_cast<ptrdiff_t>(from.size()), index.end());
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == Expr(1)) out[d] = 0;
  }
  return out;
}

Expr linearize(const Index& index, const std::vector<Expr>& shape) {
  Expr position = 0;
  for (size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + index[d];
  return position;
}

Index delinearize(const Expr& position, const std::vector<Expr>& shape, const BoundsMap& bounds) {
  Index out(shape.size());
  Expr rest = position;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == Expr(1)) {
      out[d] = 0;
      continue;
    }
    out[d] = d == 0 ? rest : simplify(mod(rest, shape[d]), bounds);
    if (d > 0) rest = simplify(floor_div(rest, shape[d]), bounds);
  }
  return out;
}

Index simplify_all(Index index, const BoundsMap& bounds) {
  for (Expr& e : index) e = simplify(e, bounds);
  return index;
}

}  // namespace litz::fusion
