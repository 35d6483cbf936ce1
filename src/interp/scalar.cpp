#include "interp/scalar.h"

#include <bit>
#include <cmath>
#include <optional>

#include "interp/tensor.h"
#include "support/check.h"
#include "support/half.h"

namespace litz::interp {

namespace {

using ir::ScalarOp;
using ir::ScalarValue;

int bits_of(DType d) { return dtype_size(d) * 8; }

int64_t add_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t sub_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t mul_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Values of narrow dtypes are sign-extended, those of u8 zero-extended; the caller wraps the result.
std::optional<int64_t> integer_binary(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  switch (op) {
    case ScalarOp::add:
      return add_wrapping(a, b);
    case ScalarOp::sub:
      return sub_wrapping(a, b);
    case ScalarOp::mul:
      return mul_wrapping(a, b);
    case ScalarOp::div:
      return b == 0 ? 0 : b == -1 ? sub_wrapping(0, a) : a / b;
    case ScalarOp::fmod:
      return b == 0 || b == -1 ? 0 : a % b;
    case ScalarOp::min:
      return std::min(a, b);
    case ScalarOp::max:
      return std::max(a, b);
    case ScalarOp::bit_and:
      return a & b;
    case ScalarOp::bit_or:
      return a | b;
    case ScalarOp::bit_xor:
      return a ^ b;
    case ScalarOp::shl:
      return b < 0 || b >= bits_of(dtype) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    case ScalarOp::shr:
      return b < 0 || b >= bits_of(dtype) ? (a < 0 ? -1 : 0) : a >> b;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> integer_unary(ScalarOp op, DType dtype, int64_t a) {
  switch (op) {
    case ScalarOp::neg:
      return sub_wrapping(0, a);
    case ScalarOp::abs:
      return a < 0 ? sub_wrapping(0, a) : a;
    case ScalarOp::bit_not:
      return dtype == DType::boolean ? int64_t{a == 0} : ~a;
    case ScalarOp::sign:
      return (a > 0) - (a < 0);
    default:
      return std::nullopt;
  }
}

template <typename T>
std::optional<int64_t> compare(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::eq:
      return a == b;
    case ScalarOp::ne:
      return a != b;
    case ScalarOp::lt:
      return a < b;
    case ScalarOp::le:
      return a <= b;
    case ScalarOp::gt:
      return a > b;
    case ScalarOp::ge:
      return a >= b;
    default:
      return std::nullopt;
  }
}

// In f64; the caller rounds. For + - * / and sqrt on f32 that is the same as one f32 operation.
std::optional<double> float_binary(ScalarOp op, double a, double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::sub:
      return a - b;
    case ScalarOp::mul:
      return a * b;
    case ScalarOp::div:
      return a / b;
    case ScalarOp::fmod:
      return std::fmod(a, b);
    case ScalarOp::min:
      return nan ? std::nan("") : std::min(a, b);
    case ScalarOp::max:
      return nan ? std::nan("") : std::max(a, b);
    case ScalarOp::pow:
      return std::pow(a, b);
    case ScalarOp::atan2:
      return std::atan2(a, b);
    default:
      return std::nullopt;
  }
}

std::optional<double> float_unary(ScalarOp op, double a) {
  switch (op) {
    case ScalarOp::neg:
      return -a;
    case ScalarOp::abs:
      return std::fabs(a);
    case ScalarOp::sqrt:
      return std::sqrt(a);
    case ScalarOp::rsqrt:
      return 1 / std::sqrt(a);
    case ScalarOp::exp:
      return std::exp(a);
    case ScalarOp::exp2:
      return std::exp2(a);
    case ScalarOp::expm1:
      return std::expm1(a);
    case ScalarOp::log:
      return std::log(a);
    case ScalarOp::log2:
      return std::log2(a);
    case ScalarOp::log10:
      return std::log10(a);
    case ScalarOp::log1p:
      return std::log1p(a);
    case ScalarOp::sin:
      return std::sin(a);
    case ScalarOp::cos:
      return std::cos(a);
    case ScalarOp::tan:
      return std::tan(a);
    case ScalarOp::asin:
      return std::asin(a);
    case ScalarOp::acos:
      return std::acos(a);
    case ScalarOp::atan:
      return std::atan(a);
    case ScalarOp::sinh:
      return std::sinh(a);
    case ScalarOp::cosh:
      return std::cosh(a);
    case ScalarOp::tanh:
      return std::tanh(a);
    case ScalarOp::asinh:
      return std::asinh(a);
    case ScalarOp::acosh:
      return std::acosh(a);
    case ScalarOp::atanh:
      return std::atanh(a);
    case ScalarOp::erf:
      return std::erf(a);
    case ScalarOp::erfc:
      return std::erfc(a);
    case ScalarOp::floor:
      return std::floor(a);
    case ScalarOp::ceil:
      return std::ceil(a);
    case ScalarOp::trunc:
      return std::trunc(a);
    case ScalarOp::round:
      return std::nearbyint(a);
    case ScalarOp::sign:
      return static_cast<double>((a > 0) - (a < 0));
    default:
      return std::nullopt;
  }
}

double fused(DType dtype, double a, double b, double c) {
  if (dtype != DType::f32) return std::fma(a, b, c);
  return static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}

ScalarValue bitcast(DType from, const ScalarValue& value, DType to) {
  uint64_t bits = 0;
  switch (from) {
    case DType::f64:
      bits = std::bit_cast<uint64_t>(std::get<double>(value));
      break;
    case DType::f32:
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::get<double>(value)));
      break;
    case DType::f16:
      bits = f64_to_f16(std::get<double>(value));
      break;
    case DType::bf16:
      bits = f64_to_bf16(std::get<double>(value));
      break;
    default:
      bits = static_cast<uint64_t>(std::get<int64_t>(value));
  }
  switch (to) {
    case DType::f64:
      return std::bit_cast<double>(bits);
    case DType::f32:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case DType::f16:
      return static_cast<double>(f16_to_f32(static_cast<uint16_t>(bits)));
    case DType::bf16:
      return static_cast<double>(bf16_to_f32(static_cast<uint16_t>(bits)));
    default:
      return ir::scalar_value(to, static_cast<int64_t>(bits));
  }
}

