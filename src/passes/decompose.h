// Takes composite ops apart.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// After it no op of kind composite is left, and no attention with a shape that its template does not cover.
ir::Graph decompose(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
