// Copies of operands in scratch, in the form that register tiles read. Each writes one C++ function.
#pragma once

#include <string>

#include "codegen/cpp/writer.h"
#include "litz/dtype.h"

namespace litz::codegen::cpp {

// An element, or a vector of them, at `pointer` as f32.
std::string widened(DType dtype, bool vector, const std::string& pointer);

// void pack_left(const T* from, i64 rows, i64 k, f32m* to): rows of the left operand as f32 (bf16 if kept), one every
// `step` elements, with a zero after an odd k.
struct PackLeft {
  DType dtype = DType::f32;
  bool keep_bf16 = false;
  int lanes = 1;
  int64_t row_stride = 0;  // of the operand, in elements
  int64_t k_stride = 1;
  int64_t step = 0;

  // A step for rows of `k` elements of `bytes` such that rows begin with cache lines and do not share cache sets.
  static int64_t row_step(int64_t k, int64_t bytes);
  void write(Writer& out) const;
};

// void <name>(const T* from, i64 k, i64 n, f32m* to): one panel of the right operand as f32, [k][columns]; columns from
// n on are zero. Where k runs over pairs (channel, tap), taps fastest, the panel is [tap][channel][columns]. Pairs of
// bf16 that stay together are taken for one f32: nothing computes with them.
struct PackRight {
  const char* name = "pack_right";
  DType dtype = DType::f32;
  int lanes = 1;
  int64_t columns = 0;
  int64_t k_stride = 0;  // of the operand, in elements
  int64_t n_stride = 1;
  int64_t taps = 1, channels = 0;  // channels: only where there are several taps
  int64_t ahead = 0;               // elements from one panel to the next, to fetch it beforehand; 0: not

  void write(Writer& out) const;

 private:
  std::string place(const std::string& k) const;
  void write_rows(Writer& out) const;
  void write_transposed(Writer& out) const;
};

}  // namespace litz::codegen::cpp
