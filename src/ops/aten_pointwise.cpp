// ATen's arithmetic, comparisons and casts.
#include <limits>
#include <numbers>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Eager keeps a number in f32 where it multiplies or divides f16 and bf16; elsewhere the number takes the dtype.
bool keeps_number_wide(std::string_view op) { return op == "mul" || op == "div" || op == "true_div"; }

bool gives_floats(std::string_view op) {
  return op == "true_div" || op == "xlogy" || op == "copysign" || op == "atan2" || op == "hypot";
}

// The number as an operand beside `tensor`.
ValueId number_beside(AtenContext& c, std::string_view op, const TensorType& tensor, const AtenNumber& number) {
  return c.constant(number, number_dtype(op, tensor, number.value, number.is_bool));
}

struct Pair {
  ValueId a;
  ValueId b;
};

// Arguments `i` and `j`, of which one may be a number.
Pair operands(AtenContext& c, std::string_view op, size_t i, size_t j) {
  if (c.is_number(j)) {
    const ValueId a = c.tensor(i);
    return {a, number_beside(c, op, c.type(i), c.number(j))};
  }
  if (c.is_number(i)) {
    const ValueId b = c.tensor(j);
    return {number_beside(c, op, c.type(j), c.number(i)), b};
  }
  return {c.tensor(i), c.tensor(j)};
}

AtenResults binary(AtenContext& c, std::string_view op, const Attributes& attributes = {}) {
  const bool true_division = op == "div" && !attributes.has("rounding");
  const Pair p = operands(c, true_division ? "true_div" : op, 0, 1);
  return {c.b.add(op, {p.a, p.b}, attributes)};
}

Attributes alpha_of(AtenContext& c) {
  const double alpha = c.is_none(2) ? 1 : c.real(2);
  return alpha == 1 ? Attributes{} : Attributes{{"alpha", alpha}};
}

AtenResults add(AtenContext& c) { return binary(c, "add", alpha_of(c)); }
AtenResults sub(AtenContext& c) { return binary(c, "sub", alpha_of(c)); }

AtenResults rsub(AtenContext& c) {
  const Pair p = operands(c, "sub", 0, 1);
  return {c.b.add("sub", {p.b, p.a}, alpha_of(c))};
}

// Rounded division of f16 or bf16: eager rounds after each step, so each step is an op of its own.
ValueId divide_half(Builder& b, ValueId x, ValueId y, bool floors) {
  const ValueId quotient = b.add("div", {x, y});
  if (!floors) return b.add("trunc", {quotient});
  const DType dtype = b.type(quotient).dtype;
  const ValueId zero = b.scalar(dtype, 0);
  const ValueId one = b.scalar(dtype, 1);
  const ValueId remainder = b.add("fmod", {x, y});
  const ValueId exact = b.add("div", {b.add("sub", {x, remainder}), y});
  const ValueId differs = b.add("ne", {b.add("lt", {y, zero}), b.add("lt", {remainder, zero})});
  const ValueId shifts = b.add("logical_and", {b.add("ne", {remainder, zero}), differs});
  const ValueId shifted = b.add("where", {shifts, b.add("sub", {exact, one}), exact});
  const ValueId floored = b.add("floor", {shifted});
  const ValueId low = b.add("gt", {b.add("sub", {shifted, floored}), b.scalar(dtype, 0.5)});
  const ValueId nearest = b.add("where", {low, b.add("add", {floored, one}), floored});
  const ValueId signed_zero = b.add("copysign", {zero, quotient});
  const ValueId result = b.add("where", {b.add("eq", {shifted, zero}), signed_zero, nearest});
  return b.add("where", {b.add("eq", {y, zero}), quotient, result});
}

AtenResults divide_rounded(AtenContext& c, const std::string& rounding) {
  const Pair p = operands(c, "div", 0, 1);
  const DType x = c.b.type(p.a).dtype;
  if (is_half(x) && x == c.b.type(p.b).dtype) return {divide_half(c.b, p.a, p.b, rounding == "floor")};
  return {c.b.add("div", {p.a, p.b}, {{"rounding", rounding}})};
}

