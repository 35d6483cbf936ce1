// Scalar SSA values as Triton expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/triton/helpers.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::triton {

// Which dimensions of the tile a value varies over: bit 0 is the first dimension, bit 1 the second.
using Dims = unsigned;

struct Value {
  std::string text;  // a name, or a literal
  DType dtype = DType::f32;
  Dims dims = 0;
  bool literal = false;  // a Python number, which takes the dtype of what it meets
  // An index expression that is not computed yet: `text` is 32-bit (or as wide as indices are), not yet i64.
  bool narrow = false;
};

std::string_view triton_dtype(DType dtype);  // "tl.float32"
std::string_view pointer_type(DType dtype);  // "*fp32"
std::string python_number(const ir::ScalarValue& value, DType dtype);
// A literal as a 0-d tensor: "tl.full([], 0.5, tl.float32)".
std::string typed_literal(const std::string& literal, DType dtype);

// The right-hand side of an op. At most one argument is a literal, and only where allows_literal() holds; none is
// narrow, but for the argument of a cast to a float.
std::string op_text(ir::ScalarOp op, DType result, const std::vector<Value>& args, Helpers* helpers);
bool allows_literal(ir::ScalarOp op, DType operand);

// Names of the functions that combine two accumulators: "_maximum"; of tl.sum where that does.
std::string combine_function(ir::ReduceOp op, Helpers* helpers);
// acc combined with a value.
std::string combine_text(ir::ReduceOp op, const std::string& acc, const std::string& value, Helpers* helpers);

}  // namespace litz::codegen::triton
