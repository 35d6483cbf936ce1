// Normalisations. All compute in f32 for f16 and bf16 and round once.
#include <limits>

#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;

ValueId reciprocal_root(Builder& b, ValueId variance, double eps) {
  return b.add("rsqrt", {with_number(b, "add", variance, eps)});
}

// x * weight + bias where they are there, each converted to the dtype of x.
ValueId scale_and_shift(Builder& b, ValueId x, ValueId weight, ValueId bias) {
  const DType dtype = b.type(x).dtype;
  if (weight != ir::kNoValue) x = b.add("mul", {x, convert(b, weight, dtype)});
  if (bias != ir::kNoValue) x = b.add("add", {x, convert(b, bias, dtype)});
  return x;
}

struct Normalized {
  ValueId value;
  ValueId mean;
  ValueId rstd;
};

// (x - mean) * rstd over dims.
Normalized normalize(Builder& b, ValueId x, const std::vector<int64_t>& dims, double eps) {
  const ValueId mean = mean_kept(b, x, dims);
  const ValueId centered = b.add("sub", {x, mean});
  const ValueId rstd = reciprocal_root(b, variance_kept(b, centered, dims, /*correction=*/0), eps);
  return {b.add("mul", {centered, rstd}), mean, rstd};
}

std::vector<int64_t> last_dims(const TensorType& type, const Attributes& attributes) {
  return one_to(type.rank() - attributes.get<int64_t>("normalized_dims"), type.rank());
}

// Checks weight and bias (operands 1 and 2) of an op that normalises the last dimensions; gives their count.
int64_t check_last_dims(std::string_view op, const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t count = args.attributes.get<int64_t>("normalized_dims");
  if (count < 1 || count > x.rank()) {
    fail(op, "normalized_dims is " + std::to_string(count) + ", but 'x' is " + ir::to_string(x));
  }
  const std::vector<Expr> shape(x.shape.end() - count, x.shape.end());
  for (size_t i = 1; i < args.operands.size(); ++i) {
    if (!has_operand(args, i) || operand(args, i).shape == shape) continue;
    fail(op, std::string(i == 1 ? "'weight'" : "'bias'") + " must have shape " + shape_text(shape) + ", but is " +
                 ir::to_string(operand(args, i)));
  }
  check_floating(op, "x", x);
  return count;
}

std::vector<TensorType> native_layer_norm_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t count = check_last_dims("native_layer_norm", args);
  std::vector<Expr> shape = x.shape;
  for (int64_t i = 0; i < count; ++i) shape[shape.size() - 1 - i] = 1;
  // Where x is f16 or bf16 and the weight f32, eager keeps the statistics in f32.
  const bool mixed = is_half(x.dtype) && has_operand(args, 1) && operand(args, 1).dtype == DType::f32;
  const TensorType statistic = make_type(args, mixed ? DType::f32 : x.dtype, shape);
  return {make_type(args, x.dtype, x.shape), statistic, statistic};
}

Results layer_norm_parts(Builder& b, Operands operands, const Attributes& attributes, DType statistics_dtype) {
  const TensorType type = b.type(operands[0]);
  const ValueId x = convert(b, operands[0], compute_dtype(type.dtype));
  const Normalized n = normalize(b, x, last_dims(type, attributes), attributes.get<double>("eps"));
  const ValueId y = scale_and_shift(b, n.value, operand_or_none(operands, 1), operand_or_none(operands, 2));
  return {convert(b, y, type.dtype), convert(b, n.mean, statistics_dtype), convert(b, n.rstd, statistics_dtype)};
}

Results native_layer_norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const DType dtype = b.type(operands[0]).dtype;
  const ValueId weight = operand_or_none(operands, 1);
  const bool mixed = is_half(dtype) && weight != ir::kNoValue && b.type(weight).dtype == DType::f32;
  return layer_norm_parts(b, operands, attributes, mixed ? DType::f32 : dtype);
}

Results layer_norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  return {layer_norm_parts(b, operands, attributes, compute_dtype(b.type(operands[0]).dtype))[0]};
}

Results rms_norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType type = b.type(operands[0]);
  const ValueId x = convert(b, operands[0], compute_dtype(type.dtype));
  const ValueId mean = mean_kept(b, b.add("mul", {x, x}), last_dims(type, attributes));
  const ValueId y = b.add("mul", {x, reciprocal_root(b, mean, attributes.get<double>("eps"))});
  return {convert(b, scale_and_shift(b, y, operand_or_none(operands, 1), ir::kNoValue), type.dtype)};
}

// Operands after the first, by `names`, must be [C] where they are there.
void check_channels(std::string_view op, const InferArgs& args, std::initializer_list<std::string_view> names) {
  const TensorType& x = operand(args, 0);
  check_floating(op, "x", x);
  if (x.rank() < 2) fail(op, "'x' must have 2 dimensions or more, but is " + ir::to_string(x));
  size_t i = 1;
  for (std::string_view name : names) {
    if (has_operand(args, i) && !(operand(args, i).shape == std::vector<Expr>{x.shape[1]})) {
      fail(op, "'" + std::string(name) + "' must have shape [" + x.shape[1].to_string() + "], but is " +
                   ir::to_string(operand(args, i)));
    }
    ++i;
  }
}

