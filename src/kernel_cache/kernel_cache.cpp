#include "kernel_cache/kernel_cache.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kernel_cache/compiler.h"
#include "kernel_cache/disk_store.h"
#include "support/diagnostics.h"
#include "support/sha256.h"

namespace litz::kernel_cache {

namespace {

using BinaryResult = Result<std::shared_ptr<const KernelBinary>>;

// An entry on disk: the name of the function, a line end, the object.
std::string pack(const KernelBinary& binary) { return binary.entry + "\n" + binary.bytes; }

std::optional<KernelBinary> unpack(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  return KernelBinary{std::string(bytes.substr(end + 1)), std::string(bytes.substr(0, end))};
}

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string default_directory() {
  if (std::string dir = from_environment("LITZ_CACHE_DIR"); !dir.empty()) return dir;
  if (std::string dir = from_environment("XDG_CACHE_HOME"); dir.starts_with('/')) return dir + "/litz";
  if (std::string home = from_environment("HOME"); home.starts_with('/')) return home + "/.cache/litz";
  const passwd* user = getpwuid(geteuid());
  if (user != nullptr && user->pw_dir != nullptr && *user->pw_dir == '/') {
    return std::string(user->pw_dir) + "/.cache/litz";
  }
  return "";
}

std::string kernel_digest(const KernelSource& source, const Target& target, std::string_view code_key) {
  Sha256 sha;
  sha.update_field("kernel").update_field(std::to_string(kRuntimeAbi)).update_field(compiler_id());
  sha.update_field(source.kind == SourceKind::cpp ? "cpp" : "triton").update_field(source.text);
  sha.update_field(source.entry).update_field(source.launch_json).update_field(code_key);
  if (!source.debug_file.empty()) sha.update_field(source.debug_file).update_field(source.readable);
  sha.update_field(isa_name(target.isa)).update_field(target.cpu == "native" ? native_cpu() : target.cpu);
  for (const std::string& feature : target.features) sha.update_field(feature);
  sha.update_field(std::to_string(target.sm));
  return sha.hex();
}

struct KernelCache::State {
  std::unique_ptr<DiskStore> disk;  // null: not wanted
  std::atomic<bool> keeps{true};    // false once the disk took no more
  std::mutex mutex;
  std::map<std::string, std::shared_future<BinaryResult>> kernels;

  std::optional<KernelBinary> read(const std::string& digest) const {
    if (!disk) return std::nullopt;
    auto bytes = disk->load(digest);
    return bytes ? unpack(*bytes) : std::nullopt;
  }

  void keep(const std::string& key, std::string_view bytes) {
    if (!disk || disk->directory().empty() || !keeps.load()) return;
    if (disk->save(key, bytes)) return;
    keeps.store(false);
    warn_once("cache full " + disk->directory(),
              "cannot write to the cache folder " + disk->directory() + "; compiled kernels are not kept");
  }

  // Disk, then compiler. `origin` says which.
  BinaryResult make(const std::string& digest, const KernelSource& source, const Target& target, Origin* origin) {
    const bool for_debuggers = !source.debug_file.empty();  // its file is named by time: no later process asks for it
    if (auto found = for_debuggers ? std::nullopt : read(digest)) {
      *origin = Origin::disk;
      return std::make_shared<const KernelBinary>(std::move(*found));
    }
    *origin = Origin::compiled;
    auto binary = compile(source, target);
    if (!binary) return Failure{binary.error()};
    if (!for_debuggers) keep(digest, pack(*binary));
    return std::make_shared<const KernelBinary>(std::move(*binary));
  }

  Result<CachedKernel> get(const std::string& digest, const KernelSource& source, const Target& target) {
    std::promise<BinaryResult> promise;
    std::shared_future<BinaryResult> future;
    bool mine = false;
    {
      std::lock_guard lock(mutex);
      auto [it, fresh] = kernels.try_emplace(digest);
      if (fresh) it->second = promise.get_future().share();
      future = it->second;
      mine = fresh;
    }
    Origin origin = Origin::memory;
    if (mine) {
      std::optional<BinaryResult> made;
      try {
        made = make(digest, source, target, &origin);
      } catch (...) {
        forget(digest);
        promise.set_exception(std::current_exception());
        throw;
      }
      // A failure is not kept: its cause may go away.
      if (!*made) forget(digest);
      promise.set_value(std::move(*made));
    }
    const BinaryResult& result = future.get();
    if (!result) return Failure{result.error()};
    return CachedKernel{digest, *result, origin};
  }

  void forget(const std::string& digest) {
    std::lock_guard lock(mutex);
    kernels.erase(digest);
  }
};

KernelCache::KernelCache(const CacheConfig& config) : state_(std::make_unique<State>()) {
  if (!config.use_disk) return;
  state_->disk = std::make_unique<DiskStore>(config.directory.empty() ? default_directory() : config.directory);
  if (const std::string& problem = state_->disk->problem(); !problem.empty()) {
    warn_once(problem, problem + "; compiled kernels are not kept");
  }
}

KernelCache::~KernelCache() = default;

Result<CachedKernel> KernelCache::get(const KernelSource& source, const Target& target, std::string_view code_key) {
  return state_->get(kernel_digest(source, target, code_key), source, target);
}

std::vector<Result<CachedKernel>> KernelCache::compile_all(std::span<const KernelSource> sources, const Target& target,
                                                           std::string_view code_key, int threads) {
  std::vector<std::string> digests;
  std::map<std::string, size_t> first;  // digest → the first source that has it
  std::vector<size_t> work;
  for (size_t i = 0; i < sources.size(); ++i) {
    digests.push_back(kernel_digest(sources[i], target, code_key));
    if (first.try_emplace(digests[i], i).second) work.push_back(i);
  }
  // Long sources first, so that no thread begins one when the others have ended.
  std::sort(work.begin(), work.end(), [&](size_t a, size_t b) {
    const size_t x = sources[a].text.size();
    const size_t y = sources[b].text.size();
    return x != y ? x > y : a < b;
  });

  std::vector<std::optional<Result<CachedKernel>>> made(sources.size());
  std::atomic<size_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto run = [&] {
    try {
      for (size_t w = next++; w < work.size(); w = next++) {
        made[work[w]] = state_->get(digests[work[w]], sources[work[w]], target);
      }
    } catch (...) {
      std::lock_guard lock(error_mutex);
      error = std::current_exception();
    }
  };
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> helpers;
  for (size_t t = 1; t < std::min(static_cast<size_t>(threads), work.size()); ++t) helpers.emplace_back(run);
  run();
  for (std::thread& h : helpers) h.join();
  rest_compiler();
  if (error) std::rethrow_exception(error);

  std::vector<Result<CachedKernel>> out;
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t source = first[digests[i]];
    Result<CachedKernel> result = *made[source];
    if (source != i && result) result->origin = Origin::memory;
    out.push_back(std::move(result));
  }
  return out;
}

std::string KernelCache::load_blob(const std::string& digest) {
  if (!state_->disk) return "";
  return state_->disk->load("blob-" + digest).value_or("");
}

void KernelCache::save_blob(const std::string& digest, std::string_view bytes) {
  state_->keep("blob-" + digest, bytes);
}

void KernelCache::clear_memory() {
  std::lock_guard lock(state_->mutex);
  std::erase_if(state_->kernels, [](const auto& entry) {
    return entry.second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
}

const std::string& KernelCache::directory() const {
  static const std::string none;
  return state_->disk ? state_->disk->directory() : none;
}

std::string KernelCache::disk_problem() const { return state_->disk ? state_->disk->problem() : ""; }

}  // namespace litz::kernel_cache
