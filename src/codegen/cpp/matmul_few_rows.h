// Products of few rows with a right operand whose columns are contiguous along k (a linear layer's weight as it is):
// vectors run along k, so that nothing is packed and each weight is read once.
#pragma once

#include "codegen/cpp/writer.h"
#include "litz/dtype.h"

namespace litz::codegen::cpp {

// void few_rows(const f32m* a, const T* b, i64 n, f32m* c): the sums of all rows with the first n columns of a panel,
// at most `columns`: c[row][columns].
struct FewRows {
  DType dtype = DType::f32;  // of the right operand
  int lanes = 1;
  int64_t rows = 0, k = 0;
  int64_t row_step = 0, column_step = 0;  // elements from one row or column to the next
  int64_t columns = 0;

  void write(Writer& out) const;

 private:
  void write_tile(Writer& out, int64_t tile_rows, int64_t tile_columns) const;
  void write_calls(Writer& out, int64_t tile_columns) const;
};

}  // namespace litz::codegen::cpp
