#include "litz/dlpack.h"

#include <limits>

#include "api/dlpack_abi.h"
#include "api/state.h"

namespace litz {

namespace {

namespace dl = api::dlpack;

DType dtype_from(const dl::DataType& type) {
  if (type.lanes == 1) {
    switch (type.code << 8 | type.bits) {
      case dl::kFloat << 8 | 64:
        return DType::f64;
      case dl::kFloat << 8 | 32:
        return DType::f32;
      case dl::kFloat << 8 | 16:
        return DType::f16;
      case dl::kBfloat << 8 | 16:
        return DType::bf16;
      case dl::kInt << 8 | 64:
        return DType::i64;
      case dl::kInt << 8 | 32:
        return DType::i32;
      case dl::kInt << 8 | 16:
        return DType::i16;
      case dl::kInt << 8 | 8:
        return DType::i8;
      case dl::kUInt << 8 | 8:
        return DType::u8;
      case dl::kBool << 8 | 8:
        return DType::boolean;
      default:
        break;
    }
  }
  throw UserError("from_dlpack: Litz has no such dtype (code " + std::to_string(type.code) + ", " +
                  std::to_string(type.bits) + " bits, " + std::to_string(type.lanes) + " lanes)");
}

dl::DataType dtype_to(DType dtype) {
  const auto bits = static_cast<uint8_t>(dtype_size(dtype) * 8);
  const uint8_t code = dtype == DType::bf16      ? dl::kBfloat
                       : dtype == DType::boolean ? dl::kBool
                       : dtype == DType::u8      ? dl::kUInt
                       : is_floating(dtype)      ? dl::kFloat
                                                 : dl::kInt;
  return {code, bits, 1};
}

// What `tensor` describes, over memory that `owner` keeps alive.
Tensor adopt(const dl::Tensor& tensor, bool read_only, const std::function<std::shared_ptr<void>()>& take) {
  if (tensor.device.type != dl::kCpu && tensor.device.type != dl::kCudaHost) {
    throw UserError("from_dlpack: the tensor is on a device of type " + std::to_string(tensor.device.type) +
                    "; Litz takes tensors on the CPU (1)");
  }
  const DType dtype = dtype_from(tensor.dtype);
  if (tensor.ndim < 0) throw UserError("from_dlpack: the number of dimensions is negative");
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  for (int64_t size : shape) {
    if (size < 0) throw UserError("from_dlpack: shape " + api::list_text(shape) + " has a negative size");
  }
  std::vector<int64_t> strides = trace::row_major_strides(shape);
  if (tensor.strides != nullptr) strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  for (int64_t stride : strides) {
    if (stride < 0) throw UserError("from_dlpack: negative strides are not supported, got " + api::list_text(strides));
  }
  auto storage = std::make_shared<api::Storage>(take());
  storage->read_only = read_only;
  return api::make_real(api::make_layout(dtype, std::move(shape), std::move(strides)), std::move(storage),
                        static_cast<std::byte*>(tensor.data) + tensor.byte_offset);
}

template <typename M>
std::shared_ptr<void> owner_of(M* managed) {
  return {managed, [](void* p) {
            auto* self = static_cast<M*>(p);
            if (self->deleter != nullptr) self->deleter(self);
          }};
}

// A managed tensor, what it points to, and the handle that keeps the memory alive.
template <typename M>
struct Exported {
  M managed{};
  litz::Tensor tensor;
  std::vector<int64_t> extents;  // shape, then strides
};

template <typename M>
Exported<M>* export_tensor(const Tensor& tensor) {
  const api::TensorState& state = api::real_state(tensor, "to_dlpack");
  const api::TensorLayout& layout = *state.layout;
  auto out = std::make_unique<Exported<M>>();
  out->tensor = tensor;
  out->extents = layout.shape;
  out->extents.insert(out->extents.end(), layout.strides.begin(), layout.strides.end());
  out->managed.context = out.get();
  out->managed.deleter = [](M* self) { delete static_cast<Exported<M>*>(self->context); };
  out->managed.tensor = {.data = state.data,
                         .device = {dl::kCpu, 0},
                         .ndim = static_cast<int32_t>(layout.shape.size()),
                         .dtype = dtype_to(layout.dtype),
                         .shape = out->extents.data(),
                         .strides = out->extents.data() + layout.shape.size(),
                         .byte_offset = 0};
  return out.release();
}

bool is_read_only(const Tensor& tensor) { return api::real_state(tensor, "to_dlpack").storage->read_only; }

}  // namespace

Tensor from_dlpack(DLManagedTensor* managed) {
  if (managed == nullptr) throw UserError("from_dlpack: the pointer is null");
  auto* own = reinterpret_cast<dl::Managed*>(managed);
  return adopt(own->tensor, /*read_only=*/false, [&] { return owner_of(own); });
}

Tensor from_dlpack(DLManagedTensorVersioned* managed) {
  if (managed == nullptr) throw UserError("from_dlpack: the pointer is null");
  auto* own = reinterpret_cast<dl::ManagedVersioned*>(managed);
  if (own->version.major != dl::kMajor) {
    throw UserError("from_dlpack: the tensor is of DLPack version " + std::to_string(own->version.major) + "." +
                    std::to_string(own->version.minor) + "; Litz knows version 1");
  }
  return adopt(own->tensor, (own->flags & dl::kReadOnly) != 0, [&] { return owner_of(own); });
}

DLManagedTensor* to_dlpack(const Tensor& tensor) {
  if (is_read_only(tensor)) {
    throw UserError("to_dlpack: the memory is read-only, which this form cannot say; use to_dlpack_versioned");
  }
  tensor.raw_data();  // the receiver may write
  return reinterpret_cast<DLManagedTensor*>(&export_tensor<dl::Managed>(tensor)->managed);
}

DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor) {
  const bool read_only = is_read_only(tensor);
  if (!read_only) tensor.raw_data();  // the receiver may write
  auto* exported = export_tensor<dl::ManagedVersioned>(tensor);
  exported->managed.version = {dl::kMajor, 0};
  exported->managed.flags = read_only ? dl::kReadOnly : 0;
  return reinterpret_cast<DLManagedTensorVersioned*>(&exported->managed);
}

}  // namespace litz
