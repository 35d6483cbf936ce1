// How large a computed value can get. Elementary functions of small arguments have cheaper forms with the same results.
#pragma once

#include <span>
#include <string>

#include "codegen/cpp/block.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::cpp {

// The largest absolute value that `s` can give, NaN aside; infinity where nothing is known.
double largest_magnitude(const kernel_ir::Constant& s);
double largest_magnitude(const kernel_ir::Compute& s, std::span<const Value> args);

// The helper that computes `s`, without dtype: "sin", or the form of it that suffices for these arguments.
std::string function_name(const kernel_ir::Compute& s, std::span<const Value> args);

}  // namespace litz::codegen::cpp
