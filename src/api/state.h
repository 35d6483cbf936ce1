// What a Tensor's handle holds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontends/trace/recorder.h"
#include "litz/tensor.h"
#include "runtime/memory.h"
#include "runtime/tensor.h"

namespace litz::api {

class Session;

// Memory that views share.
struct Storage {
  explicit Storage(runtime::Block own) : block(std::move(own)) {}
  explicit Storage(std::shared_ptr<void> foreign) : owner(std::move(foreign)) {}

  runtime::Block block;         // memory of Litz's own, or
  std::shared_ptr<void> owner;  // what keeps somebody else's alive
  bool read_only = false;
  std::atomic<uint64_t> version{0};  // counts what may have been writes
};

// dtype, sizes and strides; shared by tensors that have the same.
struct TensorLayout {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t elements = 0;
  bool row_major = false;

  bool same_as(const TensorLayout& other) const;  // strides where they count
};

std::shared_ptr<const TensorLayout> make_layout(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides);
std::shared_ptr<const TensorLayout> make_layout(DType dtype, std::vector<int64_t> shape);  // row-major

// A stand-in's part: which trace it belongs to and what it is there.
struct Traced {
  std::shared_ptr<Session> session;
  trace::Value value;
};

struct TensorState {
  std::shared_ptr<const TensorLayout> layout;
  std::shared_ptr<Storage> storage;  // null for a stand-in
  std::byte* data = nullptr;         // the first element
  std::unique_ptr<const Traced> traced;
};

// The way from handles to what they hold.
struct Access {
  static const TensorState* get(const Tensor& tensor) { return tensor.state_.get(); }
  static Tensor wrap(std::shared_ptr<TensorState> state) {
    Tensor tensor;
    tensor.state_ = std::move(state);
    return tensor;
  }
};

// The state; UserError "<what>: …" if the tensor is undefined.
const TensorState& state_of(const Tensor& tensor, const char* what);
// The same for a tensor that has values: UserError for a stand-in too.
const TensorState& real_state(const Tensor& tensor, const char* what);

Tensor make_real(std::shared_ptr<const TensorLayout> layout, std::shared_ptr<Storage> storage, std::byte* data);
Tensor make_traced(DType dtype, std::shared_ptr<Session> session, trace::Value value);
// A row-major tensor with memory from the block pool; content undefined. UserError if its size overflows.
Tensor make_empty(DType dtype, std::vector<int64_t> shape);
// A window onto the memory of a real tensor; offset in elements from its first.
Tensor make_window(const Tensor& base, const trace::Strided& window);
trace::Strided window_of(const TensorLayout& layout);  // offset 0

// As the runtime sees it, for the time of a call.
runtime::TensorView view_of(const TensorState& state);

// "[2, 3]" and "f32[2,3]".
std::string list_text(std::span<const int64_t> list);
std::string type_text(const TensorLayout& layout);

// Calls `visit(offset, count, stride)` for each innermost run of a strided tensor in row-major order, in elements.
void for_each_run(std::span<const int64_t> shape, std::span<const int64_t> strides,
                  const std::function<void(int64_t offset, int64_t count, int64_t stride)>& visit);
// Copies elements of `size` bytes from strided to strided, equal shapes.
void copy_elements(std::span<const int64_t> shape, int size, const std::byte* from,
                   std::span<const int64_t> from_strides, std::byte* to, std::span<const int64_t> to_strides);

}  // namespace litz::api
