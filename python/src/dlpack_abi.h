// The binary interface of DLPack 1.x and of its C exchange table, as far as Litz uses it (specification:
// dmlc.github.io/dlpack). A tensor type states its table in the attribute `__dlpack_c_exchange_api__`, a capsule named
// "dlpack_exchange_api".
#pragma once

#include <cstdint>

namespace litz::python::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

// Strides in elements. `data + byte_offset` is the first element.
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

// A tensor with its owner; whoever holds it last calls `deleter`.
struct ManagedTensor {
  Version version;
  void* context;
  void (*deleter)(ManagedTensor* self);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeHeader {
  Version version;
  ExchangeHeader* previous;
};

// Functions return 0, or -1 with a Python error set. None of them waits for a device.
struct ExchangeTable {
  ExchangeHeader header;
  int (*allocate)(Tensor* prototype, ManagedTensor** out, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*own)(void* object, ManagedTensor** out);
  int (*to_object)(ManagedTensor* tensor, void** out_object);  // takes `tensor` over
  int (*view)(void* object, Tensor* out);                      // lives as long as `object`; may be null
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

}  // namespace litz::python::dlpack
