// What a compilation made, as files that a person can read.
#pragma once

#include <string>

#include "artifact/plan.h"
#include "driver/pipeline.h"

namespace litz::driver {

// Makes <debug_dir>/run_<time>-pid_<pid>/<graph>_<number>/ and returns its absolute path. A folder that cannot be
// written is a UserError, here and below.
std::string make_dump_folder(const std::string& graph, const Options& options);

// Before kernels compile: makes each one's readable copy, as a file in the folder, what debuggers and profilers show
// (KernelSource::debug_file). Equal kernels share the first's, so they still compile once.
void set_debug_files(const std::string& folder, Stages* stages);

// Writes into the folder:
//   graph.litz            the graph as captured
//   NN_<pass>.litz        the graph after each pass that changed it
//   kernels.litz          Kernel IR of every kernel, with its schedule
//   fusion.txt            every decision for and against a fusion, with its reason
//   kernels/<name>.cpp    generated C++, the readable copy
//   plan.txt, plan.json   steps and memory map; the plan itself
//   output_code.cpp       all of it in one file
//   run.sh                compiles graph.litz again and runs it on random input
void write_dump(const std::string& folder, const ir::Graph& graph, const Stages& stages, const Plan& plan,
                const CompileReport& report, const Target& target);

// The plan for people: steps with their arguments, and what lies where in the arena.
std::string plan_text(const Plan& plan);

}  // namespace litz::driver
