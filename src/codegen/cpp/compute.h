// Scalar operations as C++ expressions.
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/block.h"

namespace litz::codegen::cpp {

// The suffix of helpers for `dtype`: "f32", …, "bf16", "b1". `in_registers`: halves are told by their carrier, "u16".
std::string_view helper_tag(DType dtype, bool in_registers = false);

// The C++ expression of `s`, given its operands. `vector`: in vector form, operands broadcast as needed.
std::string compute_text(const BlockEmitter& block, const kernel_ir::Compute& s, const std::vector<Value>& args,
                         bool vector);
// `value` converted to `to`.
std::string cast_text(const Value& value, DType to);

}  // namespace litz::codegen::cpp
