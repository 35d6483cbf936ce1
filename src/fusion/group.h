// Groups: which nodes share a kernel. A group has named ranges; each member's result is written as a function of them.
//
// Example, softmax over rows of x[8192,512]: ranges i0 < 8192, i1 < 512; the maximum reduces i1 and is a *row* member
// with index (i0, 0); x - max is a *full* member with index (i0, i1).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fusion/fusion.h"
#include "fusion/node_reads.h"
#include "fusion/resolve.h"

namespace litz::fusion {

enum class GroupKind : uint8_t { loops, templated, foreign };

struct Member {
  uint32_t node = 0;
  Index index;          // of the result, over the group's ranges
  bool row = false;     // does not depend on the reduced ranges, in a group that has some
  Index operand_index;  // reductions: index of the operand, over all ranges
};

// An index space that the group's ranges cover exactly once: nodes with this shape can join at this index.
struct Space {
  std::vector<Expr> shape;
  Index index;
};

struct Group {
  GroupKind kind = GroupKind::loops;
  std::vector<kernel_ir::Range> ranges;  // slowest first
  BoundsMap bounds;
  std::set<std::string> reduced;        // ranges that its reductions run over; empty: none
  ir::TensorType root;                  // loops: the ranges are the physical dimensions of this type
  std::vector<Member> members;          // in the graph's order
  std::map<uint32_t, size_t> position;  // node → index into members
  std::vector<Space> spaces;
  std::set<ir::ValueId> reads;  // buffered values that members read from outside

  const Member* find(uint32_t node) const {
    auto it = position.find(node);
    return it == position.end() ? nullptr : &members[it->second];
  }
  void add(Member member);
  bool depends_on_reduced(const Index& index) const;
};

// Forms the groups of a graph, in an order in which each comes after those it reads from.
std::vector<Group> form_groups(const ir::Graph& graph, const Views& views, std::vector<Decision>* decisions);

}  // namespace litz::fusion
