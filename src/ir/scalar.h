// Scalar operations: what happens to one element. Op records state their bodies with a ScalarBuilder; the reference
// interpreter, Kernel IR and both code generators give them meaning.
//
// Operands of an arithmetic op have one dtype, that of the result; comparisons give boolean. Integers wrap (computed
// unsigned). Nothing traps: integer division or fmod by zero gives 0, of the minimum by -1 wraps; a shift by the width
// or more gives 0 (shr of a negative number: -1). Floats are IEEE, round to nearest even, subnormals kept.
// f16 and bf16 carry no arithmetic: bodies cast to f32, compute, and cast back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "litz/dtype.h"

namespace litz::ir {

enum class ScalarOp : uint8_t {
  // two operands
  add,
  sub,
  mul,
  div,   // div of integers truncates
  fmod,  // C's: the sign of the dividend; exact for floats
  min,
  max,  // NaN if either is NaN; of two zeros either
  pow,
  atan2,  // floats only
  bit_and,
  bit_or,
  bit_xor,  // integers and boolean
  shl,
  shr,  // shr is arithmetic for signed integers
  eq,
  ne,
  lt,
  le,
  gt,
  ge,  // give boolean; ordered but for ne, which is true for NaN
  // one operand
  neg,
  abs,
  bit_not,
  sqrt,
  rsqrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  floor,
  ceil,
  trunc,
  round,  // half to even
  sign,   // -1, 0 or 1; 0 for NaN, as eager's
  // three operands
  select,  // select(condition, a, b): a where the boolean condition holds
  fma,     // a * b + c with one rounding, floats only
  // conversions
  cast,     // float to integer truncates; out of range or NaN gives what x86's conversion gives. To boolean: != 0
  bitcast,  // same size
};

std::string_view scalar_op_name(ScalarOp op);
bool parse_scalar_op(std::string_view name, ScalarOp* op);
int scalar_op_arity(ScalarOp op);
constexpr bool is_comparison(ScalarOp op) { return op >= ScalarOp::eq && op <= ScalarOp::ge; }

// A scalar constant: integers and booleans as int64_t (u8 zero-extended), floats as double.
using ScalarValue = std::variant<int64_t, double>;

// Equal bits: NaN equals itself, -0.0 is not 0.0.
bool same_value(const ScalarValue& a, const ScalarValue& b);
// `value` as a constant of `dtype`: floats rounded (to f16 and bf16 by way of f32, as eager does), integers
// wrapped.
ScalarValue scalar_value(DType dtype, double value);
ScalarValue scalar_value(DType dtype, int64_t value);

// A value in a body under construction.
struct Scalar {
  uint32_t id = 0;
  DType dtype = DType::f32;
};

// The interface that bodies are written against. Implementations: the interpreter (computes), fusion (records SSA).
class ScalarBuilder {
 public:
  virtual ~ScalarBuilder() = default;
  virtual Scalar constant(DType dtype, ScalarValue value) = 0;
  // `dtype` is the result's.
  virtual Scalar emit(ScalarOp op, DType dtype, std::span<const Scalar> args) = 0;

  Scalar unary(ScalarOp op, Scalar a) { return emit(op, a.dtype, std::span(&a, 1)); }
  Scalar binary(ScalarOp op, Scalar a, Scalar b);
  Scalar select(Scalar condition, Scalar a, Scalar b);
  Scalar fma(Scalar a, Scalar b, Scalar c);
  Scalar cast(Scalar a, DType to);           // no instruction if it has that dtype
  Scalar number(DType dtype, double value);  // a constant of `dtype`, rounded to it

  Scalar add(Scalar a, Scalar b) { return binary(ScalarOp::add, a, b); }
  Scalar sub(Scalar a, Scalar b) { return binary(ScalarOp::sub, a, b); }
  Scalar mul(Scalar a, Scalar b) { return binary(ScalarOp::mul, a, b); }
  Scalar div(Scalar a, Scalar b) { return binary(ScalarOp::div, a, b); }
  Scalar compare(ScalarOp op, Scalar a, Scalar b) { return binary(op, a, b); }
};

// Reductions over one or more ranges. For an empty range: sum 0, prod 1, any false, all true, max and min the lowest
// and highest value (the infinities for floats); max, min, argmax and argmin propagate NaN; argmax and argmin take the
// first of equals. argmax and argmin give the index along the reduced range as i64, in row-major order.
enum class ReduceOp : uint8_t { sum, prod, max, min, any, all, argmax, argmin };

std::string_view reduce_op_name(ReduceOp op);
bool parse_reduce_op(std::string_view name, ReduceOp* op);
// The identity in `dtype`; for argmax and argmin that of the value they compare.
ScalarValue reduce_identity(ReduceOp op, DType dtype);

}  // namespace litz::ir
