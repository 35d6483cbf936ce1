#include "kernel_cache/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "runtime/module.h"
#include "support/diagnostics.h"
#include "support/sha256.h"
#include "temporary_folder.h"

namespace litz::kernel_cache {
namespace {

KernelSource store_value(int value) {
  KernelSource s;
  s.text = "extern \"C\" void k(void* const* args, long, long, long, void*) { *static_cast<int*>(args[0]) = " +
           std::to_string(value) + "; }";
  s.entry = "k";
  return s;
}

int run(const CachedKernel& kernel) {
  auto loaded = runtime::LoadedKernel::load(*kernel.binary, "k");
  if (!loaded) return -1;
  int y = -1;
  void* args[] = {&y, nullptr, nullptr};
  (*loaded)->entry()(args, 0, 0, 1, nullptr);
  return y;
}

const Target& target() {
  static const Target t = host_target();
  return t;
}

TEST(KernelCache, CompilesOnceInMemoryAndOnDisk) {
  const TemporaryFolder folder;
  {
    KernelCache cache({.directory = folder.path});
    auto first = cache.get(store_value(7), target());
    auto second = cache.get(store_value(7), target());
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->origin, Origin::compiled);
    EXPECT_EQ(second->origin, Origin::memory);
    EXPECT_EQ(first->binary, second->binary);
    EXPECT_EQ(run(*first), 7);
    cache.clear_memory();
    auto third = cache.get(store_value(7), target());
    ASSERT_TRUE(third);
    EXPECT_EQ(third->origin, Origin::disk);
  }
  KernelCache other({.directory = folder.path});
  auto found = other.get(store_value(7), target());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin, Origin::disk);
  EXPECT_EQ(run(*found), 7);
}

TEST(KernelCache, WithoutADisk) {
  KernelCache cache({.use_disk = false});
  EXPECT_EQ(cache.directory(), "");
  EXPECT_EQ(cache.disk_problem(), "");
  EXPECT_EQ(cache.get(store_value(1), target())->origin, Origin::compiled);
  EXPECT_EQ(cache.get(store_value(1), target())->origin, Origin::memory);
  cache.clear_memory();
  EXPECT_EQ(cache.get(store_value(1), target())->origin, Origin::compiled);
  cache.save_blob("d", "bytes");
  EXPECT_EQ(cache.load_blob("d"), "");
}

TEST(KernelCache, KeysDifferInAllThatMatters) {
  const KernelSource s = store_value(1);
  const std::string base = kernel_digest(s, target(), "");
  EXPECT_EQ(kernel_digest(s, target(), ""), base);
  KernelSource named = s;
  named.readable = "for people";
  EXPECT_EQ(kernel_digest(named, target(), ""), base);
  EXPECT_NE(kernel_digest(store_value(2), target(), ""), base);
  EXPECT_NE(kernel_digest(s, target(), "fast_math=true;"), base);
  KernelSource entry = s;
  entry.entry = "other";
  EXPECT_NE(kernel_digest(entry, target(), ""), base);
  Target scalar = target();
  scalar.isa = Isa::avx512;
  lower_isa(scalar, Isa::scalar);
  EXPECT_NE(kernel_digest(s, scalar, ""), base);
  Target feature = target();
  feature.features.push_back("+avx512fp16");
  EXPECT_NE(kernel_digest(s, feature, ""), base);
  KernelSource debug = s;
  debug.debug_file = "k.cpp";
  EXPECT_NE(kernel_digest(debug, target(), ""), base);
  Target threads = target();
  threads.threads += 1;
  EXPECT_EQ(kernel_digest(s, threads, ""), base);
}

TEST(KernelCache, CompileAll) {
  const TemporaryFolder folder;
  KernelCache cache({.directory = folder.path});
  KernelSource bad = store_value(0);
  bad.text = "not C++";
  const std::vector<KernelSource> sources = {store_value(3), store_value(4), store_value(3), bad, store_value(5)};
  const auto kernels = cache.compile_all(sources, target(), "", 3);
  ASSERT_EQ(kernels.size(), 5u);
  EXPECT_EQ(run(*kernels[0]), 3);
  EXPECT_EQ(run(*kernels[1]), 4);
  EXPECT_EQ(run(*kernels[2]), 3);
  EXPECT_EQ(kernels[0]->origin, Origin::compiled);
  EXPECT_EQ(kernels[2]->origin, Origin::memory);
  EXPECT_FALSE(kernels[3]);
  EXPECT_EQ(run(*kernels[4]), 5);
  EXPECT_EQ(disk_usage(folder.path).entries, 3);
  EXPECT_TRUE(cache.compile_all({}, target()).empty());
}

TEST(KernelCache, AFailureIsNotKept) {
  KernelCache cache({.use_disk = false});
  KernelSource bad = store_value(0);
  bad.text = "not C++";
  EXPECT_FALSE(cache.get(bad, target()));
  EXPECT_FALSE(cache.get(bad, target()));
  EXPECT_TRUE(cache.get(store_value(0), target()));
}

