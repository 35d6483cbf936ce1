// Removes nodes whose results nobody uses.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Nodes with effects stay, and so do all inputs.
ir::Graph dead_code(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
