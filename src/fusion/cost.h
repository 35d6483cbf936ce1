// How costly an element is to compute: decides what is kept rather than computed again.
#pragma once

#include "ir/graph.h"

namespace litz::fusion {

// In simple vector instructions, operands not counted.
int element_cost(const ir::Graph& graph, const ir::Node& node);

}  // namespace litz::fusion
