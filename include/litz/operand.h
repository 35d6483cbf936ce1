// What ops take: a tensor or a number, and where in the program that was.
#pragma once

#include <source_location>
#include <type_traits>
#include <variant>

#include "litz/tensor.h"

namespace litz {

// Made from a Tensor or a number where an op is called; lives until the end of the full expression. A number next to a
// tensor follows PyTorch's rules: it changes the dtype only if it is of a higher category (2.5 with integers gives f32;
// 2 with f16 stays f16).
class Operand {
 public:
  using Number = std::variant<bool, int64_t, double>;

  Operand(const Tensor& tensor,  // NOLINT(google-explicit-constructor)
          std::source_location at = std::source_location::current())
      : tensor_(&tensor), at_(at) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Operand(T number,  // NOLINT(google-explicit-constructor)
          std::source_location at = std::source_location::current())
      : number_(to_number(number)), at_(at) {}

  const Tensor* tensor() const { return tensor_; }  // null for a number
  const Number& number() const { return number_; }
  const std::source_location& at() const { return at_; }

 private:
  template <typename T>
  static Number to_number(T number) {
    if constexpr (std::is_same_v<T, bool>) return number;
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(number);
    return static_cast<int64_t>(number);
  }

  const Tensor* tensor_ = nullptr;
  Number number_;
  std::source_location at_;
};

}  // namespace litz
