// Arithmetic of two and three operands.
#include <limits>

#include "ops/pointwise.h"

namespace litz::ops {

namespace {

// a + alpha * b. With alpha other than 1 floats take one rounding, as eager's vector kernel does.
Scalar add_scaled(ScalarBuilder& b, Scalar x, Scalar y, double alpha) {
  if (x.dtype == DType::boolean) return alpha == 0 ? x : b.binary(ScalarOp::bit_or, x, y);
  if (alpha == 1) return b.add(x, y);
  if (alpha == -1) return b.sub(x, y);
  const Scalar factor = b.number(x.dtype, alpha);
  return is_floating(x.dtype) ? b.fma(y, factor, x) : b.add(x, b.mul(y, factor));
}

Scalar add_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  return add_scaled(b, a[0], a[1], attribute_or(attributes, "alpha", 1.0));
}

Scalar sub_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  return add_scaled(b, a[0], a[1], -attribute_or(attributes, "alpha", 1.0));
}

Scalar mul_body(ScalarBuilder& b, Args a, const Attributes&) {
  return a[0].dtype == DType::boolean ? b.binary(ScalarOp::bit_and, a[0], a[1]) : b.mul(a[0], a[1]);
}

Scalar is_negative(ScalarBuilder& b, Scalar x) { return b.compare(ScalarOp::lt, x, b.number(x.dtype, 0)); }
Scalar is_nonzero(ScalarBuilder& b, Scalar x) { return b.compare(ScalarOp::ne, x, b.number(x.dtype, 0)); }

// Whether a remainder that is not 0 has another sign than the divisor.
Scalar needs_shift(ScalarBuilder& b, Scalar remainder, Scalar divisor) {
  const Scalar differ = b.binary(ScalarOp::bit_xor, is_negative(b, remainder), is_negative(b, divisor));
  return b.binary(ScalarOp::bit_and, is_nonzero(b, remainder), differ);
}

Scalar floor_div_integers(ScalarBuilder& b, Scalar x, Scalar y) {
  const Scalar quotient = b.div(x, y);
  const Scalar remainder = b.sub(x, b.mul(quotient, y));
  return b.select(needs_shift(b, remainder, y), b.sub(quotient, b.number(x.dtype, 1)), quotient);
}

Scalar copysign_of(ScalarBuilder& b, Scalar magnitude, Scalar sign) {
  const bool wide = magnitude.dtype == DType::f64;
  const DType bits = wide ? DType::i64 : DType::i32;
  const int64_t top = wide ? INT64_MIN : INT32_MIN;
  const int64_t rest = wide ? INT64_MAX : INT32_MAX;
  const Scalar m = b.emit(ScalarOp::bitcast, bits, std::span(&magnitude, 1));
  const Scalar s = b.emit(ScalarOp::bitcast, bits, std::span(&sign, 1));
  const Scalar joined = b.binary(ScalarOp::bit_or, b.binary(ScalarOp::bit_and, m, b.constant(bits, rest)),
                                 b.binary(ScalarOp::bit_and, s, b.constant(bits, top)));
  return b.emit(ScalarOp::bitcast, magnitude.dtype, std::span(&joined, 1));
}

// PyTorch's: from fmod, so that floor_divide and remainder agree; a / 0 where the divisor is 0.
Scalar floor_div_floats(ScalarBuilder& b, Scalar x, Scalar y) {
  const DType t = x.dtype;
  const Scalar zero = b.number(t, 0);
  const Scalar one = b.number(t, 1);
  const Scalar quotient = b.div(x, y);
  const Scalar remainder = b.binary(ScalarOp::fmod, x, y);
  const Scalar exact = b.div(b.sub(x, remainder), y);
  const Scalar shifted = b.select(needs_shift(b, remainder, y), b.sub(exact, one), exact);
  const Scalar floored = b.unary(ScalarOp::floor, shifted);
  const Scalar too_low = b.compare(ScalarOp::gt, b.sub(shifted, floored), b.number(t, 0.5));
  const Scalar rounded = b.select(too_low, b.add(floored, one), floored);
  const Scalar signed_zero = copysign_of(b, zero, quotient);
  const Scalar result = b.select(b.compare(ScalarOp::eq, shifted, zero), signed_zero, rounded);
  return b.select(b.compare(ScalarOp::eq, y, zero), quotient, result);
}

Scalar div_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const std::string rounding = attribute_or(attributes, "rounding", std::string());
  const bool floats = is_floating(a[0].dtype);
  if (rounding == "floor") return floats ? floor_div_floats(b, a[0], a[1]) : floor_div_integers(b, a[0], a[1]);
  const Scalar quotient = b.div(a[0], a[1]);
  return rounding == "trunc" && floats ? b.unary(ScalarOp::trunc, quotient) : quotient;
}

