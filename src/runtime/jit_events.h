// Tells perf and gdb about loaded kernels.
//
// LITZ_PERF=1: one line a function in /tmp/perf-<pid>.map, perf's convention for generated code. LITZ_DEBUG=1: the
// object is registered through GDB's JIT interface, so that gdb shows names, and lines where the object holds them.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/elf_image.h"

namespace litz::runtime {

bool profiling_wanted();

// Keeps a kernel registered as long as it lives.
class JitRegistration {
 public:
  virtual ~JitRegistration() = default;
};

// `entry` is the function that gets `name`. Null if nobody wants to know.
std::unique_ptr<JitRegistration> announce_kernel(const ElfImage& image, std::string_view object, std::string_view entry,
                                                 std::string_view name);

}  // namespace litz::runtime
