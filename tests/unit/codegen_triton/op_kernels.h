// A kernel for each scalar op on each dtype that it is defined on, and for each reduction.
#pragma once

#include <string>
#include <vector>

namespace litz::tests {

struct TextCase {
  std::string name;
  std::string text;
};

// y[i] = op(a[i], …) for every op and dtype, casts and bitcasts between all dtypes.
std::vector<TextCase> op_kernels();
// Reductions of rows, of columns and of windows.
std::vector<TextCase> reduction_kernels();

}  // namespace litz::tests
