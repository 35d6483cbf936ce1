// Tensors: handles to strided memory on the CPU.
//
//   litz::Tensor x = litz::randn({2, 3});          // f32, row-major
//   litz::Tensor y = litz::transpose(x, 0, 1);     // a view: shares memory with x
//   const float* p = x.data<const float>();
//
// A Tensor is a handle: copies share storage, and so do views (reshape where it can, permute, slice, select, …). Ops
// never write into their operands; memory changes only through `data` and `copy_from`. While litz::compile traces a
// function, its tensors are stand-ins: they have a dtype and a shape but no values yet.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "litz/dtype.h"
#include "litz/error.h"
#include "litz/export.h"

namespace litz {

class Tensor;

namespace api {
struct TensorState;
struct Access;

// The dtype whose elements are of type T. f16 and bf16 have no type of C++: their bits are uint16_t.
template <typename T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<U> && sizeof(U) <= 8, "no dtype of Litz has elements of this type");
  static_assert(std::is_floating_point_v<U> || std::is_same_v<U, bool> || std::is_signed_v<U> || sizeof(U) == 1,
                "Litz has no unsigned integers wider than 8 bits");
  if constexpr (std::is_floating_point_v<U>) {
    return sizeof(U) == 8 ? DType::f64 : DType::f32;
  } else if constexpr (std::is_same_v<U, bool>) {
    return DType::boolean;
  } else if constexpr (sizeof(U) == 1) {
    return std::is_signed_v<U> ? DType::i8 : DType::u8;
  } else {
    return sizeof(U) == 8 ? DType::i64 : sizeof(U) == 4 ? DType::i32 : DType::i16;
  }
}

}  // namespace api

// Sizes, strides or dimensions: a list, or one number for a list of one.
class Sizes : public std::vector<int64_t> {
 public:
  Sizes() = default;
  template <typename T>
    requires std::is_integral_v<T>
  Sizes(T size) : std::vector<int64_t>(1, static_cast<int64_t>(size)) {}  // NOLINT(google-explicit-constructor)
  Sizes(std::initializer_list<int64_t> list) : std::vector<int64_t>(list) {}
  Sizes(std::vector<int64_t> list) : std::vector<int64_t>(std::move(list)) {}  // NOLINT(google-explicit-constructor)
  Sizes(std::span<const int64_t> list)                                         // NOLINT(google-explicit-constructor)
      : std::vector<int64_t>(list.begin(), list.end()) {}
};

class LITZ_API Tensor {
 public:
  // No tensor: what an absent optional argument is. Everything but `defined` throws a UserError on it.
  Tensor() = default;

  bool defined() const { return state_ != nullptr; }
  DType dtype() const;
  std::span<const int64_t> shape() const;
  std::span<const int64_t> strides() const;  // in elements
  int64_t rank() const;
  int64_t size(int64_t dim) const;  // a negative dim counts from the end
  int64_t elements() const;
  bool is_contiguous() const;  // row-major without gaps
  // A stand-in inside a function that litz::compile traces.
  bool is_traced() const;

  // The first element. T must be the dtype's type (float for f32, bool for boolean, uint16_t for f16 and bf16, …);
  // UserError if it is not, if the memory is read-only and T is not const, or if the tensor is a stand-in. Asking for
  // memory that is not const counts as a change: weights that a compiled function packed are packed again.
  template <typename T>
  T* data() const {
    return static_cast<T*>(data_of(kind_of<T>(), /*write=*/!std::is_const_v<T>));
  }
  // The same without a check of the dtype.
  void* raw_data() const;              // counts as a change
  const void* raw_const_data() const;  // does not

  // The value of a tensor of one element, converted to T. UserError if it has more or none.
  template <typename T>
  T item() const {
    static_assert(std::is_arithmetic_v<T>, "item<T>(): T is a number");
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(integer_item());
    } else {
      return static_cast<T>(number_item());
    }
  }
  // All elements in row-major order; T as for `data`.
  template <typename T>
  std::vector<T> to_vector() const {
    static_assert(!std::is_same_v<T, bool>, "to_vector<uint8_t> reads booleans");
    std::vector<T> out(static_cast<size_t>(elements()));
    copy_out(kind_of<T>(), out.data());
    return out;
  }

  // The same values in another dtype: floats truncate to integers, anything but 0 is true. Itself if it has that dtype.
  Tensor to(DType dtype, std::source_location at = std::source_location::current()) const;
  // Itself if it is contiguous, else a copy that is.
  Tensor contiguous(std::source_location at = std::source_location::current()) const;
  // A contiguous copy with memory of its own.
  Tensor clone(std::source_location at = std::source_location::current()) const;
  // Writes the elements of `source`, of the same dtype and shape, into this tensor's memory. UserError for stand-ins.
  void copy_from(const Tensor& source) const;

 private:
  friend struct api::Access;
  enum class ElementKind : uint8_t { plain, bits16 };
  struct Element {
    ElementKind kind;
    DType dtype;  // of plain ones
  };
  template <typename T>
  static constexpr Element kind_of() {
    if constexpr (std::is_same_v<std::remove_cv_t<T>, uint16_t>) {
      return {ElementKind::bits16, DType::bf16};
    } else {
      return {ElementKind::plain, api::dtype_of<T>()};
    }
  }
  void* data_of(Element element, bool write) const;
  void copy_out(Element element, void* to) const;
  double number_item() const;
  int64_t integer_item() const;

  std::shared_ptr<api::TensorState> state_;
};

// dtype and shape, then the values of a small tensor: "f32[2,2] [[1, 2], [3, 4]]".
LITZ_API std::string to_string(const Tensor& tensor);
LITZ_API std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace litz
