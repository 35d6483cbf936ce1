#include "fusion/group_start.h"

#include <algorithm>

namespace litz::fusion {
namespace {

// An empty range keeps its symbol: with bounds of one position it would be simplified away.
void add_range(Group* group, std::string name, const Expr& extent) {
  if (extent.is_constant()) group->bounds[name] = {0, extent.constant() == 0 ? 1 : extent.constant() - 1};
  group->ranges.push_back({std::move(name), extent});
}

// The index along a template's range: 0 where it has one position, as broadcasting writes it.
Expr place(const char* name, const Expr& extent) { return extent == Expr(1) ? Expr(0) : Expr::symbol(name); }

// Ranges over the physical dimensions of `type`; gives the logical index.
Index loop_ranges(const ir::TensorType& type, Group* group) {
  group->root = type;
  Index physical;
  int n = 0;
  for (const Expr& extent : ir::physical_shape(type)) {
    const std::string name = "i" + std::to_string(n++);
    if (extent == Expr(1)) {
      physical.push_back(0);
      continue;
    }
    add_range(group, name, extent);
    physical.push_back(Expr::symbol(name));
  }
  return ir::logical_index(type, physical, group->bounds);
}

Index product_ranges(const ir::Graph& graph, const ir::Node& node, Group* group) {
  const std::vector<Expr>& shape = graph.type(node.results[0]).shape;
  Index index;
  if (node.op == "linear") {
    const std::vector<Expr> lead(shape.begin(), shape.end() - 1);
    add_range(group, "m", product(lead));
    index = delinearize(Expr::symbol("m"), lead, group->bounds);
  } else {
    const std::vector<Expr> lead(shape.begin(), shape.end() - 2);
    if (!lead.empty() && product(lead) != Expr(1)) {
      add_range(group, "b", product(lead));
      index = delinearize(Expr::symbol("b"), lead, group->bounds);
    } else {
      index.assign(lead.size(), 0);
    }
    add_range(group, "m", shape[shape.size() - 2]);
    index.push_back(place("m", shape[shape.size() - 2]));
  }
  add_range(group, "n", shape.back());
  index.push_back(place("n", shape.back()));
  return index;
}

Index convolution_ranges(const ir::Graph& graph, const ir::Node& node, Group* group) {
  const ir::TensorType& out = graph.type(node.results[0]);
  const int64_t block = convolution_out_block(graph, node);
  add_range(group, "b", out.shape[0]);
  add_range(group, "co", ceil_div(out.shape[1], block));
  add_range(group, "oh", out.shape[2]);
  add_range(group, "ow", out.shape[3]);
  add_range(group, "ci", block);
  const Expr channel = Expr::symbol("co") * block + Expr::symbol("ci");
  return {place("b", out.shape[0]), simplify(channel, group->bounds), place("oh", out.shape[2]),
          place("ow", out.shape[3])};
}

Index attention_ranges(const ir::Graph& graph, const ir::Node& node, Group* group) {
  const std::vector<Expr>& shape = graph.type(node.results[0]).shape;
  Index index;
  const char* names[] = {"b", "h", "q", "d"};
  for (size_t d = 0; d < 4; ++d) {
    add_range(group, names[d], shape[d]);
    index.push_back(place(names[d], shape[d]));
  }
  return index;
}

}  // namespace

int64_t convolution_out_block(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<ir::Split>& splits = graph.type(node.results[0]).layout.splits;
  if (!splits.empty()) return splits[0].block;
  const std::vector<ir::Split>& panels = graph.type(node.operands[1]).layout.splits;
  return panels.empty() ? 1 : panels[0].block;
}

void template_ranges(const ir::Graph& graph, const ir::Node& node, Group* group, Index* index) {
  if (node.op == "dot" || node.op == "linear") {
    *index = product_ranges(graph, node, group);
  } else if (node.op == "convolution") {
    *index = convolution_ranges(graph, node, group);
  } else {
    LITZ_CHECK(node.op == "attention", node.op);
    *index = attention_ranges(graph, node, group);
  }
}

Group start_group(const ir::Graph& graph, uint32_t node_index, NodeRole role) {
  const ir::Node& node = graph.nodes()[node_index];
  Group group;
  Member member;
  member.node = node_index;
  if (role == NodeRole::foreign) {
    group.kind = GroupKind::foreign;
  } else if (role == NodeRole::templated) {
    group.kind = GroupKind::templated;
    template_ranges(graph, node, &group, &member.index);
    group.spaces.push_back({graph.type(node.results[0]).shape, member.index});
  } else if (role == NodeRole::reduction) {
    const ir::TensorType& operand = graph.type(node.operands[0]);
    const Index index = loop_ranges(operand, &group);
    group.spaces.push_back({operand.shape, index});
    return group;
  } else {
    const ir::TensorType& out = graph.type(node.results[0]);
    member.index = loop_ranges(out, &group);
    group.spaces.push_back({out.shape, member.index});
  }
  group.members.push_back(std::move(member));
  group.position[node_index] = 0;
  return group;
}

}  // namespace litz::fusion
