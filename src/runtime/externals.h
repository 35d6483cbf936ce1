// Functions of the C library that a kernel may call.
#pragma once

#include <string_view>

namespace litz::runtime {

// Address of the function; null if kernels may not call it.
void* external_function(std::string_view name);

}  // namespace litz::runtime
