#include "planning/memory.h"

#include <gtest/gtest.h>

#include <random>

namespace litz::planning {
namespace {

bool live_together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

void expect_sound(const std::vector<Lifetime>& lifetimes, const Placement& p) {
  ASSERT_EQ(p.offsets.size(), lifetimes.size());
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    EXPECT_EQ(p.offsets[i] % kArenaAlignment, 0);
    EXPECT_LE(p.offsets[i] + lifetimes[i].bytes, p.bytes);
    for (size_t j = 0; j < i; ++j) {
      if (!live_together(lifetimes[i], lifetimes[j])) continue;
      const bool apart = p.offsets[i] + lifetimes[i].bytes <= p.offsets[j] ||
                         p.offsets[j] + lifetimes[j].bytes <= p.offsets[i] || lifetimes[i].bytes == 0 ||
                         lifetimes[j].bytes == 0;
      EXPECT_TRUE(apart) << i << " and " << j << " overlap";
    }
  }
}

TEST(Place, NothingNeedsNothing) { EXPECT_EQ(place({}).bytes, 0); }

TEST(Place, AChainReusesTwoBuffers) {
  std::vector<Lifetime> chain;
  for (size_t i = 0; i < 10; ++i) chain.push_back({1024, i, i + 1});
  const Placement p = place(chain);
  expect_sound(chain, p);
  EXPECT_EQ(p.bytes, 2048);
}

TEST(Place, SizesAreRoundedToTheAlignment) {
  const Placement p = place({{1, 0, 1}, {1, 0, 1}});
  EXPECT_EQ(p.bytes, 2 * kArenaAlignment);
}

TEST(Place, FillsAGapBetweenLiveBuffers) {
  // The middle buffer dies; a later one takes its place.
  const std::vector<Lifetime> l = {{4096, 0, 9}, {2048, 0, 3}, {1024, 0, 9}, {2048, 4, 9}};
  const Placement p = place(l);
  expect_sound(l, p);
  EXPECT_EQ(p.bytes, 4096 + 2048 + 1024);
}

TEST(Place, RandomLifetimesNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> l(random() % 40);
    for (Lifetime& x : l) {
      x.first = random() % 20;
      x.last = x.first + random() % 8;
      x.bytes = static_cast<int64_t>(random() % 5000);
    }
    expect_sound(l, place(l));
  }
}

}  // namespace
}  // namespace litz::planning
