// The rules by which a node joins a group and two groups become one. Each refusal says why.
#pragma once

#include <string>

#include "fusion/group.h"

namespace litz::fusion {

// Adds `node` to `group` if every element that it reads from members is the one they compute at the same point of the
// ranges. Elementwise nodes and reductions only.
bool join(const ir::Graph& graph, const Views& views, uint32_t node, NodeRole role, Group* group, std::string* why_not);

// Moves the members of `other` into `group`, given that `group` reads the result of `other`'s member `node` at `index`.
// The caller has checked that this makes no circle.
bool merge(const ir::Graph& graph, const Views& views, Group* group, const Group& other, uint32_t node,
           const Index& index, std::string* why_not);

}  // namespace litz::fusion
