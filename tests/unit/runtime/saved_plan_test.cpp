// A plan from a file and kernels from an object file: all that a deployed program needs. This program links no
// compiler.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/executable.h"
#include "test_kernels.h"

namespace litz::runtime {
namespace {

std::string source_dir() {
  const char* dir = std::getenv("LITZ_SOURCE_DIR");
  return dir == nullptr ? "." : dir;
}

TEST(SavedPlan, RunsWithoutACompiler) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "LLVMContextCreate"), nullptr);
  auto plan = parse_plan(read_file(source_dir() + "/tests/unit/runtime/saved_plan.json"));
  ASSERT_TRUE(plan) << plan.error();
  std::vector<std::shared_ptr<const LoadedKernel>> kernels;
  for (const KernelEntry& k : plan->kernels) kernels.push_back(test_kernel(k.name));
  const float constant[4] = {1, 10, 100, 1000};
  auto f = Executable::create({.plan = *plan, .kernels = kernels, .constants = {{constant, nullptr}}});

  float w[4] = {1, 2, 3, 4};
  const int64_t w_shape[] = {4};
  const int64_t w_strides[] = {1};
  for (const int64_t rows : {1, 3, 100}) {
    OwnedTensor x = empty_tensor(DType::f32, {rows, 4});
    auto* data = static_cast<float*>(x.data);
    for (int64_t i = 0; i < rows * 4; ++i) data[i] = static_cast<float>(i);
    const TensorView inputs[] = {x.view(), {w, DType::f32, w_shape, w_strides}};
    const std::vector<OwnedTensor> y = f->run(inputs);
    ASSERT_EQ(y.size(), 1u);
    EXPECT_EQ(y[0].shape, (std::vector<int64_t>{rows, 4}));
    const float factors[4] = {1, 20, 300, 4000};
    for (int64_t i = 0; i < rows * 4; ++i) {
      ASSERT_EQ(static_cast<const float*>(y[0].data)[i], 2 * static_cast<float>(i) * factors[i % 4]) << i;
    }
  }
}

}  // namespace
}  // namespace litz::runtime
