#include "benchmarks/kernel_bench.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "codegen/cpp/generate.h"
#include "kernel_cache/compiler.h"
#include "runtime/memory.h"
#include "runtime/thread_pool.h"

namespace litz::bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Processor time of this thread: compilers run on it, whatever else the machine does.
double cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Compiled {
  std::shared_ptr<const runtime::LoadedKernel> code;
  double milliseconds = 0;
};

Compiled compile(const KernelSource& source, const Target& target) {
  const double start = cpu_now();
  auto binary = kernel_cache::compile(source, target);
  if (!binary) throw std::runtime_error(binary.error());
  auto loaded = runtime::LoadedKernel::load(*binary, source.entry);
  if (!loaded) throw std::runtime_error(loaded.error());
  return {*loaded, (cpu_now() - start) * 1e3};
}

// A launch of a kernel on the shared pool.
class Run {
 public:
  Run(CpuKernel entry, const LaunchSpec& launch, int threads) : entry_(entry), threads_(threads) {
    for (const Phase& phase : launch.phases) phases_.push_back({phase.tasks.constant(), phase.grain});
    for (int i = 0; i < threads; ++i) scratch_.emplace_back(static_cast<size_t>(launch.thread_scratch_bytes + 64));
  }
  void operator()(void* const* args) {
    args_ = args;
    const runtime::Job job{.run = &Run::tasks, .context = this, .phases = phases_};
    runtime::ThreadPool::shared().run(job, threads_);
  }

 private:
  static void tasks(void* context, int64_t phase, int64_t begin, int64_t end, int worker) {
    auto* self = static_cast<Run*>(context);
    self->entry_(self->args_, phase, begin, end, self->scratch_[static_cast<size_t>(worker)].data());
  }

  CpuKernel entry_;
  int threads_;
  std::vector<runtime::TaskPhase> phases_;
  std::vector<runtime::Block> scratch_;
  void* const* args_ = nullptr;
};

int64_t bytes_of(const kernel_ir::Buffer& buffer) {
  return product(buffer.shape).constant() * dtype_size(buffer.dtype);
}

void randomize(const kernel_ir::Buffer& buffer, std::byte* data) {
  const int64_t elements = product(buffer.shape).constant();
  uint32_t state = 1;
  for (int64_t i = 0; i < elements; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
    if (buffer.dtype == DType::f32) {
      reinterpret_cast<float*>(data)[i] = value;
    } else if (buffer.dtype == DType::boolean) {
      reinterpret_cast<uint8_t*>(data)[i] = value < 0.3f;
    } else {
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(bits >> 16);
    }
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--threads" && !value.empty()) {
      options.target.threads = static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
    } else if (name == "--isa" && !value.empty()) {
      lower_isa(options.target, parse_isa(value));
    } else if (name == "--seconds" && !value.empty()) {
      options.seconds = std::strtod(value.c_str(), nullptr);
    } else if (name == "--copies" && !value.empty()) {
      options.copies = std::max(1, static_cast<int>(std::strtol(value.c_str(), nullptr, 10)));
    } else {
      std::fprintf(stderr, "%s: options are --threads N, --isa scalar|avx2|avx512, --seconds S, --copies N\n", argv[0]);
      std::exit(2);
    }
  }
  return options;
}

double fma_ceiling(const Target& target) {
  const std::string bytes = std::to_string(target.vector_bytes());
  std::string text = "typedef float v __attribute__((vector_size(" + bytes + ")));\n";
  text +=
      "extern \"C\" void peak(void* const* args, long, long begin, long end, void*) {\n"
      "  for (; begin < end; ++begin) {\n"
      "    v a[12], b = v{} + 1.0001f, c = v{} + 0.5f;\n"
      "#pragma unroll\n"
      "    for (int i = 0; i < 12; ++i) a[i] = v{} + (float)i;\n"
      "    for (long k = 0; k < 50000; ++k) {\n"
      "#pragma unroll\n"
      "      for (int i = 0; i < 12; ++i) a[i] = __builtin_elementwise_fma(a[i], b, c);\n"
      "    }\n"
      "    v s = a[0];\n"
      "#pragma unroll\n"
      "    for (int i = 1; i < 12; ++i) s += a[i];\n"
      "    ((v*)args[0])[begin] = s;\n"
      "  }\n"
      "}\n";
  const Compiled peak = compile({.text = text, .entry = "peak"}, target);
  const int tasks = 2 * target.threads;
  LaunchSpec launch;
  launch.phases = {{.tasks = tasks, .grain = 1}};
  Run run(peak.code->entry(), launch, target.threads);
  runtime::Block out(static_cast<size_t>(64 * tasks));
  void* const args[] = {out.data()};
  const int lanes = target.vector_bytes() / 4;
  double best = 0;
  for (int i = 0; i < 300; ++i) {
    const double start = now();
    run(args);
    best = std::max(best, tasks * 50000.0 * 12 * 2 * lanes / (now() - start));
  }
  return best * 1e-9;
}

Result time_kernel(const kernel_ir::Kernel& kernel, const Options& options) {
  const codegen::Generated generated = codegen::cpp::generate(kernel, options.target, litz::Options{});
  const Compiled compiled = compile(generated.source, options.target);
  runtime::Block shared_scratch(static_cast<size_t>(generated.launch.shared_scratch_bytes + 64));
  std::vector<runtime::Block> blocks;
  std::vector<std::vector<void*>> arguments(static_cast<size_t>(options.copies));
  KernelFault fault;
  for (std::vector<void*>& args : arguments) {
    for (const kernel_ir::Buffer& b : kernel.buffers) {
      blocks.emplace_back(static_cast<size_t>(bytes_of(b) + 64));
      randomize(b, blocks.back().data());
      args.push_back(blocks.back().data());
    }
    args.push_back(shared_scratch.data());
    args.push_back(&fault);
  }
  Run run(compiled.code->entry(), generated.launch, options.target.threads);
  Result result{
      .milliseconds = 1e30, .compile_milliseconds = compiled.milliseconds, .code_bytes = compiled.code->code_bytes()};
  const double end = now() + options.seconds;
  for (size_t i = 0; i < 5 || now() < end; ++i) {
    const double start = now();
    run(arguments[i % arguments.size()].data());
    const double time = (now() - start) * 1e3;
    if (i > 0) result.milliseconds = std::min(result.milliseconds, time);
  }
  return result;
}

void print_header(double ceiling) {
  std::printf("ceiling %.0f GFLOP/s\n%-36s %10s %10s %8s %10s %8s\n", ceiling, "kernel", "ms", "GFLOP/s", "share",
              "compile ms", "code KB");
}

void print_row(const std::string& name, const Result& result, double flops, double ceiling) {
  const double rate = flops / result.milliseconds * 1e-6;
  std::printf("%-36s %10.3f %10.1f %7.1f%% %10.1f %8.1f\n", name.c_str(), result.milliseconds, rate,
              100 * rate / ceiling, result.compile_milliseconds, static_cast<double>(result.code_bytes) / 1024);
}

kernel_ir::Buffer buffer(const std::string& name, DType dtype, const std::vector<int64_t>& shape,
                         kernel_ir::BufferRole role) {
  kernel_ir::Buffer b{.name = name, .dtype = dtype, .role = role};
  b.shape.assign(shape.begin(), shape.end());
  b.strides = ir::contiguous_strides(b.shape);
  return b;
}

}  // namespace litz::bench
