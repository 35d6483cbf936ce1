// The calls of a program as the steps of a plan: which buffer each argument is, and where it lies.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "artifact/plan.h"
#include "ir/graph.h"

namespace litz::planning {

// A kernel: its entry in Plan::kernels and the values behind its arguments. `writes` has one flag for each.
struct KernelCall {
  uint32_t kernel = 0;
  std::vector<ir::ValueId> arguments;
  std::vector<bool> writes;
  std::string label;
};

// A node that runs outside.
struct ForeignCall {
  uint32_t node = 0;  // into Graph::nodes()
  std::string id;
  std::string attributes;
  std::string label;
};

using Call = std::variant<KernelCall, ForeignCall>;

struct Steps {
  std::vector<Step> steps;
  int64_t arena_bytes = 0;
  uint32_t foreign_results = 0;
};

// `fixed` says where inputs, constants and outputs lie; every other value that a call writes goes into the arena. All
// sizes must be constants.
Steps plan_steps(const ir::Graph& graph, const std::vector<Call>& calls, const std::map<ir::ValueId, Slot>& fixed);

// Bytes of a value's buffer.
int64_t buffer_bytes(const ir::TensorType& type);
// dtype, shape and strides of a value as a foreign call sees it: contiguous, or as the border wants it.
TensorSpec spec_of(const ir::Graph& graph, ir::ValueId value);

}  // namespace litz::planning
