// Warnings to the person who runs the program. By default they go to stderr; the Python module sends them to
// `warnings`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "litz/export.h"

namespace litz {

using WarningHandler = std::function<void(const std::string& message)>;

// Declared in litz/compile.h for users. Null: stderr. The handler may be called from any thread and must not throw.
LITZ_API void set_warning_handler(WarningHandler handler);
void warn(const std::string& message);
// Says it the first time that `key` is seen in this process.
void warn_once(std::string_view key, const std::string& message);

}  // namespace litz
