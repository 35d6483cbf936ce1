#include "runtime/module.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>
#include <thread>

#include "test_kernels.h"

namespace litz::runtime {
namespace {

TEST(Module, RunsAKernel) {
  auto kernel = test_kernel("scale");
  float x[4] = {1, 2, 3, 4};
  float y[4] = {};
  KernelFault fault;
  void* args[] = {x, y, nullptr, &fault};
  kernel->entry()(args, 0, 1, 4, nullptr);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 4);
  EXPECT_EQ(y[3], 8);
  EXPECT_GT(kernel->code_bytes(), 0u);
}

TEST(Module, LibraryFunctionsAndTables) {
  auto kernel = test_kernel("library_calls");
  float x[8] = {1, 2, 3, 4, 0.5f, 2, 7, 8};
  float y[8] = {};
  float scratch[8];
  KernelFault fault;
  void* args[] = {x, y, nullptr, &fault};
  kernel->entry()(args, 0, 0, 8, scratch);
  const float expected[8] = {std::exp(1.0f), 24, 36, 0, std::exp(0.5f) * 2 * 16, 64, 448, 1024};
  for (int i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(y[i], expected[i]) << i;
}

TEST(Module, NamesAMissingEntry) {
  auto kernel = LoadedKernel::load({kernel_object(), "nothing"}, "nothing");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().find("no function \"nothing\""), std::string::npos) << kernel.error();
}

TEST(Module, RefusesUnknownFunctions) {
  // The same object with the name of expf changed: one of the same length that is no function of libm.
  std::string bytes = kernel_object();
  size_t at = 0;
  while ((at = bytes.find(std::string("\0expf\0", 6), at)) != std::string::npos) bytes.replace(at + 1, 4, "exit");
  auto kernel = LoadedKernel::load({bytes, "scale"}, "scale");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().find("\"exit\""), std::string::npos) << kernel.error();
}

TEST(Module, SurvivesDamage) {
  const std::string& good = kernel_object();
  EXPECT_FALSE(LoadedKernel::load({"", "scale"}, "scale"));
  EXPECT_FALSE(LoadedKernel::load({"\x7f"
                                   "ELF",
                                   "scale"},
                                  "scale"));
  for (size_t cut = 0; cut < good.size(); cut += 13) (void)LoadedKernel::load({good.substr(0, cut), "scale"}, "scale");
  std::mt19937 rng(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    // Damage in the headers and tables; the code itself is not run.
    for (int k = 0; k < 4; ++k) bad[rng() % bad.size()] = static_cast<char>(rng());
    (void)LoadedKernel::load({bad, "scale"}, "scale");
  }
}

TEST(Module, SharedKernelsAreLoadedOnce) {
  auto a = LoadedKernel::load_shared("digest-a", {kernel_object(), "scale"}, "scale");
  auto b = LoadedKernel::load_shared("digest-a", {kernel_object(), "scale"}, "other name");
  auto c = LoadedKernel::load_shared("digest-c", {kernel_object(), "sum64"}, "sum");
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(*a, *b);
  EXPECT_NE((*a)->entry(), (*c)->entry());
  EXPECT_FALSE(LoadedKernel::load_shared("digest-d", {"junk", "scale"}, "scale"));
}

TEST(Module, ManyThreadsLoad) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        auto kernel = LoadedKernel::load_shared("k" + std::to_string((i + t) % 3), {kernel_object(), "scale"}, "scale");
        ASSERT_TRUE(kernel);
        float x = 3;
        float y = 0;
        void* args[] = {&x, &y, nullptr, nullptr};
        (*kernel)->entry()(args, 0, 0, 1, nullptr);
        ASSERT_EQ(y, 6);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

// With LITZ_PERF=1; removes what it leaves in /tmp.
struct Profiled {
  std::string map_file = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::string folder = "/tmp/litz-perf-" + std::to_string(getpid());
  std::shared_ptr<const LoadedKernel> kernel;

