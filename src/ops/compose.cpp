#include "ops/compose.h"

#include <algorithm>
#include <numeric>

namespace litz::ops {

ValueId convert(Builder& b, ValueId x, DType dtype) {
  return b.type(x).dtype == dtype ? x : b.add("convert", {x}, {{"dtype", dtype}});
}

ValueId reshape(Builder& b, ValueId x, std::vector<Expr> shape) {
  return b.type(x).shape == shape ? x : b.add("reshape", {x}, {{"shape", std::move(shape)}});
}

ValueId permute(Builder& b, ValueId x, std::vector<int64_t> dims) {
  return b.add("permute", {x}, {{"dims", std::move(dims)}});
}

ValueId transpose_last(Builder& b, ValueId x) {
  std::vector<int64_t> dims = all_dims(b.type(x).rank());
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return permute(b, x, std::move(dims));
}

ValueId expand(Builder& b, ValueId x, std::vector<Expr> shape) {
  return b.type(x).shape == shape ? x : b.add("expand", {x}, {{"shape", std::move(shape)}});
}

ValueId reduce(Builder& b, std::string_view op, ValueId x, const std::vector<int64_t>& dims, bool keepdim) {
  return b.add(op, {x}, {{"dims", dims}, {"keepdim", keepdim}});
}

ValueId full(Builder& b, const std::vector<Expr>& shape, double value, DType dtype) {
  return b.add("full", {}, {{"shape", shape}, {"value", value}, {"dtype", dtype}});
}

ValueId iota(Builder& b, const Expr& size, DType dtype) {
  return b.add("iota", {},
               {{"shape", std::vector<Expr>{size}}, {"start", int64_t{0}}, {"step", int64_t{1}}, {"dtype", dtype}});
}

ValueId size_value(Builder& b, const Expr& size, DType dtype) {
  if (size.is_constant()) return b.scalar_int(dtype, size.constant());
  return b.add("size", {}, {{"value", std::vector<Expr>{size}}, {"dtype", dtype}});
}

ValueId with_number(Builder& b, std::string_view op, ValueId x, double value) {
  return b.add(op, {x, b.scalar(b.type(x).dtype, value)});
}

ValueId along(Builder& b, ValueId x, int64_t dim, int rank) {
  std::vector<Expr> shape(rank, Expr(1));
  shape[dim] = b.type(x).elements();
  return reshape(b, x, std::move(shape));
}

Expr count_of(const std::vector<Expr>& shape, const std::vector<int64_t>& dims) {
  Expr count = 1;
  for (int64_t d : dims) count = count * shape[d];
  return count;
}

ValueId mean_kept(Builder& b, ValueId x, const std::vector<int64_t>& dims) {
  const TensorType type = b.type(x);
  const ValueId sum = reduce(b, "sum", x, dims, /*keepdim=*/true);
  return b.add("div", {sum, size_value(b, count_of(type.shape, dims), type.dtype)});
}

ValueId variance_kept(Builder& b, ValueId centered, const std::vector<int64_t>& dims, double correction) {
  const TensorType type = b.type(centered);
  const ValueId sum = reduce(b, "sum", b.add("mul", {centered, centered}), dims, /*keepdim=*/true);
  const Expr count = count_of(type.shape, dims);
  if (count.is_constant()) {
    return with_number(b, "div", sum, std::max(0.0, static_cast<double>(count.constant()) - correction));
  }
  ValueId divisor = size_value(b, count, type.dtype);
  if (correction != 0) {
    divisor = b.add("clamp", {with_number(b, "sub", divisor, correction)}, {{"min", 0.0}});
  }
  return b.add("div", {sum, divisor});
}

}  // namespace litz::ops
