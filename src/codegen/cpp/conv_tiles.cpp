#include "codegen/cpp/conv_tiles.h"

#include <algorithm>

#include "schedule/templates.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::ConvTemplate;

// One direction of a convolution.
struct Direction {
  int64_t in, out, kernel, stride, pad, dilation;
};
Direction vertical(const ConvTemplate& c) { return {c.in_h, c.out_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h}; }
Direction horizontal(const ConvTemplate& c) { return {c.in_w, c.out_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w}; }

// Which of the output positions [start, start + count) see a value through each tap; equal neighbours are merged.
std::vector<TapRange> tap_ranges(const Direction& d, int64_t start, int64_t count) {
  std::vector<TapRange> ranges;
  for (int64_t tap = 0; tap < d.kernel; ++tap) {
    TapRange range{.first = tap, .last = tap + 1, .low = count, .high = 0};
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = (start + i) * d.stride - d.pad + tap * d.dilation;
      if (at < 0 || at >= d.in) continue;
      range.low = std::min(range.low, i);
      range.high = i + 1;
    }
    if (range.low >= range.high) continue;
    const bool joins = !ranges.empty() && ranges.back().last == tap && ranges.back().low == range.low &&
                       ranges.back().high == range.high;
    if (joins) {
      ranges.back().last = tap + 1;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

bool is_flat(const ConvTemplate& c) {
  return c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_h == 0 && c.pad_w == 0 &&
         c.in_h == c.out_h && c.in_w == c.out_w && c.input.strides[2] == c.input.strides[3] * Expr(c.in_w);
}

int64_t add_kind(ConvTiles* tiles, const ConvTile& tile) {
  const auto it = std::find(tiles->kinds.begin(), tiles->kinds.end(), tile);
  const int64_t kind = it - tiles->kinds.begin();
  if (it == tiles->kinds.end()) tiles->kinds.push_back(tile);
  return kind;
}

// How often the statements of a register tile are printed.
size_t bodies(const ConvTiles& tiles) {
  size_t count = 0;
  for (const ConvTile& tile : tiles.kinds) count += std::max<size_t>(1, tile.horizontal.size());
  return count;
}

ConvTiles single_rows(const ConvTemplate& c, int64_t width) {
  ConvTiles tiles{.mode = ConvMode::rows, .down = Tiling(c.out_h, 1), .across = Tiling(c.out_w, width)};
  for (int64_t j = 0; j < tiles.across.count; ++j) {
    ConvTile tile{.width = tiles.across.size(j), .horizontal_at_run_time = width == 1};
    if (width > 1) tile.horizontal = tap_ranges(horizontal(c), tiles.across.start(j), tile.width);
    tiles.kind_of.push_back(add_kind(&tiles, tile));
  }
  return tiles;
}

// Tiles of up to `rows` whole output rows.
ConvTiles whole_rows(const ConvTemplate& c, int64_t rows) {
  ConvTiles tiles{.mode = ConvMode::rows, .down = Tiling(c.out_h, rows), .across = Tiling(c.out_w, c.out_w)};
  const std::vector<TapRange> columns = tap_ranges(horizontal(c), 0, c.out_w);
  for (int64_t i = 0; i < tiles.down.count; ++i) {
    std::vector<ConvPart>& parts = tiles.parts.emplace_back();
    for (const TapRange& range : tap_ranges(vertical(c), tiles.down.start(i), tiles.down.size(i))) {
      const ConvTile tile{.rows = range.high - range.low, .width = c.out_w, .horizontal = columns};
      parts.push_back({.low = range.low, .first = range.first, .last = range.last, .kind = add_kind(&tiles, tile)});
    }
  }
  return tiles;
}

// Tiles in one direction: pixels or images.
ConvTiles line_of(ConvMode mode, int64_t total, int64_t positions) {
  ConvTiles tiles{.mode = mode, .down = Tiling(1, 1), .across = Tiling(total, positions)};
  for (int64_t j = 0; j < tiles.across.count; ++j) {
    ConvTile tile{.width = tiles.across.size(j), .horizontal_at_run_time = mode == ConvMode::images};
    if (mode == ConvMode::flat) tile.horizontal = {{.first = 0, .last = 1, .low = 0, .high = tile.width}};
    tiles.kind_of.push_back(add_kind(&tiles, tile));
  }
  return tiles;
}

}  // namespace

ConvTiles ConvTiles::of(const ConvTemplate& c, int64_t batch, int64_t positions) {
  constexpr size_t kMostBodies = 12;
  if (schedule::tiles_across_images(c)) return line_of(ConvMode::images, batch, positions);
  if (is_flat(c)) return line_of(ConvMode::flat, c.out_h * c.out_w, positions);
  // Narrow images: several rows in one tile, unless the borders make too many kinds of it.
  for (int64_t rows = std::min(c.out_h, positions / c.out_w); rows > 1; --rows) {
    ConvTiles tiles = whole_rows(c, rows);
    if (bodies(tiles) <= kMostBodies) return tiles;
  }
  for (int64_t width = positions; width > 1; width /= 2) {
    ConvTiles tiles = single_rows(c, width);
    if (bodies(tiles) <= kMostBodies) return tiles;
  }
  return single_rows(c, 1);
}

}  // namespace litz::codegen::cpp
