#include "api/state.h"

#include <algorithm>
#include <cstring>

#include "api/session.h"
#include "litz/error.h"

namespace litz::api {

namespace {

// Bytes of a row-major tensor; UserError if sizes are negative or do not fit.
int64_t checked_bytes(DType dtype, std::span<const int64_t> shape) {
  if (dtype == DType::token) throw UserError("a tensor cannot have the dtype token");
  int64_t bytes = dtype_size(dtype);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) throw UserError("a tensor of shape " + list_text(shape) + " has a negative size");
    empty = empty || size == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes)) {
      throw UserError("a tensor of shape " + list_text(shape) + " does not fit into memory");
    }
  }
  return empty ? 0 : bytes;
}

// A run of `count` elements of N bytes.
template <int N>
void copy_run(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride * N, from + i * from_stride * N, N);
}

void copy_run_of(int size, const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                 int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::memmove(to, from, static_cast<size_t>(count * size));
  } else if (size == 8) {
    copy_run<8>(from, from_stride, to, to_stride, count);
  } else if (size == 4) {
    copy_run<4>(from, from_stride, to, to_stride, count);
  } else if (size == 2) {
    copy_run<2>(from, from_stride, to, to_stride, count);
  } else {
    copy_run<1>(from, from_stride, to, to_stride, count);
  }
}

}  // namespace

bool TensorLayout::same_as(const TensorLayout& other) const {
  if (this == &other) return true;
  if (dtype != other.dtype || shape != other.shape) return false;
  if (row_major && other.row_major) return true;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && strides[d] != other.strides[d]) return false;
  }
  return true;
}

std::shared_ptr<const TensorLayout> make_layout(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  auto layout = std::make_shared<TensorLayout>();
  layout->dtype = dtype;
  layout->elements = trace::element_count(shape);
  layout->row_major = trace::is_row_major(shape, strides);
  layout->shape = std::move(shape);
  layout->strides = std::move(strides);
  return layout;
}

std::shared_ptr<const TensorLayout> make_layout(DType dtype, std::vector<int64_t> shape) {
  std::vector<int64_t> strides = trace::row_major_strides(shape);
  return make_layout(dtype, std::move(shape), std::move(strides));
}

const TensorState& state_of(const Tensor& tensor, const char* what) {
  const TensorState* state = Access::get(tensor);
  if (state == nullptr)
    throw UserError(std::string(what) + ": the tensor is undefined; a litz::Tensor{} holds nothing");
  return *state;
}

const TensorState& real_state(const Tensor& tensor, const char* what) {
  const TensorState& state = state_of(tensor, what);
  if (state.traced) {
    throw UserError(std::string(what) +
                    ": the tensor is a stand-in, without values, while litz::compile traces the function. Choose "
                    "between values with ops (litz::where), or do this outside of the function");
  }
  return state;
}

Tensor make_real(std::shared_ptr<const TensorLayout> layout, std::shared_ptr<Storage> storage, std::byte* data) {
  auto state = std::make_shared<TensorState>();
  state->layout = std::move(layout);
  state->storage = std::move(storage);
  state->data = data;
  return Access::wrap(std::move(state));
}

Tensor make_traced(DType dtype, std::shared_ptr<Session> session, trace::Value value) {
  auto state = std::make_shared<TensorState>();
  state->layout = make_layout(dtype, value.window.shape, value.window.strides);
  state->traced = std::make_unique<Traced>(Traced{std::move(session), std::move(value)});
  return Access::wrap(std::move(state));
}

Tensor make_empty(DType dtype, std::vector<int64_t> shape) {
  const int64_t bytes = checked_bytes(dtype, shape);
  auto storage = std::make_shared<Storage>(runtime::Block(static_cast<size_t>(bytes)));
  std::byte* data = storage->block.data();
  return make_real(make_layout(dtype, std::move(shape)), std::move(storage), data);
}

Tensor make_window(const Tensor& base, const trace::Strided& window) {
  const TensorState& state = *Access::get(base);
  const DType dtype = state.layout->dtype;
  return make_real(make_layout(dtype, window.shape, window.strides), state.storage,
                   state.data + window.offset * dtype_size(dtype));
}

trace::Strided window_of(const TensorLayout& layout) { return {layout.shape, layout.strides, 0}; }

runtime::TensorView view_of(const TensorState& state) {
  return {state.data, state.layout->dtype, state.layout->shape, state.layout->strides,
          state.storage->version.load(std::memory_order_relaxed)};
}

std::string list_text(std::span<const int64_t> list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(list[i]);
  return out + "]";
}

std::string type_text(const TensorLayout& layout) {
  std::string out = std::string(dtype_name(layout.dtype)) + "[";
  for (size_t i = 0; i < layout.shape.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(layout.shape[i]);
  return out + "]";
}

void for_each_run(std::span<const int64_t> shape, std::span<const int64_t> strides,
                  const std::function<void(int64_t offset, int64_t count, int64_t stride)>& visit) {
  if (trace::element_count(shape) == 0) return;
  if (shape.empty()) {
    visit(0, 1, 1);
    return;
  }
  const size_t outer = shape.size() - 1;
  std::vector<int64_t> index(outer, 0);
  int64_t offset = 0;
  while (true) {
    visit(offset, shape[outer], strides[outer]);
    size_t d = outer;
    while (d-- > 0) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
    if (d == SIZE_MAX) return;
  }
}

void copy_elements(std::span<const int64_t> shape, int size, const std::byte* from,
                   std::span<const int64_t> from_strides, std::byte* to, std::span<const int64_t> to_strides) {
  if (trace::is_row_major(shape, from_strides) && trace::is_row_major(shape, to_strides)) {
    const int64_t bytes = trace::element_count(shape) * size;
    if (bytes > 0) std::memmove(to, from, static_cast<size_t>(bytes));
    return;
  }
  // Offsets of the target, in the same order.
  std::vector<std::pair<int64_t, int64_t>> targets;
  for_each_run(shape, to_strides,
               [&](int64_t offset, int64_t, int64_t stride) { targets.emplace_back(offset, stride); });
  size_t next = 0;
  for_each_run(shape, from_strides, [&](int64_t offset, int64_t count, int64_t stride) {
    const auto& [target, target_stride] = targets[next++];
    copy_run_of(size, from + offset * size, stride, to + target * size, target_stride, count);
  });
}

}  // namespace litz::api
