// A code generator: scheduled Kernel IR in, source out. No files, no processes. To add one: a folder beside this file
// that implements `generate`, and a line in driver/backends.cpp.
#pragma once

#include "artifact/kernel.h"
#include "kernel_ir/kernel.h"
#include "support/options.h"
#include "support/target.h"

namespace litz::codegen {

struct Generated {
  KernelSource source;
  LaunchSpec launch;
};

}  // namespace litz::codegen
