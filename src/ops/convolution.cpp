// Convolutions in 1 to 3 dimensions.
#include "ops/infer.h"

namespace litz::ops {

namespace {

struct ConvAttributes {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  int64_t groups;
  bool transposed;
};

ConvAttributes read(const Attributes& a) {
  return {.stride = a.get<std::vector<int64_t>>("stride"),
          .padding = a.get<std::vector<int64_t>>("padding"),
          .dilation = a.get<std::vector<int64_t>>("dilation"),
          .output_padding = a.get<std::vector<int64_t>>("output_padding"),
          .groups = a.get<int64_t>("groups"),
          .transposed = a.get<bool>("transposed")};
}

Expr output_size(const ConvAttributes& a, size_t d, const Expr& input, const Expr& kernel) {
  const Expr reach = Expr(a.dilation[d]) * (kernel - Expr(1));
  if (a.transposed) {
    return (input - Expr(1)) * Expr(a.stride[d]) - Expr(2 * a.padding[d]) + reach + Expr(a.output_padding[d] + 1);
  }
  return floor_div(input + Expr(2 * a.padding[d]) - reach - Expr(1), Expr(a.stride[d])) + Expr(1);
}

void check_attributes(const ConvAttributes& a, size_t spatial) {
  check_count("convolution", "stride", a.stride, spatial);
  check_count("convolution", "padding", a.padding, spatial);
  check_count("convolution", "dilation", a.dilation, spatial);
  check_count("convolution", "output_padding", a.output_padding, spatial);
  if (a.groups < 1) fail("convolution", "groups must be positive");
  for (size_t d = 0; d < spatial; ++d) {
    if (a.stride[d] < 1 || a.dilation[d] < 1) fail("convolution", "stride and dilation must be positive");
    if (a.padding[d] < 0 || a.output_padding[d] < 0) fail("convolution", "padding must not be negative");
    if (a.output_padding[d] != 0 && !a.transposed) fail("convolution", "output_padding is for transposed ones");
  }
}

std::vector<TensorType> convolution_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& weight = operand(args, 1);
  check_same_dtype("convolution", args);
  check_floating("convolution", "x", x);
  if (x.rank() < 3 || x.rank() > 5) {
    fail("convolution", "'x' must be [N, C, …] with 1 to 3 spatial dimensions, but is " + ir::to_string(x));
  }
  check_rank("convolution", "weight", weight, x.rank());
  const auto spatial = static_cast<size_t>(x.rank() - 2);
  const ConvAttributes a = read(args.attributes);
  check_attributes(a, spatial);
  const Expr groups = a.groups;
  const Expr in_channels = a.transposed ? weight.shape[0] : weight.shape[1] * groups;
  const Expr out_channels = a.transposed ? weight.shape[1] * groups : weight.shape[0];
  check_same_size("convolution", x.shape[1], "the number of channels of 'x'", in_channels, "that of 'weight'");
  if (!(mod(weight.shape[0], groups) == Expr(0))) {
    fail("convolution", "groups " + groups.to_string() + " does not divide " + weight.shape[0].to_string() +
                            ", the first size of 'weight'");
  }
  if (has_operand(args, 2)) {
    check_rank("convolution", "bias", operand(args, 2), 1);
    check_same_size("convolution", operand(args, 2).shape[0], "the size of 'bias'", out_channels,
                    "the number of output channels");
  }
  std::vector<Expr> shape = {x.shape[0], out_channels};
  for (size_t d = 0; d < spatial; ++d) {
    const Expr size = output_size(a, d, x.shape[d + 2], weight.shape[d + 2]);
    if (size.is_constant() && size.constant() < 1) {
      fail("convolution", "the kernel is larger than the padded input at spatial dimension " + std::to_string(d));
    }
    shape.push_back(size);
  }
  return {make_type(args, x.dtype, std::move(shape))};
}

}  // namespace

std::vector<OpRecord> convolution_records() {
  constexpr auto integers = AttrKind::integers;
  std::vector<OpRecord> r;
  r.push_back({.name = "convolution",
               .kind = OpKind::convolution,
               .operands = {{.name = "x"}, {.name = "weight"}, {.name = "bias", .kind = OperandKind::optional}},
               .attributes = {{"stride", integers},
                              {"padding", integers},
                              {"dilation", integers},
                              {"groups", AttrKind::integer},
                              {"transposed", AttrKind::boolean},
                              {"output_padding", integers}},
               .doc = "x [N, C, …], weight [O, C / groups, …] (transposed: [C, O / groups, …]), bias [O]; one rounding",
               .infer = convolution_infer});
  return r;
}

}  // namespace litz::ops
