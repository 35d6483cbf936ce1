// Ops that work element by element.
#include <cmath>

#include "api/call.h"
#include "api/state.h"
#include "litz/ops.h"
#include "ops/aten.h"

namespace litz {

namespace {

using api::Argument;
using api::call;
using api::tensor_of;

Tensor unary(const char* function, const char* aten, const Operand& x) {
  return call(function, x.at(), aten, {tensor_of(function, x)});
}

// The dtype that a number takes beside a tensor, as an operand of the record `op`.
DType dtype_beside(std::string_view op, const Tensor& tensor, const Operand::Number& number) {
  const api::TensorLayout& layout = *api::state_of(tensor, "operand").layout;
  const ir::TensorType type{.dtype = layout.dtype, .shape = {layout.shape.begin(), layout.shape.end()}};
  const bool is_bool = std::holds_alternative<bool>(number);
  if (const auto* real = std::get_if<double>(&number)) return ops::number_dtype(op, type, *real, is_bool);
  const int64_t integer = is_bool ? int64_t{std::get<bool>(number)} : std::get<int64_t>(number);
  return ops::number_dtype(op, type, integer, is_bool);
}

double as_double(const Operand::Number& number) {
  return std::visit([](auto v) { return static_cast<double>(v); }, number);
}

Tensor number_tensor(const Operand::Number& number, DType dtype) {
  const auto* integer = std::get_if<int64_t>(&number);
  if (integer != nullptr && dtype == DType::i64 && !api::is_tracing()) return tensor<int64_t>({*integer}, Sizes{});
  return full({}, as_double(number), dtype);
}

// Outside of a trace a number beside a tensor is a 0-d tensor, so that one program serves all numbers.
Argument number_beside(std::string_view function, const Tensor& tensor, const Operand& number) {
  if (api::is_tracing()) return number;
  const std::string_view op = function == "div" ? "true_div" : function == "floor_divide" ? "div" : function;
  return number_tensor(number.number(), dtype_beside(op, tensor, number.number()));
}

// `aten` takes tensors or numbers in both places.
Tensor binary(const char* function, const char* aten, const Operand& a, const Operand& b) {
  if (a.tensor() == nullptr && b.tensor() == nullptr) {
    throw UserError(api::site_text({function, a.at()}) + ": one of the operands must be a tensor");
  }
  const Argument left = a.tensor() != nullptr ? Argument(a) : number_beside(function, *b.tensor(), a);
  const Argument right = b.tensor() != nullptr ? Argument(b) : number_beside(function, *a.tensor(), b);
  return call(function, a.at(), aten, {left, right});
}

}  // namespace

Tensor abs(const Operand& x) { return unary("abs", "aten.abs.default", x); }
Tensor neg(const Operand& x) { return unary("neg", "aten.neg.default", x); }
Tensor sign(const Operand& x) { return unary("sign", "aten.sign.default", x); }
Tensor floor(const Operand& x) { return unary("floor", "aten.floor.default", x); }
Tensor ceil(const Operand& x) { return unary("ceil", "aten.ceil.default", x); }
Tensor trunc(const Operand& x) { return unary("trunc", "aten.trunc.default", x); }
Tensor round(const Operand& x) { return unary("round", "aten.round.default", x); }
Tensor frac(const Operand& x) { return unary("frac", "aten.frac.default", x); }
Tensor reciprocal(const Operand& x) { return unary("reciprocal", "aten.reciprocal.default", x); }
Tensor square(const Operand& x) { return unary("square", "aten.square.default", x); }
Tensor sqrt(const Operand& x) { return unary("sqrt", "aten.sqrt.default", x); }
Tensor rsqrt(const Operand& x) { return unary("rsqrt", "aten.rsqrt.default", x); }
Tensor exp(const Operand& x) { return unary("exp", "aten.exp.default", x); }
Tensor exp2(const Operand& x) { return unary("exp2", "aten.exp2.default", x); }
Tensor expm1(const Operand& x) { return unary("expm1", "aten.expm1.default", x); }
Tensor log(const Operand& x) { return unary("log", "aten.log.default", x); }
Tensor log2(const Operand& x) { return unary("log2", "aten.log2.default", x); }
Tensor log10(const Operand& x) { return unary("log10", "aten.log10.default", x); }
Tensor log1p(const Operand& x) { return unary("log1p", "aten.log1p.default", x); }
Tensor sin(const Operand& x) { return unary("sin", "aten.sin.default", x); }
Tensor cos(const Operand& x) { return unary("cos", "aten.cos.default", x); }
Tensor tan(const Operand& x) { return unary("tan", "aten.tan.default", x); }
Tensor asin(const Operand& x) { return unary("asin", "aten.asin.default", x); }
Tensor acos(const Operand& x) { return unary("acos", "aten.acos.default", x); }
Tensor atan(const Operand& x) { return unary("atan", "aten.atan.default", x); }
Tensor sinh(const Operand& x) { return unary("sinh", "aten.sinh.default", x); }
Tensor cosh(const Operand& x) { return unary("cosh", "aten.cosh.default", x); }
Tensor tanh(const Operand& x) { return unary("tanh", "aten.tanh.default", x); }
Tensor asinh(const Operand& x) { return unary("asinh", "aten.asinh.default", x); }
Tensor acosh(const Operand& x) { return unary("acosh", "aten.acosh.default", x); }
Tensor atanh(const Operand& x) { return unary("atanh", "aten.atanh.default", x); }
Tensor erf(const Operand& x) { return unary("erf", "aten.erf.default", x); }
Tensor erfc(const Operand& x) { return unary("erfc", "aten.erfc.default", x); }
Tensor isnan(const Operand& x) { return unary("isnan", "aten.isnan.default", x); }
Tensor isinf(const Operand& x) { return unary("isinf", "aten.isinf.default", x); }
Tensor isfinite(const Operand& x) { return unary("isfinite", "aten.isfinite.default", x); }
Tensor signbit(const Operand& x) { return unary("signbit", "aten.signbit.default", x); }
Tensor logical_not(const Operand& x) { return unary("logical_not", "aten.logical_not.default", x); }
Tensor bitwise_not(const Operand& x) { return unary("bitwise_not", "aten.bitwise_not.default", x); }

Tensor nan_to_num(const Operand& x, double nan, std::optional<double> positive_infinity,
                  std::optional<double> negative_infinity) {
  return call("nan_to_num", x.at(), "aten.nan_to_num.default",
              {tensor_of("nan_to_num", x), nan, positive_infinity, negative_infinity});
}

Tensor relu(const Operand& x) { return unary("relu", "aten.relu.default", x); }
Tensor relu6(const Operand& x) { return unary("relu6", "aten.relu6.default", x); }
Tensor sigmoid(const Operand& x) { return unary("sigmoid", "aten.sigmoid.default", x); }
Tensor log_sigmoid(const Operand& x) { return unary("log_sigmoid", "aten.log_sigmoid.default", x); }
Tensor silu(const Operand& x) { return unary("silu", "aten.silu.default", x); }
Tensor mish(const Operand& x) { return unary("mish", "aten.mish.default", x); }
Tensor hardswish(const Operand& x) { return unary("hardswish", "aten.hardswish.default", x); }
Tensor hardsigmoid(const Operand& x) { return unary("hardsigmoid", "aten.hardsigmoid.default", x); }
Tensor selu(const Operand& x) { return unary("selu", "aten.selu.default", x); }

Tensor gelu(const Operand& x, std::string_view approximate) {
  return call("gelu", x.at(), "aten.gelu.default", {tensor_of("gelu", x), approximate});
}

Tensor hardtanh(const Operand& x, double min, double max) {
  return call("hardtanh", x.at(), "aten.hardtanh.default", {tensor_of("hardtanh", x), min, max});
}

Tensor leaky_relu(const Operand& x, double slope) {
  return call("leaky_relu", x.at(), "aten.leaky_relu.default", {tensor_of("leaky_relu", x), slope});
}

Tensor elu(const Operand& x, double alpha) {
  return call("elu", x.at(), "aten.elu.default", {tensor_of("elu", x), alpha});
}

Tensor softplus(const Operand& x, double beta, double threshold) {
  return call("softplus", x.at(), "aten.softplus.default", {tensor_of("softplus", x), beta, threshold});
}

Tensor glu(const Operand& x, int64_t dim) {
  return call("glu", x.at(), "aten.glu.default", {tensor_of("glu", x), dim});
}

Tensor clamp(const Operand& x, std::optional<Operand> min, std::optional<Operand> max) {
  const Tensor& tensor = tensor_of("clamp", x);
  if (!min && !max) throw UserError(api::site_text({"clamp", x.at()}) + ": one of min and max must be given");
  const bool tensors = (min && min->tensor() != nullptr) || (max && max->tensor() != nullptr);
  const auto bound = [&](const std::optional<Operand>& b) {
    if (!b) return Argument();
    if (!tensors || b->tensor() != nullptr) return Argument(*b);
    return Argument(number_tensor(b->number(), dtype_beside("clamp", tensor, b->number())));
  };
  return call("clamp", x.at(), tensors ? "aten.clamp.Tensor" : "aten.clamp.default", {tensor, bound(min), bound(max)});
}

Tensor softmax(const Operand& x, int64_t dim) {
  return call("softmax", x.at(), "aten.softmax.int", {tensor_of("softmax", x), dim});
}

Tensor log_softmax(const Operand& x, int64_t dim) {
  return call("log_softmax", x.at(), "aten.log_softmax.int", {tensor_of("log_softmax", x), dim});
}

Tensor add(const Operand& a, const Operand& b) { return binary("add", "aten.add.Tensor", a, b); }
Tensor sub(const Operand& a, const Operand& b) { return binary("sub", "aten.sub.Tensor", a, b); }
Tensor mul(const Operand& a, const Operand& b) { return binary("mul", "aten.mul.Tensor", a, b); }
Tensor div(const Operand& a, const Operand& b) { return binary("div", "aten.div.Tensor", a, b); }
Tensor fmod(const Operand& a, const Operand& b) { return binary("fmod", "aten.fmod.Tensor", a, b); }
Tensor remainder(const Operand& a, const Operand& b) { return binary("remainder", "aten.remainder.Tensor", a, b); }
Tensor minimum(const Operand& a, const Operand& b) { return binary("minimum", "aten.minimum.default", a, b); }
Tensor maximum(const Operand& a, const Operand& b) { return binary("maximum", "aten.maximum.default", a, b); }
Tensor atan2(const Operand& a, const Operand& b) { return binary("atan2", "aten.atan2.default", a, b); }
Tensor hypot(const Operand& a, const Operand& b) { return binary("hypot", "aten.hypot.default", a, b); }
Tensor copysign(const Operand& a, const Operand& b) { return binary("copysign", "aten.copysign.Tensor", a, b); }
Tensor xlogy(const Operand& a, const Operand& b) { return binary("xlogy", "aten.xlogy.Tensor", a, b); }
Tensor eq(const Operand& a, const Operand& b) { return binary("eq", "aten.eq.Tensor", a, b); }
Tensor ne(const Operand& a, const Operand& b) { return binary("ne", "aten.ne.Tensor", a, b); }
Tensor lt(const Operand& a, const Operand& b) { return binary("lt", "aten.lt.Tensor", a, b); }
Tensor le(const Operand& a, const Operand& b) { return binary("le", "aten.le.Tensor", a, b); }
Tensor gt(const Operand& a, const Operand& b) { return binary("gt", "aten.gt.Tensor", a, b); }
Tensor ge(const Operand& a, const Operand& b) { return binary("ge", "aten.ge.Tensor", a, b); }
Tensor logical_and(const Operand& a, const Operand& b) {
  return binary("logical_and", "aten.logical_and.default", a, b);
}
Tensor logical_or(const Operand& a, const Operand& b) { return binary("logical_or", "aten.logical_or.default", a, b); }
Tensor logical_xor(const Operand& a, const Operand& b) {
  return binary("logical_xor", "aten.logical_xor.default", a, b);
}
Tensor bitwise_and(const Operand& a, const Operand& b) {
  return binary("bitwise_and", "aten.bitwise_and.Tensor", a, b);
}
Tensor bitwise_or(const Operand& a, const Operand& b) { return binary("bitwise_or", "aten.bitwise_or.Tensor", a, b); }
Tensor bitwise_xor(const Operand& a, const Operand& b) {
  return binary("bitwise_xor", "aten.bitwise_xor.Tensor", a, b);
}
Tensor bitwise_left_shift(const Operand& a, const Operand& b) {
  return binary("bitwise_left_shift", "aten.bitwise_left_shift.Tensor", a, b);
}
Tensor bitwise_right_shift(const Operand& a, const Operand& b) {
  return binary("bitwise_right_shift", "aten.bitwise_right_shift.Tensor", a, b);
}

Tensor floor_divide(const Operand& a, const Operand& b) {
  return binary("floor_divide", "aten.floor_divide.default", a, b);
}

// A fixed power is a part of the program: the common ones are products and roots.
Tensor pow(const Operand& a, const Operand& b) {
  if (a.tensor() != nullptr && b.tensor() != nullptr) return call("pow", a.at(), "aten.pow.Tensor_Tensor", {a, b});
  if (a.tensor() != nullptr) return call("pow", a.at(), "aten.pow.Tensor_Scalar", {a, b});
  if (b.tensor() != nullptr) return call("pow", a.at(), "aten.pow.Scalar", {a, b});
  throw UserError(api::site_text({"pow", a.at()}) + ": one of the operands must be a tensor");
}

Tensor where(const Operand& condition, const Operand& a, const Operand& b) {
  const Tensor& mask = tensor_of("where", condition);
  if (a.tensor() == nullptr && b.tensor() == nullptr) {
    return call("where", condition.at(), "aten.where.Scalar", {mask, a, b});
  }
  const Argument left = a.tensor() != nullptr ? Argument(a) : number_beside("where", *b.tensor(), a);
  const Argument right = b.tensor() != nullptr ? Argument(b) : number_beside("where", *a.tensor(), b);
  const bool numbers = api::is_tracing() && (a.tensor() == nullptr || b.tensor() == nullptr);
  return call("where", condition.at(), numbers ? "aten.where.ScalarOther" : "aten.where.self", {mask, left, right});
}

Tensor masked_fill(const Operand& x, const Tensor& mask, const Operand& value) {
  const Tensor& tensor = tensor_of("masked_fill", x);
  const bool number = value.tensor() == nullptr;
  return call("masked_fill", x.at(), number ? "aten.masked_fill.Scalar" : "aten.masked_fill.Tensor",
              {tensor, mask, value});
}

Tensor lerp(const Operand& start, const Operand& end, const Operand& weight) {
  const Tensor& first = tensor_of("lerp", start);
  const bool number = weight.tensor() == nullptr;
  return call("lerp", start.at(), number ? "aten.lerp.Scalar" : "aten.lerp.Tensor",
              {first, tensor_of("lerp", end), weight});
}

Tensor addcmul(const Operand& x, const Operand& a, const Operand& b, double value) {
  return call("addcmul", x.at(), "aten.addcmul.default",
              {tensor_of("addcmul", x), tensor_of("addcmul", a), tensor_of("addcmul", b), value});
}

Tensor addcdiv(const Operand& x, const Operand& a, const Operand& b, double value) {
  return call("addcdiv", x.at(), "aten.addcdiv.default",
              {tensor_of("addcdiv", x), tensor_of("addcdiv", a), tensor_of("addcdiv", b), value});
}

}  // namespace litz
