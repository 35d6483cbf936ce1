// Merges linears that read the same value into one with their weights side by side.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Horizontal fusion of query, key and value projections: the results become slices of one product. Only frozen weights.
ir::Graph merge_linears(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
