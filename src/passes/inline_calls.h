// Replaces calls of sub-graphs by their nodes.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Op `call` disappears; locations stay those of the sub-graph's nodes.
ir::Graph inline_calls(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
