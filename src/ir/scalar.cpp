#include "ir/scalar.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "support/check.h"
#include "support/half.h"

namespace litz::ir {

namespace {

struct OpInfo {
  ScalarOp op;
  std::string_view name;
  int arity;
};

constexpr auto kOps = std::to_array<OpInfo>({
    {ScalarOp::add, "add", 2},         {ScalarOp::sub, "sub", 2},         {ScalarOp::mul, "mul", 2},
    {ScalarOp::div, "div", 2},         {ScalarOp::fmod, "fmod", 2},       {ScalarOp::min, "min", 2},
    {ScalarOp::max, "max", 2},         {ScalarOp::pow, "pow", 2},         {ScalarOp::atan2, "atan2", 2},
    {ScalarOp::bit_and, "bit_and", 2}, {ScalarOp::bit_or, "bit_or", 2},   {ScalarOp::bit_xor, "bit_xor", 2},
    {ScalarOp::shl, "shl", 2},         {ScalarOp::shr, "shr", 2},         {ScalarOp::eq, "eq", 2},
    {ScalarOp::ne, "ne", 2},           {ScalarOp::lt, "lt", 2},           {ScalarOp::le, "le", 2},
    {ScalarOp::gt, "gt", 2},           {ScalarOp::ge, "ge", 2},           {ScalarOp::neg, "neg", 1},
    {ScalarOp::abs, "abs", 1},         {ScalarOp::bit_not, "bit_not", 1}, {ScalarOp::sqrt, "sqrt", 1},
    {ScalarOp::rsqrt, "rsqrt", 1},     {ScalarOp::exp, "exp", 1},         {ScalarOp::exp2, "exp2", 1},
    {ScalarOp::expm1, "expm1", 1},     {ScalarOp::log, "log", 1},         {ScalarOp::log2, "log2", 1},
    {ScalarOp::log10, "log10", 1},     {ScalarOp::log1p, "log1p", 1},     {ScalarOp::sin, "sin", 1},
    {ScalarOp::cos, "cos", 1},         {ScalarOp::tan, "tan", 1},         {ScalarOp::asin, "asin", 1},
    {ScalarOp::acos, "acos", 1},       {ScalarOp::atan, "atan", 1},       {ScalarOp::sinh, "sinh", 1},
    {ScalarOp::cosh, "cosh", 1},       {ScalarOp::tanh, "tanh", 1},       {ScalarOp::asinh, "asinh", 1},
    {ScalarOp::acosh, "acosh", 1},     {ScalarOp::atanh, "atanh", 1},     {ScalarOp::erf, "erf", 1},
    {ScalarOp::erfc, "erfc", 1},       {ScalarOp::floor, "floor", 1},     {ScalarOp::ceil, "ceil", 1},
    {ScalarOp::trunc, "trunc", 1},     {ScalarOp::round, "round", 1},     {ScalarOp::sign, "sign", 1},
    {ScalarOp::select, "select", 3},   {ScalarOp::fma, "fma", 3},         {ScalarOp::cast, "cast", 1},
    {ScalarOp::bitcast, "bitcast", 1},
});

constexpr bool in_enum_order() {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (static_cast<size_t>(kOps[i].op) != i) return false;
  }
  return kOps.size() == static_cast<size_t>(ScalarOp::bitcast) + 1;
}
static_assert(in_enum_order());

constexpr auto kReduceNames =
    std::to_array<std::string_view>({"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"});
static_assert(kReduceNames.size() == static_cast<size_t>(ReduceOp::argmin) + 1);

const OpInfo& info(ScalarOp op) { return kOps.at(static_cast<size_t>(op)); }

double round_float(DType dtype, double value) {
  switch (dtype) {
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    case DType::bf16:
      return static_cast<double>(bf16_to_f32(f32_to_bf16(static_cast<float>(value))));
    case DType::f16:
      return static_cast<double>(f16_to_f32(f32_to_f16(static_cast<float>(value))));
    default:
      return value;
  }
}

int64_t wrap(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::boolean:
      return value != 0 ? 1 : 0;
    case DType::u8:
      return static_cast<uint8_t>(value);
    case DType::i8:
      return static_cast<int8_t>(value);
    case DType::i16:
      return static_cast<int16_t>(value);
    case DType::i32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

// As x86's conversion: out of range and NaN give the lowest value.
int64_t truncate(double value) {
  if (!(value > -9223372036854775809.0 && value < 9223372036854775808.0)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t lowest_integer(DType dtype) {
  switch (dtype) {
    case DType::i64:
      return std::numeric_limits<int64_t>::min();
    case DType::i32:
      return std::numeric_limits<int32_t>::min();
    case DType::i16:
      return std::numeric_limits<int16_t>::min();
    case DType::i8:
      return std::numeric_limits<int8_t>::min();
    default:
      return 0;
  }
}

int64_t highest_integer(DType dtype) {
  switch (dtype) {
    case DType::i64:
      return std::numeric_limits<int64_t>::max();
    case DType::i32:
      return std::numeric_limits<int32_t>::max();
    case DType::i16:
      return std::numeric_limits<int16_t>::max();
    case DType::i8:
      return std::numeric_limits<int8_t>::max();
    case DType::u8:
      return std::numeric_limits<uint8_t>::max();
    default:
      return 1;
  }
}

}  // namespace

std::string_view scalar_op_name(ScalarOp op) { return info(op).name; }

bool parse_scalar_op(std::string_view name, ScalarOp* op) {
  for (const OpInfo& i : kOps) {
    if (i.name == name) {
      *op = i.op;
      return true;
    }
  }
  return false;
}

int scalar_op_arity(ScalarOp op) { return info(op).arity; }

bool same_value(const ScalarValue& a, const ScalarValue& b) {
  if (a.index() != b.index()) return false;
  if (const int64_t* integer = std::get_if<int64_t>(&a)) return *integer == std::get<int64_t>(b);
  return std::memcmp(&std::get<double>(a), &std::get<double>(b), sizeof(double)) == 0;
}

ScalarValue scalar_value(DType dtype, double value) {
  if (is_floating(dtype)) return round_float(dtype, value);
  if (dtype == DType::boolean) return static_cast<int64_t>(value != 0);
  return wrap(dtype, truncate(value));
}

ScalarValue scalar_value(DType dtype, int64_t value) {
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (is_floating(dtype)) return round_float(dtype, static_cast<double>(value));
  return wrap(dtype, value);
}

Scalar ScalarBuilder::binary(ScalarOp op, Scalar a, Scalar b) {
  LITZ_CHECK(a.dtype == b.dtype, std::string(scalar_op_name(op)) + " of " + std::string(dtype_name(a.dtype)) + " and " +
                                     std::string(dtype_name(b.dtype)));
  const std::array<Scalar, 2> args = {a, b};
  return emit(op, is_comparison(op) ? DType::boolean : a.dtype, args);
}

Scalar ScalarBuilder::select(Scalar condition, Scalar a, Scalar b) {
  LITZ_CHECK(condition.dtype == DType::boolean && a.dtype == b.dtype, "select of values of unequal dtypes");
  const std::array<Scalar, 3> args = {condition, a, b};
  return emit(ScalarOp::select, a.dtype, args);
}

Scalar ScalarBuilder::fma(Scalar a, Scalar b, Scalar c) {
  LITZ_CHECK(a.dtype == b.dtype && a.dtype == c.dtype, "fma of values of unequal dtypes");
  const std::array<Scalar, 3> args = {a, b, c};
  return emit(ScalarOp::fma, a.dtype, args);
}

Scalar ScalarBuilder::cast(Scalar a, DType to) {
  return a.dtype == to ? a : emit(ScalarOp::cast, to, std::span(&a, 1));
}

Scalar ScalarBuilder::number(DType dtype, double value) { return constant(dtype, scalar_value(dtype, value)); }

std::string_view reduce_op_name(ReduceOp op) { return kReduceNames.at(static_cast<size_t>(op)); }

bool parse_reduce_op(std::string_view name, ReduceOp* op) {
  for (size_t i = 0; i < kReduceNames.size(); ++i) {
    if (kReduceNames[i] == name) {
      *op = static_cast<ReduceOp>(i);
      return true;
    }
  }
  return false;
}

ScalarValue reduce_identity(ReduceOp op, DType dtype) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::any:
      return scalar_value(dtype, int64_t{0});
    case ReduceOp::prod:
    case ReduceOp::all:
      return scalar_value(dtype, int64_t{1});
    case ReduceOp::max:
    case ReduceOp::argmax:
      return is_floating(dtype) ? ScalarValue(-infinity) : ScalarValue(lowest_integer(dtype));
    case ReduceOp::min:
    case ReduceOp::argmin:
      return is_floating(dtype) ? ScalarValue(infinity) : ScalarValue(highest_integer(dtype));
  }
  LITZ_CHECK(false, "no such reduction");
  return int64_t{0};
}

}  // namespace litz::ir
