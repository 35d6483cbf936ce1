// How the output of a convolution is cut into register tiles, and which taps each position of a tile sees.
//
// Taps that fall into the padding are never computed: no value is read that does not exist, and a NaN stays where it
// belongs. A tile at the border is computed in parts, each for the positions that see the same taps. Example, 3 x 3
// with padding 1, 28 columns, tiles of 14:
//   left tile    positions 1..13 with kernel column 0, then all with columns 1 and 2
//   right tile   all with columns 0 and 1, positions 0..12 with column 2
// So two functions, for 14 and for 13 positions, do all the work. With several rows in a tile, kernel rows alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/writer.h"
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

// What one function computes.
struct ConvTile {
  int64_t rows = 1;
  int64_t width = 1;      // columns, pixels or images
  int64_t row_width = 1;  // of the whole tile that it is a part of
  // Small groups only: all kernel columns at once, with who sees them. Otherwise empty: a range kw0, kw1 at run time.
  std::vector<TapRange> horizontal;
  int64_t positions() const { return rows * width; }
  bool operator==(const ConvTile&) const = default;
};

// A call of function `kind` for the positions of a tile from (row, column) on and a range of taps. Kernel rows count
// only where tiles have several rows.
struct ConvPart {
  int64_t row = 0, column = 0;
  int64_t kh0 = 0, kh1 = 0, kw0 = 0, kw1 = 0;
  int64_t kind = 0;
};

struct ConvTiles {
  ConvMode mode = ConvMode::rows;
  Tiling down;    // output rows in rows mode; otherwise one
  Tiling across;  // columns, pixels or images; one if tiles have several rows
  bool several_rows = false;
  std::vector<ConvTile> kinds;
  std::vector<std::vector<ConvPart>> parts;  // of each tile across, or down if they have several rows

  int64_t most_positions() const { return down.size(0) * across.size(0); }
  // Whether each tile is one part that covers it: its function then starts from zero.
  bool whole() const;
  // The tables "parts" and "first_part" that calls of tiles read, if there are any: see ConvGenerator::write_parts.
  bool has_tables() const;
  void write_tables(Writer& out) const;

  // `positions`: how many a register tile may have. `small_groups`: see ConvTile::horizontal.
  static ConvTiles of(const kernel_ir::ConvTemplate& conv, int64_t batch, int64_t positions, bool small_groups);
};

// Defines the taps that an output position sees in one direction: "kh0", "kh1" for the name "kh".
void write_tap_range(Writer& out, const std::string& name, const std::string& start, int64_t in, int64_t kernel,
                     int64_t dilation);

}  // namespace litz::codegen::cpp
