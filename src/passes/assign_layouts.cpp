#include "passes/assign_layouts.h"

#include <map>

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

class Assigner {
 public:
  Assigner(const ir::Graph& graph, const PassContext& context)
      : graph_(graph), context_(context), frozen_(frozen_values(graph)), rewriter_(graph) {}

  ir::Graph run() {
    for (const ir::Node& node : graph_.nodes()) {
      rewriter_.locate(node);
      visit(node);
    }
    for (const ir::Output& output : graph_.outputs()) {
      const ir::ValueId value = rewriter_.map(output.value);
      rewriter_.replace(output.value, in_layout(value, {}));
    }
    return std::move(rewriter_).finish();
  }

 private:
  void visit(const ir::Node& node) {
    const ops::OpKind kind = ops::record(node.op).kind;
    if (node.op == "linear" && pack_linear(node)) return;
    if (kind == ops::OpKind::convolution && block_convolution(node)) return;
    if (kind == ops::OpKind::attention) {
      attention(node);
      return;
    }
    if (kind == ops::OpKind::pointwise) {
      pointwise(node);
      return;
    }
    const bool pooling = node.op == "max_pool2d" || node.op == "avg_pool2d";
    if (pooling) {
      keep_layout_of_first(node);
      return;
    }
    if (kind == ops::OpKind::reduction) {
      rewriter_.copy(node);
      return;
    }
    plain(node);
  }

  // The value in that layout; conversions are made once.
  ir::ValueId in_layout(ir::ValueId value, const ir::Layout& layout) {
    if (rewriter_.builder().type(value).layout == layout) return value;
    auto& made = converted_[value];
    for (const auto& [have, id] : made) {
      if (have == layout) return id;
    }
    const ir::ValueId id = rewriter_.builder().add("layout_convert", {value}, {{"layout", layout}});
    made.emplace_back(layout, id);
    return id;
  }

  bool pack_linear(const ir::Node& node) {
    const ir::TensorType& weight = graph_.type(node.operands[1]);
    if (!frozen_[node.operands[1]] || !weight.elements().is_constant()) return false;
    const auto layout =
        context_.layouts.linear_weight(weight.shape[0].constant(), weight.shape[1].constant(), weight.dtype);
    if (!layout) return false;
    std::vector<ir::ValueId> operands = rewriter_.map_all(node.operands);
    operands[0] = in_layout(operands[0], {});
    operands[1] = in_layout(operands[1], *layout);
    rewriter_.copy_as(node, std::move(operands), {graph_.type(node.results[0])});
    return true;
  }

  bool block_convolution(const ir::Node& node) {
    const auto layouts = context_.layouts.convolution(graph_, node);
    if (!layouts) return false;
    std::vector<ir::ValueId> operands = rewriter_.map_all(node.operands);
    operands[0] = in_layout(operands[0], layouts->input);
    operands[1] = in_layout(operands[1], layouts->weight);
    ir::TensorType type = graph_.type(node.results[0]);
    type.layout = layouts->output;
    rewriter_.copy_as(node, std::move(operands), {type});
    return true;
  }

  // Its template writes heads side by side: what follows reads [batch, position, head * size] without a copy.
  void attention(const ir::Node& node) {
    std::vector<ir::ValueId> operands = plain_operands(node);
    ir::TensorType type = graph_.type(node.results[0]);
    type.layout.order = {0, 2, 1, 3};
    rewriter_.copy_as(node, std::move(operands), {type});
  }

  void pointwise(const ir::Node& node) {
    ir::TensorType type = graph_.type(node.results[0]);
    const std::vector<ir::ValueId> operands = rewriter_.map_all(node.operands);
    for (ir::ValueId v : operands) {
      if (v == ir::kNoValue) continue;
      const ir::TensorType& from = rewriter_.builder().type(v);
      if (from.shape == type.shape && !from.layout.is_default()) {
        type.layout = from.layout;
        break;
      }
    }
    rewriter_.copy_as(node, operands, {type});
  }

  void keep_layout_of_first(const ir::Node& node) {
    const std::vector<ir::ValueId> operands = rewriter_.map_all(node.operands);
    ir::TensorType type = graph_.type(node.results[0]);
    type.layout = rewriter_.builder().type(operands[0]).layout;
    rewriter_.copy_as(node, operands, {type});
  }

  std::vector<ir::ValueId> plain_operands(const ir::Node& node) {
    std::vector<ir::ValueId> operands = rewriter_.map_all(node.operands);
    for (ir::ValueId& v : operands) {
      if (v == ir::kNoValue) continue;
      // A permuted order reads well through views; blocks don't.
      if (!rewriter_.builder().type(v).layout.splits.empty()) v = in_layout(v, {});
    }
    return operands;
  }

  void plain(const ir::Node& node) {
    std::vector<ir::TensorType> types;
    for (ir::ValueId r : node.results) types.push_back(graph_.type(r));
    std::vector<ir::ValueId> operands = plain_operands(node);
    if (ops::record(node.op).kind == ops::OpKind::foreign || ops::record(node.op).kind == ops::OpKind::scan ||
        ops::record(node.op).kind == ops::OpKind::scatter) {
      for (ir::ValueId& v : operands) {
        if (v != ir::kNoValue) v = in_layout(v, {});
      }
    }
    rewriter_.copy_as(node, std::move(operands), types);
  }

  const ir::Graph& graph_;
  const PassContext& context_;
  std::vector<bool> frozen_;
  Rewriter rewriter_;
  std::map<ir::ValueId, std::vector<std::pair<ir::Layout, ir::ValueId>>> converted_;
};

}  // namespace

ir::Graph assign_layouts(const ir::Graph& graph, const PassContext& context) { return Assigner(graph, context).run(); }

}  // namespace litz::passes
