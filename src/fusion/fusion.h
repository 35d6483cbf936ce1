// Fusion: Graph to an ordered list of kernels and foreign calls, with the reasons.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::fusion {

// A kernel and the graph values behind its buffers (same order).
struct KernelCall {
  kernel_ir::Kernel kernel;
  std::vector<ir::ValueId> arguments;
};

// A node that no kernel covers.
struct ForeignCall {
  uint32_t node = 0;  // into Graph::nodes()
};

// One decision: why two nodes share a kernel or don't.
struct Decision {
  std::string producer;
  std::string consumer;
  bool fused = false;
  std::string reason;
};

struct Program {
  std::vector<std::variant<KernelCall, ForeignCall>> calls;
  std::vector<Decision> decisions;
};

// The graph must be verified and free of composite ops. Every value that a call reads is an input, a constant or
// written by an earlier call; every output of the graph is written.
Program fuse(const ir::Graph& graph, const Target& target);

}  // namespace litz::fusion
