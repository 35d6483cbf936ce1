// What one call needs beside its inputs and outputs, and the loop that runs the steps.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "runtime/cpu/bound_plan.h"
#include "runtime/memory.h"

namespace litz::runtime {

// Reused from call to call. `bases` holds the address of each buffer, see BaseNumbering.
struct CallFrame {
  std::vector<std::byte*> bases;
  std::vector<void*> args;
  Block memory;
  size_t memory_bytes = 0;
  KernelFault fault;
  std::vector<OwnedTensor> foreign;  // kept until the end of the call
};

// Frames that no call uses. Never blocks: a caller that finds it locked works with a frame of its own.
class FrameList {
 public:
  std::unique_ptr<CallFrame> take();
  void put(std::unique_ptr<CallFrame> frame);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<CallFrame>> free_;
};

struct SectionCall {
  const Plan& plan;
  const BoundSection& section;
  const BaseNumbering& numbering;
  ForeignRunner* foreign = nullptr;
  int threads = 1;
  bool prepare = false;
  std::vector<StepTime>* times = nullptr;
};

// Runs the steps in order. `frame.bases` holds inputs, outputs, constants and prepared values. Throws IndexError for a
// fault and what foreign steps throw; foreign results are released in any case.
void run_section(const SectionCall& call, CallFrame& frame);

}  // namespace litz::runtime
