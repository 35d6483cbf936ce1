// The canonical form of a kernel: what it computes and how, without what it is called.
//
//   kernel @layer3_gelu(h: f32[64] in "h", out: f32[64] out) { parallel row < 64 { %7 = load h[row] : f32 … } }
//   kernel @kernel(a0: f32[64] in, a1: f32[64] out) { parallel i0 < 64 { %0 = load a0[i0] : f32 … } }
#pragma once

#include "kernel_ir/kernel.h"

namespace litz::kernel_ir {

// Buffers become a0, a1, …; ranges i0, i1, … (those of a template keep their names) and scalar values 0, 1, … in the
// order of the text; names, sources, notes and the words of checks go. Kernels that differ in nothing else are then
// equal: those of repeated layers. canonical(canonical(k)) == canonical(k). `kernel` must be verified.
Kernel canonical(const Kernel& kernel);

}  // namespace litz::kernel_ir
