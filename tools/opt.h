// litz-opt: Graph or Kernel IR text in, any later stage out.
#pragma once

#include <string>
#include <vector>

namespace litz::tools {

struct OptArguments {
  std::string file;                 // "-": standard input
  std::vector<std::string> passes;  // names; empty: all, if a stage after the graph is asked for, otherwise none
  bool all_passes = false;
  std::string emit = "graph";  // graph, kernels, cpp, triton or plan
  std::string isa = "auto";
  bool run = false;  // compile and run on random input instead
};

// Returns the process's exit code; results go to standard output, errors to standard error.
int run_opt(const OptArguments& arguments);

}  // namespace litz::tools
