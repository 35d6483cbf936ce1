// How the output of a convolution is cut into register tiles, and which taps each position of a tile sees.
//
// Taps that fall into the padding are never computed: no value is read that does not exist, and a NaN stays where it
// belongs. Tiles at the border therefore differ from those inside. Example, 3 x 3 with padding 1, 28 columns, tiles of
// 14:
//   left tile    kernel column 0 for positions 1..13, columns 1 and 2 for all
//   right tile   columns 0 and 1 for all, column 2 for positions 0..12
// Tiles that are equal in this share one function, which gets the kernel rows as a range kh0, kh1. A tile of several
// output rows at the border is computed in parts, each for the rows that see the same kernel rows.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cpp/matmul_tile.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::cpp {

enum class ConvMode : uint8_t {
  rows,    // a tile is one or more rows of neighbouring output columns of an image
  flat,    // 1 x 1, stride 1: neighbouring pixels, across the ends of rows
  images,  // small images: one pixel of several images
};

// Kernel rows or columns [first, last) are seen by the positions [low, high) of a tile.
struct TapRange {
  int64_t first = 0, last = 0;
  int64_t low = 0, high = 0;
  bool operator==(const TapRange&) const = default;
};

// What tiles with one function have in common.
struct ConvTile {
  int64_t rows = 1;
  int64_t width = 1;  // columns, pixels or images
  // Kernel columns that are seen; or, where all positions see the same, a range kw0, kw1 at run time.
  bool horizontal_at_run_time = false;
  std::vector<TapRange> horizontal;
  int64_t positions() const { return rows * width; }
  bool operator==(const ConvTile&) const = default;
};

// Kernel rows [first, last) for the output rows of a tile from `low` on, by the function `kind`.
struct ConvPart {
  int64_t low = 0, first = 0, last = 0, kind = 0;
};

struct ConvTiles {
  ConvMode mode = ConvMode::rows;
  Tiling down;    // output rows in rows mode; otherwise one
  Tiling across;  // columns, pixels or images
  std::vector<ConvTile> kinds;
  std::vector<int64_t> kind_of;              // of each tile across, where tiles have one row
  std::vector<std::vector<ConvPart>> parts;  // of each tile down, where tiles have several rows; then one across

  bool several_rows() const { return !parts.empty(); }
  int64_t most_positions() const { return down.size(0) * across.size(0); }

  // `positions`: how many a register tile may have.
  static ConvTiles of(const kernel_ir::ConvTemplate& conv, int64_t batch, int64_t positions);
};

}  // namespace litz::codegen::cpp
