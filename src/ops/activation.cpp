// Activation functions.
#include <numbers>

#include "ops/pointwise.h"

namespace litz::ops {

namespace {

Scalar relu_body(ScalarBuilder& b, Args a, const Attributes&) {
  return b.binary(ScalarOp::max, a[0], b.number(a[0].dtype, 0));
}

Scalar silu_body(ScalarBuilder& b, Args a, const Attributes&) {
  const Scalar x = a[0];
  return b.div(x, b.add(b.number(x.dtype, 1), b.unary(ScalarOp::exp, b.unary(ScalarOp::neg, x))));
}

Scalar gelu_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar x = a[0];
  const DType t = x.dtype;
  const Scalar one = b.number(t, 1);
  const Scalar half_x = b.mul(x, b.number(t, 0.5));
  if (attribute_or(attributes, "approximate", std::string("none")) == "none") {
    const Scalar erf = b.unary(ScalarOp::erf, b.mul(x, b.number(t, 1 / std::numbers::sqrt2)));
    return b.mul(half_x, b.add(one, erf));
  }
  const double beta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
  const Scalar cube = b.mul(b.mul(x, x), x);
  const Scalar inner = b.mul(b.number(t, beta), b.add(x, b.mul(b.number(t, 0.044715), cube)));
  return b.mul(half_x, b.add(one, b.unary(ScalarOp::tanh, inner)));
}

std::vector<TensorType> gelu_infer(const InferArgs& args) {
  const std::string approximate = attribute_or(args.attributes, "approximate", std::string("none"));
  if (approximate != "none" && approximate != "tanh") fail("gelu", "approximate must be \"none\" or \"tanh\"");
  check_floating("gelu", "x", operand(args, 0));
  return {make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
}

Scalar clamp_between(ScalarBuilder& b, Scalar x, double low, double high) {
  const Scalar raised = b.binary(ScalarOp::max, x, b.number(x.dtype, low));
  return b.binary(ScalarOp::min, raised, b.number(x.dtype, high));
}

Scalar hardtanh_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  return clamp_between(b, a[0], attribute_or(attributes, "min", -1.0), attribute_or(attributes, "max", 1.0));
}

Scalar clamp_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  Scalar x = a[0];
  if (attributes.has("min")) x = b.binary(ScalarOp::max, x, number_of(b, x.dtype, attributes, "min", 0));
  if (attributes.has("max")) x = b.binary(ScalarOp::min, x, number_of(b, x.dtype, attributes, "max", 0));
  return x;
}

// min(max(x + 3, 0), 6)
Scalar relu6_of_x_plus_3(ScalarBuilder& b, Scalar x) { return clamp_between(b, b.add(x, b.number(x.dtype, 3)), 0, 6); }

Scalar hardswish_body(ScalarBuilder& b, Args a, const Attributes&) {
  return b.div(b.mul(a[0], relu6_of_x_plus_3(b, a[0])), b.number(a[0].dtype, 6));
}

Scalar hardsigmoid_body(ScalarBuilder& b, Args a, const Attributes&) {
  return b.div(relu6_of_x_plus_3(b, a[0]), b.number(a[0].dtype, 6));
}

Scalar leaky_relu_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar x = a[0];
  const Scalar scaled = b.mul(x, number_of(b, x.dtype, attributes, "slope", 0.01));
  return b.select(b.compare(ScalarOp::gt, x, b.number(x.dtype, 0)), x, scaled);
}

Scalar elu_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar x = a[0];
  const DType t = x.dtype;
  const double scale = attribute_or(attributes, "scale", 1.0);
  const double alpha = attribute_or(attributes, "alpha", 1.0);
  const Scalar input = b.mul(x, number_of(b, t, attributes, "input_scale", 1));
  const Scalar negative = b.mul(b.unary(ScalarOp::expm1, input), b.number(t, alpha * scale));
  const Scalar positive = b.mul(x, b.number(t, scale));
  return b.select(b.compare(ScalarOp::le, x, b.number(t, 0)), negative, positive);
}

