// Source to binary, each kernel compiled once: in memory, then on disk, then by the compiler.
//
// The key is the SHA-256 of canonical source, entry, target, compiler, runtime ABI and the options that affect code.
// Safe for many threads and processes; two threads that ask for one kernel compile it once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/kernel.h"
#include "support/result.h"
#include "support/target.h"

namespace litz::kernel_cache {

enum class Origin : uint8_t { compiled, disk, memory };

struct CachedKernel {
  std::string digest;
  std::shared_ptr<const KernelBinary> binary;
  Origin origin = Origin::compiled;
};

struct CacheConfig {
  std::string directory;  // empty: default_directory()
  bool use_disk = true;
};

class KernelCache {
 public:
  explicit KernelCache(const CacheConfig& config = {});
  ~KernelCache();

  // `code_key`: Options::code_key().
  Result<CachedKernel> get(const KernelSource& source, const Target& target, std::string_view code_key = "");
  // Compiles what is missing on up to `threads` threads (0: all cores). Equal sources compile once; the second has
  // origin `memory`.
  std::vector<Result<CachedKernel>> compile_all(std::span<const KernelSource> sources, const Target& target,
                                                std::string_view code_key = "", int threads = 0);

  // Other compiled things, by a digest of the caller's: plans. An empty result: not there, or not to be trusted.
  std::string load_blob(const std::string& digest);
  void save_blob(const std::string& digest, std::string_view bytes);

  // Forgets what is in memory; kernels that are in use stay valid.
  void clear_memory();
  // Empty if there is no disk cache or it cannot be used; `disk_problem` says why.
  const std::string& directory() const;
  std::string disk_problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string kernel_digest(const KernelSource& source, const Target& target, std::string_view code_key);

// $LITZ_CACHE_DIR, else $XDG_CACHE_HOME/litz, else ~/.cache/litz; empty if there is none of them.
std::string default_directory();

struct DiskUsage {
  int64_t entries = 0;
  int64_t bytes = 0;
};
DiskUsage disk_usage(const std::string& directory);
// Removes the entries of a cache folder and nothing else. Returns how many.
int64_t clear_disk(const std::string& directory);

}  // namespace litz::kernel_cache
