#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "kernel_ir/kernel.h"

namespace litz::schedule {
namespace {

using Names = std::vector<std::string>;

kernel_ir::Kernel scheduled(const std::string& text, Isa isa = Isa::avx512, int threads = 2) {
  auto kernel = kernel_ir::parse_kernel(text);
  EXPECT_TRUE(kernel) << kernel.error();
  Target target;
  target.isa = isa;
  target.threads = threads;
  schedule(*kernel, target);
  kernel_ir::verify(*kernel);
  return *kernel;
}

constexpr const char* kPointwise = R"(kernel @k(x: f32[4096,4096] in, y: f32[4096,4096] out) {
  parallel i0 < 4096, i1 < 4096 { %0 = load x[i0, i1] : f32  %1 = exp %0 : f32  store y[i0, i1], %1 }
})";

TEST(Schedule, VectorsFollowTheIsa) {
  EXPECT_EQ(scheduled(kPointwise, Isa::avx512).schedule.vector_lanes, 16);
  EXPECT_EQ(scheduled(kPointwise, Isa::avx2).schedule.vector_lanes, 8);
  EXPECT_EQ(scheduled(kPointwise, Isa::scalar).schedule.vector_ranges, Names{});
}

TEST(Schedule, TheRangeThatIsContiguousInMostAccessesIsVectorised) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[64,64] in, z: f32[64,64] in, y: f32[64,64] out) {
    parallel i0 < 64, i1 < 64 {
      %0 = load x[i1, i0] : f32
      %1 = load z[i1, i0] : f32
      %2 = add %0, %1 : f32
      store y[i1, i0], %2
    }
  })");
  EXPECT_EQ(kernel.schedule.vector_ranges, Names{"i0"});
}

TEST(Schedule, EachLoopOfARowKernelHasItsOwnVectorRange) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[100,512] in, y: f32[100,512] out) {
    parallel i0 < 100 {
      %1 = loop r0 < 512 reduce(max f32 %0) { %0 = load x[i0, r0] : f32 }
      loop r1 < 512 { %2 = load x[i0, r1] : f32  %3 = sub %2, %1 : f32  store y[i0, r1], %3 }
    }
  })");
  EXPECT_EQ(kernel.schedule.vector_ranges, (Names{"r0", "r1"}));
}

TEST(Schedule, AColumnSumReadsSeveralVectorsOfARow) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[4096,768] in, y: f32[768] out) {
    parallel i0 < 768 {
      %1 = loop r0 < 4096 reduce(sum f32 %0) { %0 = load x[r0, i0] : f32 }
      store y[i0], %1
    }
  })");
  EXPECT_EQ(kernel.schedule.vector_ranges, Names{"i0"});
  EXPECT_EQ(kernel.schedule.vector_lanes, 64);
}

TEST(Schedule, ATransposedOperandIsTiled) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[512,512] in, z: f32[512,512] in, y: f32[512,512] out) {
    parallel i0 < 512, i1 < 512 {
      %0 = load x[i1, i0] : f32
      %1 = load z[i0, i1] : f32
      %2 = add %0, %1 : f32
      store y[i0, i1], %2
    }
  })");
  EXPECT_EQ(kernel.schedule.vector_ranges, Names{"i1"});
  EXPECT_EQ(kernel.schedule.tile_ranges, Names{"i0"});
}

TEST(Schedule, ALoopThatCarriesValuesIsNotVectorised) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[2,900] in, y: f32[2,901] in_out) {
    parallel i0 < 2 {
      loop s < 900 {
        %0 = load x[i0, s] : f32
        %1 = load y[i0, s] : f32
        %2 = add %0, %1 : f32
        store y[i0, s + 1], %2
      }
    }
  })");
  for (const std::string& name : kernel.schedule.vector_ranges) EXPECT_NE(name, "s");
}

TEST(Schedule, ASmallKernelIsOneGrain) {
  const auto kernel = scheduled(R"(kernel @k(x: f32[1000] in, y: f32[1000] out) {
    parallel i0 < 1000 { %0 = load x[i0] : f32  store y[i0], %0 }
  })");
  EXPECT_GE(kernel.schedule.grain * kernel.schedule.task_block, 1000);
}

TEST(Schedule, AFewTasksAreAsManyForEachThread) {
  const char* text = R"(kernel @k(x: f32[10000] in, y: f32[10000] out) {
    parallel i0 < 10000 { %0 = load x[i0] : f32  %1 = cos %0 : f32  %2 = sin %1 : f32  store y[i0], %2 }
  })";
  const auto tasks = [&](int threads) {
    const auto s = scheduled(text, Isa::avx512, threads).schedule;
    const int64_t block = s.grain * s.task_block;
    return (10000 + block - 1) / block;
  };
  EXPECT_EQ(tasks(1), 1);
  EXPECT_EQ(tasks(2), 2);
  // Too little for so many.
  EXPECT_LE(tasks(64), 4);
}

TEST(Schedule, ALargeKernelFeedsEveryThread) {
  const auto kernel = scheduled(kPointwise, Isa::avx512, /*threads=*/8);
  EXPECT_LE(kernel.schedule.grain * kernel.schedule.task_block, 4096 * 4096 / 32);
}

TEST(Schedule, CandidatesStartWithTheCheapest) {
  const auto kernel = scheduled(kPointwise);
  Target target;
  target.isa = Isa::avx512;
  const auto all = candidates(kernel, target);
  ASSERT_GE(all.size(), 2u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LE(cost(kernel, all[i - 1], target), cost(kernel, all[i], target));
}

}  // namespace
}  // namespace litz::schedule
