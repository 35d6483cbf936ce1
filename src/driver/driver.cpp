#include "driver/driver.h"

#include <chrono>
#include <map>
#include <mutex>

#include "driver/dump.h"
#include "driver/foreign.h"
#include "driver/pipeline.h"
#include "kernel_cache/kernel_cache.h"
#include "kernel_ir/walk.h"
#include "ops/record.h"
#include "passes/dead_code.h"
#include "passes/own_outputs.h"
#include "planning/steps.h"
#include "runtime/executable.h"

namespace litz::driver {
namespace {

// Times the stages of one compilation.
class Clock {
 public:
  explicit Clock(std::vector<StageTime>* stages) : stages_(stages) {}
  void lap(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    stages_->push_back({stage, std::chrono::duration<double, std::milli>(now - last_).count()});
    last_ = now;
  }

 private:
  std::vector<StageTime>* stages_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Kernels live here, one cache for each folder that options name.
struct Caches {
  std::mutex mutex;
  std::map<std::pair<std::string, bool>, std::unique_ptr<kernel_cache::KernelCache>> by_options;
};

Caches& caches() {
  static Caches all;
  return all;
}

kernel_cache::KernelCache& cache_for(const Options& options) {
  Caches& all = caches();
  const std::lock_guard lock(all.mutex);
  auto& cache = all.by_options[{options.cache_dir, options.disk_cache}];
  if (!cache) {
    kernel_cache::CacheConfig config;
    config.directory = options.cache_dir;
    config.use_disk = options.disk_cache;
    cache = std::make_unique<kernel_cache::KernelCache>(config);
  }
  return *cache;
}

const char* kind_of(const kernel_ir::Kernel& kernel) {
  if (!kernel.templ) return "loops";
  if (std::holds_alternative<kernel_ir::MatmulTemplate>(kernel.templ->what)) return "matmul";
  return std::holds_alternative<kernel_ir::ConvTemplate>(kernel.templ->what) ? "convolution" : "attention";
}

int64_t constant_or_zero(const Expr& e) { return e.is_constant() ? e.constant() : 0; }

// A kernel of nothing but copies from one layout to another.
bool only_moves(const kernel_ir::Kernel& kernel) {
  bool computes = kernel.templ.has_value();
  kernel_ir::for_each_statement(kernel, [&](const kernel_ir::Statement& s, const kernel_ir::LoopPath&) {
    computes = computes || std::holds_alternative<kernel_ir::Compute>(s) || std::holds_alternative<kernel_ir::Check>(s);
  });
  return !computes;
}

KernelReport report_of(const kernel_ir::Kernel& kernel, bool prepare) {
  const kernel_ir::Work work = kernel_ir::work_of(kernel);
  KernelReport r;
  r.name = kernel.name;
  r.ops = kernel.source_ops;
  r.kind = kind_of(kernel);
  r.prepare = prepare;
  r.layout_transform = only_moves(kernel);
  r.bytes = constant_or_zero(work.bytes_read) + constant_or_zero(work.bytes_written);
  r.flops = constant_or_zero(work.flops);
  return r;
}

TensorSpec input_spec(const ir::Graph& graph, const ir::Input& input) {
  const ir::TensorType& type = graph.type(input.value);
  const std::vector<Expr> strides = input.strides.empty() ? ir::contiguous_strides(type.shape) : input.strides;
  return {type.dtype, type.shape, strides, type.device};
}

int64_t known_extent(const TensorSpec& spec) {
  const std::optional<int64_t> bytes = extent_bytes(spec);
  LITZ_CHECK(bytes.has_value(), "sizes at the border must be known");
  return *bytes;
}

// Everything that becomes an Executable, as it grows.
class Assembly {
 public:
  Assembly(const ir::Graph& graph, const Options& options, const Target& target) : options_(options), target_(target) {
    Plan& plan = parts_.plan;
    plan.name = graph.name();
    for (const ir::Input& input : graph.inputs()) {
      plan.inputs.push_back(input_spec(graph, input));
      plan.frozen_inputs.push_back(input.frozen);
    }
    for (const ir::Output& output : graph.outputs()) plan.outputs.push_back(planning::spec_of(graph, output.value));
  }

