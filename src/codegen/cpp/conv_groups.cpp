#include "codegen/cpp/conv_groups.h"

#include <algorithm>

namespace litz::codegen::cpp {
namespace {

// More kernel columns than these would not leave enough registers: one at a time then.
constexpr int64_t kMostColumns = 9;

std::string str(int64_t value) { return std::to_string(value); }

}  // namespace

std::string GroupTile::helpers(int lanes) {
  if (lanes == 16) {
    return R"(static inline f32v permute(f32v x, i32v i) {
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(x, i);
#else
  return __builtin_shuffle(x, i);
#endif
}
)";
  }
  return R"(static inline f32v permute(f32v x, i32v i) {
#if defined(__clang__)
  return __builtin_ia32_permvarsf256(x, i);
#else
  return __builtin_shuffle(x, i);
#endif
}
)";
}

int64_t GroupTile::position_offset(const ConvTile& tile, ConvMode mode, int64_t position) const {
  if (mode == ConvMode::images) return position * image_step;
  return position / tile.width * conv.stride_h * row_step + position % tile.width * conv.stride_w * column_step;
}

std::string GroupTile::vector_at(const std::string& pointer) const {
  if (conv.dtype == DType::bf16) return "cast_bf16_f32v(*(const u16u*)(" + pointer + "))";
  return "*(const f32u*)(" + pointer + ")";
}

// "x" points to the input, "v" to the weights of the tap's kernel row or of the tap; `taps` are the weights used.
void GroupTile::write_step(Writer& out, const std::vector<Source>& sources, const std::vector<int64_t>& taps) const {
  const int64_t first = sources.empty() ? 0 : sources.front().offset;
  if (group() > 1) {
    std::string lanes_text;
    for (int l = 0; l < lanes; ++l) lanes_text += (l ? ", " : "") + str(l / group() * group());
    out.line("i32v turn = {" + lanes_text + "};");
    out.line(RegisterTile::kLoop);
    out.open("for (i64 j = 0; j < " + str(group()) + "; ++j, v += " + str(lanes) + ", turn += 1) {");
  } else {
    out.open("{");
  }
  for (const int64_t tap : taps) {
    out.line("const f32v w" + str(tap) + " = " + vector_at("v + " + str(tap * group() * lanes)) + ";");
  }
  for (const Source& source : sources) {
    std::string vector = vector_at("x + " + str(source.offset - first));
    if (group() > 1) vector = "permute(" + vector + ", turn)";
    std::string text = "{ const f32v t = " + vector + ";";
    for (const Use& use : source.uses) {
      const std::string sum = "c" + str(use.position) + "_0";
      text += " " + sum + " = madd(t, w" + str(use.tap) + ", " + sum + ");";
    }
    out.line(text + " }");
  }
  out.close();
}

// All kernel columns of a kernel row at once.
void GroupTile::write_columns(Writer& out, const ConvTile& tile) const {
  std::vector<Source> sources;
  std::vector<int64_t> taps;
  for (int64_t y = 0; y < tile.rows; ++y) {
    for (const TapRange& range : tile.horizontal) {
      for (int64_t tap = range.first; tap < range.last; ++tap) {
        if (std::find(taps.begin(), taps.end(), tap) == taps.end()) taps.push_back(tap);
        for (int64_t x = range.low; x < range.high; ++x) {
          const int64_t offset =
              y * conv.stride_h * row_step + (x * conv.stride_w + tap * conv.dilation_w) * column_step;
          auto it = std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.offset == offset; });
          if (it == sources.end()) it = sources.insert(sources.end(), {.offset = offset});
          it->uses.push_back({y * tile.width + x, tap});
        }
      }
    }
  }
  if (sources.empty()) return;
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.offset < b.offset; });
  out.line(RegisterTile::kLoop);
  out.open("for (i64 kh = kh0; kh < kh1; ++kh) {");
  out.line("const " + std::string(memory_type()) + "* x = in + (o + kh * " + str(conv.dilation_h * row_step) + " + " +
           str(sources.front().offset) + ");");
  out.line("const " + std::string(memory_type()) + "* v = w + kh * " + str(conv.kernel_w * group() * lanes) + ";");
  write_step(out, sources, taps);
  out.close();
}

// One tap at a time, kernel columns from kw0 to kw1 or those of `horizontal`.
void GroupTile::write_tap(Writer& out, const ConvTile& tile, ConvMode mode, const TapRange* horizontal) const {
  std::vector<Source> sources;
  for (int64_t p = 0; p < tile.positions(); ++p) {
    const int64_t x = p % tile.width;
    if (horizontal && (x < horizontal->low || x >= horizontal->high)) continue;
    sources.push_back({.offset = position_offset(tile, mode, p), .uses = {{p, 0}}});
  }
  if (sources.empty()) return;
  const std::string kw0 = horizontal ? str(horizontal->first) : "kw0";
  const std::string kw1 = horizontal ? str(horizontal->last) : "kw1";
  out.line(RegisterTile::kLoop);
  out.open("for (i64 kh = kh0; kh < kh1; ++kh) {");
  out.line(RegisterTile::kLoop);
  out.open("for (i64 kw = " + kw0 + "; kw < " + kw1 + "; ++kw) {");
  out.line("const " + std::string(memory_type()) + "* x = in + (o + kh * " + str(conv.dilation_h * row_step) +
           " + kw * " + str(conv.dilation_w * column_step) + " + " + str(sources.front().offset) + ");");
  out.line("const " + std::string(memory_type()) + "* v = w + (kh * " + str(conv.kernel_w) + " + kw) * " +
           str(group() * lanes) + ";");
  write_step(out, sources, {0});
  out.close();
  out.close();
}

void GroupTile::write(Writer& out, const ConvTile& tile, ConvMode mode) const {
  if (tile.horizontal.empty()) {
    write_tap(out, tile, mode, nullptr);
  } else if (conv.kernel_w <= kMostColumns) {
    write_columns(out, tile);
  } else {
    for (const TapRange& range : tile.horizontal) write_tap(out, tile, mode, &range);
  }
}

}  // namespace litz::codegen::cpp
