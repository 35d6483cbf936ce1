// Joins neighbouring ranges that every access walks as one, so that a contiguous kernel has a single range.
//
//   parallel i0 < 8, i1 < 64 { store y[i0, i1], … x[i0, i1] … bias[i0] }   stays: bias tells i0 from i1
//   parallel i0 < 8, i1 < 64 { store y[i0, i1], … x[i0, i1] … }            becomes parallel i0 < 512, with i0 / 64 and
//                                                                          i0 % 64 in the indices, whose linear offset
//                                                                          is i0
// Ranges of extent 1 go. Buffers keep their shapes.
#pragma once

#include "kernel_ir/kernel.h"

namespace litz::schedule {

// Loops of template epilogues stay as they are.
void collapse(kernel_ir::Kernel& kernel);

}  // namespace litz::schedule