AtenResults div_mode(AtenContext& c) {
  const std::string rounding = c.text_or(2, "");
  return rounding.empty() ? binary(c, "div") : divide_rounded(c, rounding);
}

AtenResults floor_divide(AtenContext& c) { return divide_rounded(c, "floor"); }

// x to a fixed power, as eager computes the common ones; f16 and bf16 in f32 with one rounding.
AtenResults pow_number(AtenContext& c) {
  Builder& b = c.b;
  const AtenNumber number = c.number(1);
  const DType dtype = number.result_with(c.type(0));
  const double exponent = number.as_double();
  const ValueId x = convert(b, convert(b, c.tensor(0), dtype), compute_dtype(dtype));
  auto square = [&] { return b.add("mul", {x, x}); };
  const auto finish = [&](ValueId y) { return AtenResults{convert(b, y, dtype)}; };
  if (exponent == 1) return finish(b.add("identity", {x}));
  if (exponent == 2) return finish(square());
  if (exponent == 3) return finish(b.add("mul", {square(), x}));
  if (is_floating(dtype)) {
    if (exponent == 0.5) return finish(b.add("sqrt", {x}));
    if (exponent == -0.5) return finish(b.add("rsqrt", {x}));
    if (exponent == -1) return finish(b.add("reciprocal", {x}));
    if (exponent == -2) return finish(b.add("reciprocal", {square()}));
  } else if (exponent < 0) {
    not_imported("integers to negative integer powers are not allowed");
  }
  return finish(b.add("pow", {x, c.constant(number, b.type(x).dtype)}));
}

AtenResults pow_of_number(AtenContext& c) {
  const AtenNumber base = c.number(0);
  const DType dtype = base.result_with(c.type(1));
  if (base.as_double() == 2 && is_floating(dtype)) return {c.b.add("exp2", {convert(c.b, c.tensor(1), dtype)})};
  return binary(c, "pow");
}

// min(max(x, low), high) where bounds are tensors.
AtenResults clamp_tensors(AtenContext& c) {
  ValueId x = c.tensor(0);
  if (!c.is_none(1)) x = c.b.add("maximum", {x, c.tensor(1)});
  if (!c.is_none(2)) x = c.b.add("minimum", {x, c.tensor(2)});
  return {x};
}

ValueId bounded(AtenContext& c, std::optional<AtenNumber> low, std::optional<AtenNumber> high) {
  Builder& b = c.b;
  TensorType type = c.type(0);
  if (low) type.dtype = low->result_with(type);
  if (high) type.dtype = high->result_with(type);
  const ValueId x = convert(b, c.tensor(0), type.dtype);
  if (!is_floating(type.dtype)) {
    // Integer bounds keep all their bits as constants.
    ValueId y = x;
    if (low) y = b.add("maximum", {y, c.constant(*low, type.dtype)});
    if (high) y = b.add("minimum", {y, c.constant(*high, type.dtype)});
    return y;
  }
  Attributes attributes;
  if (low) attributes.set("min", low->as_double());
  if (high) attributes.set("max", high->as_double());
  return b.add("clamp", {x}, attributes);
}

std::optional<AtenNumber> number_or_none(AtenContext& c, size_t i) {
  return c.is_none(i) ? std::nullopt : std::optional(c.number(i));
}

AtenResults clamp(AtenContext& c) { return {bounded(c, number_or_none(c, 1), number_or_none(c, 2))}; }
AtenResults clamp_min(AtenContext& c) { return {bounded(c, c.number(1), std::nullopt)}; }
AtenResults clamp_max(AtenContext& c) { return {bounded(c, std::nullopt, c.number(1))}; }

