// Reports as plain Python data; python/litz/report.py gives them shape.
#pragma once

#include <nanobind/nanobind.h>

#include "driver/driver.h"

namespace litz::python {

nanobind::dict report_dict(const driver::CompileReport& report);

}  // namespace litz::python
