#include "python/src/report.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace litz::python {

namespace nb = nanobind;

nb::dict report_dict(const driver::CompileReport& report) {
  nb::list kernels;
  for (const driver::KernelReport& k : report.kernels) {
    nb::dict item;
    item["name"] = k.name;
    item["ops"] = k.ops;
    item["kind"] = k.kind;
    item["prepare"] = k.prepare;
    item["layout_transform"] = k.layout_transform;
    item["bytes"] = k.bytes;
    item["flops"] = k.flops;
    kernels.append(item);
  }
  nb::list fallbacks;
  for (const driver::FallbackReport& f : report.fallbacks) {
    nb::dict item;
    item["op"] = f.op;
    item["reason"] = f.reason;
    item["source"] = f.source;
    fallbacks.append(item);
  }
  nb::list unfused;
  for (const driver::UnfusedReport& u : report.unfused) {
    nb::dict item;
    item["producer"] = u.producer;
    item["consumer"] = u.consumer;
    item["reason"] = u.reason;
    unfused.append(item);
  }
  nb::list stages;
  for (const driver::StageTime& s : report.stages) {
    nb::dict item;
    item["stage"] = s.stage;
    item["milliseconds"] = s.milliseconds;
    stages.append(item);
  }
  nb::dict out;
  out["graph"] = report.graph;
  out["kernels"] = kernels;
  out["fallbacks"] = fallbacks;
  out["unfused"] = unfused;
  out["stages"] = stages;
  out["kernels_compiled"] = report.kernels_compiled;
  out["kernels_from_disk"] = report.kernels_from_disk;
  out["kernels_from_memory"] = report.kernels_from_memory;
  out["arena_bytes"] = report.arena_bytes;
  out["prepared_bytes"] = report.prepared_bytes;
  out["debug_dir"] = report.debug_dir;
  return out;
}

}  // namespace litz::python
