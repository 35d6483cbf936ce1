// A copy of a convolution's input in scratch: 16-bit floats widened, or images moved apart that would share cache sets.
#pragma once

#include "codegen/cpp/writer.h"
#include "litz/dtype.h"

namespace litz::codegen::cpp {

// void pack_input(const T* from, i64 rows, f32m* to): `rows` whole rows of all channels of a group of one image, as
// [channel block][row][column][channel]. Channels that do not exist become zero.
struct PackInput {
  DType dtype = DType::f32;
  bool keep_bf16 = false;
  int lanes = 1;
  int64_t channels = 0;  // of a group
  int64_t columns = 0;
  // The input: channels in a block, steps in elements.
  int64_t from_block = 1, from_block_step = 0, from_row_step = 0, from_column_step = 0, from_channel_step = 1;
  // The copy.
  int64_t block = 1, block_step = 0, row_step = 0;

  void write(Writer& out) const;
};

}  // namespace litz::codegen::cpp