ScalarValue on_integers(ScalarOp op, DType dtype, std::span<const Typed> args) {
  const int64_t a = std::get<int64_t>(args[0].value);
  std::optional<int64_t> result;
  if (args.size() == 1) {
    result = integer_unary(op, dtype, a);
  } else {
    const int64_t b = std::get<int64_t>(args[1].value);
    result = ir::is_comparison(op) ? compare(op, a, b) : integer_binary(op, dtype, a, b);
  }
  LITZ_CHECK(result.has_value(), std::string(ir::scalar_op_name(op)) + " is not defined for integers");
  return ir::scalar_value(dtype, *result);
}

ScalarValue on_floats(ScalarOp op, DType dtype, std::span<const Typed> args) {
  const double a = std::get<double>(args[0].value);
  if (ir::is_comparison(op)) return *compare(op, a, std::get<double>(args[1].value));
  std::optional<double> result;
  if (op == ScalarOp::fma) {
    result = fused(dtype, a, std::get<double>(args[1].value), std::get<double>(args[2].value));
  } else if (args.size() == 2) {
    result = float_binary(op, a, std::get<double>(args[1].value));
  } else {
    result = float_unary(op, a);
  }
  LITZ_CHECK(result.has_value(), std::string(ir::scalar_op_name(op)) + " is not defined for floats");
  return ir::scalar_value(dtype, *result);
}

}  // namespace

ScalarValue evaluate(ScalarOp op, DType dtype, std::span<const Typed> args) {
  LITZ_CHECK(static_cast<int>(args.size()) == ir::scalar_op_arity(op), "a scalar op with another number of operands");
  switch (op) {
    case ScalarOp::select:
      return std::get<int64_t>(args[0].value) != 0 ? args[1].value : args[2].value;
    case ScalarOp::cast:
      return convert_value(args[0].value, dtype);
    case ScalarOp::bitcast:
      return bitcast(args[0].dtype, args[0].value, dtype);
    default:
      break;
  }
  return is_floating(args[0].dtype) ? on_floats(op, dtype, args) : on_integers(op, dtype, args);
}

ir::Scalar ScalarProgram::fresh(DType dtype, ScalarValue value) {
  values_.push_back({dtype, value});
  return {static_cast<uint32_t>(values_.size() - 1), dtype};
}

ir::Scalar ScalarProgram::argument(DType dtype) {
  const ir::Scalar s = fresh(dtype, int64_t{0});
  arguments_.push_back(s.id);
  return s;
}

ir::Scalar ScalarProgram::constant(DType dtype, ScalarValue value) { return fresh(dtype, convert_value(value, dtype)); }

ir::Scalar ScalarProgram::emit(ScalarOp op, DType dtype, std::span<const ir::Scalar> args) {
  const ir::Scalar result = fresh(dtype, int64_t{0});
  Instruction instruction{.op = op, .result = result.id};
  for (const ir::Scalar& a : args) instruction.args.push_back(a.id);
  instructions_.push_back(std::move(instruction));
  return result;
}

ScalarValue ScalarProgram::run(std::span<const ScalarValue> args, ir::Scalar result) {
  LITZ_CHECK(args.size() == arguments_.size(), "as many values as arguments");
  for (size_t i = 0; i < args.size(); ++i) values_[arguments_[i]].value = args[i];
  for (const Instruction& instruction : instructions_) {
    scratch_.clear();
    for (uint32_t id : instruction.args) scratch_.push_back(values_[id]);
    Typed& slot = values_[instruction.result];
    slot.value = evaluate(instruction.op, slot.dtype, scratch_);
  }
  return values_[result.id].value;
}

}  // namespace litz::interp
