#include "interp/kernels.h"

#include <unordered_map>

#include "support/check.h"

namespace litz::interp {

namespace {

[[noreturn]] void out_of_range(std::string_view op, int64_t index, int64_t size, int64_t dim) {
  throw IndexError(std::string(op) + ": index " + std::to_string(index) + " is out of range for size " +
                   std::to_string(size) + " at dimension " + std::to_string(dim));
}

}  // namespace

Tensor Call::result(size_t i) const {
  std::vector<int64_t> shape;
  for (const Expr& e : types.at(i).shape) shape.push_back(e.constant());
  return Tensor(types[i].dtype, std::move(shape));
}

Kernel find_kernel(std::string_view op) {
  static const std::unordered_map<std::string_view, Kernel> kernels = [] {
    std::unordered_map<std::string_view, Kernel> map;
    for (auto table : {view_kernels, generator_kernels, shuffle_kernels, reduction_kernels, product_kernels,
                       convolution_kernels, window_kernels, gather_kernels, scatter_kernels, normalization_kernels}) {
      for (const auto& [name, kernel] : table()) map.emplace(name, kernel);
    }
    return map;
  }();
  const auto it = kernels.find(op);
  return it == kernels.end() ? nullptr : it->second;
}

Tensor rearranged(const Tensor& x, const ir::TensorType& type, const std::function<Index(const Index&)>& source) {
  std::vector<int64_t> shape;
  for (const Expr& e : type.shape) shape.push_back(e.constant());
  Tensor out(x.dtype(), shape);
  for_each_index(shape, [&](const Index& index, int64_t i) { out.set(i, x.get(x.offset(source(index)))); });
  return out;
}

void set_number(Tensor& t, int64_t i, double value) { t.set(i, convert_value(value, t.dtype())); }

int64_t wrap_index(std::string_view op, int64_t index, int64_t size, int64_t dim) {
  if (index < -size || index >= size) out_of_range(op, index, size, dim);
  return index < 0 ? index + size : index;
}

int64_t check_index(std::string_view op, int64_t index, int64_t size, int64_t dim) {
  if (index < 0 || index >= size) out_of_range(op, index, size, dim);
  return index;
}

}  // namespace litz::interp
