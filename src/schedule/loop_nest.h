// What schedules of loop nests are made from; shared by schedule.cpp and cost.cpp.
#pragma once

#include <string>
#include <vector>

#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::schedule {

// A range that may become vector lanes.
bool can_vectorise(const kernel_ir::Kernel& kernel, const kernel_ir::Loop& loop, const kernel_ir::Range& range);

// Nanoseconds of one thread for one run of each phase, on a 3 GHz core with two vector units.
std::vector<double> phase_costs(const kernel_ir::Kernel& kernel, const kernel_ir::Schedule& schedule);

// Fills in tasks and grain for schedule.vector_ranges.
void choose_tasks(const kernel_ir::Kernel& kernel, const Target& target, kernel_ir::Schedule& schedule);

}  // namespace litz::schedule
