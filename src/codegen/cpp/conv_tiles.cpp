#include "codegen/cpp/conv_tiles.h"

#include <algorithm>

#include "schedule/templates.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::ConvTemplate;

std::string str(int64_t value) { return std::to_string(value); }

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

// The parts of a tile: each range of kernel rows with each range of kernel columns.
std::vector<ConvPart> parts_of(ConvTiles* tiles, int64_t width, const std::vector<TapRange>& rows,
                               const std::vector<TapRange>& columns, bool small_groups) {
  std::vector<ConvPart> parts;
  for (const TapRange& v : rows) {
    ConvPart part{.row = v.low, .kh0 = v.first, .kh1 = v.last};
    ConvTile tile{.rows = v.high - v.low, .width = width, .row_width = width};
    if (small_groups) {
      tile.horizontal = columns;
      part.kind = add_kind(tiles, tile);
      if (!columns.empty()) parts.push_back(part);
      continue;
    }
    for (const TapRange& h : columns) {
      tile.width = h.high - h.low;
      if (tile.rows == 1) tile.row_width = tile.width;
      part.column = h.low, part.kw0 = h.first, part.kw1 = h.last;
      part.kind = add_kind(tiles, tile);
      parts.push_back(part);
    }
  }
  return parts;
}

// Tiles of up to `rows` whole output rows, or, if that is one, of `width` columns.
ConvTiles row_tiles(const ConvTemplate& c, int64_t rows, int64_t width, bool small_groups) {
  ConvTiles tiles{.mode = ConvMode::rows, .down = Tiling(c.out_h, rows), .across = Tiling(c.out_w, width)};
  tiles.several_rows = rows > 1;
  if (rows > 1) {
    const std::vector<TapRange> columns = tap_ranges(horizontal(c), 0, c.out_w);
    for (int64_t i = 0; i < tiles.down.count; ++i) {
      const std::vector<TapRange> taps = tap_ranges(vertical(c), tiles.down.start(i), tiles.down.size(i));
      tiles.parts.push_back(parts_of(&tiles, c.out_w, taps, columns, small_groups));
    }
    return tiles;
  }
  for (int64_t j = 0; j < tiles.across.count; ++j) {
    const int64_t size = tiles.across.size(j);
    const std::vector<TapRange> columns = tap_ranges(horizontal(c), tiles.across.start(j), size);
    tiles.parts.push_back(parts_of(&tiles, size, {{.low = 0, .high = 1}}, columns, small_groups));
  }
  return tiles;
}

// Tiles in one direction, pixels or images, which all see the same taps.
ConvTiles line_of(ConvMode mode, int64_t total, int64_t positions) {
  ConvTiles tiles{.mode = mode, .down = Tiling(1, 1), .across = Tiling(total, positions)};
  for (int64_t j = 0; j < tiles.across.count; ++j) {
    const int64_t size = tiles.across.size(j);
    const int64_t kind = add_kind(&tiles, {.width = size, .row_width = size});
    tiles.parts.push_back({{.kw1 = 1, .kind = kind}});
  }
  return tiles;
}

}  // namespace

// Not needed where all tiles are one call of the same function for the same taps.
bool ConvTiles::has_tables() const {
  if (kinds.size() != 1 || !whole() || several_rows) return true;
  const ConvPart& first = parts[0][0];
  for (const std::vector<ConvPart>& tile : parts) {
    if (tile[0].kw0 != 0 || tile[0].kw1 != first.kw1) return true;
  }
  return false;
}

void ConvTiles::write_tables(Writer& out) const {
  if (!has_tables()) return;
  std::string values, firsts = "0";
  int64_t count = 0;
  for (const std::vector<ConvPart>& tile : parts) {
    for (const ConvPart& p : tile) {
      for (const int64_t v : {p.row, p.column, p.kh0, p.kh1, p.kw0, p.kw1, p.kind}) values += str(v) + ", ";
    }
    count += static_cast<int64_t>(tile.size());
    firsts += ", " + str(count);
  }
  out.comment("Parts of tiles: row, column, taps kh0, kh1, kw0, kw1, function");
  out.line("static const i16 parts[] = {" + values + "0};");
  out.line("static const i16 first_part[] = {" + firsts + "};");
}

bool ConvTiles::whole() const {
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const int64_t positions = several_rows ? down.size(index) * across.size(0) : across.size(index);
    if (parts[i].size() != 1 || kinds[static_cast<size_t>(parts[i][0].kind)].positions() != positions) return false;
  }
  return true;
}

ConvTiles ConvTiles::of(const ConvTemplate& c, int64_t batch, int64_t positions, bool small_groups) {
  constexpr size_t kMostKinds = 8;
  if (schedule::tiles_across_images(c)) return line_of(ConvMode::images, batch, positions);
  if (is_flat(c)) return line_of(ConvMode::flat, c.out_h * c.out_w, positions);
  // Narrow images: several rows in one tile, unless the borders make too many kinds of it.
  for (int64_t rows = std::min(c.out_h, positions / c.out_w); rows > 1; --rows) {
    ConvTiles tiles = row_tiles(c, rows, c.out_w, small_groups);
    if (tiles.kinds.size() <= kMostKinds) return tiles;
  }
  for (int64_t width = positions; width > 1; width /= 2) {
    ConvTiles tiles = row_tiles(c, 1, width, small_groups);
    if (tiles.kinds.size() <= kMostKinds) return tiles;
  }
  return row_tiles(c, 1, 1, small_groups);
}

void write_tap_range(Writer& out, const std::string& name, const std::string& start, int64_t in, int64_t kernel,
                     int64_t dilation) {
  // start = position * stride - pad; taps k with 0 <= start + k * dilation < in.
  out.line("const i64 " + name + "0 = " + start + " < 0 ? (" + str(dilation - 1) + " - " + start + ") / " +
           str(dilation) + " : 0;");
  out.line("const i64 " + name + "e = " + start + " < " + str(in) + " ? (" + str(in - 1) + " - " + start + ") / " +
           str(dilation) + " + 1 : 0;");
  out.line("const i64 " + name + "1 = " + name + "e < " + str(kernel) + " ? " + name + "e : " + str(kernel) + ";");
}

}  // namespace litz::codegen::cpp
