// Products, convolutions, attention, pooling, normalisations, reads and writes at computed indices.
#include "api/call.h"
#include "litz/ops.h"

namespace litz {

namespace {

using api::call;
using api::tensor_of;

Tensor convolution(const char* function, int64_t spatial, bool transposed, const Operand& x, const Tensor& weight,
                   const Tensor& bias, const ConvOptions& o) {
  const Tensor& input = tensor_of(function, x);
  const api::CallSite site{function, x.at()};
  if (input.defined() && input.rank() != spatial + 2) {
    throw UserError(api::site_text(site) + ": x must have " + std::to_string(spatial + 2) + " dimensions, but is " +
                    to_string(input).substr(0, to_string(input).find(']') + 1));
  }
  return call(function, x.at(), "aten.convolution.default",
              {input, weight, bias, o.stride, o.padding, o.dilation, transposed, o.output_padding, o.groups});
}

}  // namespace

Tensor matmul(const Operand& a, const Tensor& b) {
  return call("matmul", a.at(), "aten.matmul.default", {tensor_of("matmul", a), b});
}

Tensor linear(const Operand& x, const Tensor& weight, const Tensor& bias) {
  return call("linear", x.at(), "aten.linear.default", {tensor_of("linear", x), weight, bias});
}

Tensor addmm(const Operand& bias, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return call("addmm", bias.at(), "aten.addmm.default", {tensor_of("addmm", bias), a, b, beta, alpha});
}

Tensor conv1d(const Operand& x, const Tensor& weight, const Tensor& bias, const ConvOptions& o) {
  return convolution("conv1d", 1, /*transposed=*/false, x, weight, bias, o);
}

Tensor conv2d(const Operand& x, const Tensor& weight, const Tensor& bias, const ConvOptions& o) {
  return convolution("conv2d", 2, /*transposed=*/false, x, weight, bias, o);
}

Tensor conv3d(const Operand& x, const Tensor& weight, const Tensor& bias, const ConvOptions& o) {
  return convolution("conv3d", 3, /*transposed=*/false, x, weight, bias, o);
}

Tensor conv_transpose2d(const Operand& x, const Tensor& weight, const Tensor& bias, const ConvOptions& o) {
  return convolution("conv_transpose2d", 2, /*transposed=*/true, x, weight, bias, o);
}

Tensor scaled_dot_product_attention(const Operand& q, const Tensor& k, const Tensor& v, const AttentionOptions& o) {
  constexpr const char* function = "scaled_dot_product_attention";
  return call(function, q.at(), "aten.scaled_dot_product_attention.default",
              {tensor_of(function, q), k, v, o.mask, 0.0, o.causal, o.scale});
}

Tensor max_pool2d(const Operand& x, const Sizes& kernel, const PoolOptions& o) {
  return call("max_pool2d", x.at(), "aten.max_pool2d.default",
              {tensor_of("max_pool2d", x), kernel, o.stride, o.padding, o.dilation, o.ceil_mode});
}

Tensor avg_pool2d(const Operand& x, const Sizes& kernel, const PoolOptions& o) {
  return call("avg_pool2d", x.at(), "aten.avg_pool2d.default",
              {tensor_of("avg_pool2d", x), kernel, o.stride, o.padding, o.ceil_mode, o.count_include_pad});
}

Tensor adaptive_avg_pool2d(const Operand& x, const Sizes& output_size) {
  return call("adaptive_avg_pool2d", x.at(), "aten.adaptive_avg_pool2d.default",
              {tensor_of("adaptive_avg_pool2d", x), output_size});
}

Tensor upsample_nearest2d(const Operand& x, const Sizes& output_size) {
  return call("upsample_nearest2d", x.at(), "aten.upsample_nearest2d.default",
              {tensor_of("upsample_nearest2d", x), output_size});
}

Tensor batch_norm(const Operand& x, const Tensor& mean, const Tensor& var, const Tensor& weight, const Tensor& bias,
                  double eps) {
  const Tensor& input = tensor_of("batch_norm", x);
  return call("batch_norm", x.at(), "aten.batch_norm.default",
              {input, weight, bias, mean, var, /*training=*/false, /*momentum=*/0.0, eps});
}

Tensor layer_norm(const Operand& x, const Sizes& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  return call("layer_norm", x.at(), "aten.layer_norm.default",
              {tensor_of("layer_norm", x), normalized_shape, weight, bias, eps});
}

Tensor rms_norm(const Operand& x, const Sizes& normalized_shape, const Tensor& weight, std::optional<double> eps) {
  return call("rms_norm", x.at(), "aten.rms_norm.default", {tensor_of("rms_norm", x), normalized_shape, weight, eps});
}

Tensor group_norm(const Operand& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  return call("group_norm", x.at(), "aten.group_norm.default", {tensor_of("group_norm", x), groups, weight, bias, eps});
}

Tensor embedding(const Operand& weight, const Tensor& indices) {
  return call("embedding", weight.at(), "aten.embedding.default", {tensor_of("embedding", weight), indices});
}

Tensor index_select(const Operand& x, int64_t dim, const Tensor& index) {
  return call("index_select", x.at(), "aten.index_select.default", {tensor_of("index_select", x), dim, index});
}

Tensor gather(const Operand& x, int64_t dim, const Tensor& index) {
  return call("gather", x.at(), "aten.gather.default", {tensor_of("gather", x), dim, index});
}

Tensor index(const Operand& x, const std::vector<Tensor>& indices) {
  return call("index", x.at(), "aten.index.Tensor", {tensor_of("index", x), indices});
}

Tensor index_put(const Operand& x, const std::vector<Tensor>& indices, const Tensor& values, bool accumulate) {
  return call("index_put", x.at(), "aten.index_put.default", {tensor_of("index_put", x), indices, values, accumulate});
}

Tensor scatter(const Operand& x, int64_t dim, const Tensor& index, const Tensor& source) {
  return call("scatter", x.at(), "aten.scatter.src", {tensor_of("scatter", x), dim, index, source});
}

Tensor scatter_add(const Operand& x, int64_t dim, const Tensor& index, const Tensor& source) {
  return call("scatter_add", x.at(), "aten.scatter_add.default", {tensor_of("scatter_add", x), dim, index, source});
}

}  // namespace litz
