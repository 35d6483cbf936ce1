// The C++ compiler behind the kernel cache: Clang in this process, or the one on PATH where Litz is built without LLVM.
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "support/result.h"
#include "support/target.h"

namespace litz::kernel_cache {

// Compiles C++ source to a relocatable object. Thread-safe. A Failure holds the compiler's messages.
Result<KernelBinary> compile(const KernelSource& source, const Target& target);

// Nothing is being compiled for now: gives back memory that the compiler takes again when it needs it.
void rest_compiler();

// The name of the function in the object: the entry, or what KernelSource::debug_file asks for.
std::string function_name(const KernelSource& source);

// Compiler, version and the flags that every kernel gets; part of cache keys.
const std::string& compiler_id();

// The CPU that we run on, for Target::cpu == "native"; part of cache keys.
const std::string& native_cpu();

}  // namespace litz::kernel_cache
