// What the C++ API says of a compilation; support/diagnostics says it.
#pragma once

#include "driver/driver.h"

namespace litz::api {

// One message for each op that runs outside Litz's kernels, each said once in this process.
void warn_of_fallbacks(const driver::CompileReport& report);

}  // namespace litz::api
