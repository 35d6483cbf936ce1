// Runs Kernel IR as it is written, one scalar after the other: slow, and plain enough to be believed. What generated
// code is compared with.
#pragma once

#include <vector>

#include "artifact/kernel.h"
#include "kernel_ir/kernel.h"

namespace litz::tests {

// `buffers`: one pointer for each argument of the kernel (no local buffers). Loop nests only. f32 arithmetic is done in
// f32, elementary functions and sums in f64 and rounded once.
void interpret(const kernel_ir::Kernel& kernel, const std::vector<void*>& buffers, KernelFault* fault);

}  // namespace litz::tests
