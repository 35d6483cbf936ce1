#include "interp/tensor.h"

#include <cmath>
#include <cstring>

#include "support/check.h"
#include "support/half.h"

namespace litz::interp {

namespace {

template <typename T>
T read(const std::byte* data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void write(std::byte* data, int64_t i, T value) {
  std::memcpy(data + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// x86's conversion to a 32-bit or 64-bit integer: the lowest value where the result does not fit or is NaN.
int64_t truncate(double value, bool wide) {
  const double limit = wide ? 0x1p63 : 0x1p31;
  const double whole = std::trunc(value);
  if (!(whole >= -limit && whole < limit)) return wide ? INT64_MIN : INT32_MIN;
  return static_cast<int64_t>(whole);
}

}  // namespace

int64_t element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    LITZ_CHECK(size >= 0, "a size is negative");
    if (__builtin_mul_overflow(count, size, &count)) throw UserError("a tensor has more than 2^63 elements");
  }
  return count;
}

Tensor::Tensor(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), elements_(element_count(shape_)) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements_, int64_t{dtype_size(dtype)}, &bytes)) {
    throw UserError("a tensor has more than 2^63 bytes");
  }
  storage_.assign(static_cast<size_t>(bytes), std::byte{0});
}

Tensor Tensor::of(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
  Tensor t(dtype, std::move(shape));
  LITZ_CHECK(static_cast<int64_t>(values.size()) == t.elements(), "as many values as elements");
  for (size_t i = 0; i < values.size(); ++i) t.set(static_cast<int64_t>(i), convert_value(values[i], dtype));
  return t;
}

ir::ScalarValue Tensor::get(int64_t i) const {
  LITZ_CHECK(i >= 0 && i < elements_, "an element out of range");
  const std::byte* p = storage_.data();
  switch (dtype_) {
    case DType::f64:
      return read<double>(p, i);
    case DType::f32:
      return static_cast<double>(read<float>(p, i));
    case DType::bf16:
      return static_cast<double>(bf16_to_f32(read<uint16_t>(p, i)));
    case DType::f16:
      return static_cast<double>(f16_to_f32(read<uint16_t>(p, i)));
    case DType::i64:
      return read<int64_t>(p, i);
    case DType::i32:
      return int64_t{read<int32_t>(p, i)};
    case DType::i16:
      return int64_t{read<int16_t>(p, i)};
    case DType::i8:
      return int64_t{read<int8_t>(p, i)};
    case DType::u8:
      return int64_t{read<uint8_t>(p, i)};
    case DType::boolean:
      return int64_t{read<uint8_t>(p, i) != 0};
    case DType::token:
      break;
  }
  LITZ_CHECK(false, "a token has no elements");
  return int64_t{0};
}

void Tensor::set(int64_t i, const ir::ScalarValue& value) {
  LITZ_CHECK(i >= 0 && i < elements_, "an element out of range");
  std::byte* p = storage_.data();
  if (is_floating(dtype_)) {
    const double v = std::get<double>(value);
    switch (dtype_) {
      case DType::f64:
        return write(p, i, v);
      case DType::f32:
        return write(p, i, static_cast<float>(v));
      case DType::bf16:
        return write(p, i, f64_to_bf16(v));
      default:
        return write(p, i, f64_to_f16(v));
    }
  }
  const int64_t v = std::get<int64_t>(value);
  switch (dtype_) {
    case DType::i64:
      return write(p, i, v);
    case DType::i32:
      return write(p, i, static_cast<int32_t>(v));
    case DType::i16:
      return write(p, i, static_cast<int16_t>(v));
    case DType::i8:
      return write(p, i, static_cast<int8_t>(v));
    case DType::u8:
      return write(p, i, static_cast<uint8_t>(v));
    default:
      return write(p, i, static_cast<uint8_t>(v != 0));
  }
}

double Tensor::number(int64_t i) const {
  const ir::ScalarValue v = get(i);
  const auto* integer = std::get_if<int64_t>(&v);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(v);
}

Tensor Tensor::reshaped(std::vector<int64_t> shape) const {
  LITZ_CHECK(element_count(shape) == elements_, "a reshape keeps the number of elements");
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

int64_t Tensor::offset(std::span<const int64_t> index) const {
  LITZ_CHECK(index.size() == shape_.size(), "an index of another rank");
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    LITZ_CHECK(index[d] >= 0 && index[d] < shape_[d], "an index out of range");
    offset = offset * shape_[d] + index[d];
  }
  return offset;
}

bool Tensor::operator==(const Tensor& other) const {
  if (dtype_ != other.dtype_ || shape_ != other.shape_) return false;
  for (int64_t i = 0; i < elements_ && dtype_ != DType::token; ++i) {
    const ir::ScalarValue a = get(i);
    const ir::ScalarValue b = other.get(i);
    const bool both_nan = is_floating(dtype_) && std::isnan(std::get<double>(a)) && std::isnan(std::get<double>(b));
    if (!both_nan && !ir::same_value(a, b)) return false;
  }
  return true;
}

void for_each_index(std::span<const int64_t> shape, const std::function<void(const Index&, int64_t)>& visit) {
  const int64_t count = element_count(shape);
  Index index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index, i);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

ir::ScalarValue convert_value(const ir::ScalarValue& value, DType to) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return ir::scalar_value(to, *integer);
  const double number = std::get<double>(value);
  if (is_floating(to)) return ir::scalar_value(to, number);
  if (to == DType::boolean) return int64_t{number != 0};
  return ir::scalar_value(to, truncate(number, to == DType::i64));
}

Tensor convert(const Tensor& x, DType dtype) {
  Tensor out(dtype, x.shape());
  for (int64_t i = 0; i < x.elements(); ++i) out.set(i, convert_value(x.get(i), dtype));
  return out;
}

}  // namespace litz::interp
