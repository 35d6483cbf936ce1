// A kernel from IR text to code that runs, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/cpp/generate.h"
#include "kernel_ir/kernel.h"
#include "runtime/module.h"
#include "support/target.h"

namespace litz::tests {

// A target for tests; `isa` may be more than this machine has.
Target test_target(Isa isa, int threads = 2);
// Whether code for `isa` runs here.
bool runs_here(Isa isa);

// Throws std::runtime_error if the text does not parse.
kernel_ir::Kernel parse(const std::string& text);

class CompiledKernel {
 public:
  // Generates code for the kernel with the schedule that it has, and compiles it. Throws std::runtime_error with the
  // compiler's messages.
  CompiledKernel(const kernel_ir::Kernel& kernel, const Target& target);

  // Runs all phases on this thread. Tasks are handed out last first, `step` at a time, as nothing may depend on order.
  KernelFault run(std::vector<void*> buffers, int64_t step = 1) const;

  const codegen::Generated& generated() const { return generated_; }

 private:
  codegen::Generated generated_;
  std::shared_ptr<const runtime::LoadedKernel> code_;
};

}  // namespace litz::tests
