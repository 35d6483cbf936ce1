// Prints loop nests: the entry function of a kernel without a template.
//
// The ranges of a parallel loop are put in this order: those that are not vectorised, as they stand, then the
// vectorised one. The first Schedule::task_ranges of them (0: all but the vectorised one) are flattened into tasks, the
// last of these in blocks of Schedule::task_block iterations (whole vectors of the vectorised range); the others are
// loops inside a task.
#pragma once

#include "artifact/kernel.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::codegen::cpp {

// Prints the function `entry` and says how to launch it.
LaunchSpec print_loops(const kernel_ir::Kernel& kernel, const std::string& entry, Writer* out);

}  // namespace litz::codegen::cpp
