// The interpreter's kernels: one for each op that is neither pointwise nor run by decomposition.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/tensor.h"
#include "ir/graph.h"

namespace litz::interp {

// An op on tensors. Operands and attributes are checked, results inferred.
struct Call {
  std::string_view op;
  const std::vector<const Tensor*>& operands;
  const ir::Attributes& attributes;
  const std::vector<ir::TensorType>& types;  // of the results, sizes constant

  bool has(size_t i) const { return i < operands.size() && operands[i] != nullptr; }
  const Tensor& in(size_t i) const { return *operands[i]; }
  Tensor result(size_t i = 0) const;  // zeros of the result's type
  int64_t integer(std::string_view name) const { return attributes.get<int64_t>(name); }
  bool boolean(std::string_view name) const { return attributes.get<bool>(name); }
  double number(std::string_view name) const { return attributes.get<double>(name); }
  const std::vector<int64_t>& integers(std::string_view name) const {
    return attributes.get<std::vector<int64_t>>(name);
  }
};

using Kernel = std::vector<Tensor> (*)(const Call&);
using KernelTable = std::span<const std::pair<std::string_view, Kernel>>;

KernelTable view_kernels();
KernelTable generator_kernels();
KernelTable shuffle_kernels();
KernelTable reduction_kernels();
KernelTable product_kernels();
KernelTable convolution_kernels();
KernelTable window_kernels();
KernelTable gather_kernels();
KernelTable scatter_kernels();
KernelTable normalization_kernels();

// Null if the op has none.
Kernel find_kernel(std::string_view op);

// A tensor whose element at `index` is that of `x` at source(index).
Tensor rearranged(const Tensor& x, const ir::TensorType& type, const std::function<Index(const Index&)>& source);
// Sets element `i` from a double: truncated for integers.
void set_number(Tensor& t, int64_t i, double value);
// IndexError unless -size <= index < size; the wrapped index.
int64_t wrap_index(std::string_view op, int64_t index, int64_t size, int64_t dim);
// IndexError unless 0 <= index < size.
int64_t check_index(std::string_view op, int64_t index, int64_t size, int64_t dim);

}  // namespace litz::interp
