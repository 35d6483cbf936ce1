#include "runtime/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "litz/error.h"
#include "runtime/tensor.h"

namespace litz::runtime {
namespace {

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    empty_cache();
    set_cache_limit(int64_t{64} << 20);
    start_ = memory_stats();
  }
  void TearDown() override { empty_cache(); }

  MemoryStats start_;
};

TEST_F(Memory, BlocksAreAlignedAndWritable) {
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{63}, size_t{1000}, size_t{65536}, size_t{1} << 20, (size_t{5} << 20) + 3}) {
    const Block block(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % kAlignment, 0u);
    EXPECT_GE(block.size(), bytes);
    EXPECT_LE(block.size(), bytes + bytes / 8 + kAlignment);
    std::memset(block.data(), 1, block.size());
  }
}

TEST_F(Memory, LargeBlocksStartOnHugePages) {
  const Block block(size_t{4} << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % (size_t{2} << 20), 0u);
}

TEST_F(Memory, BlocksAreReused) {
  const std::byte* first = nullptr;
  {
    const Block block(1 << 20);
    first = block.data();
    EXPECT_EQ(memory_stats().in_use - start_.in_use, 1 << 20);
  }
  EXPECT_EQ(memory_stats().in_use, start_.in_use);
  EXPECT_EQ(memory_stats().held, 1 << 20);
  const Block again(1 << 20);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(memory_stats().held, 0);
  EXPECT_EQ(memory_stats().reused, start_.reused + 1);
}

TEST_F(Memory, WhatIsHeldIsBounded) {
  set_cache_limit(3 << 20);
  {
    std::vector<Block> blocks;
    for (int i = 0; i < 8; ++i) blocks.emplace_back(1 << 20);
    EXPECT_GE(memory_stats().high_water, 8 << 20);
  }
  EXPECT_EQ(memory_stats().held, 3 << 20);
  set_cache_limit(1 << 20);
  EXPECT_EQ(memory_stats().held, 1 << 20);
  empty_cache();
  EXPECT_EQ(memory_stats().held, 0);
}

TEST_F(Memory, TheLongestUnusedGoesFirst) {
  set_cache_limit(3 << 20);
  auto old = std::make_unique<Block>(1 << 20);
  auto young = std::make_unique<Block>(2 << 20);
  old.reset();
  young.reset();
  {
    const Block third(1 << 20);
  }  // takes and gives back the old one, which is now the youngest
  {
    const Block big(size_t{3} << 19);
  }
  EXPECT_EQ(memory_stats().held, (1 << 20) + (3 << 19));
}

TEST_F(Memory, ImpossibleSizesThrow) {
  EXPECT_THROW(Block(size_t{1} << 62), std::bad_alloc);
  EXPECT_THROW(empty_tensor(DType::f32, {int64_t{1} << 40, int64_t{1} << 40}), UserError);
  EXPECT_THROW(empty_tensor(DType::f32, {-1}), InternalError);
}

TEST_F(Memory, SharedBlocksLiveAsLongAsTheirUsers) {
  std::shared_ptr<void> copy;
  {
    std::shared_ptr<void> block = shared_block(1 << 20);
    copy = block;
  }
  std::memset(copy.get(), 7, 1 << 20);
  EXPECT_EQ(memory_stats().held, 0);
  copy.reset();
  EXPECT_EQ(memory_stats().held, 1 << 20);
}

TEST_F(Memory, EmptyTensor) {
  const OwnedTensor t = empty_tensor(DType::bf16, {2, 3, 4});
  EXPECT_EQ(t.strides, (std::vector<int64_t>{12, 4, 1}));
  EXPECT_NE(t.data, nullptr);
  EXPECT_EQ(empty_tensor(DType::f32, {0, 5}).strides, (std::vector<int64_t>{5, 1}));
  EXPECT_TRUE(empty_tensor(DType::f32, {}).strides.empty());
}

TEST_F(Memory, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const Block block((size_t{64} << 10) * (1 + static_cast<size_t>((i + t) % 5)));
        block.data()[0] = std::byte{1};
        block.data()[block.size() - 1] = std::byte{2};
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(memory_stats().in_use, start_.in_use);
}

}  // namespace
}  // namespace litz::runtime
