// The compiler as one call: Graph + Options → something that runs.
//
//   graph → passes → fusion → schedule → codegen → kernel cache → planning → runtime::Executable
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "artifact/plan.h"
#include "ir/graph.h"
#include "support/options.h"
#include "support/target.h"

namespace litz::runtime {
class Executable;
struct ForeignRunner;
}  // namespace litz::runtime

namespace litz::driver {

struct KernelReport {
  std::string name;               // as in the dump, perf and gdb
  std::vector<std::string> ops;   // source ops in it: "aten.sin.default (model.py:3)"
  std::string kind;               // "loops", "matmul", "convolution", "attention"
  bool prepare = false;           // runs only when weights change
  bool layout_transform = false;  // moves data between layouts and does nothing else
  int64_t bytes = 0;              // read and written, in a call
  int64_t flops = 0;
};

// An op that runs outside Litz's kernels.
struct FallbackReport {
  std::string op;
  std::string reason;
  std::string source;
};

// A pair of ops that share no kernel though one feeds the other, and why.
struct UnfusedReport {
  std::string producer;
  std::string consumer;
  std::string reason;
};

struct StageTime {
  std::string stage;
  double milliseconds = 0;
};

struct CompileReport {
  std::string graph;
  std::vector<KernelReport> kernels;
  std::vector<FallbackReport> fallbacks;
  std::vector<UnfusedReport> unfused;
  std::vector<StageTime> stages;
  int64_t kernels_compiled = 0;  // not found in any cache
  int64_t kernels_from_disk = 0;
  int64_t kernels_from_memory = 0;  // the same kernel compiled earlier in this process or graph
  int64_t arena_bytes = 0;
  int64_t prepared_bytes = 0;  // packed copies of weights
  std::string debug_dir;       // where the dump went; empty if none was asked for
};

struct Compiled {
  std::shared_ptr<runtime::Executable> executable;
  CompileReport report;
};

// Compiles. `foreign` runs the graph's foreign nodes; null: the reference interpreter does, where it can.
// Throws UserError, UnsupportedError (options.fallback == "error" and a node needs one) or InternalError.
// Thread-safe; equal kernels compile once across threads.
std::shared_ptr<Compiled> compile(const ir::Graph& graph, const Options& options,
                                  std::shared_ptr<runtime::ForeignRunner> foreign = nullptr);

// A registered back end: makes a Compiled of its own from a graph.
using Backend =
    std::function<std::shared_ptr<Compiled>(const ir::Graph&, const Options&, std::shared_ptr<runtime::ForeignRunner>)>;
// UserError if the name is taken or empty.
void register_backend(const std::string& name, Backend backend);
std::vector<std::string> list_backends();

// Forgets kernels held in memory. Executables that exist keep theirs.
void reset();

}  // namespace litz::driver
