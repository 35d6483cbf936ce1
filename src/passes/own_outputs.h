// Gives each output of a graph a node of its own.
#pragma once

#include "ir/graph.h"

namespace litz::passes {

// An output that is an input, a constant or already another output gets an `identity`, which copies it: every output is
// then written by exactly one kernel or foreign call.
ir::Graph own_outputs(const ir::Graph& graph);

}  // namespace litz::passes
