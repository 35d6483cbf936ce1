// The first member of a group: it decides the ranges.
#pragma once

#include "fusion/group.h"

namespace litz::fusion {

// `role` is elementwise, reduction, window, templated or foreign. For a reduction the group has ranges and a space, but
// no member yet: the reduction joins it as it would join any other.
Group start_group(const ir::Graph& graph, uint32_t node, NodeRole role);

// Index of a template's result over its ranges ("b", "m", "n", …), and those ranges.
void template_ranges(const ir::Graph& graph, const ir::Node& node, Group* group, Index* index);

// Output channels that a convolution's template writes together: the inner block of its result, or of a plain one as
// many as its weights have in a panel.
int64_t convolution_out_block(const ir::Graph& graph, const ir::Node& node);

}  // namespace litz::fusion
