// Tensors at the border of the runtime: views of memory that somebody else owns, and owned results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "litz/dtype.h"

namespace litz::runtime {

// Memory, sizes and strides (in elements) belong to the caller and live as long as the call. `version` is the tensor's
// version counter, for frozen inputs: a change of it, or of `data`, packs again. Another tensor at the address of one
// that was freed must come with another version: the caller sees to it, or calls Executable::refresh().
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::f32;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;
  uint64_t version = 0;
};

struct OwnedTensor {
  void* data = nullptr;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::shared_ptr<void> owner;  // keeps `data` alive

  TensorView view() const { return {data, dtype, shape, strides}; }
};

// A contiguous tensor with memory from the block pool; its content is undefined.
OwnedTensor empty_tensor(DType dtype, std::vector<int64_t> shape);

}  // namespace litz::runtime