TEST(KernelCache, ManyThreadsAskForOneKernel) {
  KernelCache cache({.use_disk = false});
  std::vector<std::thread> threads;
  std::atomic<int> compiled{0};
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      auto kernel = cache.get(store_value(9), target());
      if (kernel && kernel->origin == Origin::compiled) ++compiled;
      if (kernel && run(*kernel) == 9) ++right;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(right, 8);
}

TEST(KernelCache, ManyProcessesShareAFolder) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int c = 0; c < 3; ++c) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      KernelCache cache({.directory = folder.path});
      bool ok = true;
      for (int i = 0; i < 5; ++i) {
        auto kernel = cache.get(store_value(i), target());
        ok = ok && kernel && run(*kernel) == i;
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(disk_usage(folder.path).entries, 5);
}

TEST(KernelCache, DamagedEntriesAreCompiledAgain) {
  const TemporaryFolder folder;
  const std::string digest = kernel_digest(store_value(6), target(), "");
  {
    KernelCache cache({.directory = folder.path});
    ASSERT_TRUE(cache.get(store_value(6), target()));
  }
  const std::string name = folder.file(digest + ".litz");
  std::string bytes = read_text(name);
  bytes[bytes.size() / 2] ^= 1;
  write_text(name, bytes);
  KernelCache cache({.directory = folder.path});
  auto kernel = cache.get(store_value(6), target());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->origin, Origin::compiled);
  EXPECT_EQ(run(*kernel), 6);
  cache.clear_memory();
  EXPECT_EQ(cache.get(store_value(6), target())->origin, Origin::disk);
}

TEST(KernelCache, AnUntrustedFolderIsSaidOnceAndNotUsed) {
  const TemporaryFolder folder;
  chmod(folder.path.c_str(), 0777);
  std::vector<std::string> said;
  set_warning_handler([&](const std::string& message) { said.push_back(message); });
  for (int i = 0; i < 2; ++i) {
    KernelCache cache({.directory = folder.path});
    auto kernel = cache.get(store_value(8), target());
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->origin, Origin::compiled);
    EXPECT_NE(cache.disk_problem(), "");
  }
  set_warning_handler(nullptr);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find(folder.path), std::string::npos) << said[0];
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

// Runs `body` in a child of fork() that is not root, so that permissions count. `folder` is given to its user.
bool passes_as_ordinary_user(const TemporaryFolder& folder, const std::function<bool()>& body) {
  const bool root = geteuid() == 0;
  if (root && chown(folder.path.c_str(), 12345, 12345) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    if (root && (setegid(12345) != 0 || seteuid(12345) != 0)) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(KernelCache, AReadOnlyFolderServesWhatItHas) {
  const TemporaryFolder folder;
  EXPECT_TRUE(passes_as_ordinary_user(folder, [&] {
    {
      KernelCache cache({.directory = folder.path});
      if (!cache.get(store_value(1), target())) return false;
    }
    chmod(folder.path.c_str(), 0500);
    int said = 0;
    set_warning_handler([&](const std::string&) { ++said; });
    KernelCache cache({.directory = folder.path});
    const bool right = cache.get(store_value(1), target())->origin == Origin::disk &&
                       cache.get(store_value(2), target())->origin == Origin::compiled &&
                       cache.get(store_value(3), target())->origin == Origin::compiled;
    set_warning_handler(nullptr);
    return right && said == 1;
  }));
}

TEST(KernelCache, Blobs) {
  const TemporaryFolder folder;
  KernelCache cache({.directory = folder.path});
  const std::string digest = sha256_hex("graph");
  EXPECT_EQ(cache.load_blob(digest), "");
  cache.save_blob(digest, "a plan");
  EXPECT_EQ(cache.load_blob(digest), "a plan");
  EXPECT_EQ(disk_usage(folder.path).entries, 1);
}

TEST(KernelCache, DefaultDirectory) {
  const auto keep = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  const std::string own = keep("LITZ_CACHE_DIR");
  const std::string home = keep("HOME");
  const std::string cache = keep("XDG_CACHE_HOME");
  setenv("LITZ_CACHE_DIR", "/a", 1);
  setenv("XDG_CACHE_HOME", "/b", 1);
  setenv("HOME", "/c", 1);
  EXPECT_EQ(default_directory(), "/a");
  unsetenv("LITZ_CACHE_DIR");
  EXPECT_EQ(default_directory(), "/b/litz");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(default_directory(), "/c/.cache/litz");
  const auto restore = [](const char* name, const std::string& value) {
    value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  };
  restore("LITZ_CACHE_DIR", own);
  restore("HOME", home);
  restore("XDG_CACHE_HOME", cache);
}

}  // namespace
}  // namespace litz::kernel_cache
