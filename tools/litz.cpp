// litz: what this build and machine are, the kernel cache, and litz-opt.
#include <fmt/format.h>

#include <thread>

#include "driver/driver.h"
#include "driver/pipeline.h"
#include "kernel_cache/compiler.h"
#include "kernel_cache/kernel_cache.h"
#include "tools/opt_cli.h"

namespace {

using namespace litz;

int info() {
  const Target target = host_target();
  fmt::print("litz {}\n", LITZ_VERSION);
  fmt::print("cpu       {} ({}), {} threads\n", target.cpu.empty() ? "generic" : target.cpu, isa_name(target.isa),
             std::thread::hardware_concurrency());
  fmt::print("caches    L1 {} KiB, L2 {} KiB, L3 {} KiB\n", target.l1_bytes >> 10, target.l2_bytes >> 10,
             target.l3_bytes >> 10);
  fmt::print("compiler  {}\n", kernel_cache::compiler_id());
  fmt::print("devices   cpu\n");
  std::string backends;
  for (const std::string& name : driver::list_backends()) backends += (backends.empty() ? "" : ", ") + name;
  fmt::print("back ends {}\n", backends);
  return 0;
}

int cache(bool clear) {
  const std::string folder = kernel_cache::default_directory();
  if (folder.empty()) {
    fmt::print("no cache folder: neither LITZ_CACHE_DIR, XDG_CACHE_HOME nor HOME is set\n");
    return 1;
  }
  if (clear) fmt::print("removed {} entries\n", kernel_cache::clear_disk(folder));
  const kernel_cache::DiskUsage usage = kernel_cache::disk_usage(folder);
  fmt::print("{}\n{} entries, {:.1f} MiB\n", folder, usage.entries, static_cast<double>(usage.bytes) / (1 << 20));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Litz: a compiler and runtime for tensor programs", "litz");
  app.require_subcommand(1);
  CLI::App* info_command = app.add_subcommand("info", "CPU, instruction sets, compiler, devices, versions");
  CLI::App* cache_command = app.add_subcommand("cache", "where compiled kernels are kept, and how much");
  bool clear = false;
  cache_command->add_flag("--clear", clear, "remove them");
  CLI::App* opt_command = app.add_subcommand("opt", "show any stage of a Graph or a kernel (litz-opt)");
  tools::OptArguments arguments;
  tools::add_opt_options(opt_command, &arguments);
  CLI11_PARSE(app, argc, argv);
  if (*info_command) return info();
  if (*cache_command) return cache(clear);
  return tools::run_opt(arguments);
}
