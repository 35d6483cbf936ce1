#include "fusion/join.h"

#include <algorithm>

namespace litz::fusion {
namespace {

bool is_pointwise(const Views& views, const ir::Node& node) {
  const ops::OpKind kind = ops::record(node.op).kind;
  return kind == ops::OpKind::pointwise || kind == ops::OpKind::generator || node.op == "layout_convert" ||
         (kind == ops::OpKind::view && !views.is_view(node.results[0]));
}

// The index at which `value` is computed by a member, if it is one, seen through views that keep every element.
std::optional<Index> index_of_operand(const ir::Graph& graph, const Views& views, const Group& group,
                                      ir::ValueId value) {
  std::vector<const ir::Node*> chain;
  while (views.is_view(value)) {
    chain.push_back(graph.producer(value));
    value = chain.back()->operands[0];
  }
  const int32_t producer = graph.value(value).node;
  const Member* member = producer < 0 ? nullptr : group.find(static_cast<uint32_t>(producer));
  if (member == nullptr) return std::nullopt;
  std::optional<Index> index = member->index;
  for (size_t i = chain.size(); i-- > 0 && index;) index = views.forward(*chain[i], *index, group.bounds);
  return index;
}

// Indices over the group's ranges at which a value of `shape` could be computed.
std::vector<Index> candidate_indices(const ir::Graph& graph, const Views& views, const Group& group,
                                     const ir::Node& node, const std::vector<Expr>& shape) {
  std::vector<Index> out;
  if (ops::record(node.op).kind == ops::OpKind::view) {  // one that gets a buffer
    const std::optional<Index> from = index_of_operand(graph, views, group, node.operands[0]);
    if (from) {
      if (std::optional<Index> index = views.forward(node, *from, group.bounds)) out.push_back(*index);
    }
  }
  for (ir::ValueId v : node.operands) {
    if (v == ir::kNoValue || graph.type(v).shape != shape) continue;
    if (std::optional<Index> index = index_of_operand(graph, views, group, v)) out.push_back(*index);
  }
  for (const Space& space : group.spaces) {
    if (space.shape == shape) out.push_back(space.index);
  }
  return out;
}

// True if reading `operand` at `index` needs no member, or the one that computes just this element.
bool consistent(const ir::Graph& graph, const Views& views, const Group& group, ir::ValueId operand,
                const Index& index) {
  const auto at = views.resolve(operand, index, group.bounds);
  const int32_t producer = graph.value(at.value).node;
  const Member* member = producer < 0 ? nullptr : group.find(static_cast<uint32_t>(producer));
  return member == nullptr || simplify_all(at.index, group.bounds) == member->index;
}

bool reads_member(const ir::Graph& graph, const Views& views, const Group& group, ir::ValueId operand) {
  const int32_t producer = graph.value(views.base(operand)).node;
  return producer >= 0 && group.find(static_cast<uint32_t>(producer)) != nullptr;
}

bool tables_outside(const ir::Graph& graph, const Views& views, const Group& group, const ir::Node& node,
                    const std::vector<InlineRead>& reads) {
  for (uint32_t o = 0; o < node.operands.size(); ++o) {
    const bool listed = std::any_of(reads.begin(), reads.end(), [&](const InlineRead& r) { return r.operand == o; });
    if (!listed && node.operands[o] != ir::kNoValue && reads_member(graph, views, group, node.operands[o])) {
      return false;
    }
  }
  return true;
}

bool join_elementwise(const ir::Graph& graph, const Views& views, uint32_t n, Group* group, std::string* why_not) {
  const ir::Node& node = graph.nodes()[n];
  if (group->kind == GroupKind::templated && !is_pointwise(views, node)) {
    *why_not = "only elementwise work goes into a template's epilogue";
    return false;
  }
  const ir::TensorType& out = graph.type(node.results[0]);
  if (ir::storage_elements(out) != out.elements()) {
    *why_not = "its layout has padding, which needs loops of its own";
    return false;
  }
  *why_not = "shapes differ: no index of the kernel's loops gives " + ir::to_string(out);
  for (const Index& index : candidate_indices(graph, views, *group, node, out.shape)) {
    const std::vector<InlineRead> reads = inline_reads(graph, views, node, index);
    if (!tables_outside(graph, views, *group, node, reads)) {
      *why_not = "reads it at computed places, so it must lie in memory";
      return false;
    }
    const bool fits = std::all_of(reads.begin(), reads.end(), [&](const InlineRead& r) {
      return consistent(graph, views, *group, node.operands[r.operand], r.index);
    });
    if (!fits) {
      *why_not = "reads elements that the kernel computes in another iteration";
      continue;
    }
    Member member;
    member.node = n;
    member.index = simplify_all(index, group->bounds);
    member.row = !group->reduced.empty() && !group->depends_on_reduced(member.index);
    group->spaces.push_back({out.shape, member.index});
    group->add(std::move(member));
    return true;
  }
  return false;
}

// Splits the group's ranges by a reduction over `dims` of an operand at `index`: the symbols of those dimensions.
// Nothing if a range shows in both kept and reduced dimensions.
std::optional<std::set<std::string>> reduced_ranges(const Index& index, const std::vector<int64_t>& dims) {
  std::set<std::string> reduced;
  std::set<std::string> kept;
  for (size_t d = 0; d < index.size(); ++d) {
    const bool over = std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    for (const std::string& s : index[d].symbols()) (over ? reduced : kept).insert(s);
  }
  for (const std::string& s : kept) {
    if (reduced.contains(s)) return std::nullopt;
  }
  return reduced;
}

Index reduced_index(const ir::Node& node, const Index& operand) {
  const auto& dims = node.attributes.get<std::vector<int64_t>>("dims");
  const bool keep = node.attributes.get<bool>("keepdim");
  Index out;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) {
      out.push_back(operand[d]);
    } else if (keep) {
      out.push_back(0);
    }
  }
  return out;
}

