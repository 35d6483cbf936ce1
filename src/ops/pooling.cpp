// Pooling over windows of the last two dimensions.
#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;
using Integers = std::vector<int64_t>;

// Windows start at most at the last element of the left-padded input.
Expr pooled_size(std::string_view op, const Expr& input, int64_t kernel, int64_t stride, int64_t padding,
                 int64_t dilation, bool ceil_mode) {
  const Expr room = input + Expr(2 * padding - dilation * (kernel - 1) - 1);
  if (!ceil_mode) {
    const Expr size = floor_div(room, stride) + Expr(1);
    if (size.is_constant() && size.constant() < 1) fail(op, "the window is larger than the padded input");
    return size;
  }
  if (!input.is_constant()) fail(op, "ceil_mode needs sizes known at compile time");
  int64_t size = ceil_div(room, stride).constant() + 1;
  if ((size - 1) * stride >= input.constant() + padding) --size;
  if (size < 1) fail(op, "the window is larger than the padded input");
  return size;
}

TensorType pooled_type(std::string_view op, const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const Attributes& a = args.attributes;
  check_rank(op, "x", x, 4);
  const auto& kernel = a.get<Integers>("kernel");
  const auto& stride = a.get<Integers>("stride");
  const auto& padding = a.get<Integers>("padding");
  const Integers dilation = attribute_or(a, "dilation", Integers{1, 1});
  check_count(op, "kernel", kernel, 2);
  check_count(op, "stride", stride, 2);
  check_count(op, "padding", padding, 2);
  check_count(op, "dilation", dilation, 2);
  std::vector<Expr> shape = x.shape;
  for (int d = 0; d < 2; ++d) {
    if (kernel[d] < 1 || stride[d] < 1 || dilation[d] < 1) fail(op, "kernel, stride and dilation must be positive");
    if (padding[d] < 0 || 2 * padding[d] > (kernel[d] - 1) * dilation[d] + 1) {
      fail(op, "padding must be between 0 and half the window");
    }
    shape[d + 2] =
        pooled_size(op, shape[d + 2], kernel[d], stride[d], padding[d], dilation[d], a.get<bool>("ceil_mode"));
  }
  return make_type(args, x.dtype, std::move(shape));
}

std::vector<TensorType> max_pool_infer(const InferArgs& args) { return {pooled_type("max_pool2d", args)}; }

std::vector<TensorType> max_pool_indices_infer(const InferArgs& args) {
  TensorType values = pooled_type("max_pool2d_with_indices", args);
  TensorType indices = values;
  indices.dtype = DType::i64;
  return {values, indices};
}

std::vector<TensorType> avg_pool_infer(const InferArgs& args) {
  check_floating("avg_pool2d", "x", operand(args, 0));
  if (attribute_or(args.attributes, "divisor", int64_t{1}) == 0) fail("avg_pool2d", "divisor must not be 0");
  return {pooled_type("avg_pool2d", args)};
}

std::vector<TensorType> adaptive_infer(const InferArgs& args) {
  constexpr std::string_view op = "adaptive_avg_pool2d";
  const TensorType& x = operand(args, 0);
  const auto& size = args.attributes.get<Integers>("output_size");
  check_rank(op, "x", x, 4);
  check_floating(op, "x", x);
  check_count(op, "output_size", size, 2);
  for (int d = 0; d < 2; ++d) {
    if (size[d] < 1) fail(op, "output_size must be positive");
    if (is_zero(x.shape[d + 2])) fail(op, "'x' has no elements to average: " + ir::to_string(x));
    if (size[d] != 1 && !x.shape[d + 2].is_constant()) fail(op, "needs sizes known at compile time");
  }
  return {make_type(args, x.dtype, {x.shape[0], x.shape[1], size[0], size[1]})};
}