// Keeps the dtype: the bounds of integers are truncated.
AtenResults hardtanh(AtenContext& c) {
  return {c.b.add("hardtanh", {c.tensor(0)},
                  {{"min", c.is_none(1) ? -1.0 : c.real(1)}, {"max", c.is_none(2) ? 1.0 : c.real(2)}})};
}

// The larger or smaller of two, a number before NaN.
AtenResults skipping_nan(AtenContext& c, std::string_view op) {
  Builder& b = c.b;
  const ValueId x = c.tensor(0);
  const ValueId y = c.tensor(1);
  const ValueId of_numbers = b.add(op, {x, y});
  if (!is_floating(b.type(of_numbers).dtype)) return {of_numbers};
  const ValueId or_x = b.add("where", {b.add("isnan", {y}), x, of_numbers});
  return {b.add("where", {b.add("isnan", {x}), y, or_x})};
}

// 0 for x < 0, 1 for x > 0, else `values`; NaN counts as below 0.
AtenResults heaviside(AtenContext& c) {
  Builder& b = c.b;
  const ValueId x = c.tensor(0);
  const ValueId step = convert(b, with_number(b, "gt", x, 0), b.type(x).dtype);
  return {b.add("where", {with_number(b, "eq", x, 0), c.tensor(1), step})};
}

AtenResults scaled(AtenContext& c, double factor) {
  const DType dtype = float_of(c.type(0).dtype);
  const ValueId x = convert(c.b, convert(c.b, c.tensor(0), dtype), compute_dtype(dtype));
  return {convert(c.b, with_number(c.b, "mul", x, factor), dtype)};
}

// log(exp(a) + exp(b)) from the larger one; equal infinities stay.
AtenResults logaddexp(AtenContext& c) {
  Builder& b = c.b;
  const DType dtype = promote_types(c.type(0).dtype, c.type(1).dtype);
  if (!is_floating(dtype)) not_imported("it is not defined for integers");
  const ValueId x = convert(b, c.tensor(0), compute_dtype(dtype));
  const ValueId y = convert(b, c.tensor(1), compute_dtype(dtype));
  const ValueId larger = b.add("maximum", {x, y});
  const ValueId distance = b.add("neg", {b.add("abs", {b.add("sub", {x, y})})});
  const ValueId sum = b.add("add", {larger, b.add("log1p", {b.add("exp", {distance})})});
  const ValueId same = b.add("logical_and", {b.add("isinf", {x}), b.add("eq", {x, y})});
  return {convert(b, b.add("where", {same, x, sum}), dtype)};
}

// Eager keeps the weight in f32 for f16 and bf16.
AtenResults lerp_number(AtenContext& c) {
  const DType dtype = promote_types(c.type(0).dtype, c.type(1).dtype);
  const DType inner = compute_dtype(dtype);
  const ValueId start = convert(c.b, c.tensor(0), inner);
  const ValueId end = convert(c.b, c.tensor(1), inner);
  return {convert(c.b, c.b.add("lerp", {start, end, c.constant(c.number(2), inner)}), dtype)};
}

AtenResults where_numbers(AtenContext& c) {
  if (c.is_number(1) && c.is_number(2)) {
    const DType dtype = promote_types(c.number(1).own_dtype(), c.number(2).own_dtype());
    return {c.b.add("where", {c.tensor(0), c.constant(c.number(1), dtype), c.constant(c.number(2), dtype)})};
  }
  const Pair p = operands(c, "where", 1, 2);
  return {c.b.add("where", {c.tensor(0), p.a, p.b})};
}

AtenResults masked_fill(AtenContext& c) {
  const DType dtype = c.type(0).dtype;
  const ValueId value = c.is_number(2) ? c.constant(c.number(2), dtype) : convert(c.b, c.tensor(2), dtype);
  return {c.b.add("where", {c.tensor(1), value, c.tensor(0)})};
}

