#include "planning/memory.h"

#include <algorithm>
#include <numeric>

namespace litz::planning {
namespace {

bool live_together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

int64_t aligned(int64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

}  // namespace

Placement place(const std::vector<Lifetime>& lifetimes) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes ? lifetimes[a].bytes > lifetimes[b].bytes : a < b;
  });
  Placement out;
  out.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> placed;  // by offset
  for (size_t i : order) {
    int64_t offset = 0;
    for (size_t p : placed) {
      if (!live_together(lifetimes[i], lifetimes[p])) continue;
      if (offset + lifetimes[i].bytes <= out.offsets[p]) break;
      offset = std::max(offset, aligned(out.offsets[p] + lifetimes[p].bytes));
    }
    out.offsets[i] = offset;
    out.bytes = std::max(out.bytes, offset + lifetimes[i].bytes);
    auto at =
        std::upper_bound(placed.begin(), placed.end(), offset, [&](int64_t o, size_t p) { return o < out.offsets[p]; });
    placed.insert(at, i);
  }
  out.bytes = aligned(out.bytes);
  return out;
}

}  // namespace litz::planning
