// Computes equal expressions once.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Nodes with effects and foreign nodes stay apart.
ir::Graph common_subexpressions(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