// Attributes of the copy that mean nothing here (layout, device, memory format) come after the dtype.
AtenResults to_copy(AtenContext& c) {
  const DType dtype = c.dtype(1).value_or(c.type(0).dtype);
  if (dtype == c.type(0).dtype) return {c.b.add("identity", {c.tensor(0)})};
  return {convert(c.b, c.tensor(0), dtype)};
}

AtenResults square(AtenContext& c) {
  const ValueId x = c.type(0).dtype == DType::boolean ? convert(c.b, c.tensor(0), DType::i64) : c.tensor(0);
  return {c.b.add("square", {x})};
}

AtenResults nan_to_num(AtenContext& c) {
  Builder& b = c.b;
  const ValueId x = c.tensor(0);
  const DType dtype = c.type(0).dtype;
  if (!is_floating(dtype)) return {b.add("identity", {x})};
  const double largest = dtype == DType::f64   ? std::numeric_limits<double>::max()
                         : dtype == DType::f16 ? 65504
                         : dtype == DType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                                               : 0x1.fep127;
  const auto replace = [&](ValueId test, size_t i, double otherwise, ValueId y) {
    return b.add("where", {test, b.scalar(dtype, c.is_none(i) ? otherwise : c.real(i)), y});
  };
  ValueId y = replace(b.add("isnan", {x}), 1, 0, x);
  y = replace(with_number(b, "eq", x, kInfinity), 2, largest, y);
  return {replace(with_number(b, "eq", x, -kInfinity), 3, -largest, y)};
}

AtenResults sign_of_infinity(AtenContext& c, double which) {
  if (is_floating(c.type(0).dtype)) return {with_number(c.b, "eq", c.tensor(0), which)};
  return {full(c.b, c.type(0).shape, 0, DType::boolean)};
}

AtenResults signbit(AtenContext& c) {
  Builder& b = c.b;
  const DType dtype = c.type(0).dtype;
  if (dtype == DType::boolean) return {full(b, c.type(0).shape, 0, DType::boolean)};
  if (!is_floating(dtype)) return {with_number(b, "lt", c.tensor(0), 0)};
  return {with_number(b, "lt", b.add("copysign", {b.scalar(dtype, 1), c.tensor(0)}), 0)};
}

AtenResults frac(AtenContext& c) { return {c.b.add("sub", {c.tensor(0), c.b.add("trunc", {c.tensor(0)})})}; }

// Two operands, of which one may be a number: by name, record and overloads.
void add_binaries(AtenTable& t) {
  struct Overloads {
    std::string_view aten;
    std::string_view op;
    std::vector<std::string_view> overloads;
  };
  const std::vector<std::string_view> usual = {"Tensor", "Scalar"};
  const std::vector<std::string_view> both = {"Tensor", "Scalar", "Scalar_Tensor"};
  const std::vector<std::string_view> shifts = {"Tensor", "Tensor_Scalar", "Scalar_Tensor"};
  const std::vector<std::string_view> plain = {"default"};
  const std::vector<Overloads> binaries = {
      {"mul", "mul", usual},
      {"div", "div", usual},
      {"true_divide", "div", usual},
      {"fmod", "fmod", usual},
      {"remainder", "remainder", both},
      {"eq", "eq", usual},
      {"ne", "ne", usual},
      {"lt", "lt", usual},
      {"le", "le", usual},
      {"gt", "gt", usual},
      {"ge", "ge", usual},
      {"bitwise_and", "bitwise_and", both},
      {"bitwise_or", "bitwise_or", both},
      {"bitwise_xor", "bitwise_xor", both},
      {"__and__", "bitwise_and", usual},
      {"__or__", "bitwise_or", usual},
      {"__xor__", "bitwise_xor", usual},
      {"__lshift__", "shift_left", usual},
      {"__rshift__", "shift_right", usual},
      {"bitwise_left_shift", "shift_left", shifts},
      {"bitwise_right_shift", "shift_right", shifts},
      {"copysign", "copysign", usual},
      {"pow", "pow", {"Tensor_Tensor"}},
      {"xlogy", "xlogy", {"Tensor", "Scalar_Self", "Scalar_Other"}},
      {"clamp_min", "maximum", {"Tensor"}},
      {"clamp_max", "minimum", {"Tensor"}},
      {"max", "maximum", {"other"}},
      {"min", "minimum", {"other"}},
      {"maximum", "maximum", plain},
      {"minimum", "minimum", plain},
      {"logical_and", "logical_and", plain},
      {"logical_or", "logical_or", plain},
      {"logical_xor", "logical_xor", plain},
      {"atan2", "atan2", plain},
      {"hypot", "hypot", plain},
  };
  for (const Overloads& o : binaries) {
    for (std::string_view overload : o.overloads) {
      t.emplace_back("aten." + std::string(o.aten) + "." + std::string(overload),
                     [op = o.op](AtenContext& c) { return binary(c, op); });
    }
  }
}

}  // namespace

