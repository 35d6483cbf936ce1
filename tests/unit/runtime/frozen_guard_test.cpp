#include "runtime/frozen_guard.h"

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(FrozenGuard, FindsAChangeOfAnyByte) {
  std::vector<unsigned char> a(10000, 3);
  std::vector<unsigned char> b(100, 4);
  FrozenGuard guard({{5, a.data(), 10000}, {7, b.data(), 100}}, 1);
  ASSERT_EQ(guard.slice_count(), 4);
  EXPECT_EQ(guard.check_next(4), std::nullopt);
  for (const size_t at : {size_t{0}, size_t{4095}, size_t{4096}, size_t{8191}, size_t{9999}}) {
    a[at] ^= 0x80;
    EXPECT_EQ(guard.check_next(4), 5u) << at;
    a[at] ^= 0x80;
  }
  for (size_t at = 0; at < b.size(); ++at) {
    b[at] ^= 1;
    EXPECT_EQ(guard.check_next(4), 7u) << at;
    b[at] ^= 1;
  }
  EXPECT_EQ(guard.check_next(4), std::nullopt);
}

TEST(FrozenGuard, FindsSwappedWords) {
  std::vector<uint64_t> a(512);
  for (size_t i = 0; i < a.size(); ++i) a[i] = i;
  FrozenGuard guard({{0, a.data(), 4096}}, 1);
  std::swap(a[8], a[12]);
  EXPECT_EQ(guard.check_next(1), 0u);
}

TEST(FrozenGuard, GoesRound) {
  std::vector<unsigned char> a(size_t{3} * 4096, 0);
  FrozenGuard guard({{0, a.data(), static_cast<int64_t>(a.size())}}, 2);
  a[size_t{2} * 4096] = 1;
  EXPECT_EQ(guard.check_next(1), std::nullopt);
  EXPECT_EQ(guard.check_next(1), std::nullopt);
  EXPECT_EQ(guard.check_next(1), 0u);
  EXPECT_EQ(guard.check_next(1), std::nullopt);
  EXPECT_EQ(guard.check_next(0), std::nullopt);
  EXPECT_EQ(guard.check_next(1000), 0u);
}

TEST(FrozenGuard, NothingToWatch) {
  FrozenGuard guard({{0, nullptr, 0}}, 1);
  EXPECT_EQ(guard.check_next(10), std::nullopt);
}

TEST(GuardBudget, StaysWithinOnePercent) {
  for (const double call : {2e3, 1e5, 1e6, 1e8}) {
    GuardBudget budget;
    bool measure = false;
    EXPECT_EQ(budget.next(100, &measure), 0);
    EXPECT_TRUE(measure);
    budget.record(call);
    int64_t slices = 0;
    const int calls = 100000;
    for (int i = 0; i < calls; ++i) slices += budget.next(100, &measure);
    EXPECT_LE(static_cast<double>(slices) * 100, 0.0101 * call * calls);
    EXPECT_GT(slices, 0);
  }
}

}  // namespace
}  // namespace litz::runtime
