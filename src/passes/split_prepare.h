// Splits a graph into what depends on weights only, and the rest.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace litz::passes {

struct SplitGraph {
  ir::Graph prepare;  // inputs: all inputs of the whole graph; outputs: the prepared values, in physical form
  ir::Graph main;     // inputs: those of the whole graph, then one for each output of `prepare`
};

// Whether a linear or convolution reads its weight as it is, so that no packed copy is made beforehand.
using ReadsPlain = std::function<bool(const ir::Graph& graph, const ir::Node& node)>;

// Views of weights and generators stay in main: they cost nothing there. So does the packing of weights for nodes that
// `reads_plain` names. The same number of outputs as before in main.
SplitGraph split_prepare(const ir::Graph& graph, const ReadsPlain& reads_plain = {});

}  // namespace litz::passes
