#include "litz/create.h"

#include <cmath>
#include <cstring>

#include "api/call.h"
#include "api/state.h"
#include "support/half.h"

namespace litz {

namespace {

// The bytes of `value` in `dtype`.
std::array<std::byte, 8> element_bytes(DType dtype, double value) {
  std::array<std::byte, 8> out{};
  const auto put = [&](auto typed) { std::memcpy(out.data(), &typed, sizeof typed); };
  const auto integer = [&] {
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
  };
  switch (dtype) {
    case DType::f64:
      put(value);
      break;
    case DType::f32:
      put(static_cast<float>(value));
      break;
    case DType::bf16:
      put(f64_to_bf16(value));
      break;
    case DType::f16:
      put(f64_to_f16(value));
      break;
    case DType::boolean:
      put(static_cast<uint8_t>(value != 0));
      break;
    default:
      put(integer());  // little-endian: narrower integers are its first bytes
      break;
  }
  return out;
}

void fill(const api::TensorState& state, double value) {
  const DType dtype = state.layout->dtype;
  const std::array<std::byte, 8> element = element_bytes(dtype, value);
  const int64_t bytes = state.layout->elements * dtype_size(dtype);
  if (bytes == 0) return;
  if (element == std::array<std::byte, 8>{}) {
    std::memset(state.data, 0, static_cast<size_t>(bytes));
    return;
  }
  // Doubles what is there until all is.
  int64_t done = dtype_size(dtype);
  std::memcpy(state.data, element.data(), static_cast<size_t>(done));
  while (done < bytes) {
    const int64_t next = std::min(done, bytes - done);
    std::memcpy(state.data + done, state.data, static_cast<size_t>(next));
    done += next;
  }
}

Tensor filled(const char* function, const Sizes& shape, double value, DType dtype) {
  if (api::is_tracing()) {
    return api::call(function, std::source_location(), "aten.full.default", {shape, value, dtype});
  }
  Tensor out = api::make_empty(dtype, shape);
  fill(*api::Access::get(out), value);
  return out;
}

// Memory of the caller as a tensor.
Tensor adopt(void* data, const Sizes& shape, const Sizes& strides, DType dtype, std::shared_ptr<void> owner,
             bool read_only) {
  if (dtype == DType::token) throw UserError("from_blob: a tensor cannot have the dtype token");
  const int64_t elements = trace::element_count(shape);
  for (int64_t size : shape) {
    if (size < 0) throw UserError("from_blob: shape " + api::list_text(shape) + " has a negative size");
  }
  if (!strides.empty() && strides.size() != shape.size()) {
    throw UserError("from_blob: strides " + api::list_text(strides) + " and shape " + api::list_text(shape) +
                    " must have as many entries");
  }
  for (int64_t stride : strides) {
    if (stride < 0) throw UserError("from_blob: negative strides are not supported, got " + api::list_text(strides));
  }
  if (data == nullptr && elements > 0) throw UserError("from_blob: the pointer is null");
  auto storage = std::make_shared<api::Storage>(std::move(owner));
  storage->read_only = read_only;
  std::vector<int64_t> own = strides.empty() ? trace::row_major_strides(shape) : std::vector<int64_t>(strides);
  return api::make_real(api::make_layout(dtype, shape, std::move(own)), std::move(storage),
                        static_cast<std::byte*>(data));
}

}  // namespace

Tensor empty(const Sizes& shape, DType dtype) {
  return api::is_tracing() ? filled("empty", shape, 0, dtype) : api::make_empty(dtype, shape);
}
Tensor zeros(const Sizes& shape, DType dtype) { return filled("zeros", shape, 0, dtype); }
Tensor ones(const Sizes& shape, DType dtype) { return filled("ones", shape, 1, dtype); }
Tensor full(const Sizes& shape, double value, DType dtype) { return filled("full", shape, value, dtype); }

Tensor arange(int64_t count, DType dtype) {
  if (count < 0) throw UserError("arange: count must not be negative, got " + std::to_string(count));
  if (dtype == DType::boolean) throw UserError("arange: there is no range of booleans");
  if (api::is_tracing()) {
    return api::call("arange", std::source_location(), "aten.arange.default", {count, dtype});
  }
  Tensor out = api::make_empty(dtype, {count});
  std::byte* data = api::Access::get(out)->data;
  const int size = dtype_size(dtype);
  for (int64_t i = 0; i < count; ++i) {
    const std::array<std::byte, 8> element = element_bytes(dtype, static_cast<double>(i));
    std::memcpy(data + i * size, element.data(), static_cast<size_t>(size));
  }
  return out;
}

Tensor from_blob(void* data, const Sizes& shape, const Sizes& strides, DType dtype,
                 std::function<void(void*)> deleter) {
  std::shared_ptr<void> owner;
  if (deleter) owner = std::shared_ptr<void>(data, std::move(deleter));
  return adopt(data, shape, strides, dtype, std::move(owner), /*read_only=*/false);
}

Tensor from_blob(const void* data, const Sizes& shape, const Sizes& strides, DType dtype,
                 std::function<void(const void*)> deleter) {
  auto* writable = const_cast<void*>(data);  // the tensor is marked read-only
  std::shared_ptr<void> owner;
  if (deleter) owner = std::shared_ptr<void>(writable, [d = std::move(deleter)](void* p) { d(p); });
  return adopt(writable, shape, strides, dtype, std::move(owner), /*read_only=*/true);
}

}  // namespace litz
