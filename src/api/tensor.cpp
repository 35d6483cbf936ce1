#include "litz/tensor.h"

#include <cstdio>
#include <cstring>
#include <ostream>

#include "api/call.h"
#include "api/state.h"
#include "support/half.h"

namespace litz {

namespace {

using api::real_state;
using api::state_of;
using api::TensorLayout;
using api::TensorState;

template <typename T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

struct ElementValue {
  bool is_float = false;
  double number = 0;
  int64_t integer = 0;
};

ElementValue element_at(DType dtype, const std::byte* at) {
  const auto number = [](double v) { return ElementValue{true, v, 0}; };
  const auto integer = [](int64_t v) { return ElementValue{false, static_cast<double>(v), v}; };
  switch (dtype) {
    case DType::f64:
      return number(read<double>(at));
    case DType::f32:
      return number(static_cast<double>(read<float>(at)));
    case DType::bf16:
      return number(static_cast<double>(bf16_to_f32(read<uint16_t>(at))));
    case DType::f16:
      return number(static_cast<double>(f16_to_f32(read<uint16_t>(at))));
    case DType::i64:
      return integer(read<int64_t>(at));
    case DType::i32:
      return integer(read<int32_t>(at));
    case DType::i16:
      return integer(read<int16_t>(at));
    case DType::i8:
      return integer(read<int8_t>(at));
    case DType::u8:
    case DType::boolean:
      return integer(read<uint8_t>(at));
    case DType::token:
      break;
  }
  return {};
}

ElementValue single_element(const Tensor& tensor) {
  const TensorState& state = real_state(tensor, "item");
  if (state.layout->elements != 1) {
    throw UserError("item: the tensor is " + type_text(*state.layout) + "; item needs one element");
  }
  return element_at(state.layout->dtype, state.data);
}

constexpr std::string_view kBits = "uint16_t";

std::string element_type_name(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "double";
    case DType::f32:
      return "float";
    case DType::bf16:
    case DType::f16:
      return std::string(kBits);
    case DType::boolean:
      return "bool";
    case DType::u8:
      return "uint8_t";
    default:
      return "int" + std::to_string(dtype_size(dtype) * 8) + "_t";
  }
}

std::string value_text(DType dtype, const std::byte* at) {
  const ElementValue value = element_at(dtype, at);
  if (dtype == DType::boolean) return value.integer != 0 ? "true" : "false";
  if (!value.is_float) return std::to_string(value.integer);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value.number);
  return text;
}

std::string values_text(const TensorState& state, size_t dim, int64_t offset) {
  const TensorLayout& layout = *state.layout;
  if (dim == layout.shape.size()) return value_text(layout.dtype, state.data + offset * dtype_size(layout.dtype));
  std::string out = "[";
  for (int64_t i = 0; i < layout.shape[dim]; ++i) {
    out += (i == 0 ? "" : ", ") + values_text(state, dim + 1, offset + i * layout.strides[dim]);
  }
  return out + "]";
}

constexpr int64_t kPrinted = 1000;  // elements

}  // namespace

DType Tensor::dtype() const { return state_of(*this, "dtype").layout->dtype; }
std::span<const int64_t> Tensor::shape() const { return state_of(*this, "shape").layout->shape; }
std::span<const int64_t> Tensor::strides() const { return state_of(*this, "strides").layout->strides; }
int64_t Tensor::rank() const { return static_cast<int64_t>(shape().size()); }
int64_t Tensor::elements() const { return state_of(*this, "elements").layout->elements; }
bool Tensor::is_contiguous() const { return state_of(*this, "is_contiguous").layout->row_major; }
bool Tensor::is_traced() const { return state_of(*this, "is_traced").traced != nullptr; }

int64_t Tensor::size(int64_t dim) const {
  const auto sizes = state_of(*this, "size").layout->shape;
  const auto count = static_cast<int64_t>(sizes.size());
  if (dim < -count || dim >= count) {
    throw UserError("size: dimension " + std::to_string(dim) + " is out of range for a tensor of " +
                    std::to_string(count) + " dimensions");
  }
  return sizes[static_cast<size_t>(dim < 0 ? dim + count : dim)];
}

