// Removes nodes that change nothing, and merges views.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Exact for every value, NaN and signed zeros included: identity, conversions to the same dtype, reshapes of reshapes,
// transposes that cancel, slices of everything.
ir::Graph simplify(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