Scalar softplus_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar x = a[0];
  const DType t = x.dtype;
  const Scalar beta = number_of(b, t, attributes, "beta", 1);
  const Scalar scaled = b.mul(x, beta);
  const Scalar curve = b.div(b.unary(ScalarOp::log1p, b.unary(ScalarOp::exp, scaled)), beta);
  return b.select(b.compare(ScalarOp::gt, scaled, number_of(b, t, attributes, "threshold", 20)), x, curve);
}

Scalar mish_body(ScalarBuilder& b, Args a, const Attributes&) {
  return b.mul(a[0], b.unary(ScalarOp::tanh, b.unary(ScalarOp::log1p, b.unary(ScalarOp::exp, a[0]))));
}

Scalar sigmoid_body(ScalarBuilder& b, Args a, const Attributes&) { return sigmoid(b, a[0]); }

PointwiseSpec activation(std::string_view name, std::string_view doc, Body body, std::vector<AttrSpec> attributes,
                         std::vector<std::string_view> aten) {
  return {.name = name,
          .rule = DtypeRule::floating,
          .doc = doc,
          .operands = {"x"},
          .body = std::move(body),
          .attributes = std::move(attributes),
          .aten = std::move(aten)};
}

}  // namespace

std::vector<OpRecord> activation_records() {
  constexpr auto number = AttrKind::number;
  std::vector<OpRecord> r;
  for (const PointwiseSpec& s : {
           activation("sigmoid", "1 / (1 + exp(-x))", sigmoid_body, {}, {"aten.sigmoid.default"}),
           activation("silu", "x * sigmoid(x)", silu_body, {}, {"aten.silu.default"}),
           activation("gelu", "x * Phi(x); approximate: \"none\" or \"tanh\"", gelu_body,
                      {{"approximate", AttrKind::text, false}}, {"aten.gelu.default"}),
           activation("hardswish", "x * clamp(x + 3, 0, 6) / 6", hardswish_body, {}, {"aten.hardswish.default"}),
           activation("hardsigmoid", "clamp(x + 3, 0, 6) / 6", hardsigmoid_body, {}, {"aten.hardsigmoid.default"}),
           activation("leaky_relu", "x where x > 0, else slope * x", leaky_relu_body, {{"slope", number, false}}, {}),
           activation("elu", "scale * (x where x > 0, else alpha * (exp(input_scale * x) - 1))", elu_body,
                      {{"alpha", number, false}, {"scale", number, false}, {"input_scale", number, false}},
                      {"aten.elu.default"}),
           activation("softplus", "log(1 + exp(beta * x)) / beta; x where beta * x > threshold", softplus_body,
                      {{"beta", number, false}, {"threshold", number, false}}, {"aten.softplus.default"}),
           activation("mish", "x * tanh(softplus(x))", mish_body, {}, {"aten.mish.default"}),
       }) {
    r.push_back(pointwise(s));
    if (s.name == "gelu") r.back().infer = gelu_infer;
  }
  const auto bounded = [](std::string_view name, DtypeRule rule, std::string_view doc, Body body,
                          std::vector<AttrSpec> attributes, std::vector<std::string_view> aten) {
    return pointwise({.name = name,
                      .rule = rule,
                      .doc = doc,
                      .operands = {"x"},
                      .body = std::move(body),
                      .attributes = std::move(attributes),
                      .aten = std::move(aten)});
  };
  const std::vector<AttrSpec> limits = {{"min", number, false}, {"max", number, false}};
  r.push_back(bounded("relu", DtypeRule::numeric, "max(x, 0)", relu_body, {}, {"aten.relu.default"}));
  r.push_back(
      bounded("hardtanh", DtypeRule::numeric, "min(max(x, min), max), by default -1 and 1", hardtanh_body, limits, {}));
  r.push_back(bounded("clamp", DtypeRule::numeric, "min(max(x, min), max); an absent bound does not bind", clamp_body,
                      limits, {}));
  return r;
}

}  // namespace litz::ops