void* Tensor::data_of(Element element, bool write) const {
  const TensorState& state = real_state(*this, "data");
  const DType dtype = state.layout->dtype;
  const bool fits = element.kind == ElementKind::bits16 ? is_half(dtype) : dtype == element.dtype;
  if (!fits) {
    throw UserError("data: the tensor is " + type_text(*state.layout) + "; its elements are read with data<" +
                    element_type_name(dtype) + ">()");
  }
  return write ? raw_data() : state.data;
}

void* Tensor::raw_data() const {
  const TensorState& state = real_state(*this, "data");
  if (state.storage->read_only) {
    throw UserError("data: the memory of this tensor is read-only; data<const " +
                    element_type_name(state.layout->dtype) + ">() reads it, clone() makes a copy to write");
  }
  state.storage->version.fetch_add(1, std::memory_order_relaxed);
  return state.data;
}

const void* Tensor::raw_const_data() const { return real_state(*this, "data").data; }

void Tensor::copy_out(Element element, void* to) const {
  data_of(element, /*write=*/false);  // checks
  const TensorState& state = *state_;
  api::copy_elements(state.layout->shape, dtype_size(state.layout->dtype), state.data, state.layout->strides,
                     static_cast<std::byte*>(to), trace::row_major_strides(state.layout->shape));
}

double Tensor::number_item() const { return single_element(*this).number; }

int64_t Tensor::integer_item() const {
  const ElementValue value = single_element(*this);
  if (!value.is_float) return value.integer;
  const bool fits = value.number >= -0x1p63 && value.number < 0x1p63;
  return fits ? static_cast<int64_t>(value.number) : INT64_MIN;
}

Tensor Tensor::to(DType dtype, std::source_location at) const {
  if (state_of(*this, "to").layout->dtype == dtype) return *this;
  return api::call("to", at, "aten.to.dtype", {*this, dtype});
}

Tensor Tensor::contiguous(std::source_location at) const { return is_contiguous() ? *this : clone(at); }

Tensor Tensor::clone(std::source_location at) const {
  const TensorState& state = state_of(*this, "clone");
  if (state.traced || api::is_tracing()) return api::call("clone", at, "aten.clone.default", {*this});
  Tensor copy = api::make_empty(state.layout->dtype, state.layout->shape);
  const TensorState& target = *copy.state_;
  api::copy_elements(state.layout->shape, dtype_size(state.layout->dtype), state.data, state.layout->strides,
                     target.data, target.layout->strides);
  return copy;
}

void Tensor::copy_from(const Tensor& source) const {
  const TensorState& from = real_state(source, "copy_from");
  const TensorState& to = real_state(*this, "copy_from");
  if (api::is_tracing()) {
    throw UserError("copy_from: a function that litz::compile traces must not write into tensors; return the values");
  }
  if (from.layout->dtype != to.layout->dtype || from.layout->shape != to.layout->shape) {
    throw UserError("copy_from: the source is " + type_text(*from.layout) + ", the tensor is " + type_text(*to.layout) +
                    "; dtype and shape must be the same");
  }
  const Tensor source_copy = from.storage == to.storage ? source.clone() : source;
  raw_data();  // checks, and counts as a change
  const TensorState& reading = *source_copy.state_;
  api::copy_elements(to.layout->shape, dtype_size(to.layout->dtype), reading.data, reading.layout->strides, to.data,
                     to.layout->strides);
}

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  const TensorState& state = state_of(tensor, "to_string");
  std::string out = type_text(*state.layout);
  if (state.traced) return out + " stand-in";
  if (state.layout->elements > kPrinted) return out + " of " + std::to_string(state.layout->elements) + " elements";
  return out + " " + values_text(state, 0, 0);
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) { return stream << to_string(tensor); }

}  // namespace litz
