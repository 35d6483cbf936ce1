// A dense row-major tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ir/scalar.h"
#include "litz/dtype.h"

namespace litz::interp {

using Index = std::vector<int64_t>;

int64_t element_count(std::span<const int64_t> shape);

class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, std::vector<int64_t> shape);  // zeros

  // `values` in row-major order, converted to `dtype`.
  static Tensor of(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values);

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  int64_t elements() const { return elements_; }
  int64_t bytes() const { return static_cast<int64_t>(storage_.size()); }
  const std::byte* data() const { return storage_.data(); }
  std::byte* data() { return storage_.data(); }

  // The element with row-major number `i`: an int64_t for integers and booleans, a double for floats.
  ir::ScalarValue get(int64_t i) const;
  // Rounds or wraps `value` to the dtype.
  void set(int64_t i, const ir::ScalarValue& value);
  // Any element as a double, integers rounded; and as an integer, for integer dtypes only.
  double number(int64_t i) const;
  int64_t integer(int64_t i) const { return std::get<int64_t>(get(i)); }

  // The same elements in another shape.
  Tensor reshaped(std::vector<int64_t> shape) const;
  // The row-major number of the element at `index`.
  int64_t offset(std::span<const int64_t> index) const;

  // Same dtype, shape and bits; NaN equals NaN.
  bool operator==(const Tensor& other) const;

 private:
  DType dtype_ = DType::f32;
  std::vector<int64_t> shape_;
  int64_t elements_ = 1;
  std::vector<std::byte> storage_ = std::vector<std::byte>(4);
};

// Calls `visit` with each index of `shape` in row-major order; the second argument counts from 0.
void for_each_index(std::span<const int64_t> shape, const std::function<void(const Index&, int64_t)>& visit);

// `value`, an element of dtype `from`, converted as ScalarOp::cast does.
ir::ScalarValue convert_value(const ir::ScalarValue& value, DType to);
Tensor convert(const Tensor& x, DType dtype);

}  // namespace litz::interp
