// What passes between compiler and runtime about one kernel: source, binary, how to launch it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolic/expr.h"

namespace litz {

// Version of what kernels and the runtime agree on: CpuKernel, its arguments, KernelFault. Part of cache keys and
// plans.
inline constexpr int kRuntimeAbi = 1;

enum class SourceKind : uint8_t { cpp, triton };

// Canonical source: no name from the program and no comment, so equal kernels are equal strings.
struct KernelSource {
  SourceKind kind = SourceKind::cpp;
  std::string text;
  std::string entry;     // name of the function in `text`
  std::string readable;  // the same code for people: names, source lines, ops. Not part of any key
  // If set, `readable` is compiled instead, for debuggers and profilers: line information names this file, and the
  // function is called as the file is without its ending ("dir/sin_cos.cpp": sin_cos).
  std::string debug_file;

  // Triton only: what triton.compile and the launch need beside the text, as JSON:
  //   {"signature": {"a0_ptr": "*fp32", …}, "phases": [{"entry": …, "programs": 80, "constexprs": {"XBLOCK": 128},
  //    "num_warps": 4}, …], "num_stages": 1, "enable_fp_fusion": false, "enable_reflect_ftz": false}
  // One launch a phase, in order. A kernel that checks bounds takes one argument more, "fault": four i64, zero before.
  std::string launch_json;
};

// A compiled kernel: a relocatable object (CPU) or a cubin (CUDA), and the symbol to look up.
struct KernelBinary {
  std::string bytes;
  std::string entry;
};

// The part of a kernel between two barriers: `tasks` independent tasks, handed out `grain` at a time.
struct Phase {
  Expr tasks = 1;
  int64_t grain = 1;
  bool operator==(const Phase&) const = default;
};

// How the runtime runs a kernel.
struct LaunchSpec {
  std::vector<Phase> phases = {Phase{}};
  int64_t thread_scratch_bytes = 0;  // one block for each thread, 64-byte aligned, undefined content
  int64_t shared_scratch_bytes = 0;  // one block for the launch, passed as the argument after the last buffer
  bool may_fault = false;            // checks bounds; records a fault instead of a stray access
  bool operator==(const LaunchSpec&) const = default;
};

// Where a kernel records the first index out of bounds. The runtime turns it into an IndexError.
struct KernelFault {
  int64_t check = 0;  // 1 + position of the check in Kernel::checks; 0: no fault
  int64_t index = 0;
  int64_t size = 0;
};

// A CPU kernel. `args`: one pointer for each buffer of the kernel, then shared scratch (null if none), then a
// KernelFault*. Runs tasks [begin, end) of `phase`. Re-entrant; touches nothing but its arguments.
using CpuKernel = void (*)(void* const* args, int64_t phase, int64_t begin, int64_t end, void* thread_scratch);

}  // namespace litz
