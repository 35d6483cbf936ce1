// Functions on the whole process: back ends, caches, what the machine is.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "driver/driver.h"
#include "kernel_cache/compiler.h"
#include "kernel_cache/kernel_cache.h"
#include "python/src/bindings.h"
#include "runtime/memory.h"
#include "support/edit_distance.h"
#include "support/target.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string_view> views(names.begin(), names.end());
  return std::string(nearest_name(name, views));
}

nb::dict info() {
  Target target = host_target();
  nb::dict out;
  out["version"] = LITZ_VERSION;
  out["compiler"] = kernel_cache::compiler_id();
  out["cpu"] = target.cpu;
  out["isa"] = isa_name(target.isa);
  out["bf16_dot"] = target.has_bf16_dot;
  out["amx"] = target.has_amx;
  out["threads"] = target.threads;
  out["l1_bytes"] = target.l1_bytes;
  out["l2_bytes"] = target.l2_bytes;
  out["l3_bytes"] = target.l3_bytes;
  out["devices"] = nb::make_tuple("cpu");
  return out;
}

nb::dict cache_info(const std::string& directory) {
  std::string path = directory.empty() ? kernel_cache::default_directory() : directory;
  kernel_cache::DiskUsage usage = kernel_cache::disk_usage(path);
  nb::dict out;
  out["path"] = path;
  out["entries"] = usage.entries;
  out["bytes"] = usage.bytes;
  return out;
}

int64_t clear_cache(const std::string& directory) {
  return kernel_cache::clear_disk(directory.empty() ? kernel_cache::default_directory() : directory);
}

nb::dict memory_stats() {
  runtime::MemoryStats stats = runtime::memory_stats();
  nb::dict out;
  out["in_use"] = stats.in_use;
  out["held"] = stats.held;
  out["high_water"] = stats.high_water;
  out["reused"] = stats.reused;
  out["fresh"] = stats.fresh;
  return out;
}

}  // namespace

void bind_process(nb::module_& m) {
  m.def("version", [] { return LITZ_VERSION; });
  m.def("list_backends", &driver::list_backends);
  m.def("nearest_name", &nearest, nb::arg("name"), nb::arg("names"));
  m.def("reset", &driver::reset, "Forgets the kernels held in memory.");
  m.def("empty_cache", &runtime::empty_cache, "Gives memory that is kept for outputs back to the system.");
  m.def("memory_stats", &memory_stats, "Bytes in blocks that are in use and kept, and how often one was reused.");
  m.def("info", &info, "Version, compiler, CPU.");
  m.def("cache_info", &cache_info, nb::arg("directory") = "", "Path, entries and bytes of the kernel cache on disk.");
  m.def("clear_cache", &clear_cache, nb::arg("directory") = "", "Removes the kernels on disk; returns how many.");
}

}  // namespace litz::python