  explicit Profiled(const std::string& name) {
    setenv("LITZ_PERF", "1", 1);
    auto loaded = LoadedKernel::load({kernel_object(), "scale"}, name);
    unsetenv("LITZ_PERF");
    if (loaded) kernel = *loaded;
  }
  ~Profiled() {
    std::error_code error;
    std::filesystem::remove(map_file, error);
    std::filesystem::remove_all(folder, error);
  }
};

TEST(Module, PerfMapNamesTheKernel) {
  const Profiled p("my_scale");
  ASSERT_TRUE(p.kernel);
  const std::string map = read_file(p.map_file);
  char address[32];
  std::snprintf(address, sizeof address, "%llx ",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(p.kernel->entry())));
  const size_t at = map.find(address);
  ASSERT_NE(at, std::string::npos) << map;
  EXPECT_NE(map.substr(at, map.find('\n', at) - at).find(" litz::my_scale"), std::string::npos) << map;
}

// A shared object whose addresses equal its offsets, as profile_file.h says: perf looks up symbols and lines in it.
TEST(Module, CodeWithLinesIsMappedFromAFile) {
  const Profiled p("my/scale");
  ASSERT_TRUE(p.kernel);
  float x = 21;
  float y = 0;
  void* args[] = {&x, &y, nullptr, nullptr};
  p.kernel->entry()(args, 0, 0, 1, nullptr);
  EXPECT_EQ(y, 42);

  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(p.folder)) path = entry.path().string();
  EXPECT_TRUE(path.ends_with("-my_scale.so")) << path;
  const auto entry = reinterpret_cast<uintptr_t>(p.kernel->entry());
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uintptr_t offset = 0;
  bool found = false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line) && !found;) {
    std::istringstream fields(line);
    std::string rights;
    char dash = 0;
    fields >> std::hex >> begin >> dash >> end >> rights >> offset;
    found = begin <= entry && entry < end;
    if (found) {
      EXPECT_NE(line.find(path), std::string::npos) << line;
      EXPECT_EQ(rights, "r-xp");
    }
  }
  ASSERT_TRUE(found);

  const std::string bytes = read_file(path);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.e_type, ET_DYN);
  bool symbol_found = false;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + static_cast<size_t>(i) * sizeof section, sizeof section);
    if (section.sh_flags & SHF_ALLOC) EXPECT_EQ(section.sh_addr, section.sh_offset);
    if (section.sh_type != SHT_SYMTAB) continue;
    for (size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + section.sh_offset + at, sizeof symbol);
      symbol_found = symbol_found || symbol.st_value == entry - begin + offset;
    }
  }
  EXPECT_TRUE(symbol_found);
}

}  // namespace

// gdb's list of registered objects, as its manual describes it.
struct Entry {
  Entry* next;
  Entry* previous;
  const char* bytes;
  uint64_t size;
};
struct Descriptor {
  uint32_t version;
  uint32_t action;
  Entry* relevant;
  Entry* first;
};
extern Descriptor gdb_descriptor asm("__jit_debug_descriptor");

namespace {

TEST(Module, GdbSeesTheObject) {
  Descriptor& descriptor = gdb_descriptor;
  ASSERT_EQ(descriptor.version, 1u);
  const Entry* before = descriptor.first;
  setenv("LITZ_DEBUG", "1", 1);
  auto kernel = LoadedKernel::load({kernel_object(), "scale"}, "scale");
  unsetenv("LITZ_DEBUG");
  ASSERT_TRUE(kernel);
  ASSERT_NE(descriptor.first, before);
  EXPECT_EQ(descriptor.first->size, kernel_object().size());
  EXPECT_EQ(std::string_view(descriptor.first->bytes, 4),
            "\x7f"
            "ELF");
  kernel = Failure{"released"};
  EXPECT_EQ(descriptor.first, before);
}

}  // namespace
}  // namespace litz::runtime
