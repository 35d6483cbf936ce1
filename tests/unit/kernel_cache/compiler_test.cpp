#include "kernel_cache/compiler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "runtime/module.h"
#include "temporary_folder.h"

namespace litz::kernel_cache {
namespace {

KernelSource source(std::string text, std::string entry = "k") {
  KernelSource s;
  s.text = std::move(text);
  s.entry = std::move(entry);
  return s;
}

std::shared_ptr<const runtime::LoadedKernel> build(const KernelSource& s, const Target& target = host_target()) {
  auto binary = compile(s, target);
  if (!binary) {
    ADD_FAILURE() << binary.error();
    return nullptr;
  }
  EXPECT_EQ(binary->entry, function_name(s));
  auto kernel = runtime::LoadedKernel::load(*binary, s.entry);
  if (!kernel) {
    ADD_FAILURE() << kernel.error();
    return nullptr;
  }
  return *kernel;
}

constexpr const char* kSignature =
    "extern \"C\" void k(void* const* args, long phase, long begin, long end, void* scratch)";

TEST(Compiler, CompilesAndRuns) {
  auto kernel = build(source(std::string(kSignature) + R"( {
    auto* x = static_cast<const float*>(args[0]);
    auto* y = static_cast<float*>(args[1]);
    for (long i = begin; i < end; ++i) y[i] = x[i] * 3 + phase;
  })"));
  ASSERT_TRUE(kernel);
  std::vector<float> x = {1, 2, 3};
  std::vector<float> y(3);
  void* args[] = {x.data(), y.data(), nullptr, nullptr};
  kernel->entry()(args, 1, 0, 3, nullptr);
  EXPECT_EQ(y, (std::vector<float>{4, 7, 10}));
}

TEST(Compiler, VectorsOfEveryIsa) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    Target target = host_target();
    if (isa > target.isa) continue;
    lower_isa(target, isa);
    const int lanes = target.vector_bytes() / 4;
    auto kernel = build(
        source("typedef float v __attribute__((vector_size(" + std::to_string(lanes * 4) + "))); " + kSignature + R"( {
      auto* x = static_cast<const float*>(args[0]);
      auto* y = static_cast<float*>(args[1]);
      for (long i = begin; i < end; i += sizeof(v) / 4) {
        v a;
        __builtin_memcpy(&a, x + i, sizeof a);
        a = a * a + 1.0f;
        __builtin_memcpy(y + i, &a, sizeof a);
      }
    })"),
        target);
    ASSERT_TRUE(kernel);
    std::vector<float> x(64);
    std::vector<float> y(64);
    for (size_t i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
    void* args[] = {x.data(), y.data(), nullptr, nullptr};
    kernel->entry()(args, 0, 0, 64, nullptr);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], x[i] * x[i] + 1);
  }
}

TEST(Compiler, LongSourcesUnrollWhereAPragmaSays) {
  std::string text = kSignature;
  text += " {\n  auto* y = static_cast<float*>(args[0]);\n";
  for (int i = 0; i < 300; ++i) text += "  y[" + std::to_string(i) + "] += 1;\n";
  text += "  float s[8] = {};\n#if defined(__clang__)\n#pragma clang loop unroll(full)\n#endif\n";
  text += "  for (int i = 0; i < 8; ++i) s[i] = y[i] * i;\n";
  text += "  for (int i = 0; i < 8; ++i) y[300] += s[i];\n}\n";
  text += std::string(8000, ' ');
  auto kernel = build(source(text));
  ASSERT_TRUE(kernel);
  std::vector<float> y(301, 1);
  void* args[] = {y.data(), nullptr, nullptr};
  kernel->entry()(args, 0, 0, 1, nullptr);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[299], 2);
  EXPECT_EQ(y[300], 57);
}

// The contract of design/numerics.md as far as a compiler can break it.
TEST(Compiler, KeepsFloatingPointAsWritten) {
  auto kernel = build(source(std::string(kSignature) + R"( {
    auto* x = static_cast<const float*>(args[0]);
    auto* y = static_cast<float*>(args[1]);
    y[0] = x[0] * x[1] + x[2];  // not contracted: the product rounds to 1, the sum is 0
    y[1] = x[3] != x[3];        // NaN is seen
    y[2] = x[3] * 0.0f;         // and kept
    y[3] = x[4] / 2;            // subnormals are kept
    y[4] = (x[5] + x[6]) - x[6];
    y[5] = x[7] + 0.0f;         // -0 + 0 is 0
    y[6] = __builtin_sqrtf(x[8]);
  })"));
  ASSERT_TRUE(kernel);
  const float epsilon = std::numeric_limits<float>::epsilon();
  std::vector<float> x = {1 + epsilon, 1 - epsilon, -1, NAN, std::numeric_limits<float>::min(), 1, 1e20f, -0.0f, -1};
  std::vector<float> y(7);
  void* args[] = {x.data(), y.data(), nullptr, nullptr};
  kernel->entry()(args, 0, 0, 1, nullptr);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 1);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], std::numeric_limits<float>::min() / 2);
  EXPECT_EQ(y[4], 0);
  EXPECT_FALSE(std::signbit(y[5]));
  EXPECT_TRUE(std::isnan(y[6]));
}

