#include "tests/kernels/compiled_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "kernel_cache/compiler.h"
#include "runtime/module.h"

namespace litz::tests {
Target test_target(Isa isa, int threads) {
  Target target;
  target.isa = isa;
  target.threads = threads;
  // The least CPU of that kind, so that a test does not depend on the machine.
  target.cpu = isa == Isa::avx512 ? "x86-64-v4" : isa == Isa::avx2 ? "x86-64-v3" : "";
  return target;
}

bool runs_here(Isa isa) { return static_cast<int>(host_target().isa) >= static_cast<int>(isa); }

kernel_ir::Kernel parse(const std::string& text) {
  auto kernel = kernel_ir::parse_kernel(text);
  if (!kernel) throw std::runtime_error(kernel.error());
  kernel_ir::verify(*kernel);
  return *kernel;
}

CompiledKernel::CompiledKernel(const kernel_ir::Kernel& kernel, const Target& target)
    : generated_(codegen::cpp::generate(kernel, target, Options{})) {
  const auto binary = kernel_cache::compile(generated_.source, target);
  if (!binary) throw std::runtime_error(binary.error() + "\n" + generated_.source.text);
  auto loaded = runtime::LoadedKernel::load(*binary, kernel.name);
  if (!loaded) throw std::runtime_error(loaded.error());
  code_ = *loaded;
}

KernelFault CompiledKernel::run(std::vector<void*> buffers, int64_t step) const {
  KernelFault fault;
  const auto bytes = [](int64_t n) { return static_cast<size_t>((n + 127) / 64 * 64); };
  const std::unique_ptr<void, decltype(&std::free)> shared(
      std::aligned_alloc(64, bytes(generated_.launch.shared_scratch_bytes)), &std::free);
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, bytes(generated_.launch.thread_scratch_bytes)), &std::free);
  buffers.push_back(shared.get());
  buffers.push_back(&fault);
  for (size_t phase = 0; phase < generated_.launch.phases.size(); ++phase) {
    const int64_t tasks = generated_.launch.phases[phase].tasks.constant();
    for (int64_t end = tasks; end > 0; end -= std::min(step, end)) {
      code_->entry()(buffers.data(), static_cast<int64_t>(phase), std::max<int64_t>(0, end - step), end, scratch.get());
    }
  }
  return fault;
}

}  // namespace litz::tests
