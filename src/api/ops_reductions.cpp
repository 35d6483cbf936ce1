// Reductions and scans.
#include "api/call.h"
#include "litz/ops.h"

namespace litz {

namespace {

using api::call;
using api::tensor_of;

Tensor over_dims(const char* function, const char* aten, const Operand& x, const Sizes& dims, bool keepdim) {
  return call(function, x.at(), aten, {tensor_of(function, x), dims, keepdim});
}

}  // namespace

Tensor sum(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("sum", "aten.sum.dim_IntList", x, dims, keepdim);
}

Tensor prod(const Operand& x, std::optional<int64_t> dim, bool keepdim) {
  if (!dim) return call("prod", x.at(), "aten.prod.default", {tensor_of("prod", x)});
  return call("prod", x.at(), "aten.prod.dim_int", {tensor_of("prod", x), *dim, keepdim});
}

Tensor mean(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("mean", "aten.mean.dim", x, dims, keepdim);
}

Tensor amax(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("amax", "aten.amax.default", x, dims, keepdim);
}

Tensor amin(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("amin", "aten.amin.default", x, dims, keepdim);
}

Tensor any(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("any", "aten.any.dims", x, dims, keepdim);
}

Tensor all(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("all", "aten.all.dims", x, dims, keepdim);
}

Tensor argmax(const Operand& x, std::optional<int64_t> dim, bool keepdim) {
  return call("argmax", x.at(), "aten.argmax.default", {tensor_of("argmax", x), dim, keepdim});
}

Tensor argmin(const Operand& x, std::optional<int64_t> dim, bool keepdim) {
  return call("argmin", x.at(), "aten.argmin.default", {tensor_of("argmin", x), dim, keepdim});
}

Tensor var(const Operand& x, const Sizes& dims, double correction, bool keepdim) {
  return call("var", x.at(), "aten.var.correction", {tensor_of("var", x), dims, correction, keepdim});
}

Tensor stddev(const Operand& x, const Sizes& dims, double correction, bool keepdim) {
  return call("stddev", x.at(), "aten.std.correction", {tensor_of("stddev", x), dims, correction, keepdim});
}

Tensor logsumexp(const Operand& x, const Sizes& dims, bool keepdim) {
  return over_dims("logsumexp", "aten.logsumexp.default", x, dims, keepdim);
}

Tensor norm(const Operand& x, double p, const Sizes& dims, bool keepdim) {
  return call("norm", x.at(), "aten.linalg_vector_norm.default", {tensor_of("norm", x), p, dims, keepdim});
}

Tensor cumsum(const Operand& x, int64_t dim) {
  return call("cumsum", x.at(), "aten.cumsum.default", {tensor_of("cumsum", x), dim});
}

}  // namespace litz
