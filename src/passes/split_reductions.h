// Splits long reductions with few results in two, so that they run in parallel.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// sum of 2²⁰ elements becomes 128 sums of 2¹³ and a sum of 128. Only ops that are associative, and whole trailing
// dimensions.
ir::Graph split_reductions(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
