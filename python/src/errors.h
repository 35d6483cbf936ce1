// Litz's errors as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

namespace litz::python {

enum class ErrorKind : uint8_t { user, index, unsupported, internal };

// Sets the Python error indicator.
void raise_litz_error(ErrorKind kind, const char* message);

}  // namespace litz::python
