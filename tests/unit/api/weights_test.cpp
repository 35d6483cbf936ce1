// Tensors that a compiled function captured.
#include <gtest/gtest.h>

#include "litz/compile.h"
#include "litz/ops.h"
#include "litz/report.h"

namespace {

using litz::DType;
using litz::Tensor;

TEST(WeightsTest, ChangesThroughTheHandleAreSeen) {
  const Tensor w = litz::full({2, 3}, 1);
  auto f = litz::compile([w](const Tensor& x) { return litz::linear(x, w); });
  const Tensor x = litz::ones({1, 3});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{3, 3}));
  w.copy_from(litz::full({2, 3}, 2));
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{6, 6}));
  w.data<float>()[0] = 10;
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{14, 6}));
  EXPECT_EQ(litz::report(f).compilations, 1);
}

TEST(WeightsTest, ViewsCountWithTheirMemory) {
  const Tensor memory = litz::ones({4, 3});
  const Tensor w = litz::slice(memory, 0, 0, 2);
  auto f = litz::compile([w](const Tensor& x) { return litz::linear(x, w); });
  const Tensor x = litz::ones({1, 3});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{3, 3}));
  memory.copy_from(litz::zeros({4, 3}));
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(WeightsTest, RefreshSeesWritesThroughOldPointers) {
  std::vector<float> memory(6, 1);
  const Tensor w = litz::from_blob(memory.data(), {2, 3});
  auto f = litz::compile([w](const Tensor& x) { return litz::linear(x, w); });
  const Tensor x = litz::ones({1, 3});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{3, 3}));
  memory.assign(6, 5);
  litz::refresh(f);
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{15, 15}));
}

TEST(WeightsTest, WithoutFreezeEveryCallReads) {
  std::vector<float> memory(6, 1);
  const Tensor w = litz::from_blob(memory.data(), {2, 3});
  auto f = litz::compile([w](const Tensor& x) { return litz::linear(x, w); }, {{"freeze", false}});
  const Tensor x = litz::ones({1, 3});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{3, 3}));
  memory.assign(6, 5);
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{15, 15}));
}

TEST(WeightsTest, WhatDependsOnWeightsOnlyRunsWhenTheyChange) {
  const Tensor w = litz::full({2, 3}, 2);
  auto f = litz::compile([w](const Tensor& x) { return x + litz::exp(w * 0.5); });
  const Tensor x = litz::zeros({2, 3});
  EXPECT_NEAR(f(x).to_vector<float>()[0], 2.718282, 1e-5);
  int prepare = 0;
  const litz::Report report = litz::report(f);
  for (const litz::KernelReport& k : report.graphs.at(0).kernels) prepare += k.prepare ? 1 : 0;
  EXPECT_EQ(prepare, 1);
  w.copy_from(litz::zeros({2, 3}));
  EXPECT_EQ(f(x).to_vector<float>()[0], 1);
}

TEST(WeightsTest, OpsOnCapturedTensorsAreTraced) {
  // Both operands have values while the function is traced; the program must not keep them.
  const Tensor a = litz::full({2}, 1);
  const Tensor b = litz::full({2}, 2);
  auto f = litz::compile([a, b](const Tensor& x) { return x + (a + b); });
  EXPECT_EQ(f(litz::zeros({2})).to_vector<float>(), (std::vector<float>{3, 3}));
  a.copy_from(litz::full({2}, 10));
  EXPECT_EQ(f(litz::zeros({2})).to_vector<float>(), (std::vector<float>{12, 12}));
}

TEST(WeightsTest, CapturedTensorsOutliveTheirScope) {
  auto make = [] {
    const Tensor w = litz::full({3}, 4);
    return litz::compile([w](const Tensor& x) { return std::pair{x * w, w}; });
  };
  auto f = make();
  const auto [y, w] = f(litz::ones({3}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{4, 4, 4}));
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{4, 4, 4}));
}

TEST(WeightsTest, ClosuresOfOneFactoryDiffer) {
  auto make = [](bool adds) {
    return litz::compile([adds](const Tensor& a, const Tensor& b) { return adds ? a + b : a * b; });
  };
  auto add = make(true);
  auto mul = make(false);
  EXPECT_EQ(add(litz::full({1}, 6), litz::full({1}, 3)).item<float>(), 9);
  EXPECT_EQ(mul(litz::full({1}, 6), litz::full({1}, 3)).item<float>(), 18);
}

}  // namespace