DType div_dtype(const InferArgs& args) {
  const DType dtype = promote(args.operands);
  return args.attributes.has("rounding") ? dtype : float_of(dtype);
}

std::vector<TensorType> div_infer(const InferArgs& args) {
  const std::string rounding = attribute_or(args.attributes, "rounding", std::string("trunc"));
  if (rounding != "trunc" && rounding != "floor") fail("div", "rounding must be \"trunc\" or \"floor\"");
  const DType dtype = div_dtype(args);
  if (dtype == DType::boolean) fail("div", "rounded division is not defined for booleans");
  return {make_type(args, dtype, broadcast_shapes(args.operands, "div"))};
}

Scalar remainder_body(ScalarBuilder& b, Args a, const Attributes&) {
  const Scalar r = b.binary(ScalarOp::fmod, a[0], a[1]);
  return b.select(needs_shift(b, r, a[1]), b.add(r, a[1]), r);
}

// x^n for integers by squaring, wrapping. A negative n gives what 1 / x^-n truncates to.
Scalar integer_pow(ScalarBuilder& b, Scalar x, Scalar n) {
  const DType t = x.dtype;
  const Scalar zero = b.number(t, 0);
  const Scalar one = b.number(t, 1);
  const int bits = dtype_size(t) * 8 - (t == DType::u8 ? 0 : 1);
  Scalar result = one;
  Scalar power = x;
  for (int bit = 0; bit < bits; ++bit) {
    if (bit > 0) power = b.mul(power, power);
    const Scalar set = is_nonzero(b, b.binary(ScalarOp::bit_and, n, b.constant(t, int64_t{1} << bit)));
    result = b.select(set, b.mul(result, power), result);
  }
  if (t == DType::u8) return result;
  const Scalar odd = is_nonzero(b, b.binary(ScalarOp::bit_and, n, one));
  const Scalar minus_one = b.number(t, -1);
  const Scalar of_minus_one = b.select(odd, minus_one, one);
  const Scalar negative = b.select(b.compare(ScalarOp::eq, x, one), one,
                                   b.select(b.compare(ScalarOp::eq, x, minus_one), of_minus_one, zero));
  return b.select(is_negative(b, n), negative, result);
}

Scalar pow_body(ScalarBuilder& b, Args a, const Attributes&) {
  return is_floating(a[0].dtype) ? b.binary(ScalarOp::pow, a[0], a[1]) : integer_pow(b, a[0], a[1]);
}

Body extremum(ScalarOp op, ScalarOp of_booleans) {
  return [=](ScalarBuilder& b, Args a, const Attributes&) {
    return b.binary(a[0].dtype == DType::boolean ? of_booleans : op, a[0], a[1]);
  };
}

Scalar hypot_body(ScalarBuilder& b, Args a, const Attributes&) {
  const Scalar x = b.unary(ScalarOp::abs, a[0]);
  const Scalar y = b.unary(ScalarOp::abs, a[1]);
  const DType t = x.dtype;
  const Scalar infinity = b.number(t, std::numeric_limits<double>::infinity());
  Scalar result;
  if (t == DType::f32) {
    const Scalar wide_x = b.cast(x, DType::f64);
    const Scalar wide_y = b.cast(y, DType::f64);
    result = b.cast(b.unary(ScalarOp::sqrt, b.fma(wide_x, wide_x, b.mul(wide_y, wide_y))), t);
  } else {
    // Scaled by the larger one, so that the squares stay in range.
    const Scalar large = b.binary(ScalarOp::max, x, y);
    const Scalar ratio = b.div(b.binary(ScalarOp::min, x, y), large);
    const Scalar length = b.mul(large, b.unary(ScalarOp::sqrt, b.fma(ratio, ratio, b.number(t, 1))));
    result = b.select(b.compare(ScalarOp::eq, large, b.number(t, 0)), large, length);
  }
  const Scalar any_infinite =
      b.binary(ScalarOp::bit_or, b.compare(ScalarOp::eq, x, infinity), b.compare(ScalarOp::eq, y, infinity));
  return b.select(any_infinite, infinity, result);
}

// 0 where x is 0, even if y is 0; NaN where y is NaN.
Scalar xlogy_body(ScalarBuilder& b, Args a, const Attributes&) {
  const Scalar product = b.mul(a[0], b.unary(ScalarOp::log, a[1]));
  const Scalar zero = b.number(a[0].dtype, 0);
  const Scalar guarded = b.select(b.compare(ScalarOp::eq, a[0], zero), zero, product);
  return b.select(b.compare(ScalarOp::ne, a[1], a[1]), a[1], guarded);
}

Scalar addcmul_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar value = number_of(b, a[0].dtype, attributes, "value", 1);
  return b.add(a[0], b.mul(b.mul(value, a[1]), a[2]));
}

