// C++ for matrix product kernels: a tile of accumulators in registers, the right operand in panels, the epilogue on
// each finished tile while it is in the first-level cache.
//
// A task is a block of rows times a block of panels of one product of the batch. Within it:
//   for each block of k        (one, unless the operands outgrow the second-level cache)
//     for each panel           packed beforehand, or copied to scratch here
//       for each row tile      tile_<rows>(): all of this block's k
//         epilogue             after the last block of k
// The left operand is read where it lies, or copied to scratch first (Schedule::pack_lhs): rows a power of two apart
// would share cache sets, and 16-bit floats are widened once. The copy is kept while tasks share rows.
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::codegen::cpp {

// Prints the functions of a matrix product kernel, the entry function `entry` last, and says how to launch it.
LaunchSpec print_matmul(const kernel_ir::Kernel& kernel, const Target& target, const std::string& entry, Writer* out);

}  // namespace litz::codegen::cpp