  // Compiles the kernels of both halves, each once.
  void compile_kernels(const Half& prepare, const Half& main, CompileReport* report) {
    std::vector<KernelSource> sources;
    std::vector<std::string> names;  // what perf and gdb show; equal kernels share the first's
    for (const Half* half : {&prepare, &main}) {
      for (const codegen::Generated& g : half->generated) sources.push_back(g.source);
      for (const auto& call : half->program.calls) {
        if (const auto* kernel = std::get_if<fusion::KernelCall>(&call)) names.push_back(kernel->kernel.name);
      }
    }
    const auto compiled = cache_for(options_).compile_all(sources, target_, options_.code_key());
    for (size_t i = 0; i < compiled.size(); ++i) {
      if (!compiled[i]) throw InternalError("kernel does not compile: " + compiled[i].error() + "\n" + sources[i].text);
      count(compiled[i]->origin, report);
      auto loaded = runtime::LoadedKernel::load_shared(compiled[i]->digest, *compiled[i]->binary, names[i]);
      if (!loaded) throw InternalError("kernel does not load: " + loaded.error());
      parts_.kernels.push_back(*loaded);
      digests_.push_back(compiled[i]->digest);
    }
  }

  void add_prepare(const Half& half, CompileReport* report) {
    std::map<ir::ValueId, Slot> fixed = fixed_sources(half.graph, half.graph.inputs().size());
    for (const ir::Output& output : half.graph.outputs()) {
      const int64_t bytes = planning::buffer_bytes(half.graph.type(output.value));
      const auto index = static_cast<uint32_t>(parts_.plan.prepared_bytes.size());
      fixed[output.value] = Slot{Slot::Kind::prepared, index, 0, bytes};
      parts_.plan.prepared_bytes.emplace_back(bytes);
      report->prepared_bytes += bytes;
    }
    planning::Steps steps = planning::plan_steps(half.graph, calls_of(half, true, report), fixed);
    parts_.plan.prepare = std::move(steps.steps);
    parts_.plan.prepare_arena_bytes = steps.arena_bytes;
    parts_.plan.prepare_foreign_results = steps.foreign_results;
  }

  void add_main(const Half& half, CompileReport* report) {
    const size_t own_inputs = parts_.plan.inputs.size();
    std::map<ir::ValueId, Slot> fixed = fixed_sources(half.graph, own_inputs);
    for (size_t i = own_inputs; i < half.graph.inputs().size(); ++i) {
      const auto index = static_cast<uint32_t>(i - own_inputs);
      fixed[half.graph.inputs()[i].value] = Slot{Slot::Kind::prepared, index, 0, parts_.plan.prepared_bytes.at(index)};
    }
    uint32_t index = 0;
    for (const ir::Output& output : half.graph.outputs()) {
      fixed[output.value] = Slot{Slot::Kind::output, index, 0, known_extent(parts_.plan.outputs[index])};
      ++index;
    }
    planning::Steps steps = planning::plan_steps(half.graph, calls_of(half, false, report), fixed);
    parts_.plan.main = std::move(steps.steps);
    parts_.plan.arena_bytes = steps.arena_bytes;
    parts_.plan.foreign_results = steps.foreign_results;
    report->arena_bytes = steps.arena_bytes;
  }

  runtime::ExecutableParts take() { return std::move(parts_); }

 private:
  static void count(kernel_cache::Origin origin, CompileReport* report) {
    switch (origin) {
      case kernel_cache::Origin::compiled:
        ++report->kernels_compiled;
        break;
      case kernel_cache::Origin::disk:
        ++report->kernels_from_disk;
        break;
      case kernel_cache::Origin::memory:
        ++report->kernels_from_memory;
        break;
    }
  }

  // Slots of the caller's inputs and of constants.
  std::map<ir::ValueId, Slot> fixed_sources(const ir::Graph& graph, size_t inputs) {
    std::map<ir::ValueId, Slot> fixed;
    for (size_t i = 0; i < inputs && i < graph.inputs().size(); ++i) {
      fixed[graph.inputs()[i].value] =
          Slot{Slot::Kind::input, static_cast<uint32_t>(i), 0, known_extent(parts_.plan.inputs.at(i))};
    }
    for (ir::ValueId v = 0; v < graph.values().size(); ++v) {
      const int32_t c = graph.value(v).constant;
      if (c >= 0) fixed[v] = constant_slot(graph.constants()[c]);
    }
    return fixed;
  }

  Slot constant_slot(const ir::ConstantData& data) {
    auto [it, added] = constants_.try_emplace(data.digest, static_cast<uint32_t>(parts_.plan.constants.size()));
    if (added) {
      LITZ_CHECK(data.bytes != nullptr || data.size == 0, "the contents of constant " + data.digest + " are not known");
      parts_.plan.constants.push_back(data.digest);
      parts_.plan.constant_bytes.push_back(data.size);
      parts_.constants.push_back({data.bytes.get(), data.bytes});
    }
    return Slot{Slot::Kind::constant, it->second, 0, data.size};
  }