Scalar addcdiv_body(ScalarBuilder& b, Args a, const Attributes& attributes) {
  const Scalar value = number_of(b, a[0].dtype, attributes, "value", 1);
  return b.add(a[0], b.div(b.mul(value, a[1]), a[2]));
}

// From the nearer end, so that weight 1 gives `end` exactly.
Scalar lerp_body(ScalarBuilder& b, Args a, const Attributes&) {
  const DType t = a[0].dtype;
  const Scalar difference = b.sub(a[1], a[0]);
  const Scalar from_start = b.add(a[0], b.mul(a[2], difference));
  const Scalar from_end = b.sub(a[1], b.mul(difference, b.sub(b.number(t, 1), a[2])));
  const Scalar near = b.compare(ScalarOp::lt, b.unary(ScalarOp::abs, a[2]), b.number(t, 0.5));
  return b.select(near, from_start, from_end);
}

OpRecord lerp_record() {
  OpRecord r = pointwise({.name = "lerp",
                          .doc = "start + weight * (end - start)",
                          .operands = {"start", "end", "weight"},
                          .body = lerp_body,
                          .aten = {"aten.lerp.Tensor"}});
  r.infer = [](const InferArgs& args) {
    check_floating("lerp", "start", operand(args, 0));
    return std::vector{make_type(args, promote(args.operands), broadcast_shapes(args.operands, "lerp"))};
  };
  return r;
}

OpRecord div_record() {
  OpRecord r = pointwise({.name = "div",
                          .doc = "a / b; integers without `rounding` (\"trunc\" or \"floor\") give f32",
                          .operands = {"a", "b"},
                          .body = div_body,
                          .attributes = {{"rounding", AttrKind::text, false}}});
  r.infer = div_infer;
  r.body_dtype = [](const InferArgs& args) { return compute_dtype(div_dtype(args)); };
  return r;
}

PointwiseSpec binary(std::string_view name, DtypeRule rule, std::string_view doc, Body body, bool commutative = false) {
  return {.name = name,
          .rule = rule,
          .doc = doc,
          .operands = {"a", "b"},
          .body = std::move(body),
          .commutative = commutative};
}

}  // namespace

std::vector<OpRecord> arithmetic_records() {
  PointwiseSpec add = binary("add", DtypeRule::promoted, "a + alpha * b; or for booleans", add_body);
  add.attributes = {{"alpha", AttrKind::number, false}};
  add.commutative = true;  // where alpha is absent
  PointwiseSpec sub = binary("sub", DtypeRule::numeric, "a - alpha * b", sub_body);
  sub.attributes = {{"alpha", AttrKind::number, false}};
  std::vector<OpRecord> r;
  for (const PointwiseSpec& s : {
           add,
           sub,
           binary("mul", DtypeRule::promoted, "a * b; and for booleans", mul_body, /*commutative=*/true),
           binary("pow", DtypeRule::numeric, "a to the power of b", pow_body),
           binary("fmod", DtypeRule::numeric, "remainder with the sign of a", just(ScalarOp::fmod)),
           binary("remainder", DtypeRule::numeric, "remainder with the sign of b", remainder_body),
           binary("minimum", DtypeRule::promoted, "the smaller; NaN if either is",
                  extremum(ScalarOp::min, ScalarOp::bit_and), /*commutative=*/true),
           binary("maximum", DtypeRule::promoted, "the larger; NaN if either is",
                  extremum(ScalarOp::max, ScalarOp::bit_or), /*commutative=*/true),
           binary("atan2", DtypeRule::floating, "angle of the point (b, a)", just(ScalarOp::atan2)),
           binary("hypot", DtypeRule::floating, "sqrt(a*a + b*b) without overflow", hypot_body, /*commutative=*/true),
           binary("copysign", DtypeRule::floating, "|a| with the sign of b",
                  [](ScalarBuilder& b, Args a, const Attributes&) { return copysign_of(b, a[0], a[1]); }),
           binary("xlogy", DtypeRule::floating, "a * log(b); 0 where a is 0", xlogy_body),
       }) {
    r.push_back(pointwise(s));
  }
  r.push_back(div_record());
  r.push_back(pointwise({.name = "addcmul",
                         .rule = DtypeRule::numeric,
                         .doc = "x + value * a * b",
                         .operands = {"x", "a", "b"},
                         .body = addcmul_body,
                         .attributes = {{"value", AttrKind::number, false}},
                         .aten = {"aten.addcmul.default"}}));
  r.push_back(pointwise({.name = "addcdiv",
                         .rule = DtypeRule::floating,
                         .doc = "x + value * a / b",
                         .operands = {"x", "a", "b"},
                         .body = addcdiv_body,
                         .attributes = {{"value", AttrKind::number, false}},
                         .aten = {"aten.addcdiv.default"}}));
  r.push_back(lerp_record());
  return r;
}

}  // namespace litz::ops
