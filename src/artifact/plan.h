// An executable program as plain data: buffers, steps, memory. Serialises; holds no address and no code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "artifact/kernel.h"
#include "litz/dtype.h"
#include "support/result.h"
#include "support/target.h"
#include "symbolic/expr.h"

namespace litz {

// dtype, sizes and strides (in elements) of a tensor at the border of a plan or of a foreign call.
struct TensorSpec {
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  std::vector<Expr> strides;
  DeviceKind device = DeviceKind::cpu;
  bool operator==(const TensorSpec&) const = default;
};

// Where an argument lives. `index` counts inputs, outputs, constants, prepared values or foreign results; `offset` is
// in bytes from the start of that buffer (or of the arena).
struct Slot {
  enum class Kind : uint8_t { input, output, constant, prepared, arena, foreign };
  Kind kind = Kind::arena;
  uint32_t index = 0;
  Expr offset = 0;
  Expr bytes = 0;
  bool operator==(const Slot&) const = default;
};

struct KernelStep {
  uint32_t kernel = 0;  // into Plan::kernels
  std::vector<Slot> args;
  bool operator==(const KernelStep&) const = default;
};

// A call that the loader supplies: in Python a torch op, in C++ the reference interpreter. `attributes` is opaque here.
// Results are owned by the callback until the end of the call (Slot::Kind::foreign, numbered across the plan).
struct ForeignStep {
  std::string id;
  std::string attributes;
  std::vector<Slot> args;
  std::vector<TensorSpec> arg_specs;
  uint32_t first_result = 0;
  std::vector<TensorSpec> result_specs;
  bool operator==(const ForeignStep&) const = default;
};

struct CopyStep {
  Slot from;
  Slot to;  // as many bytes as `from`
  bool operator==(const CopyStep&) const = default;
};

struct Step {
  std::variant<KernelStep, ForeignStep, CopyStep> what;
  uint32_t device = 0;
  uint32_t queue = 0;
  std::string label;  // ops and source line, for reports and profilers
  bool operator==(const Step&) const = default;
};

// A kernel as the plan knows it: its key in the kernel cache and how to launch it. `checks[i]` describes bounds check
// i + 1 for error messages: "aten.embedding at model.py:12".
struct KernelEntry {
  std::string digest;
  std::string name;
  LaunchSpec launch;
  std::vector<std::string> checks;
  bool operator==(const KernelEntry&) const = default;
};

// `prepare` steps depend only on constants and frozen inputs; they fill the prepared buffers and run again when those
// change. `main` steps run on each call.
struct Plan {
  std::string name;
  std::vector<TensorSpec> inputs;
  std::vector<bool> frozen_inputs;  // same length as inputs
  std::vector<TensorSpec> outputs;
  std::vector<std::string> constants;  // digests, for the loader
  std::vector<int64_t> constant_bytes;
  std::vector<Expr> prepared_bytes;
  std::vector<KernelEntry> kernels;
  std::vector<Step> prepare;
  std::vector<Step> main;
  Expr arena_bytes = 0;
  Expr prepare_arena_bytes = 0;
  uint32_t foreign_results = 0;
  uint32_t prepare_foreign_results = 0;
  bool operator==(const Plan&) const = default;
};

// What is wrong with a plan, if anything: indices out of range, slots outside their buffer, negative or overflowing
// sizes, foreign results read before they are made, prepare steps that read inputs which are not frozen, symbols that
// no input binds (an input binds the symbols that are one of its sizes or strides).
std::optional<std::string> plan_error(const Plan& plan);

// Text form (JSON); all strings of a plan are UTF-8. Reading checks everything that plan_error does; a damaged text is
// a Failure, never a bad plan.
std::string serialize_plan(const Plan& plan);
Result<Plan> parse_plan(std::string_view text);

// Bytes from the first element to the end of the last, 0 for an empty tensor; nothing if a size or stride is not
// constant or the extent overflows.
std::optional<int64_t> extent_bytes(const TensorSpec& spec);

}  // namespace litz