bool join_reduction(const ir::Graph& graph, const Views& views, uint32_t n, Group* group, std::string* why_not) {
  const ir::Node& node = graph.nodes()[n];
  if (group->kind == GroupKind::templated) {
    *why_not = "a template's epilogue does not reduce";
    return false;
  }
  const auto& dims = node.attributes.get<std::vector<int64_t>>("dims");
  const std::vector<Expr>& shape = graph.type(node.operands[0]).shape;
  *why_not = "shapes differ";
  for (const Index& index : candidate_indices(graph, views, *group, node, shape)) {
    if (!consistent(graph, views, *group, node.operands[0], index)) {
      *why_not = "reads elements that the kernel computes in another iteration";
      continue;
    }
    const auto reduced = reduced_ranges(index, dims);
    size_t covered = 0;
    if (reduced) {
      std::set<std::string> all;
      for (const Expr& e : index) {
        for (const std::string& s : e.symbols()) all.insert(s);
      }
      covered = all.size();
    }
    if (!reduced || covered != group->ranges.size()) {
      *why_not = "the reduced dimensions do not fall on whole loops of the kernel";
      continue;
    }
    if (!reduced->empty() && !group->reduced.empty() && *reduced != group->reduced) {
      *why_not = "reduces other dimensions than the kernel does";
      continue;
    }
    if (!reduced->empty()) group->reduced = *reduced;
    Member member;
    member.node = n;
    member.operand_index = simplify_all(index, group->bounds);
    member.index = reduced_index(node, member.operand_index);
    member.row = !reduced->empty();
    group->spaces.push_back({graph.type(node.results[0]).shape, member.index});
    group->add(std::move(member));
    return true;
  }
  return false;
}

