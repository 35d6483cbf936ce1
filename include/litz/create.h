// Tensors from nothing, from numbers, and from memory that somebody else owns.
//
// Inside a function that litz::compile traces, full, zeros, ones and arange become part of the program; the random ones
// are refused there (draw outside and pass the tensor in).
#pragma once

#include <functional>
#include <optional>

#include "litz/tensor.h"

namespace litz {

LITZ_API Tensor empty(const Sizes& shape, DType dtype = DType::f32);  // content undefined
LITZ_API Tensor zeros(const Sizes& shape, DType dtype = DType::f32);
LITZ_API Tensor ones(const Sizes& shape, DType dtype = DType::f32);
LITZ_API Tensor full(const Sizes& shape, double value, DType dtype = DType::f32);
// 0, 1, …, count - 1: [count].
LITZ_API Tensor arange(int64_t count, DType dtype = DType::i64);

// Random numbers come from Philox: the same seed gives the same numbers on every machine, whatever the threads.
// Without a seed each call takes the next one of a sequence that `manual_seed` starts anew (and the process with 0).
LITZ_API Tensor randn(const Sizes& shape, DType dtype = DType::f32, std::optional<uint64_t> seed = {});  // normal, 0, 1
LITZ_API Tensor rand(const Sizes& shape, DType dtype = DType::f32, std::optional<uint64_t> seed = {});   // in [0, 1)
LITZ_API Tensor randint(int64_t low, int64_t high, const Sizes& shape, DType dtype = DType::i64,
                        std::optional<uint64_t> seed = {});  // in [low, high)
LITZ_API void manual_seed(uint64_t seed);

// Memory of the caller as a tensor, without a copy. `strides` in elements, none negative; empty means row-major.
// `deleter`, if there is one, is called with `data` when the last handle goes; otherwise the memory must outlive them.
LITZ_API Tensor from_blob(void* data, const Sizes& shape, const Sizes& strides, DType dtype,
                          std::function<void(void*)> deleter = {});
// The same for memory that must not be written: data<T>() of the tensor takes const types only.
LITZ_API Tensor from_blob(const void* data, const Sizes& shape, const Sizes& strides, DType dtype,
                          std::function<void(const void*)> deleter = {});
template <typename T>
Tensor from_blob(T* data, const Sizes& shape, const Sizes& strides = {}) {
  using Memory = std::conditional_t<std::is_const_v<T>, const void*, void*>;
  return from_blob(static_cast<Memory>(data), shape, strides, api::dtype_of<T>());
}

// A copy of `values`, in row-major order: tensor<float>({1, 2, 3, 4}, {2, 2}). Without a shape: [values.size()].
template <typename T>
Tensor tensor(const std::vector<T>& values, std::optional<Sizes> shape = {}) {
  static_assert(!std::is_same_v<T, bool>, "tensor<uint8_t>(…).to(litz::DType::boolean) makes booleans");
  const Sizes own = static_cast<int64_t>(values.size());
  return from_blob(values.data(), shape ? *shape : own).clone();
}

}  // namespace litz
