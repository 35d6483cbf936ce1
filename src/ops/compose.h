// Shorthand for decompositions.
#pragma once

#include <optional>
#include <vector>

#include "ops/infer.h"

namespace litz::ops {

inline ValueId operand_or_none(std::span<const ValueId> operands, size_t i) {
  return i < operands.size() ? operands[i] : ir::kNoValue;
}

ValueId convert(Builder& b, ValueId x, DType dtype);  // x itself if it has that dtype
ValueId reshape(Builder& b, ValueId x, std::vector<Expr> shape);
ValueId permute(Builder& b, ValueId x, std::vector<int64_t> dims);
ValueId transpose_last(Builder& b, ValueId x);                   // the last two dimensions
ValueId expand(Builder& b, ValueId x, std::vector<Expr> shape);  // x itself if it has that shape
ValueId reduce(Builder& b, std::string_view op, ValueId x, const std::vector<int64_t>& dims, bool keepdim);
ValueId full(Builder& b, const std::vector<Expr>& shape, double value, DType dtype);
ValueId iota(Builder& b, const Expr& size, DType dtype);  // 0, 1, …
// A size as a 0-d value of `dtype`.
ValueId size_value(Builder& b, const Expr& size, DType dtype);
// x + value, x * value, … with a number as the second operand, in the dtype of x.
ValueId with_number(Builder& b, std::string_view op, ValueId x, double value);
// A 1-d tensor [C] shaped to broadcast along `dim` of `rank` dimensions.
ValueId along(Builder& b, ValueId x, int64_t dim, int rank);
Expr count_of(const std::vector<Expr>& shape, const std::vector<int64_t>& dims);
// Mean over dims, in the dtype of x, kept.
ValueId mean_kept(Builder& b, ValueId x, const std::vector<int64_t>& dims);
// Mean of the squared differences from `mean`, kept.
ValueId variance_kept(Builder& b, ValueId centered, const std::vector<int64_t>& dims, double correction);

}  // namespace litz::ops
