#include "driver/dump.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace litz::driver {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw UserError("debug: cannot write " + path.string() + "; set LITZ_DEBUG_DIR to a folder that can be");
}

// One folder a process, named when the first dump is written.
std::string run_name() {
  static const std::string name = [] {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y_%m_%d_%H_%M_%S", &local);
    return fmt::format("run_{}-pid_{}", text, getpid());
  }();
  return name;
}

// A file name from a name that may hold anything.
std::string safe(const std::string& name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ? c : '_';
  return out.empty() || out[0] == '.' ? "_" + out : out;
}

const char* kind_name(Slot::Kind kind) {
  switch (kind) {
    case Slot::Kind::input:
      return "input";
    case Slot::Kind::output:
      return "output";
    case Slot::Kind::constant:
      return "constant";
    case Slot::Kind::prepared:
      return "prepared";
    case Slot::Kind::arena:
      return "arena";
    case Slot::Kind::foreign:
      return "foreign";
  }
  return "";
}

std::string slot_text(const Slot& slot) {
  const std::string size = slot.bytes.to_string();
  if (slot.kind == Slot::Kind::arena) return fmt::format("arena+{} ({} bytes)", slot.offset.to_string(), size);
  return fmt::format("{} {} ({} bytes)", kind_name(slot.kind), slot.index, size);
}

std::string steps_text(const Plan& plan, const std::vector<Step>& steps) {
  std::string out;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    std::string line;
    if (const auto* kernel = std::get_if<KernelStep>(&step.what)) {
      const KernelEntry& entry = plan.kernels[kernel->kernel];
      line = fmt::format("kernel {} [{}]", entry.name, entry.digest.substr(0, 12));
      for (const Phase& p : entry.launch.phases) line += fmt::format(" {} tasks by {}", p.tasks.to_string(), p.grain);
      for (const Slot& s : kernel->args) line += "\n      " + slot_text(s);
    } else if (const auto* foreign = std::get_if<ForeignStep>(&step.what)) {
      line = "foreign " + foreign->id;
      for (const Slot& s : foreign->args) line += "\n      " + slot_text(s);
    } else {
      const auto& copy = std::get<CopyStep>(step.what);
      line = "copy " + slot_text(copy.from) + " to " + slot_text(copy.to);
    }
    out += fmt::format("  {:3} {}\n", i, line);
  }
  return out;
}

std::string decisions_text(const fusion::Program& program) {
  std::string out;
  for (const fusion::Decision& d : program.decisions) {
    out += fmt::format("{} {}\n    with {}\n    {}\n", d.fused ? "fused    " : "not fused", d.consumer, d.producer,
                       d.reason);
  }
  return out;
}

// Kernels of both halves; each text once, as repeated layers share one.
struct KernelTexts {
  std::string ir;
  std::string code;
};

// Calls `fn` with each kernel of both halves and what was generated for it.
template <typename AnyStages, typename Fn>
void for_each_kernel(AnyStages& stages, const Fn& fn) {
  for (auto* half : {&stages.prepare, &stages.main}) {
    size_t generated = 0;
    for (const auto& call : half->program.calls) {
      const auto* kernel = std::get_if<fusion::KernelCall>(&call);
      if (kernel != nullptr) fn(kernel->kernel, half->generated[generated++], half == &stages.prepare);
    }
  }
}

KernelTexts write_kernels(const Stages& stages) {
  KernelTexts texts;
  std::set<std::string> seen;
  for_each_kernel(stages, [&](const kernel_ir::Kernel& kernel, const codegen::Generated& g, bool /*prepare*/) {
    texts.ir += kernel_ir::print(kernel) + "\n";
    if (!seen.insert(g.source.debug_file).second) return;
    write(g.source.debug_file, g.source.readable);
    texts.code += g.source.readable + "\n";
  });
  return texts;
}

constexpr const char* kRunScript = R"(#!/bin/sh
# Compiles graph.litz again and runs it on random input. Needs `litz` on PATH, or LITZ set to it.
exec "${LITZ:-litz}" opt --run "$(dirname "$0")/graph.litz" "$@"
)";

std::string comment_block(const std::string& text) {
  std::string out;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    out += "// " + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return out;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  std::string out = fmt::format("plan {}\n", plan.name);
  out += fmt::format("arena {} bytes; {} prepared buffers; {} constants\n", plan.arena_bytes.to_string(),
                     plan.prepared_bytes.size(), plan.constants.size());
  if (!plan.prepare.empty()) out += "prepare, when weights change:\n" + steps_text(plan, plan.prepare);
  return out + "main, on each call:\n" + steps_text(plan, plan.main);
}

std::string make_dump_folder(const std::string& graph, const Options& options) {
  static std::atomic<int> counter{0};
  const fs::path root = options.debug_dir.empty() ? fs::path("litz_debug") : fs::path(options.debug_dir);
  std::error_code error;
  const fs::path folder = fs::absolute(root, error) / run_name() / fmt::format("{}_{}", safe(graph), counter++);
  if (!error) fs::create_directories(folder / "kernels", error);
  if (error) {
    throw UserError(fmt::format("debug: cannot make {}: {}; set LITZ_DEBUG_DIR to a folder that can be written",
                                folder.string(), error.message()));
  }
  return folder.string();
}

void set_debug_files(const std::string& folder, Stages* stages) {
  std::map<std::string, KernelSource> first;
  for_each_kernel(*stages, [&](const kernel_ir::Kernel& kernel, codegen::Generated& g, bool prepare) {
    const auto [it, added] = first.try_emplace(g.source.text, g.source);
    if (added) {
      const std::string name = (prepare ? "prepare_" : "") + kernel.name;
      it->second.debug_file = (fs::path(folder) / "kernels" / (safe(name) + ".cpp")).string();
    }
    g.source = it->second;
  });
}

void write_dump(const std::string& folder_name, const ir::Graph& graph, const Stages& stages, const Plan& plan,
                const CompileReport& report, const Target& target) {
  const fs::path folder(folder_name);
  write(folder / "graph.litz", ir::print(graph));
  int number = 1;
  for (const Snapshot& s : stages.snapshots) {
    write(folder / fmt::format("{:02}_{}.litz", number++, s.pass), ir::print(s.graph));
  }
  const KernelTexts kernels = write_kernels(stages);
  write(folder / "kernels.litz", kernels.ir);
  const std::string decisions = decisions_text(stages.prepare.program) + decisions_text(stages.main.program);
  write(folder / "fusion.txt", decisions);
  write(folder / "plan.txt", plan_text(plan));
  write(folder / "plan.json", serialize_plan(plan));
  std::string header = fmt::format("{}: {} kernels for {} ({})\n", graph.name(), report.kernels.size(), target.cpu,
                                   isa_name(target.isa));
  write(folder / "output_code.cpp",
        comment_block(header + "\n" + ir::print(stages.main.graph) + "\n" + kernels.ir + "\n" + plan_text(plan)) +
            "\n" + kernels.code);
  write(folder / "run.sh", kRunScript);
  fs::permissions(folder / "run.sh", fs::perms::owner_exec, fs::perm_options::add);
}

}  // namespace litz::driver
