// A plan that runs: Plan + loaded kernels + constants + foreign calls.
//
//   auto f = Executable::create({.plan = plan, .kernels = kernels, .constants = constants});
//   std::vector<OwnedTensor> y = f->run({&x, 1});
//
// One Executable may be called from many threads at once. A call that throws has changed no input and leaks nothing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/plan.h"
#include "runtime/module.h"
#include "runtime/tensor.h"

namespace litz::runtime {

// Runs the foreign steps of a plan. Called from the thread that called the executable; may be called from many at once.
struct ForeignRunner {
  virtual ~ForeignRunner() = default;
  // Fills `results` with one tensor for each of step.result_specs, of that dtype, shape and strides.
  virtual void run(const ForeignStep& step, std::span<const TensorView> args, std::vector<OwnedTensor>& results) = 0;
  // A write into this frozen input was found that no version counter showed; it is being packed again.
  virtual void frozen_changed(size_t input) { (void)input; }
};

// Memory of a constant; `owner` keeps it alive. At least Plan::constant_bytes long.
struct ConstantData {
  const void* data = nullptr;
  std::shared_ptr<const void> owner;
};

struct ExecutableParts {
  Plan plan;
  std::vector<std::shared_ptr<const LoadedKernel>> kernels;  // as plan.kernels
  std::vector<ConstantData> constants;                       // as plan.constants
  std::shared_ptr<ForeignRunner> foreign;                    // may be null if the plan has no foreign step
  // Threads of a call if it does not say; 0: as many as the machine grants.
  int threads = 0;
  // Look for writes into frozen inputs that no version counter shows, in at most 1 % of a call's time.
  bool watch_frozen = true;
  // Called when such a write was found, with the number of the input; the prepared buffers are made again.
  std::function<void(size_t input)> on_frozen_change;
};

struct StepTime {
  bool prepare = false;
  size_t step = 0;  // in Plan::prepare or Plan::main
  double microseconds = 0;
};

struct CallOptions {
  int threads = 0;                         // 0: the executable's
  std::vector<StepTime>* times = nullptr;  // filled with the time of each step, if not null
};

// Sizes of an output for given inputs.
struct OutputLayout {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t bytes = 0;  // extent; 0 for an empty tensor
};

class Executable {
 public:
  // Throws InternalError if the plan is bad or the parts do not fit it, UnsupportedError if it needs CUDA.
  static std::shared_ptr<Executable> create(ExecutableParts parts);
  ~Executable();

  const Plan& plan() const;

  // Runs and returns the outputs, in memory from the block pool. Throws UserError if an input has another dtype or
  // shape than the plan's, IndexError if a kernel met an index out of bounds, and what a foreign step throws.
  std::vector<OwnedTensor> run(std::span<const TensorView> inputs, const CallOptions& options = {});
  // The same into memory of the caller: one pointer for each output, laid out as output_layouts() says, 64-byte aligned
  // or not, overlapping no input.
  void run_into(std::span<const TensorView> inputs, std::span<void* const> outputs, const CallOptions& options = {});

  // Cheap for a plan without symbols.
  std::shared_ptr<const std::vector<OutputLayout>> output_layouts(std::span<const TensorView> inputs);

  // Fills the prepared buffers, if the frozen inputs changed since the last time. Calls do this by themselves; calling
  // it early moves the cost.
  void prepare(std::span<const TensorView> inputs, const CallOptions& options = {});
  // Forgets the prepared buffers: the next call makes them again (litz.refresh).
  void refresh();

  struct Memory {
    int64_t arena_bytes = 0;     // of one call, at the sizes of the latest; scratch included
    int64_t prepared_bytes = 0;  // held now
  };
  Memory memory() const;

 private:
  class Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
