// What is said once, through support/diagnostics.h.
#pragma once

#include "driver/driver.h"

namespace litz::api {

// One message for each op that runs outside Litz's kernels.
void warn_of_fallbacks(const driver::CompileReport& report);

}  // namespace litz::api
