// The shape rule that `index` and `index_put` share.
#pragma once

#include <vector>

#include "ops/infer.h"

namespace litz::ops {

// x indexed by tensors on `dims`, as PyTorch's advanced indexing places the result: the broadcast shape of the indices
// stands where the indexed dimensions were if these are adjacent, else in front. `first_index` is the operand number of
// the first index.
struct IndexedShape {
  std::vector<Expr> index_shape;  // of the broadcast indices
  std::vector<Expr> shape;
  int64_t place = 0;  // where index_shape begins in `shape`
};
IndexedShape indexed_shape(std::string_view op, const InferArgs& args, size_t first_index);

}  // namespace litz::ops
