#include "codegen/triton/tiling.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "kernel_ir/walk.h"
#include "support/check.h"

namespace litz::codegen::triton {

namespace {

using kernel_ir::Kernel;
using kernel_ir::Load;
using kernel_ir::Loop;
using kernel_ir::LoopPath;
using kernel_ir::Range;
using kernel_ir::Statement;
using kernel_ir::Store;

constexpr int64_t kPointwiseBlock = 1024;  // elements of a tile of 4 warps
constexpr int64_t kEnoughPrograms = 264;   // two for each multiprocessor of a large GPU
constexpr int64_t kWholeLimit = 8192;      // longest loop along rows that runs as one block
constexpr int64_t kColumns = 32;           // neighbours in x of a loop down columns, and
constexpr int64_t kColumnBlock = 64;       // iterations of a block of it
constexpr int64_t kSquare = 32;            // side of a tile that transposes
constexpr int64_t kWindow = 16;            // most iterations of a loop that is unrolled

int64_t power_of_two(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

int64_t size_of(const std::vector<Range>& ranges) {
  int64_t size = 1;
  for (const Range& r : ranges) size *= r.extent.constant();
  return size;
}

struct Access {
  Expr offset;
  const std::vector<Expr>* index;
  uint32_t buffer;
  bool store;
};

std::optional<Access> access_of(const Kernel& kernel, const Statement& s) {
  if (const Load* l = std::get_if<Load>(&s)) {
    return Access{kernel_ir::linear_offset(kernel.buffers[l->buffer], l->index), &l->index, l->buffer, false};
  }
  if (const Store* t = std::get_if<Store>(&s)) {
    return Access{kernel_ir::linear_offset(kernel.buffers[t->buffer], t->index), &t->index, t->buffer, true};
  }
  return std::nullopt;
}

// The stride of an access along a range; 0 if it does not depend on it; nothing if it is not linear in it.
std::optional<int64_t> stride_along(const Expr& offset, const Range& range) {
  const auto linear = as_linear(offset, range.name);
  if (!linear || !linear->coefficient.is_constant()) return std::nullopt;
  return linear->coefficient.constant();
}

// The last range along which an access is contiguous.
std::optional<size_t> contiguous_range(const Expr& offset, const std::vector<Range>& ranges) {
  for (size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].extent.constant() > 1 && stride_along(offset, ranges[i]) == 1) return i;
  }
  return std::nullopt;
}

bool has_inner_loop(const Loop& loop) {
  return std::any_of(loop.body.statements.begin(), loop.body.statements.end(),
                     [](const Statement& s) { return std::holds_alternative<Loop>(s); });
}

// Whether all iterations may run at once: stores go to different places, and what is stored is not loaded elsewhere.
bool independent(const Kernel& kernel, const Loop& loop) {
  std::vector<Access> accesses;
  for (const Statement& s : loop.body.statements) {
    if (auto a = access_of(kernel, s)) accesses.push_back(std::move(*a));
  }
  for (const Access& store : accesses) {
    if (!store.store) continue;
    std::set<std::string> names = store.offset.symbols();
    for (const Range& r : loop.ranges) {
      if (r.extent.constant() > 1 && names.count(r.name) == 0) return false;
    }
    for (const std::string& n : names) {
      if (kernel_ir::symbol_ref(n)) return false;
    }
    for (const Access& other : accesses) {
      if (other.buffer == store.buffer && other.offset != store.offset) return false;
    }
  }
  return true;
}

// Whether some access of the loop walks memory along its last range, rows lying at least a loop's length apart.
bool along_rows(const Kernel& kernel, const Loop& loop, const Loop& phase) {
  if (loop.ranges.empty()) return false;
  const Range& last = loop.ranges.back();
  for (const Statement& s : loop.body.statements) {
    const auto a = access_of(kernel, s);
    if (!a || stride_along(a->offset, last) != 1) continue;
    bool apart = true;
    for (const Range& r : phase.ranges) {
      const auto stride = stride_along(a->offset, r);
      if (!stride || (*stride != 0 && std::abs(*stride) < last.extent.constant())) apart = false;
    }
    if (apart) return true;
  }
  return false;
}

int64_t given_block(const Kernel& kernel, size_t position, int64_t chosen) {
  const std::vector<int64_t>& blocks = kernel.schedule.blocks;
  if (position >= blocks.size()) return chosen;
  if (!std::has_single_bit(static_cast<uint64_t>(blocks[position]))) {
    throw UnsupportedError("triton-block",
                           "block sizes of Triton are powers of two, not " + std::to_string(blocks[position]),
                           "change schedule.blocks");
  }
  return blocks[position];
}

class Chooser {
 public:
  Chooser(const Kernel& kernel, const Loop& phase) : kernel_(kernel), phase_(phase) {}

  Tiling run() {
    plan_loops(phase_.body);
    if (tiling_.inner.empty()) {
      split_parallel();
    } else {
      tiling_.outer.push_back({.name = "x", .block = "XBLOCK", .ranges = phase_.ranges});
    }
    for (std::vector<Axis>* axes : {&tiling_.outer, &tiling_.inner}) {
      for (Axis& a : *axes) a.size = size_of(a.ranges);
    }
    block_sizes();
    const kernel_ir::Schedule& given = kernel_.schedule;
    if (!given.blocks.empty() || given.num_warps != kernel_ir::Schedule{}.num_warps) tiling_.warps = given.num_warps;
    return std::move(tiling_);
  }

