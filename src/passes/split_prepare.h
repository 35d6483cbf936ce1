// Splits a graph into what depends on weights only, and the rest.
#pragma once

#include "ir/graph.h"

namespace litz::passes {

struct SplitGraph {
  ir::Graph prepare;  // inputs: all inputs of the whole graph; outputs: the prepared values, in physical form
  ir::Graph main;     // inputs: those of the whole graph, then one for each output of `prepare`
};

// Views of weights and generators stay in main: they cost nothing there. The same number of outputs as before in main.
SplitGraph split_prepare(const ir::Graph& graph);

}  // namespace litz::passes
