// How a phase of a kernel is cut into Triton programs and tiles.
//
// A program computes a tile. Its first dimension covers the flattened parallel ranges (x), in blocks of XBLOCK; a
// second one covers either the flattened ranges of an inner loop (r), or, where buffers are contiguous along different
// ranges (a transpose), some of the parallel ranges: the tile is then y by x. Inner loops become
//   whole       all iterations at once, in one block that is at least as long as the loop
//   blocked     a Python loop over blocks of RBLOCK iterations, accumulators are tiles
//   sequential  a Python loop over single iterations: windows of a few elements, loops around loops, and loops whose
//               iterations depend on each other
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel_ir/kernel.h"

namespace litz::codegen::triton {

// Ranges flattened into one index, slowest first.
struct Axis {
  std::string name;   // of the index, "x"; its mask is "xmask"
  std::string block;  // of the block size, "XBLOCK"
  std::vector<kernel_ir::Range> ranges;
  int64_t size = 1;
  int64_t block_size = 1;

  bool masked() const { return size % block_size != 0; }
  int64_t blocks() const { return (size + block_size - 1) / block_size; }
};

enum class LoopMode : uint8_t { whole, blocked, sequential };

struct LoopPlan {
  LoopMode mode = LoopMode::sequential;
  size_t axis = 0;  // whole, blocked: into Tiling::inner
};

struct Tiling {
  std::vector<Axis> outer;  // x, or y and x
  std::vector<Axis> inner;  // one for each different list of extents among the loops that are not sequential
  std::map<const kernel_ir::Loop*, LoopPlan> loops;
  int64_t warps = 4;

  size_t rank() const { return outer.size() > 1 || !inner.empty() ? 2 : 1; }
  int64_t programs() const;
};

// Block sizes come from schedule.blocks (x, y, r) where it has them: powers of two. `phase` is a parallel loop of
// `kernel`.
Tiling choose_tiling(const kernel_ir::Kernel& kernel, const kernel_ir::Loop& phase);

}  // namespace litz::codegen::triton
