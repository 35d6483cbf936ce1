#include "fusion/fusion.h"

#include <algorithm>
#include <set>

#include "fusion/group.h"
#include "fusion/lower.h"

namespace litz::fusion {
namespace {

// Gives a buffer to each view or generator that is read as a whole: by a foreign call, as a table, or as an operand of
// a template that needs strides.
void materialize_operands(const ir::Graph& graph, Views* views, std::vector<Decision>* decisions) {
  for (const ir::Node& node : graph.nodes()) {
    const NodeRole role = role_of(graph, *views, node);
    if (role == NodeRole::view || role == NodeRole::reduction) continue;
    std::set<uint32_t> inlined;
    if (role == NodeRole::elementwise) {
      const Index at(graph.type(node.results[0]).shape.size(), Expr(0));
      for (const InlineRead& r : inline_reads(graph, *views, node, at)) inlined.insert(r.operand);
    }
    for (uint32_t o = 0; o < node.operands.size(); ++o) {
      const ir::ValueId v = node.operands[o];
      if (v == ir::kNoValue || inlined.contains(o)) continue;
      if (role == NodeRole::foreign && (views->is_view(v) || views->is_generated(v))) views->materialize(v);
      const ir::ValueId base = views->base(v);
      if (views->is_generated(base)) views->materialize(base);
    }
    if (role != NodeRole::templated) continue;
    for (;;) {
      kernel_ir::Kernel scratch;
      Body body(graph, *views, &scratch, {});
      uint32_t operand = 0;
      std::string why_not;
      if (make_template(graph, *views, node, &body, &operand, &why_not)) break;
      const ir::ValueId v = node.operands[operand];
      LITZ_CHECK(views->is_view(v), "a buffer must be a strided operand: " + why_not);
      views->materialize(v);
      decisions->push_back(
          {"%" + graph.value(v).name, "%" + graph.value(node.results[0]).name, false, why_not + ": it is copied"});
    }
  }
}

// Whether `node` can read its weight as it is and pack it in its own kernel.
bool packs_weight(const ir::Graph& graph, const ir::Node& node) {
  std::string why_not;
  const DType dtype = graph.type(node.operands[1]).dtype;
  const bool takes = (node.op == "linear" && (dtype == DType::f32 || dtype == DType::bf16)) ||
                     (node.op == "convolution" && dtype == DType::f32);
  return takes && template_covers(graph, node, &why_not);
}

// Parts side by side begin with a panel each, and need no kernel of their own.
bool joins_inputs(const ir::Graph& graph, const Views& views, const ir::Node& cat, int64_t panel) {
  if (cat.op != "cat" || graph.type(cat.results[0]).rank() != 2 || cat.attributes.get<int64_t>("dim") != 0)
    return false;
  for (size_t i = 0; i < cat.operands.size(); ++i) {
    const Expr& rows = graph.type(cat.operands[i]).shape[0];
    if (!rows.is_constant() || rows.constant() == 0) return false;
    if (i + 1 < cat.operands.size() && rows.constant() % panel != 0) return false;
    if (graph.producer(views.base(cat.operands[i])) != nullptr) return false;
  }
  return true;
}

// Weights that are packed for templates only: these read them as they are, and pack what they are about to use.
void absorb_packing(const ir::Graph& graph, Views* views) {
  std::vector<int> readers(graph.values().size(), 0), packers(graph.values().size(), 0);
  for (const ir::Output& output : graph.outputs()) ++readers[output.value];
  for (const ir::Node& node : graph.nodes()) {
    for (size_t o = 0; o < node.operands.size(); ++o) {
      if (node.operands[o] == ir::kNoValue) continue;
      ++readers[node.operands[o]];
      if (o == 1 && packs_weight(graph, node)) ++packers[node.operands[o]];
    }
  }
  for (const ir::Node& node : graph.nodes()) {
    if (node.op != "layout_convert") continue;
    const ir::ValueId packed = node.results[0], from = node.operands[0];
    const std::vector<ir::Split>& splits = graph.type(packed).layout.splits;
    if (splits.empty() || splits[0].block == 1 || readers[packed] == 0 || readers[packed] != packers[packed]) continue;
    if (!graph.type(from).layout.splits.empty()) continue;
    views->absorb(packed);
    const ir::Node* source = graph.producer(from);
    if (source != nullptr && readers[from] == 1 && joins_inputs(graph, *views, *source, splits[0].block)) {
      views->absorb(from);
    }
  }
}

// Values that are read outside their group, or returned.
std::vector<std::set<ir::ValueId>> stored_values(const ir::Graph& graph, const Views& views,
                                                 const std::vector<Group>& groups) {
  std::vector<size_t> group_of(graph.nodes().size(), SIZE_MAX);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Member& m : groups[g].members) group_of[m.node] = g;
  }
  std::vector<std::set<ir::ValueId>> stored(groups.size());
  auto need = [&](ir::ValueId v, size_t reader) {
    const ir::ValueId base = views.base(v);
    const int32_t producer = graph.value(base).node;
    if (producer < 0 || group_of[producer] == SIZE_MAX || group_of[producer] == reader) return;
    stored[group_of[producer]].insert(base);
  };
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    if (group_of[n] == SIZE_MAX) continue;
    for (ir::ValueId v : graph.nodes()[n].operands) {
      if (v != ir::kNoValue) need(v, group_of[n]);
    }
  }
  for (const ir::Output& output : graph.outputs()) need(output.value, SIZE_MAX);
  return stored;
}

// "sin_cos", from the ops that say most.
std::string name_of(const ir::Graph& graph, const Group& group, size_t number) {
  std::vector<std::string> parts;
  for (const Member& m : group.members) {
    const std::string& op = graph.nodes()[m.node].op;
    if (std::find(parts.begin(), parts.end(), op) == parts.end()) parts.push_back(op);
  }
  std::string name = "k" + std::to_string(number);
  for (size_t i = 0; i < parts.size() && i < 4; ++i) name += "_" + parts[i];
  return parts.size() > 4 ? name + "_etc" : name;
}

}  // namespace

Program fuse(const ir::Graph& graph, const Target&) {
  Program program;
  Views views(graph);
  for (const ir::Output& output : graph.outputs()) {
    if (views.is_view(output.value) || views.is_generated(output.value)) views.materialize(output.value);
  }
  absorb_packing(graph, &views);
  materialize_operands(graph, &views, &program.decisions);
  const std::vector<Group> groups = form_groups(graph, views, &program.decisions);
  const std::vector<std::set<ir::ValueId>> stored = stored_values(graph, views, groups);
  size_t number = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind == GroupKind::foreign) {
      program.calls.emplace_back(ForeignCall{groups[g].members.front().node});
      continue;
    }
    if (stored[g].empty()) continue;  // dead
    program.calls.emplace_back(lower_group(graph, views, groups[g], stored[g], name_of(graph, groups[g], number++)));
  }
  return program;
}

}  // namespace litz::fusion
