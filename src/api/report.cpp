#include "api/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace litz {

namespace {

// Each once: the parts of a composite op have one name and place.
std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (auto it = parts.begin(); it != parts.end(); ++it) {
    if (std::find(parts.begin(), it, *it) == it) out += (out.empty() ? "" : ", ") + *it;
  }
  return out;
}

std::string kernel_text(const KernelReport& k) {
  std::string out =
      fmt::format("    {} [{}{}] {}", k.name, k.kind, k.layout_transform ? ", layout" : "", joined(k.ops));
  return out + fmt::format("  {:.1f} KiB, {:.3g} Mflop\n", static_cast<double>(k.bytes) / 1024,
                           static_cast<double>(k.flops) / 1e6);
}

std::string graph_text(const GraphReport& g) {
  std::string out = fmt::format("{}({}): {}\n", g.name, g.arguments, g.reason);
  for (const bool prepare : {false, true}) {
    bool titled = false;
    for (const KernelReport& k : g.kernels) {
      if (k.prepare != prepare) continue;
      if (!titled) out += prepare ? "  kernels that run when weights change\n" : "  kernels\n";
      titled = true;
      out += kernel_text(k);
    }
  }
  if (g.kernels.empty()) out += "  no kernels\n";
  for (const FallbackReport& f : g.fallbacks) {
    out += fmt::format("  fall-back: {}{} {}\n", f.op, f.source.empty() ? "" : " at " + f.source, f.reason);
  }
  for (const UnfusedReport& u : g.unfused) {
    out += fmt::format("  not fused: {} with {}: {}\n", u.producer, u.consumer, u.reason);
  }
  std::string stages;
  for (const StageReport& s : g.stages) {
    stages += fmt::format("{}{} {:.1f} ms", stages.empty() ? "" : ", ", s.stage, s.milliseconds);
  }
  if (!stages.empty()) out += "  stages: " + stages + "\n";
  out += fmt::format("  kernels: {} compiled, {} from disk, {} from memory\n", g.kernels_compiled, g.kernels_from_disk,
                     g.kernels_from_memory);
  out += fmt::format("  memory: {:.1f} KiB of working memory, {:.1f} KiB made of weights beforehand\n",
                     static_cast<double>(g.arena_bytes) / 1024, static_cast<double>(g.prepared_bytes) / 1024);
  if (!g.debug_dir.empty()) out += "  debug: " + g.debug_dir + "\n";
  return out;
}

}  // namespace

std::string to_string(const Report& report) {
  std::string out = fmt::format("{} compilation{}", report.compilations, report.compilations == 1 ? "" : "s");
  if (report.dropped > 0) out += fmt::format(", {} of them dropped", report.dropped);
  out += "\n";
  for (const GraphReport& g : report.graphs) out += graph_text(g);
  return out;
}

std::ostream& operator<<(std::ostream& stream, const Report& report) { return stream << to_string(report); }

namespace api {

GraphReport to_graph_report(const driver::CompileReport& report) {
  GraphReport out;
  out.name = report.graph;
  for (const driver::KernelReport& k : report.kernels) {
    out.kernels.push_back({k.name, k.ops, k.kind, k.prepare, k.layout_transform, k.bytes, k.flops});
  }
  for (const driver::FallbackReport& f : report.fallbacks) out.fallbacks.push_back({f.op, f.reason, f.source});
  for (const driver::UnfusedReport& u : report.unfused) out.unfused.push_back({u.producer, u.consumer, u.reason});
  for (const driver::StageTime& s : report.stages) out.stages.push_back({s.stage, s.milliseconds});
  out.kernels_compiled = report.kernels_compiled;
  out.kernels_from_disk = report.kernels_from_disk;
  out.kernels_from_memory = report.kernels_from_memory;
  out.arena_bytes = report.arena_bytes;
  out.prepared_bytes = report.prepared_bytes;
  out.debug_dir = report.debug_dir;
  return out;
}

}  // namespace api

}  // namespace litz