DType number_dtype(std::string_view op, const TensorType& tensor, const ir::ScalarValue& number, bool is_bool) {
  DType dtype = AtenNumber{number, is_bool}.result_with(tensor);
  if (gives_floats(op)) dtype = float_of(dtype);  // -3 beside u8 stays -3
  const bool wide = keeps_number_wide(op) && is_half(dtype) && tensor.rank() > 0;
  return wide ? DType::f32 : dtype;
}

AtenTable aten_pointwise() {
  AtenTable t = {
      {"aten.add.Tensor", add},
      {"aten.add.Scalar", add},
      {"aten.sub.Tensor", sub},
      {"aten.sub.Scalar", sub},
      {"aten.rsub.Tensor", rsub},
      {"aten.rsub.Scalar", rsub},
      {"aten.div.Tensor_mode", div_mode},
      {"aten.div.Scalar_mode", div_mode},
      {"aten.floor_divide.default", floor_divide},
      {"aten.floor_divide.Scalar", floor_divide},
      {"aten.pow.Tensor_Scalar", pow_number},
      {"aten.pow.Scalar", pow_of_number},
      {"aten.square.default", square},
      {"aten.clamp.default", clamp},
      {"aten.clamp.Tensor", clamp_tensors},
      {"aten.clamp_min.default", clamp_min},
      {"aten.clamp_max.default", clamp_max},
      {"aten.hardtanh.default", hardtanh},
      {"aten.lerp.Scalar", lerp_number},
      {"aten.where.Scalar", where_numbers},
      {"aten.where.ScalarSelf", where_numbers},
      {"aten.where.ScalarOther", where_numbers},
      {"aten.masked_fill.Scalar", masked_fill},
      {"aten.masked_fill.Tensor", masked_fill},
      {"aten._to_copy.default", to_copy},
      {"aten.to.dtype", to_copy},
      {"prims.convert_element_type.default", to_copy},
      {"aten.nan_to_num.default", nan_to_num},
      {"aten.isposinf.default", [](AtenContext& c) { return sign_of_infinity(c, kInfinity); }},
      {"aten.isneginf.default", [](AtenContext& c) { return sign_of_infinity(c, -kInfinity); }},
      {"aten.signbit.default", signbit},
      {"aten.frac.default", frac},
      {"aten.fmax.default", [](AtenContext& c) { return skipping_nan(c, "maximum"); }},
      {"aten.fmin.default", [](AtenContext& c) { return skipping_nan(c, "minimum"); }},
      {"aten.heaviside.default", heaviside},
      {"aten.deg2rad.default", [](AtenContext& c) { return scaled(c, std::numbers::pi / 180); }},
      {"aten.rad2deg.default", [](AtenContext& c) { return scaled(c, 180 / std::numbers::pi); }},
      {"aten.logaddexp.default", logaddexp},
  };
  add_binaries(t);
  return t;
}

}  // namespace litz::ops