std::vector<TensorType> group_norm_infer(const InferArgs& args) {
  check_channels("group_norm", args, {"weight", "bias"});
  const TensorType& x = operand(args, 0);
  const int64_t groups = args.attributes.get<int64_t>("groups");
  if (groups < 1 || !(mod(x.shape[1], Expr(groups)) == Expr(0))) {
    fail("group_norm", "groups " + std::to_string(groups) + " does not divide the channels, " + x.shape[1].to_string());
  }
  return {make_type(args, x.dtype, x.shape)};
}

Results group_norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType type = b.type(operands[0]);
  const Expr groups = attributes.get<int64_t>("groups");
  std::vector<Expr> grouped = {type.shape[0], groups, floor_div(type.shape[1], groups)};
  grouped.insert(grouped.end(), type.shape.begin() + 2, type.shape.end());
  const ValueId x = reshape(b, convert(b, operands[0], compute_dtype(type.dtype)), grouped);
  const auto dims = one_to(2, static_cast<int64_t>(grouped.size()));
  const ValueId y = reshape(b, normalize(b, x, dims, attributes.get<double>("eps")).value, type.shape);
  auto channel = [&](size_t i) {
    const ValueId v = operand_or_none(operands, i);
    return v == ir::kNoValue ? v : along(b, v, 1, type.rank());
  };
  const ValueId weight = channel(1);
  const ValueId bias = channel(2);
  return {convert(b, scale_and_shift(b, y, weight, bias), type.dtype)};
}

std::vector<TensorType> batch_norm_infer(const InferArgs& args) {
  check_channels("batch_norm_inference", args, {"weight", "bias", "mean", "var"});
  return {make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
}

// A scale and a shift for each channel, as eager computes them: x * scale + (bias - mean * scale).
Results batch_norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType type = b.type(operands[0]);
  const DType dtype = compute_dtype(type.dtype);
  const ValueId mean = convert(b, operands[3], dtype);
  ValueId scale = reciprocal_root(b, convert(b, operands[4], dtype), attributes.get<double>("eps"));
  if (operands[1] != ir::kNoValue) scale = b.add("mul", {scale, convert(b, operands[1], dtype)});
  const ValueId offset = b.add("mul", {mean, scale});
  const ValueId shift =
      operands[2] == ir::kNoValue ? b.add("neg", {offset}) : b.add("sub", {convert(b, operands[2], dtype), offset});
  const ValueId x = convert(b, operands[0], dtype);
  const ValueId scaled = b.add("mul", {x, along(b, scale, 1, type.rank())});
  return {convert(b, b.add("add", {scaled, along(b, shift, 1, type.rank())}), type.dtype)};
}

}  // namespace

std::vector<OpRecord> normalization_records() {
  constexpr auto optional = OperandKind::optional;
  const std::vector<OperandSpec> affine = {
      {.name = "x"}, {.name = "weight", .kind = optional}, {.name = "bias", .kind = optional}};
  const std::vector<AttrSpec> last = {{"normalized_dims", AttrKind::integer}, {"eps", AttrKind::number}};
  std::vector<OpRecord> r;
  r.push_back({.name = "layer_norm",
               .kind = OpKind::composite,
               .operands = affine,
               .attributes = last,
               .doc = "(x - mean) / sqrt(var + eps) * weight + bias over the last normalized_dims dimensions",
               .infer =
                   [](const InferArgs& args) {
                     check_last_dims("layer_norm", args);
                     return std::vector{make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
                   },
               .decompose = layer_norm_decompose});
  r.push_back({.name = "native_layer_norm",
               .kind = OpKind::composite,
               .operands = affine,
               .attributes = last,
               .results = 3,
               .doc = "layer_norm, and its mean and 1 / sqrt(var + eps) with the normalised dimensions of size 1",
               .infer = native_layer_norm_infer,
               .decompose = native_layer_norm_decompose});
  r.push_back({.name = "rms_norm",
               .kind = OpKind::composite,
               .operands = {{.name = "x"}, {.name = "weight", .kind = optional}},
               .attributes = last,
               .doc = "x / sqrt(mean(x * x) + eps) * weight over the last normalized_dims dimensions",
               .infer =
                   [](const InferArgs& args) {
                     check_last_dims("rms_norm", args);
                     return std::vector{make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
                   },
               .decompose = rms_norm_decompose});
  r.push_back({.name = "group_norm",
               .kind = OpKind::composite,
               .operands = affine,
               .attributes = {{"groups", AttrKind::integer}, {"eps", AttrKind::number}},
               .doc = "x [N, C, …] normalised over each group of C / groups channels; weight and bias are [C]",
               .infer = group_norm_infer,
               .decompose = group_norm_decompose});
  r.push_back({.name = "batch_norm_inference",
               .kind = OpKind::composite,
               .operands = {{.name = "x"},
                            {.name = "weight", .kind = optional},
                            {.name = "bias", .kind = optional},
                            {.name = "mean"},
                            {.name = "var"}},
               .attributes = {{"eps", AttrKind::number}},
               .doc = "(x - mean) / sqrt(var + eps) * weight + bias for each channel of x [N, C, …]",
               .infer = batch_norm_infer,
               .decompose = batch_norm_decompose});
  return r;
}

}  // namespace litz::ops
