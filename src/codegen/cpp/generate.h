// Kernel IR to C++ with vector extensions: one self-contained source a kernel, no headers included.
#pragma once

#include "codegen/backend.h"

namespace litz::codegen::cpp {

// Deterministic: equal kernels (names aside), targets and options give equal text. Throws UnsupportedError for what the
// generator lacks, before any text is made.
Generated generate(const kernel_ir::Kernel& kernel, const Target& target, const Options& options);

}  // namespace litz::codegen::cpp
