// How the output of a convolution is cut into register tiles, and which taps each position of a tile sees.
//
// Taps that fall into the padding are never computed: no value is read that does not exist, and a NaN stays where it
// belongs. Tiles at the border therefore differ from those inside. Example, 3 x 3 with padding 1, 28 columns, tiles of
// 14:
//   left tile    kernel column 0 for positions 1..13, columns 1 and 2 for all
//   right tile   columns 0 and 1 for all, column 2 for positions 0..12
// Equal tiles share one function.
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
  // Kernel rows and columns that are seen. Where all positions see the same (one output row, or one pixel), they are
  // passed at run time instead: kh0, kh1 and kw0, kw1.
  bool vertical_at_run_time = false;
  bool horizontal_at_run_time = false;
  std::vector<TapRange> vertical;
  std::vector<TapRange> horizontal;
  int64_t positions() const { return rows * width; }
  bool operator==(const ConvTile&) const = default;
};

struct ConvTiles {
  ConvMode mode = ConvMode::rows;
  Tiling down;    // rows mode: output rows; otherwise one
  Tiling across;  // columns, pixels or images
  std::vector<ConvTile> kinds;
  std::vector<int64_t> kind_of;  // [down.count * across.count]

  // `positions`: how many a register tile may have.
  static ConvTiles of(const kernel_ir::ConvTemplate& conv, int64_t batch, int64_t positions);
};

}  // namespace litz::codegen::cpp
