// C++ for convolution kernels: direct, with a tile of output positions x output channels in registers. Input channels
// are broadcast, output channels are vector lanes; the epilogue runs on each finished tile while it is in the
// first-level cache. How the output is cut: conv_tiles.h.
//
// A task is a block of tiles of one image (or of one pixel of several images) times a block of weight panels:
//   for each panel of output channels
//     for each tile            tile_<kind>(): all taps and input channels
//       epilogue
// Groups that are smaller than a vector, depthwise too, hold whole groups in a vector: the input is then a vector whose
// channels are permuted within their group. Where the layout of the operands is plain (ConvTemplate::panel == 1) see
// conv_plain.h.
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::codegen::cpp {

// Prints the functions of a convolution kernel, the entry function `entry` last, and says how to launch it.
LaunchSpec print_conv(const kernel_ir::Kernel& kernel, const Target& target, const std::string& entry, Writer* out);

}  // namespace litz::codegen::cpp
