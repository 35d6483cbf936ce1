// Register tiles of convolutions whose groups are smaller than a vector: a vector holds 16 / g whole groups of g
// channels, and lane l needs, for each channel j of a group, the input of channel j of its own group. For g = 8, j = 2:
//   input    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7
//   permuted a2 a2 a2 a2 a2 a2 a2 a2 b2 b2 b2 b2 b2 b2 b2 b2
// Zeros in the weights would do too, but for twice the work, and a NaN would leave its group. A permuted input serves
// all kernel columns that see it, as permuting costs as much as multiplying. Depthwise (g = 1) needs none.
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/conv_tiles.h"
#include "codegen/cpp/writer.h"

namespace litz::codegen::cpp {

struct GroupTile {
  const kernel_ir::ConvTemplate& conv;
  int lanes = 16;
  int64_t image_step = 0, row_step = 0, column_step = 0;  // of the input, in elements

  static std::string helpers(int lanes);
  const char* memory_type() const { return conv.dtype == DType::bf16 ? "u16m" : "f32m"; }
  // Prints the loops over taps, kernel rows from kh0 to kh1, for accumulators c0_0, c1_0, …. `in`, `o` and `w` are the
  // input, the offset of the first position's first tap, and the weights [kernel_h][kernel_w][g][lanes].
  void write(Writer& out, const ConvTile& tile, ConvMode mode) const;

 private:
  struct Use {
    int64_t position, tap;
  };
  // An input vector and what it adds to.
  struct Source {
    int64_t offset = 0;
    std::vector<Use> uses;
  };
  int64_t group() const { return conv.in_channels / conv.groups; }
  int64_t position_offset(const ConvTile& tile, ConvMode mode, int64_t position) const;
  void write_columns(Writer& out, const ConvTile& tile) const;
  void write_tap(Writer& out, const ConvTile& tile, ConvMode mode, const TapRange* horizontal) const;
  void write_step(Writer& out, const std::vector<Source>& sources, const std::vector<int64_t>& taps) const;
  std::string vector_at(const std::string& pointer) const;
};

}  // namespace litz::codegen::cpp
