// Schedules: how each kernel shall run on a target. Plain data, kept beside the kernel (kernel_ir::Schedule).
#pragma once

#include <vector>

#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::schedule {

// Makes a kernel ready for a code generator: joins ranges that lie together (collapse.h), splits reductions that would
// leave threads idle, and fills in the cheapest schedule. Sizes must be constants. A kernel that is only partly loop
// nests (a template with an epilogue) is scheduled as its template.
void schedule(kernel_ir::Kernel& kernel, const Target& target);

// The schedules worth trying for a kernel whose ranges are joined, the expected best first.
std::vector<kernel_ir::Schedule> candidates(const kernel_ir::Kernel& kernel, const Target& target);

// Expected nanoseconds on one thread. Compares schedules of one kernel; says little about other kernels.
double cost(const kernel_ir::Kernel& kernel, const kernel_ir::Schedule& schedule, const Target& target);

}  // namespace litz::schedule
