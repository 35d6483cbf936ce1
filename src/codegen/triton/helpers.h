// Triton functions that generated kernels call, and the imports they need: a kernel's text has those that it uses.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace litz::codegen::triton {

class Helpers {
 public:
  // Marks the helper, and what it calls, as used. Gives its name.
  std::string use(std::string_view name);
  // "libdevice.<name>": functions of CUDA's device library.
  std::string device(std::string_view name);
  // Imports and the helpers in use, in a fixed order.
  std::string text() const;

 private:
  std::set<std::string, std::less<>> used_;
  bool libdevice_ = false;
};

}  // namespace litz::codegen::triton
