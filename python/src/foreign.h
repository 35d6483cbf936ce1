// Runs the foreign steps of a plan by a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "python/src/exchange.h"
#include "runtime/executable.h"

namespace litz::python {

// `function(key, tensors)` returns the list of the op's result tensors; `key` is the foreign node's attribute.
// `frozen_changed(input)` is called when a weight was written unseen. Both are called with the interpreter's lock held.
std::shared_ptr<runtime::ForeignRunner> make_foreign_runner(nanobind::object function, nanobind::object frozen_changed,
                                                            std::shared_ptr<const TensorApi> tensors);

}  // namespace litz::python
