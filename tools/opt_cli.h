// The command line of litz-opt, shared with `litz opt`.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/opt.h"

namespace litz::tools {

inline void add_opt_options(CLI::App* app, OptArguments* a) {
  app->add_option("file", a->file, "Graph or Kernel IR text; - for standard input")->required();
  app->add_option("--pass", a->passes, "passes to run, in order")->delimiter(',');
  app->add_flag("--all-passes", a->all_passes, "run all passes");
  app->add_option("--emit", a->emit, "stage to print")
      ->check(CLI::IsMember({"graph", "kernels", "cpp", "triton", "plan"}));
  app->add_option("--isa", a->isa, "auto, scalar, avx2 or avx512");
  app->add_flag("--run", a->run, "compile and run on random input");
}

}  // namespace litz::tools