// Sums over the ranges [floor(i * n / out), ceil((i + 1) * n / out)) of `dim`, and their lengths.
ValueId range_sums(Builder& b, ValueId x, int64_t dim, int64_t out, std::vector<ValueId>* lengths) {
  const int64_t n = b.type(x).shape[dim].constant();
  std::vector<ValueId> sums;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t start = i * n / out;
    const int64_t end = ((i + 1) * n + out - 1) / out;
    const ValueId part = b.add("slice", {x}, {{"dim", dim}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
    sums.push_back(reduce(b, "sum", part, {dim}, /*keepdim=*/true));
    lengths->push_back(full(b, std::vector<Expr>(4, Expr(1)), static_cast<double>(end - start), b.type(x).dtype));
  }
  return b.add("cat", sums, {{"dim", dim}});
}

Results adaptive_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType type = b.type(operands[0]);
  const auto& size = attributes.get<Integers>("output_size");
  if (size[0] == 1 && size[1] == 1) {
    return {b.add("mean", {operands[0]}, {{"dims", Integers{2, 3}}, {"keepdim", true}})};
  }
  const bool known = type.shape[2].is_constant() && type.shape[3].is_constant();
  LITZ_CHECK(known, "checked by infer");
  const Integers n = {type.shape[2].constant(), type.shape[3].constant()};
  if (n[0] % size[0] == 0 && n[1] % size[1] == 0) {
    const Integers kernel = {n[0] / size[0], n[1] / size[1]};
    return {b.add("avg_pool2d", {operands[0]},
                  {{"kernel", kernel},
                   {"stride", kernel},
                   {"padding", Integers{0, 0}},
                   {"ceil_mode", false},
                   {"count_include_pad", true}})};
  }
  const ValueId x = convert(b, operands[0], compute_dtype(type.dtype));
  std::vector<ValueId> heights;
  std::vector<ValueId> widths;
  const ValueId sums = range_sums(b, range_sums(b, x, 2, size[0], &heights), 3, size[1], &widths);
  const ValueId counts =
      b.add("mul", {b.add("cat", heights, {{"dim", int64_t{2}}}), b.add("cat", widths, {{"dim", int64_t{3}}})});
  return {convert(b, b.add("div", {sums, counts}), type.dtype)};
}

}  // namespace

std::vector<OpRecord> pooling_records() {
  constexpr auto integers = AttrKind::integers;
  const std::vector<AttrSpec> max_attributes = {{"kernel", integers},
                                                {"stride", integers},
                                                {"padding", integers},
                                                {"dilation", integers},
                                                {"ceil_mode", AttrKind::boolean}};
  std::vector<OpRecord> r;
  r.push_back({.name = "max_pool2d",
               .kind = OpKind::window,
               .operands = {{.name = "x"}},
               .attributes = max_attributes,
               .doc = "x [N, C, H, W]: the largest of each window; padding never wins; NaN wins",
               .infer = max_pool_infer});
  r.push_back({.name = "max_pool2d_with_indices",
               .kind = OpKind::window,
               .operands = {{.name = "x"}},
               .attributes = max_attributes,
               .results = 2,
               .doc = "max_pool2d, and where in its H x W plane each was found: the first largest, or the last NaN",
               .infer = max_pool_indices_infer});
  r.push_back({.name = "avg_pool2d",
               .kind = OpKind::window,
               .operands = {{.name = "x"}},
               .attributes = {{"kernel", integers},
                              {"stride", integers},
                              {"padding", integers},
                              {"ceil_mode", AttrKind::boolean},
                              {"count_include_pad", AttrKind::boolean},
                              {"divisor", AttrKind::integer, false}},
               .doc =
                   "x [N, C, H, W]: sum of each window / divisor, by default the window's size within the input, with "
                   "count_include_pad within the padded input",
               .infer = avg_pool_infer});
  r.push_back({.name = "adaptive_avg_pool2d",
               .kind = OpKind::composite,
               .operands = {{.name = "x"}},
               .attributes = {{"output_size", integers}},
               .doc = "x [N, C, H, W]: means over output_size ranges that cover H and W",
               .infer = adaptive_infer,
               .decompose = adaptive_decompose});
  return r;
}

}  // namespace litz::ops
