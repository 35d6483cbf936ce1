// Writes products with a weight as linear.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// addmm(bias, x, w) with unit factors becomes linear(x, wᵀ, bias), dot(x, w) with a frozen w becomes linear(x, wᵀ): one
// form for packing. A transpose of a transpose is removed by simplify.
ir::Graph form_linear(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
