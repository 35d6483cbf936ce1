// Kernel IR to Triton: one self-contained Python source a kernel. Pointwise and reduction loop nests; templates are
// UnsupportedError for now.
#pragma once

#include "codegen/backend.h"

namespace litz::codegen::triton {

Generated generate(const kernel_ir::Kernel& kernel, const Target& target, const Options& options);

}  // namespace litz::codegen::triton
