// Convolutions whose operands are plain (ConvTemplate::panel == 1): groups that do not fit vectors, and scalar weights.
// Vector lanes are output columns, a tile is output channels of one group x neighbouring columns of one row; weights
// are broadcast. The rows of the input that a task needs are copied to scratch with their padding, columns apart by the
// stride side by side:
//   [input channel][row][column % stride][column / stride]
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::codegen::cpp {

LaunchSpec print_plain_conv(const kernel_ir::Kernel& kernel, const Target& target, const std::string& entry,
                            Writer* out);

}  // namespace litz::codegen::cpp
