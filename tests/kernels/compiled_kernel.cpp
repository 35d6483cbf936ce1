#include "tests/kernels/compiled_kernel.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace litz::tests {
namespace {

std::string flags(const Target& target) {
  switch (target.isa) {
    case Isa::avx512:
      return std::string("-march=x86-64-v4") + (target.has_bf16_dot ? " -mavx512bf16" : "");
    case Isa::avx2:
      return "-march=x86-64-v3";
    case Isa::scalar:
      break;
  }
  return "";
}

}  // namespace

struct CompiledKernel::Code {
  void* handle = nullptr;
  ~Code() {
    if (handle) dlclose(handle);
  }
};

Target test_target(Isa isa, int threads) {
  Target target;
  target.isa = isa;
  target.threads = threads;
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
    : generated_(codegen::cpp::generate(kernel, target, Options{})), code_(std::make_unique<Code>()) {
  char folder[] = "/tmp/litz-kernel-XXXXXX";
  if (!mkdtemp(folder)) throw std::runtime_error("no temporary folder");
  const std::string base = std::string(folder) + "/kernel";
  std::ofstream(base + ".cpp") << generated_.source.text;
  const char* compiler = std::getenv("LITZ_TEST_CXX");
  const std::string command = std::string(compiler ? compiler : "clang++-22") +
                              " -std=c++20 -O2 -w -fPIC -shared -ffp-contract=off -fno-math-errno " + flags(target) +
                              " -o " + base + ".so " + base + ".cpp > " + base + ".log 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream log;
  log << std::ifstream(base + ".log").rdbuf();
  if (status == 0) code_->handle = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  std::system(("rm -r " + std::string(folder)).c_str());
  if (status != 0) throw std::runtime_error(log.str() + "\n" + generated_.source.text);
  if (!code_->handle) throw std::runtime_error(dlerror());
  entry_ = reinterpret_cast<CpuKernel>(dlsym(code_->handle, generated_.source.entry.c_str()));
  if (!entry_) throw std::runtime_error("no entry " + generated_.source.entry);
}

CompiledKernel::~CompiledKernel() = default;

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
      entry_(buffers.data(), static_cast<int64_t>(phase), std::max<int64_t>(0, end - step), end, scratch.get());
    }
  }
  return fault;
}

}  // namespace litz::tests
