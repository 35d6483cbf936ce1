// liblitz_clang.so: Clang and LLVM behind one symbol. It is loaded when a kernel is compiled; a process that finds its
// kernels on disk does without.
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "support/target.h"

namespace litz::kernel_cache {

struct ClangLibrary {
  // LITZ_CLANG_ID of its build. The types below are shared with the same build only.
  const char* id;
  // As compile() in compiler.h: sets `result` to the object and returns true, or to messages.
  bool (*compile)(const KernelSource& source, const Target& target, std::string& result);
};

// The symbol of a ClangLibrary.
inline constexpr const char* kClangSymbol = "litz_clang";

}  // namespace litz::kernel_cache
