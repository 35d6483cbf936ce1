#include "litz/compile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

#include "litz/ops.h"
#include "litz/report.h"

// The object that gdb was told of last: see "JIT Compilation Interface" in its manual.
struct JitEntry {
  JitEntry *next, *previous;
  const char* bytes;
  uint64_t size;
};
struct JitDescriptor {
  uint32_t version, action;
  JitEntry *relevant, *first;
};
extern JitDescriptor gdb_descriptor asm("__jit_debug_descriptor");

namespace {

using litz::DType;
using litz::Sizes;
using litz::Tensor;

std::vector<int64_t> list(std::span<const int64_t> s) { return {s.begin(), s.end()}; }

template <typename Fn>
std::string user_error(Fn fn) {
  try {
    fn();
  } catch (const litz::UserError& e) {
    return e.what();
  }
  return "no UserError";
}

TEST(CompileTest, SinCosIsOneKernel) {
  auto f = litz::compile([](const Tensor& x) { return litz::sin(litz::cos(x)); });
  const Tensor x = litz::randn({1000}, DType::f32, 0);
  const Tensor y = f(x);
  const float* in = x.data<const float>();
  const float* out = y.data<const float>();
  for (int i = 0; i < 1000; ++i) EXPECT_NEAR(out[i], std::sin(std::cos(static_cast<double>(in[i]))), 1e-6);
  const litz::Report report = litz::report(f);
  ASSERT_EQ(report.graphs.size(), 1u);
  const litz::GraphReport& graph = report.graphs[0];
  ASSERT_EQ(graph.kernels.size(), 1u);
  EXPECT_EQ(graph.kernels[0].bytes, 8000);
  EXPECT_TRUE(graph.fallbacks.empty());
  ASSERT_EQ(graph.kernels[0].ops.size(), 2u);
  EXPECT_NE(graph.kernels[0].ops[0].find("litz::cos"), std::string::npos);
  EXPECT_NE(graph.kernels[0].ops[0].find("compile_test.cpp:"), std::string::npos);
  EXPECT_NE(litz::to_string(report).find("litz::sin"), std::string::npos);
}

TEST(CompileTest, TheFunctionRunsOncePerVariant) {
  int runs = 0;
  auto f = litz::compile([&](const Tensor& x) {
    ++runs;
    return x + 1;
  });
  f(litz::ones({2}));
  f(litz::zeros({2}));
  EXPECT_EQ(runs, 1);
  f(litz::ones({3}));
  f(litz::ones({2}, DType::f64));
  f(litz::transpose(litz::ones({2, 3}), 0, 1));
  f(litz::ones({3, 2}));
  EXPECT_EQ(runs, 5);
  f(litz::ones({2}));
  EXPECT_EQ(runs, 5);
  const litz::Report report = litz::report(f);
  ASSERT_EQ(report.graphs.size(), 5u);
  EXPECT_EQ(report.graphs[0].reason, "first call");
  EXPECT_EQ(report.graphs[1].reason, "argument 0 has shape [3] instead of [2]");
  EXPECT_EQ(report.graphs[2].reason, "argument 0 has dtype f64 instead of f32");
  EXPECT_EQ(report.graphs[4].reason, "argument 0 has strides [2, 1] instead of [1, 3]");
  EXPECT_EQ(report.graphs[1].arguments, "f32[3]");
}

TEST(CompileTest, TheNumberOfVariantsIsBounded) {
  auto f = litz::compile([](const Tensor& x) { return x; });  // nothing to compile
  for (int64_t n = 1; n <= 70; ++n) f(litz::zeros({n}));
  litz::Report report = litz::report(f);
  EXPECT_EQ(report.graphs.size(), 64u);
  EXPECT_EQ(report.compilations, 70);
  EXPECT_EQ(report.dropped, 6);
}

TEST(CompileTest, ArgumentsAndResultsOfManyForms) {
  auto two = litz::compile([](const Tensor& a, Tensor b) {  // NOLINT(performance-unnecessary-value-param): both forms
    return std::pair{a + b, a - b};
  });
  const auto [sum, difference] = two(litz::full({2}, 5), litz::full({2}, 3));
  EXPECT_EQ(sum.to_vector<float>(), (std::vector<float>{8, 8}));
  EXPECT_EQ(difference.to_vector<float>(), (std::vector<float>{2, 2}));

  auto lists = litz::compile([](const std::vector<Tensor>& xs, const Tensor& y) {
    std::vector<Tensor> out;
    for (const Tensor& x : xs) out.push_back(x * y);
    return out;
  });
  const std::vector<Tensor> three = {litz::full({1}, 1), litz::full({1}, 2), litz::full({1}, 3)};
  const auto products = lists(three, litz::full({1}, 10));
  ASSERT_EQ(products.size(), 3u);
  EXPECT_EQ(products[2].item<float>(), 30);
  EXPECT_EQ(lists(std::vector<Tensor>{three[0]}, three[1]).size(), 1u);

  auto array = litz::compile([](const Tensor& x) { return std::array<Tensor, 2>{litz::exp(x), x * 2}; });
  EXPECT_EQ(array(litz::zeros({1}))[0].item<float>(), 1);
  auto tuple = litz::compile([](const Tensor& x) { return std::tuple{x + 1, x + 2, x + 3}; });
  EXPECT_EQ(std::get<2>(tuple(litz::zeros({1}))).item<float>(), 3);
  auto none = litz::compile([] { return litz::full({2}, 4) + litz::arange(2); });
  EXPECT_EQ(none().to_vector<float>(), (std::vector<float>{4, 5}));
}

Tensor plain_function(const Tensor& x) { return litz::relu(x); }

TEST(CompileTest, FunctionsAndGenericLambdas) {
  EXPECT_EQ(litz::compile(plain_function)(litz::full({1}, -1)).item<float>(), 0);
  auto generic = litz::compile([](const auto&... xs) { return (xs + ...); });
  EXPECT_EQ(generic(litz::ones({1}), litz::ones({1})).item<float>(), 2);
  EXPECT_EQ(generic(litz::ones({1}), litz::ones({1}), litz::ones({1})).item<float>(), 3);
}

TEST(CompileTest, ResultsAliasWhereTheFunctionsWould) {
  auto f = litz::compile([](const Tensor& x) {
    const Tensor y = litz::neg(x);
    return std::tuple{x, litz::transpose(x, 0, 1), y, litz::select(y, 0, 1), litz::permute(y, {1, 0})};
  });
  const Tensor x = litz::tensor<float>({1, 2, 3, 4, 5, 6}, Sizes{2, 3});
  const auto [same, view, y, row, turned] = f(x);
  EXPECT_EQ(same.raw_const_data(), x.raw_const_data());
  EXPECT_EQ(view.raw_const_data(), x.raw_const_data());
  EXPECT_EQ(list(view.strides()), (Sizes{1, 3}));
  EXPECT_EQ(row.to_vector<float>(), (std::vector<float>{-4, -5, -6}));
  y.data<float>()[3] = 40;
  EXPECT_EQ(row.to_vector<float>()[0], 40);
  EXPECT_EQ(turned.raw_const_data(), y.raw_const_data());
  EXPECT_EQ(list(turned.strides()), (Sizes{1, 3}));
}

TEST(CompileTest, CallsHaveResultsOfTheirOwn) {
  auto f = litz::compile([](const Tensor& x) { return x * 2; });
  const Tensor a = f(litz::full({4}, 1));
  const Tensor b = f(litz::full({4}, 2));
  EXPECT_EQ(a.to_vector<float>(), std::vector<float>(4, 2));
  EXPECT_EQ(b.to_vector<float>(), std::vector<float>(4, 4));
}

TEST(CompileTest, CompiledFunctionsNest) {
  int runs = 0;
  auto inner = litz::compile([&](const Tensor& x) {
    ++runs;
    return litz::sin(x);
  });
  auto outer = litz::compile([&](const Tensor& x) { return inner(litz::cos(x)); });
  EXPECT_NEAR(outer(litz::zeros({1})).item<float>(), std::sin(1.0), 1e-6);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(litz::report(outer).graphs.at(0).kernels.size(), 1u);
  EXPECT_TRUE(litz::report(inner).graphs.empty());
}

TEST(CompileTest, StandInsHaveNoValues) {
  auto reads = litz::compile([](const Tensor& x) { return x.item<float>() > 0 ? x : -x; });
  EXPECT_NE(user_error([&] { reads(litz::ones({1})); }).find("stand-in"), std::string::npos);
  auto pointer = litz::compile([](const Tensor& x) {
    x.data<float>()[0] = 1;
    return x;
  });
  EXPECT_THROW(pointer(litz::ones({1})), litz::UserError);
  auto writes = litz::compile([target = litz::zeros({1})](const Tensor& x) {
    target.copy_from(x);
    return x;
  });
  EXPECT_THROW(writes(litz::ones({1})), litz::UserError);
  auto shape = litz::compile([](const Tensor& x) { return x.size(0) == 2 ? x + 1 : x; });
  EXPECT_EQ(shape(litz::zeros({2})).to_vector<float>()[0], 1);
}

TEST(CompileTest, StandInsEndWithTheirTrace) {
  Tensor leaked;
  auto f = litz::compile([&](const Tensor& x) {
    leaked = x;
    return x + 1;
  });
  f(litz::ones({2}));
  EXPECT_TRUE(leaked.is_traced());
  EXPECT_THROW(litz::sin(leaked), litz::UserError);
  EXPECT_THROW(f(leaked), litz::UserError);
  auto g = litz::compile([&](const Tensor& x) { return x + leaked; });
  EXPECT_NE(user_error([&] { g(litz::ones({2})); }).find("another trace"), std::string::npos);
}

TEST(CompileTest, RandomNumbersAreDrawnOutside) {
  auto f = litz::compile([](const Tensor& x) { return x + litz::randn({1}); });
  EXPECT_NE(user_error([&] { f(litz::ones({1})); }).find("Draw outside"), std::string::npos);
}

TEST(CompileTest, AFailedCallLeavesTheFunctionUsable) {
  bool fail = true;
  auto f = litz::compile([&](const Tensor& x) {
    if (fail) throw std::runtime_error("not today");
    return x + 1;
  });
  EXPECT_THROW(f(litz::ones({1})), std::runtime_error);
  fail = false;
  EXPECT_EQ(f(litz::ones({1})).item<float>(), 2);
  EXPECT_EQ((litz::ones({1}) + 1).item<float>(), 2);  // nothing is traced any more
  EXPECT_THROW(f(Tensor()), litz::UserError);
}

TEST(CompileTest, OptionsComeFromTheOneTable) {
  litz::CompileOptions options{{"mode", "max-autotune"}, {"threads", 2}};
  options.set("fast-math", true);
  EXPECT_EQ(std::get<std::string>(options.get("mode")), "max-autotune");
  EXPECT_EQ(std::get<int64_t>(options.get("threads")), 2);
  EXPECT_EQ(std::get<bool>(options.get("fast_math")), true);
  EXPECT_NE(user_error([&] { options.set("thread", 2); }).find("\"threads\""), std::string::npos);
  EXPECT_THROW(options.set("threads", "two"), litz::UserError);
  EXPECT_THROW(options.set("mode", "fastest"), litz::UserError);
  EXPECT_NE(litz::CompileOptions::help().find("fallback (str, default \"warn\")"), std::string::npos);
  auto f = litz::compile([](const Tensor& x) { return x + 1; }, {{"threads", 1}, {"isa", "scalar"}});
  EXPECT_EQ(f(litz::ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

TEST(CompileTest, ThreadsShareAFunction) {
  std::atomic<int> traced{0};
  auto f = litz::compile([&](const Tensor& x) {
    ++traced;
    return litz::sum(x * 2);
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const int64_t n = 1 + (i + t) % 3;
        if (f(litz::full({n}, t)).item<float>() != static_cast<float>(2 * n * t)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(traced, 3);
}

TEST(CompileTest, OpsAtOnceFromManyThreads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        if ((litz::full({3}, t) + i).to_vector<float>() != std::vector<float>(3, static_cast<float>(t + i))) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CompileTest, DebuggersSeeTheReadableCopyOfAKernel) {
  const std::string folder = testing::TempDir() + "litz_debug_test";
  const auto program = [](const Tensor& x) { return litz::tanh(x) * 3; };
  auto f = litz::compile(program, {{"debug", true}, {"debug_dir", folder}});
  const Tensor x = litz::randn({100}, DType::f32, 5);
  EXPECT_EQ(f(x).to_vector<float>(), litz::compile(program)(x).to_vector<float>());
  ASSERT_NE(gdb_descriptor.first, nullptr);
  const std::string object(gdb_descriptor.first->bytes, gdb_descriptor.first->size);
  bool named = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().parent_path().filename() != "kernels") continue;
    named = true;
    // Its folder and file are apart in line tables.
    EXPECT_NE(object.find(entry.path().parent_path().string() + '\0'), std::string::npos) << entry.path();
    EXPECT_NE(object.find(entry.path().filename().string() + '\0'), std::string::npos) << entry.path();
    EXPECT_NE(object.find('\0' + entry.path().stem().string() + '\0'), std::string::npos) << entry.path();
  }
  EXPECT_TRUE(named);
  std::filesystem::remove_all(folder);
}

TEST(CompileTest, IndexErrorsNameTheOp) {
  const Tensor table = litz::ones({3, 2});
  auto f = litz::compile([&](const Tensor& i) { return litz::embedding(table, i); });
  EXPECT_EQ(f(litz::tensor<int64_t>({2})).elements(), 2);
  for (const int64_t bad : {int64_t{7}, int64_t{-5}, int64_t{1} << 40}) {
    try {
      f(litz::tensor<int64_t>({bad}));
      FAIL() << bad;
    } catch (const litz::IndexError& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find("embedding"), std::string::npos) << what;
      EXPECT_NE(what.find(" " + std::to_string(bad) + " "), std::string::npos) << what;
    }
  }
  EXPECT_EQ(f(litz::tensor<int64_t>({1})).elements(), 2);
}

TEST(CompileTest, StridedArguments) {
  const Tensor x = litz::randn({4, 6}, DType::f32, 3);
  auto f = litz::compile([](const Tensor& v) { return litz::exp(v) + v; });
  for (const Tensor& v : {litz::transpose(x, 0, 1), litz::slice(x, 1, 1, 5, 2), litz::select(x, 1, 2),
                          litz::expand(litz::select(x, 0, 0), {3, 6})}) {
    const auto got = f(v).to_vector<float>();
    const auto in = v.to_vector<float>();
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(got[i], std::exp(in[i]) + in[i], 1e-4);
  }
}

TEST(CompileTest, Version) { EXPECT_EQ(litz::version().find("0."), 0u); }

}  // namespace
