// What a compiled function became.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "litz/export.h"

namespace litz {

class CompiledFunction;

struct KernelReport {
  std::string name;               // as in the debug folder, perf and gdb
  std::vector<std::string> ops;   // the program's ops in it, with places: "litz::sin (sincos.cpp:7)"
  std::string kind;               // "loops", "matmul", "convolution", "attention"
  bool prepare = false;           // runs only when weights change
  bool layout_transform = false;  // moves data between layouts and does nothing else
  int64_t bytes = 0;              // read and written by a call
  int64_t flops = 0;
};

// An op that runs outside Litz's kernels.
struct FallbackReport {
  std::string op;
  std::string reason;
  std::string source;
};

// Two ops that share no kernel though one feeds the other.
struct UnfusedReport {
  std::string producer;
  std::string consumer;
  std::string reason;
};

struct StageReport {
  std::string stage;
  double milliseconds = 0;
};

// One compilation: a function is compiled once for each set of dtypes, shapes and strides that it is called with.
struct GraphReport {
  std::string name;
  std::string arguments;  // "f32[8,3,32,32], f32[10]"
  std::string reason;     // why it was compiled
  std::vector<KernelReport> kernels;
  std::vector<FallbackReport> fallbacks;
  std::vector<UnfusedReport> unfused;
  std::vector<StageReport> stages;
  int64_t kernels_compiled = 0;  // found in no cache
  int64_t kernels_from_disk = 0;
  int64_t kernels_from_memory = 0;
  int64_t arena_bytes = 0;     // working memory of a call
  int64_t prepared_bytes = 0;  // packed copies of weights
  std::string debug_dir;       // where the option `debug` wrote to; empty if it was off
};

struct Report {
  std::vector<GraphReport> graphs;  // those that are kept, in the order in which they were compiled
  int64_t compilations = 0;         // all, the dropped ones included
  int64_t dropped = 0;              // given up to keep the number of graphs bounded
};

LITZ_API Report report(const CompiledFunction& function);
// For people, several lines.
LITZ_API std::string to_string(const Report& report);
LITZ_API std::ostream& operator<<(std::ostream& stream, const Report& report);

}  // namespace litz
