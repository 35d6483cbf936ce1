// Kernels for the tests: those of kernels.cc, from the object file that the build made.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "runtime/module.h"

namespace litz::runtime {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const std::string& kernel_object() {
  static const std::string bytes = read_file(LITZ_TEST_KERNELS);
  return bytes;
}

inline std::shared_ptr<const LoadedKernel> test_kernel(const std::string& name) {
  auto kernel = LoadedKernel::load({kernel_object(), name}, name);
  LITZ_CHECK(kernel, kernel.error());
  return *kernel;
}

}  // namespace litz::runtime
