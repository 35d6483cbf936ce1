// Elementary functions of one operand.
#include "ops/pointwise.h"

#include <limits>

namespace litz::ops {

namespace {

void check_rule(std::string_view name, DtypeRule rule, DType dtype) {
  if (rule == DtypeRule::numeric && dtype == DType::boolean) fail(name, "is not defined for booleans");
  if (rule == DtypeRule::bitwise && is_floating(dtype)) {
    fail(name, "is defined for integers and booleans, not for " + std::string(dtype_name(dtype)));
  }
}

// Floats as `op` says; integers as they are.
Body rounding(ScalarOp op) {
  return
      [op](ScalarBuilder& b, Args a, const Attributes&) { return is_floating(a[0].dtype) ? b.unary(op, a[0]) : a[0]; };
}

PointwiseSpec unary(std::string_view name, DtypeRule rule, std::string_view doc, Body body,
                    std::vector<std::string_view> aten) {
  return {.name = name, .rule = rule, .doc = doc, .operands = {"x"}, .body = std::move(body), .aten = std::move(aten)};
}

PointwiseSpec function(std::string_view name, ScalarOp op, std::string_view doc, std::vector<std::string_view> aten) {
  return unary(name, DtypeRule::floating, doc, just(op), std::move(aten));
}

Scalar abs_body(ScalarBuilder& b, Args a, const Attributes&) {
  return a[0].dtype == DType::u8 ? a[0] : b.unary(ScalarOp::abs, a[0]);
}

Scalar sign_body(ScalarBuilder& b, Args a, const Attributes&) {
  return a[0].dtype == DType::boolean ? a[0] : b.unary(ScalarOp::sign, a[0]);
}

Scalar reciprocal_body(ScalarBuilder& b, Args a, const Attributes&) { return b.div(b.number(a[0].dtype, 1), a[0]); }

std::vector<OpRecord> simple_records() {
  std::vector<OpRecord> r;
  r.push_back(pointwise(unary("neg", DtypeRule::numeric, "-x", just(ScalarOp::neg), {"aten.neg.default"})));
  r.push_back(pointwise(
      unary("abs", DtypeRule::numeric, "|x|; of the lowest integer: itself", abs_body, {"aten.abs.default"})));
  r.push_back(pointwise(unary("sign", DtypeRule::promoted, "-1, 0 or 1; 0 for NaN", sign_body,
                              {"aten.sign.default", "aten.sgn.default"})));
  r.push_back(pointwise(
      unary("floor", DtypeRule::numeric, "largest integer <= x", rounding(ScalarOp::floor), {"aten.floor.default"})));
  r.push_back(pointwise(
      unary("ceil", DtypeRule::numeric, "smallest integer >= x", rounding(ScalarOp::ceil), {"aten.ceil.default"})));
  r.push_back(pointwise(unary("trunc", DtypeRule::numeric, "x without its fraction", rounding(ScalarOp::trunc),
                              {"aten.trunc.default", "aten.fix.default"})));
  r.push_back(pointwise(unary("round", DtypeRule::numeric, "nearest integer, half to even", rounding(ScalarOp::round),
                              {"aten.round.default"})));
  r.push_back(
      pointwise(unary("reciprocal", DtypeRule::floating, "1 / x", reciprocal_body, {"aten.reciprocal.default"})));
  r.push_back(pointwise(unary("square", DtypeRule::numeric, "x * x",
                              [](ScalarBuilder& b, Args a, const Attributes&) { return b.mul(a[0], a[0]); }, {})));
  r.push_back(pointwise(unary("identity", DtypeRule::promoted, "x, as a new tensor",
                              [](ScalarBuilder&, Args a, const Attributes&) { return a[0]; },
                              {"aten.clone.default", "aten.alias.default", "aten.alias_copy.default",
                               "aten.detach.default", "aten.lift_fresh_copy.default", "aten.lift_fresh.default"})));
  return r;
}

}  // namespace

OpRecord pointwise(PointwiseSpec spec) {
  OpRecord r{.name = spec.name, .kind = OpKind::pointwise};
  for (std::string_view name : spec.operands) r.operands.push_back({.name = name});
  r.attributes = std::move(spec.attributes);
  r.doc = spec.doc;
  r.body = std::move(spec.body);
  r.aten = std::move(spec.aten);
  r.commutative = spec.commutative;
  if (spec.rule == DtypeRule::promoted) return r;
  r.infer = [name = spec.name, rule = spec.rule](const InferArgs& args) {
    const DType dtype = promote(args.operands);
    check_rule(name, rule, dtype);
    const DType result = rule == DtypeRule::floating  ? float_of(dtype)
                         : rule == DtypeRule::boolean ? DType::boolean
                                                      : dtype;
    return std::vector{make_type(args, result, broadcast_shapes(args.operands, name))};
  };
  if (spec.rule == DtypeRule::floating) {
    r.body_dtype = [](const InferArgs& args) { return compute_dtype(float_of(promote(args.operands))); };
  }
  return r;
}

Body just(ScalarOp op) {
  return [op](ScalarBuilder& b, Args a, const Attributes&) {
    return a.size() == 1 ? b.unary(op, a[0]) : b.binary(op, a[0], a[1]);
  };
}

Scalar number_of(ScalarBuilder& b, DType dtype, const Attributes& attributes, std::string_view name, double otherwise) {
  return b.number(dtype, attribute_or(attributes, name, otherwise));
}

Scalar sigmoid(ScalarBuilder& b, Scalar x) {
  const Scalar one = b.number(x.dtype, 1);
  return b.div(one, b.add(one, b.unary(ScalarOp::exp, b.unary(ScalarOp::neg, x))));
}

Scalar truth(ScalarBuilder& b, Scalar x) {
  return x.dtype == DType::boolean ? x : b.compare(ScalarOp::ne, x, b.number(x.dtype, 0));
}

std::vector<OpRecord> pointwise_records() {
  std::vector<OpRecord> r = simple_records();
  const std::vector<PointwiseSpec> functions = {
      function("sqrt", ScalarOp::sqrt, "square root", {"aten.sqrt.default"}),
      function("rsqrt", ScalarOp::rsqrt, "1 / sqrt(x)", {"aten.rsqrt.default"}),
      function("exp", ScalarOp::exp, "e^x", {"aten.exp.default"}),
      function("exp2", ScalarOp::exp2, "2^x", {"aten.exp2.default"}),
      function("expm1", ScalarOp::expm1, "e^x - 1", {"aten.expm1.default"}),
      function("log", ScalarOp::log, "natural logarithm", {"aten.log.default"}),
      function("log2", ScalarOp::log2, "logarithm to base 2", {"aten.log2.default"}),
      function("log10", ScalarOp::log10, "logarithm to base 10", {"aten.log10.default"}),
      function("log1p", ScalarOp::log1p, "log(1 + x)", {"aten.log1p.default"}),
      function("sin", ScalarOp::sin, "sine, radians", {"aten.sin.default"}),
      function("cos", ScalarOp::cos, "cosine, radians", {"aten.cos.default"}),
      function("tan", ScalarOp::tan, "tangent, radians", {"aten.tan.default"}),
      function("asin", ScalarOp::asin, "inverse sine", {"aten.asin.default"}),
      function("acos", ScalarOp::acos, "inverse cosine", {"aten.acos.default"}),
      function("atan", ScalarOp::atan, "inverse tangent", {"aten.atan.default"}),
      function("sinh", ScalarOp::sinh, "hyperbolic sine", {"aten.sinh.default"}),
      function("cosh", ScalarOp::cosh, "hyperbolic cosine", {"aten.cosh.default"}),
      function("tanh", ScalarOp::tanh, "hyperbolic tangent", {"aten.tanh.default"}),
      function("asinh", ScalarOp::asinh, "inverse hyperbolic sine", {"aten.asinh.default"}),
      function("acosh", ScalarOp::acosh, "inverse hyperbolic cosine", {"aten.acosh.default"}),
      function("atanh", ScalarOp::atanh, "inverse hyperbolic tangent", {"aten.atanh.default"}),
      function("erf", ScalarOp::erf, "error function", {"aten.erf.default", "aten.special_erf.default"}),
      function("erfc", ScalarOp::erfc, "1 - erf(x)", {"aten.erfc.default", "aten.special_erfc.default"}),
  };
  for (const PointwiseSpec& s : functions) r.push_back(pointwise(s));
  return r;
}

}  // namespace litz::ops