TEST(Compiler, CallsOfLibraryFunctions) {
  auto kernel = build(source("extern \"C\" double tgamma(double); " + std::string(kSignature) + R"( {
    auto* y = static_cast<double*>(args[0]);
    y[0] = tgamma(5.0);
    y[1] = __builtin_fmod(y[1], 3.0);
    __builtin_memset(y + 2, 0, 1000);
  })"));
  ASSERT_TRUE(kernel);
  std::vector<double> y(127, 7);
  void* args[] = {y.data(), nullptr, nullptr};
  kernel->entry()(args, 0, 0, 1, nullptr);
  EXPECT_EQ(y[0], 24);
  EXPECT_EQ(y[1], 1);
  EXPECT_EQ(y[126], 0);
}

TEST(Compiler, MessagesSayWhatIsWrong) {
  auto binary = compile(source("extern \"C\" void k() { nothing_here(); }"), host_target());
  ASSERT_FALSE(binary);
  EXPECT_NE(binary.error().find("nothing_here"), std::string::npos) << binary.error();
  KernelSource triton = source("x");
  triton.kind = SourceKind::triton;
  EXPECT_FALSE(compile(triton, host_target()));
}

TEST(Compiler, TheSameTextGivesTheSameObject) {
  const KernelSource s = source(std::string(kSignature) + " { static_cast<float*>(args[0])[begin] = end; }");
  auto a = compile(s, host_target());
  auto b = compile(s, host_target());
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->bytes, b->bytes);
}

TEST(Compiler, DebugInformationNamesTheFile) {
  KernelSource s = source(std::string(kSignature) + " { static_cast<float*>(args[0])[0] = 1; }");
  s.readable = std::string(kSignature) + " {\n  static_cast<float*>(args[0])[0] = 2;  // readable\n}\n";
  s.debug_file = "/debug/graph/my_kernel.cpp";
  auto kernel = build(s);
  ASSERT_TRUE(kernel);
  float y = 0;
  void* args[] = {&y, nullptr, nullptr};
  kernel->entry()(args, 0, 0, 1, nullptr);
  EXPECT_EQ(y, 2);
  auto binary = compile(s, host_target());
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->entry, "my_kernel");
  s.debug_file = "2 odd-names.cpp";
  EXPECT_EQ(function_name(s), "_2_odd_names");
  EXPECT_NE(binary->bytes.find("my_kernel.cpp"), std::string::npos);
  EXPECT_NE(binary->bytes.find(".debug_line"), std::string::npos);
}

TEST(Compiler, ManyThreadsCompile) {
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &right] {
      for (int i = 0; i < 3; ++i) {
        const std::string value = std::to_string(10 * t + static_cast<size_t>(i));
        auto kernel = build(source(std::string(kSignature) + " { *static_cast<int*>(args[0]) = " + value + "; }"));
        int y = -1;
        void* args[] = {&y, nullptr, nullptr};
        if (kernel) kernel->entry()(args, 0, 0, 1, nullptr);
        if (std::to_string(y) == value) ++right[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, (std::vector<int>{3, 3, 3, 3}));
}

// In a process of its own: which compiler is used is decided once.
TEST(Compiler, AnOldClangIsPassedOver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto uses_the_first_on_path = [] {
    const TemporaryFolder folder;
    write_text(folder.file("clang++"), "#!/bin/sh\necho 'Debian clang version 14.0.6 of a test'\n");
    chmod(folder.file("clang++").c_str(), 0700);
    unsetenv("LITZ_CXX");
    setenv("PATH", (folder.path + ":" + std::getenv("PATH")).c_str(), 1);
    return compiler_id().find("of a test") != std::string::npos;
  };
  EXPECT_EXIT(std::_Exit(uses_the_first_on_path() ? 1 : 0), testing::ExitedWithCode(0), "");
}

TEST(Compiler, Identity) {
  EXPECT_FALSE(compiler_id().empty());
  EXPECT_FALSE(native_cpu().empty());
}

}  // namespace
}  // namespace litz::kernel_cache
