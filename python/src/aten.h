// ATen calls as Python states them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "ops/record.h"

namespace litz::python {

// A value of a graph under construction.
struct PythonValue {
  ir::ValueId id = ir::kNoValue;
};

// A dtype as an argument of a call.
struct PythonDType {
  DType dtype = DType::f32;
};

// Adds what `op` with these arguments (one for each of its schema) means. `used` says of each result whether the
// program reads it. A list of PythonValue, with None for results that the op records leave out; or a text: why they do
// not take the call.
nanobind::object import_aten(ops::Builder& builder, const std::string& op, const nanobind::list& arguments,
                             const std::vector<bool>& used);

}  // namespace litz::python
