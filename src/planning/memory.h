// Places buffers with known lifetimes in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litz::planning {

// A buffer that is written first in step `first` and read last in step `last`.
struct Lifetime {
  int64_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
};

struct Placement {
  std::vector<int64_t> offsets;  // one for each lifetime, multiples of kArenaAlignment
  int64_t bytes = 0;             // of the arena
};

inline constexpr int64_t kArenaAlignment = 64;

// Largest first, each at the lowest offset that is free during its lifetime. No two buffers that live at once overlap.
Placement place(const std::vector<Lifetime>& lifetimes);

}  // namespace litz::planning
