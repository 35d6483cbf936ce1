// Compiled kernels in memory: a small loader for relocatable ELF objects, so that no linker or LLVM is needed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "artifact/kernel.h"
#include "support/result.h"

namespace litz::runtime {

// A kernel that can be called. The code lives as long as this.
class LoadedKernel {
 public:
  // `name` is what perf and gdb show. The bytes are those of a relocatable object (x86-64 or AArch64) or of a shared
  // library. Code is never writable and executable at once. Objects may call the string functions of C and the
  // functions of libm; another undefined symbol is a Failure, as is damage that checks can see.
  static Result<std::shared_ptr<const LoadedKernel>> load(const KernelBinary& binary, std::string_view name);
  // The same kernel, loaded once for all who ask while somebody holds it. `digest` is the key.
  static Result<std::shared_ptr<const LoadedKernel>> load_shared(const std::string& digest, const KernelBinary& binary,
                                                                 std::string_view name);
  ~LoadedKernel();

  CpuKernel entry() const { return entry_; }
  size_t code_bytes() const;

 private:
  struct Image;
  LoadedKernel(std::unique_ptr<Image> image, CpuKernel entry);

  std::unique_ptr<Image> image_;
  CpuKernel entry_ = nullptr;
};

}  // namespace litz::runtime
