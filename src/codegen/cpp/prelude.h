// The helpers that generated code calls: types, memory access, integer arithmetic, conversions, vector maths. Only what
// a body names is put in front of it, so small kernels stay small.
//
// A helper "name@" has two forms: "name" works on one element, "namev" on a vector with one element a lane. Types
// follow the same rule: f32 and f32v, i64 and i64v, …; f32u is f32v in memory, unaligned; f32m is f32 in memory. The
// boolean of a lane is an i32, 0 or -1, whatever the width of what was compared; the boolean of one element is a bool.
#pragma once

#include <string>
#include <string_view>

#include "litz/dtype.h"

namespace litz::codegen::cpp {

// The C++ type in registers: "f32" or "f32v"; bf16 and f16 are carried as u16, booleans as "bool" or "i32v".
std::string register_type(DType dtype, bool vector);
// The C++ type of one element in memory, without suffix: "f32", "u16", "u8", …
std::string_view storage_type(DType dtype);

// Definitions for every helper named in `body`, directly or by another helper, in an order in which they compile.
// `lanes` is the number of elements of a vector.
std::string prelude(std::string_view body, int lanes);

}  // namespace litz::codegen::cpp
