// Takes local buffers out of a kernel: a load from one becomes the computation of what was stored there.
//
//   loop w < 8 { %1 = exp %0   store row[w], %1 }   loop q < 8 reduce(sum f32 %2) { %2 = load row[q] }
//   loop q < 8 reduce(sum f32 %3) { %3 = exp %0 }
//
// A program of Triton has no memory of its own that it could index. Where loops run whole, what is computed twice this
// way is the same text and is made once.
#pragma once

#include "kernel_ir/kernel.h"

namespace litz::codegen::triton {

// Also drops what nothing uses. UnsupportedError where a stored value cannot be computed again.
kernel_ir::Kernel forward_locals(kernel_ir::Kernel kernel);

}  // namespace litz::codegen::triton