 private:
  void plan_loops(const kernel_ir::Block& block) {
    for (const Statement& s : block.statements) {
      const Loop* loop = std::get_if<Loop>(&s);
      if (loop == nullptr) continue;
      plan_loops(loop->body);
      tiling_.loops[loop] = plan(*loop);
    }
  }

  LoopPlan plan(const Loop& loop) {
    const int64_t size = size_of(loop.ranges);
    const bool rows = along_rows(kernel_, loop, phase_);
    rows_ = rows_ || rows;
    const bool window = size <= kWindow && !rows && size_of(phase_.ranges) > 1;
    if (size < 2 || window || has_inner_loop(loop) || !independent(kernel_, loop)) return {};
    return {.mode = LoopMode::whole, .axis = inner_axis(loop.ranges)};
  }

  // Loops with the same extents share an axis, so that they see the same index and their common loads are made once.
  size_t inner_axis(const std::vector<Range>& ranges) {
    for (size_t i = 0; i < tiling_.inner.size(); ++i) {
      const std::vector<Range>& known = tiling_.inner[i].ranges;
      const bool same = std::equal(known.begin(), known.end(), ranges.begin(), ranges.end(),
                                   [](const Range& a, const Range& b) { return a.extent == b.extent; });
      if (same) return i;
    }
    const std::string number = tiling_.inner.empty() ? "" : std::to_string(tiling_.inner.size());
    Axis axis{.name = "r" + number, .block = "RBLOCK" + number};
    for (size_t i = 0; i < ranges.size(); ++i) {
      axis.ranges.push_back({axis.name + "_" + std::to_string(i), ranges[i].extent});
    }
    tiling_.inner.push_back(std::move(axis));
    return tiling_.inner.size() - 1;
  }

  // Two dimensions where some access is contiguous along another range than the last one that any is contiguous along.
  void split_parallel() {
    std::set<size_t> contiguous;
    kernel_ir::LoopPath path;
    kernel_ir::for_each_statement(phase_.body, path, [&](const Statement& s, const LoopPath&) {
      const auto a = access_of(kernel_, s);
      const auto range = a ? contiguous_range(a->offset, phase_.ranges) : std::nullopt;
      if (range) contiguous.insert(*range);
    });
    const auto& ranges = phase_.ranges;
    const ptrdiff_t cut = contiguous.size() < 2 ? 0 : static_cast<ptrdiff_t>(*contiguous.begin()) + 1;
    const std::vector<Range> slow(ranges.begin(), ranges.begin() + cut), fast(ranges.begin() + cut, ranges.end());
    if (cut > 0 && size_of(slow) > 1 && size_of(fast) > 1) {
      tiling_.outer.push_back({.name = "y", .block = "YBLOCK", .ranges = slow});
      tiling_.outer.push_back({.name = "x", .block = "XBLOCK", .ranges = fast});
    } else {
      tiling_.outer.push_back({.name = "x", .block = "XBLOCK", .ranges = ranges});
    }
  }

  void block_sizes() {
    Axis& x = tiling_.outer.back();
    if (tiling_.outer.size() == 2) {
      Axis& y = tiling_.outer.front();
      x.block_size = given_block(kernel_, 0, std::min(power_of_two(x.size), kSquare));
      y.block_size = given_block(kernel_, 1, std::min(power_of_two(y.size), kSquare));
    } else if (tiling_.inner.empty()) {
      int64_t block = kPointwiseBlock;
      while (block > 128 && x.size < block * kEnoughPrograms) block /= 2;
      x.block_size = given_block(kernel_, 0, std::min(power_of_two(x.size), block));
    } else {
      reduction_blocks(x);
    }
  }

  // Rows: long blocks of the loop, few rows. Columns: neighbours in x, short blocks of the loop, many warps.
  void reduction_blocks(Axis& x) {
    int64_t longest = 1;
    for (Axis& r : tiling_.inner) {
      r.block_size = given_block(kernel_, 2, std::min(power_of_two(r.size), rows_ ? kWholeLimit : kColumnBlock));
      longest = std::max(longest, r.block_size);
    }
    const int64_t most = rows_ ? std::max<int64_t>(kPointwiseBlock / longest, 1) : kColumns;
    x.block_size = given_block(kernel_, 0, std::min(power_of_two(x.size), most));
    for (auto& [loop, plan] : tiling_.loops) {
      if (plan.mode == LoopMode::sequential) continue;
      const Axis& r = tiling_.inner[plan.axis];
      plan.mode = r.block_size >= r.size ? LoopMode::whole : LoopMode::blocked;
    }
    const int64_t elements = x.block_size * longest / (rows_ ? 512 : 128);
    tiling_.warps = std::clamp<int64_t>(power_of_two(elements), 2, 16);
  }

  const Kernel& kernel_;
  const Loop& phase_;
  Tiling tiling_;
  bool rows_ = false;
};

}  // namespace

int64_t Tiling::programs() const {
  int64_t count = 1;
  for (const Axis& a : outer) count *= a.blocks();
  return count;
}

Tiling choose_tiling(const Kernel& kernel, const Loop& phase) { return Chooser(kernel, phase).run(); }

}  // namespace litz::codegen::triton
