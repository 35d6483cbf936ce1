// The binary interface of DLPack (specification: dmlc.github.io/dlpack), as far as Litz uses it.
#pragma once

#include <cstdint>

namespace litz::api::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCudaHost = 3 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBool = 6 };
inline constexpr uint64_t kReadOnly = 1;  // bit of ManagedVersioned::flags
inline constexpr uint32_t kMajor = 1;

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

// Strides in elements; null means row-major. `data + byte_offset` is the first element.
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

// The form without a version: DLManagedTensor.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed* self);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

// DLManagedTensorVersioned.
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace litz::api::dlpack
