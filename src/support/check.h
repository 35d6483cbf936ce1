// Checks inside the library. A failed check throws InternalError; it never aborts the host.
#pragma once

#include <string>

#include "litz/error.h"

namespace litz {

[[noreturn]] void internal_error(const char* condition, const char* file, int line, const std::string& message);

}  // namespace litz

// `message` is evaluated only when the condition fails.
#define LITZ_CHECK(condition, message)                                   \
  do {                                                                   \
    if (!(condition)) [[unlikely]]                                       \
      ::litz::internal_error(#condition, __FILE__, __LINE__, (message)); \
  } while (false)
