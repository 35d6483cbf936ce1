// A plan with every size worked out for one tuple of symbol values, flattened for calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/plan.h"
#include "runtime/executable.h"
#include "runtime/thread_pool.h"

namespace litz::runtime {

// Buffers of a call have one numbering: inputs, outputs, constants, prepared values, arena, foreign results.
struct BaseNumbering {
  explicit BaseNumbering(const Plan& plan);
  uint32_t of(const Slot& slot) const;

  uint32_t output, constant, prepared, arena, foreign;  // the first of each kind; inputs begin at 0
  uint32_t count;
};

// An argument: buffer + offset in bytes.
struct ArgRecipe {
  uint32_t base = 0;
  int64_t offset = 0;
};

struct BoundKernel {
  CpuKernel function = nullptr;
  uint32_t entry = 0;  // into Plan::kernels
  uint32_t first_arg = 0;
  uint32_t arg_count = 0;
  std::vector<TaskPhase> phases;
  bool shared_scratch = false;
  bool may_fault = false;
  bool parallel = false;  // some phase has more than one grain
};

struct BoundTensor {
  ArgRecipe place;
  OutputLayout layout;
};

struct BoundForeign {
  const ForeignStep* step = nullptr;
  std::vector<BoundTensor> args;
  std::vector<OutputLayout> results;
};

struct BoundCopy {
  ArgRecipe from;
  ArgRecipe to;
  int64_t bytes = 0;
};

struct BoundStep {
  enum class Kind : uint8_t { kernel, foreign, copy } kind;
  uint32_t index;  // into the section's list of that kind
};

// The steps of prepare or main. Memory of a call: arena, shared scratch, then a scratch block for each thread.
struct BoundSection {
  std::vector<BoundStep> steps;
  std::vector<BoundKernel> kernels;
  std::vector<BoundForeign> foreign;
  std::vector<BoundCopy> copies;
  std::vector<ArgRecipe> args;
  uint32_t max_args = 0;
  int64_t shared_scratch_offset = 0;
  int64_t thread_scratch_offset = 0;
  int64_t thread_scratch_bytes = 0;  // of one thread, a multiple of 64

  int64_t memory_bytes(int threads) const { return thread_scratch_offset + thread_scratch_bytes * threads; }
};

struct BoundPlan {
  std::vector<OutputLayout> inputs;
  std::shared_ptr<const std::vector<OutputLayout>> outputs;
  std::vector<int64_t> prepared_offsets;  // in one block
  int64_t prepared_bytes = 0;
  BoundSection prepare;
  BoundSection main;
};

// Throws UserError if a size is negative or too large for the given values.
std::shared_ptr<const BoundPlan> bind_plan(const Plan& plan,
                                           std::span<const std::shared_ptr<const LoadedKernel>> kernels,
                                           const std::map<std::string, int64_t>& symbols);

}  // namespace litz::runtime