// Every read of a value of `other` by a member of `group` is of the element that the other would compute at the same
// point: `at` has its members' indices over the group's ranges.
bool reads_fit(const ir::Graph& graph, const Views& views, const Group& group, const std::map<uint32_t, Index>& at) {
  for (const Member& m : group.members) {
    const ir::Node& node = graph.nodes()[m.node];
    const NodeRole role = role_of(graph, views, node);
    std::vector<InlineRead> reads;
    if (role == NodeRole::elementwise) reads = inline_reads(graph, views, node, m.index);
    if (role == NodeRole::reduction) reads = {{0, m.operand_index}};
    for (uint32_t o = 0; o < node.operands.size(); ++o) {
      if (node.operands[o] == ir::kNoValue) continue;
      const int32_t producer = graph.value(views.base(node.operands[o])).node;
      const auto index = producer < 0 ? at.end() : at.find(static_cast<uint32_t>(producer));
      if (index == at.end()) continue;
      const auto read = std::find_if(reads.begin(), reads.end(), [&](const InlineRead& r) { return r.operand == o; });
      if (read == reads.end()) return false;
      const auto place = views.resolve(node.operands[o], read->index, group.bounds);
      if (simplify_all(place.index, group.bounds) != index->second) return false;
    }
  }
  return true;
}

}  // namespace

bool join(const ir::Graph& graph, const Views& views, uint32_t node, NodeRole role, Group* group,
          std::string* why_not) {
  return role == NodeRole::reduction ? join_reduction(graph, views, node, group, why_not)
                                     : join_elementwise(graph, views, node, group, why_not);
}

bool merge(const ir::Graph& graph, const Views& views, Group* group, const Group& other, uint32_t node,
           const Index& index, std::string* why_not) {
  const Member* member = other.find(node);
  const ir::TensorType& type = graph.type(graph.nodes()[node].results[0]);
  if (other.kind != GroupKind::loops || member == nullptr || member->row || type.shape != other.root.shape) {
    *why_not = "the other kernel has loops of its own";
    return false;
  }
  Expr here = 1;
  for (const kernel_ir::Range& r : group->ranges) here = here * r.extent;
  if (here != other.root.elements()) {
    *why_not = "reads each element more than once, or not all of them";
    return false;
  }
  if (group->kind == GroupKind::templated) {
    for (const Member& m : other.members) {
      if (!is_pointwise(views, graph.nodes()[m.node])) {
        *why_not = "only elementwise work goes into a template's epilogue";
        return false;
      }
    }
  }
  // Ranges of `other` as expressions over the ranges of `group`: the physical place of the element that is read.
  const Index physical = ir::physical_index(other.root, index, group->bounds);
  const std::vector<Expr> extents = ir::physical_shape(other.root);
  std::map<std::string, Expr> to;
  size_t r = 0;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == Expr(1)) continue;
    to[other.ranges.at(r++).name] = physical[d];
  }
  auto translate = [&](const Index& from) {
    Index out;
    for (const Expr& e : from) out.push_back(simplify(e.substitute(to), group->bounds));
    return out;
  };
  if (translate(member->index) != simplify_all(index, group->bounds)) {
    *why_not = "the other kernel computes its result in another order";
    return false;
  }
  std::map<uint32_t, Index> moved_to;
  for (const Member& m : other.members) moved_to[m.node] = translate(m.index);
  if (!reads_fit(graph, views, *group, moved_to)) {
    *why_not = "another part of the kernel reads it as a whole";
    return false;
  }
  std::set<std::string> reduced;
  for (const std::string& s : other.reduced) {
    const std::optional<std::string> name = to.at(s).symbol_name();
    if (!name || group->kind == GroupKind::templated) {
      *why_not = "the other kernel reduces over loops that this one does not have";
      return false;
    }
    reduced.insert(*name);
  }
  if (!reduced.empty() && !group->reduced.empty() && reduced != group->reduced) {
    *why_not = "the kernels reduce different dimensions";
    return false;
  }
  if (!reduced.empty()) group->reduced = reduced;
  for (const Member& m : other.members) {
    Member moved = m;
    moved.index = translate(m.index);
    moved.operand_index = translate(m.operand_index);
    group->add(std::move(moved));
  }
  for (const Space& space : other.spaces) group->spaces.push_back({space.shape, translate(space.index)});
  for (Member& m : group->members) {
    m.row = !group->reduced.empty() && !group->depends_on_reduced(m.index);
  }
  return true;
}

}  // namespace litz::fusion
