// What a compilation made, as files that a person can read.
#pragma once

#include <string>

#include "artifact/plan.h"
#include "driver/pipeline.h"

namespace litz::driver {

// Writes <debug_dir>/run_<time>-pid_<pid>/<graph>/ and returns that folder:
//   graph.litz            the graph as captured
//   NN_<pass>.litz        the graph after each pass that changed it
//   kernels.litz          Kernel IR of every kernel, with its schedule
//   fusion.txt            every decision for and against a fusion, with its reason
//   kernels/<name>.cpp    generated C++, the readable copy
//   plan.txt, plan.json   steps and memory map; the plan itself
//   output_code.cpp       all of it in one file
//   run.sh                compiles graph.litz again and runs it on random input
// A folder that cannot be written is a UserError.
std::string write_dump(const ir::Graph& graph, const Stages& stages, const Plan& plan, const CompileReport& report,
                       const Target& target, const Options& options);

// The plan for people: steps with their arguments, and what lies where in the arena.
std::string plan_text(const Plan& plan);

}  // namespace litz::driver
