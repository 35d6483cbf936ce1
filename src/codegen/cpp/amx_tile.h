// The tile of a bf16 matrix product on the matrix unit of x86 (AMX): up to 32 rows x 32 columns of f32 in four of its
// registers, two for 16 rows of the left operand each, two for 16 columns of the right one. A step is 32 values of k.
//
// The unit adds pairs of products to f32 sums and takes subnormal numbers for zero, as it does for eager's library.
#pragma once

#include <cstdint>

#include "codegen/cpp/writer.h"

namespace litz::codegen::cpp {

struct AmxTile {
  int64_t left_step = 0;  // elements from one row of the left operand to the next
  int64_t columns = 0;    // 16 or 32: of a panel [k / 2][columns][2]
  bool may_add = false;   // whether there is an argument that says so; otherwise sums begin with zero

  // What the functions below need; goes in front of them.
  static const char* helpers();
  // void tile_<rows>(const u16m* a, const u16m* b, f32m* c, i64 steps[, bool adds]); needs configure(rows) before it.
  // `c` is [rows][columns], written, or added to.
  void write(Writer& out, int64_t rows) const;
};

}  // namespace litz::codegen::cpp
