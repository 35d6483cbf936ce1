// The stages of a compilation, one function each; driver.cpp calls them in order, litz-opt stops between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "driver/driver.h"
#include "fusion/fusion.h"
#include "ir/graph.h"
#include "passes/pipeline.h"
#include "passes/split_prepare.h"

namespace litz::driver {

// The machine to generate for, restricted as the options say.
Target target_of(const Options& options);

passes::PassContext pass_context(const Target& target, const Options& options);

// A graph after a pass that changed it.
struct Snapshot {
  std::string pass;
  ir::Graph graph;
};
// Runs the passes. `snapshots` may be null. With options.verify each result is verified.
ir::Graph run_passes(const ir::Graph& graph, const passes::PassContext& context, std::vector<Snapshot>* snapshots);

// Kernels of one half of the split graph, scheduled, with their sources.
struct Half {
  ir::Graph graph;
  fusion::Program program;
  std::vector<codegen::Generated> generated;  // one for each KernelCall of `program`, in order
};
Half make_kernels(ir::Graph graph, const Target& target, const Options& options);

struct Stages {
  std::vector<Snapshot> snapshots;
  Half prepare;
  Half main;
};

}  // namespace litz::driver