  std::vector<planning::Call> calls_of(const Half& half, bool prepare, CompileReport* report) {
    std::vector<planning::Call> calls;
    size_t generated = 0;
    for (const auto& call : half.program.calls) {
      if (const auto* kernel = std::get_if<fusion::KernelCall>(&call)) {
        calls.emplace_back(kernel_call(*kernel, half.generated[generated++]));
        report->kernels.push_back(report_of(kernel->kernel, prepare));
      } else {
        calls.emplace_back(foreign_call(half.graph, std::get<fusion::ForeignCall>(call).node, report));
      }
    }
    return calls;
  }

  planning::KernelCall kernel_call(const fusion::KernelCall& call, const codegen::Generated& generated) {
    planning::KernelCall out;
    out.kernel = static_cast<uint32_t>(parts_.plan.kernels.size());
    parts_.plan.kernels.push_back({digests_.at(out.kernel), call.kernel.name, generated.launch, call.kernel.checks});
    out.arguments = call.arguments;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      out.writes.push_back(call.kernel.buffers[i].role != kernel_ir::BufferRole::in);
    }
    out.label = call.kernel.name;
    return out;
  }

  planning::ForeignCall foreign_call(const ir::Graph& graph, uint32_t node, CompileReport* report) {
    const ir::Node& n = graph.nodes()[node];
    const ForeignName name = foreign_name(graph, n);
    report->fallbacks.push_back({n.location.op.empty() ? n.op : n.location.op, name.reason, n.location.source});
    if (options_.fallback == "error") {
      throw UnsupportedError("no-fallback",
                             report->fallbacks.back().op + " at " + n.location.source + " " + name.reason,
                             "options={\"fallback\": \"warn\"} runs it outside Litz");
    }
    return {node, name.id, name.attributes, n.op + " " + n.location.source};
  }

  const Options& options_;
  const Target& target_;
  runtime::ExecutableParts parts_;
  std::vector<std::string> digests_;
  std::map<std::string, uint32_t> constants_;
};

void report_unfused(const fusion::Program& program, CompileReport* report) {
  for (const fusion::Decision& d : program.decisions) {
    if (!d.fused) report->unfused.push_back({d.producer, d.consumer, d.reason});
  }
}

}  // namespace

std::shared_ptr<Compiled> compile_graph(const ir::Graph& graph, const Options& options,
                                        std::shared_ptr<runtime::ForeignRunner> foreign) {
  auto out = std::make_shared<Compiled>();
  CompileReport& report = out->report;
  report.graph = graph.name();
  Clock clock(&report.stages);
  const Target target = target_of(options);
  const passes::PassContext context = pass_context(target, options);
  Stages stages;
  const ir::Graph optimised = run_passes(graph, context, options.debug ? &stages.snapshots : nullptr);
  passes::SplitGraph split = passes::split_prepare(optimised, context.layouts.reads_plain);
  clock.lap("passes");
  stages.prepare = make_kernels(passes::dead_code(split.prepare, context), target, options);
  stages.main = make_kernels(passes::own_outputs(split.main), target, options);
  if (options.debug) {
    report.debug_dir = make_dump_folder(graph.name(), options);
    set_debug_files(report.debug_dir, &stages);
  }
  clock.lap("kernels");
  Assembly assembly(graph, options, target);
  assembly.compile_kernels(stages.prepare, stages.main, &report);
  clock.lap("compile");
  assembly.add_prepare(stages.prepare, &report);
  assembly.add_main(stages.main, &report);
  report_unfused(stages.main.program, &report);
  runtime::ExecutableParts parts = assembly.take();
  if (options.debug) write_dump(report.debug_dir, graph, stages, parts.plan, report, target);
  parts.foreign = with_interpreter(std::move(foreign));
  parts.on_frozen_change = [runner = parts.foreign](size_t input) { runner->frozen_changed(input); };
  parts.threads = static_cast<int>(options.threads);
  out->executable = runtime::Executable::create(std::move(parts));
  clock.lap("plan");
  return out;
}

void reset() {
  Caches& all = caches();
  const std::lock_guard lock(all.mutex);
  for (const auto& [options, cache] : all.by_options) cache->clear_memory();
}

}  // namespace litz::driver
