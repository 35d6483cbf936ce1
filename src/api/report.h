// From the driver's report to the public one.
#pragma once

#include "driver/driver.h"
#include "litz/report.h"

namespace litz::api {

GraphReport to_graph_report(const driver::CompileReport& report);

}  // namespace litz::api
