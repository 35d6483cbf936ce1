#include "python/src/exchange.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "litz/error.h"
#include "runtime/memory.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

constexpr int64_t kPoolBytes = 1 << 20;  // outputs from this size on come from the block pool

// A DLPack tensor over memory that `owner` keeps alive; sizes and strides follow the struct.
struct OwnedManaged {
  dlpack::ManagedTensor managed;
  std::shared_ptr<void> owner;
  std::vector<int64_t> extents;
};

void delete_managed(dlpack::ManagedTensor* self) { delete static_cast<OwnedManaged*>(self->context); }

dlpack::DataType to_dlpack(DType dtype) {
  uint8_t bits = static_cast<uint8_t>(8 * dtype_size(dtype));
  switch (dtype) {
    case DType::f64:
    case DType::f32:
    case DType::f16:
      return {dlpack::kFloat, bits, 1};
    case DType::bf16:
      return {dlpack::kBfloat, bits, 1};
    case DType::u8:
      return {dlpack::kUInt, bits, 1};
    case DType::boolean:
      return {dlpack::kBool, bits, 1};
    default:
      return {dlpack::kInt, bits, 1};
  }
}

const dlpack::ExchangeTable* find_table(nb::handle tensor_type) {
  nb::object capsule = nb::getattr(tensor_type, "__dlpack_c_exchange_api__", nb::none());
  if (capsule.is_none()) capsule = nb::getattr(tensor_type, "__c_dlpack_exchange_api__", nb::none());
  void* pointer = nullptr;
  if (PyCapsule_CheckExact(capsule.ptr())) {
    pointer = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
    if (pointer == nullptr) nb::raise_python_error();
  } else if (PyLong_Check(capsule.ptr())) {
    pointer = PyLong_AsVoidPtr(capsule.ptr());
  }
  for (auto* header = static_cast<dlpack::ExchangeHeader*>(pointer); header != nullptr; header = header->previous) {
    auto* table = reinterpret_cast<const dlpack::ExchangeTable*>(header);
    if (header->version.major == 1 && table->view != nullptr) return table;
  }
  throw UserError("this version of torch has no DLPack exchange table of version 1; Litz needs torch 2.11 or newer");
}

std::string type_name(PyObject* object) { return nb::cast<std::string>(nb::handle(Py_TYPE(object)).attr("__name__")); }

}  // namespace

DType dtype_of(const dlpack::DataType& type) {
  if (type.lanes == 1) {
    switch (type.code << 8 | type.bits) {
      case dlpack::kFloat << 8 | 64:
        return DType::f64;
      case dlpack::kFloat << 8 | 32:
        return DType::f32;
      case dlpack::kFloat << 8 | 16:
        return DType::f16;
      case dlpack::kBfloat << 8 | 16:
        return DType::bf16;
      case dlpack::kInt << 8 | 64:
        return DType::i64;
      case dlpack::kInt << 8 | 32:
        return DType::i32;
      case dlpack::kInt << 8 | 16:
        return DType::i16;
      case dlpack::kInt << 8 | 8:
        return DType::i8;
      case dlpack::kUInt << 8 | 8:
        return DType::u8;
      case dlpack::kBool << 8 | 8:
        return DType::boolean;
      default:
        break;
    }
  }
  throw UserError("a tensor has a dtype that Litz does not have (DLPack code " + std::to_string(type.code) + ", " +
                  std::to_string(type.bits) + " bits)");
}

nb::tuple to_tuple(std::span<const int64_t> values) {
  nb::object out = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  }
  return nb::borrow<nb::tuple>(out);
}

bool same_strides(std::span<const int64_t> shape, const int64_t* a, std::span<const int64_t> b) {
  bool same = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && a[i] != b[i]) same = false;
  }
  return same;
}

TensorApi::TensorApi(nb::handle tensor_type, nb::object empty_strided, const nb::dict& dtypes)
    : table_(find_table(tensor_type)),
      tensor_type_(nb::borrow(tensor_type)),
      empty_strided_(std::move(empty_strided)),
      dispatch_(tensor_type.attr("__torch_dispatch__")),
      version_name_(nb::steal(PyUnicode_InternFromString("_version"))) {
  for (auto [name, dtype] : dtypes) {
    std::optional<DType> found = parse_dtype(nb::cast<std::string>(name));
    if (!found) throw UserError("there is no dtype " + nb::cast<std::string>(name));
    dtypes_[static_cast<size_t>(*found)] = nb::borrow(dtype);
  }
  accepted_.push_back(reinterpret_cast<PyTypeObject*>(tensor_type_.ptr()));
}

bool TensorApi::is_accepted_type(PyTypeObject* type) const {
  if (std::find(accepted_.begin(), accepted_.end(), type) != accepted_.end()) return true;
  if (!PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(tensor_type_.ptr()))) return false;
  nb::handle handle(reinterpret_cast<PyObject*>(type));
  if (!handle.attr("__torch_dispatch__").is(dispatch_)) return false;
  accepted_.push_back(type);
  Py_INCREF(type);
  return true;
}

dlpack::Tensor TensorApi::view(PyObject* object) const {
  if (!is_accepted_type(Py_TYPE(object))) {
    throw UserError("an input is a " + type_name(object) + "; Litz takes a torch.Tensor that holds its own data");
  }
  dlpack::Tensor out;
  if (table_->view(object, &out) != 0) nb::raise_python_error();
  if (out.device.type != dlpack::kCpu) throw UserError("an input is not on the CPU; the program was compiled for it");
  out.data = static_cast<std::byte*>(out.data) + out.byte_offset;
  return out;
}

std::shared_ptr<void> TensorApi::own(PyObject* object) const {
  dlpack::ManagedTensor* managed = nullptr;
  if (table_->own(object, &managed) != 0) nb::raise_python_error();
  return std::shared_ptr<void>(managed, [](void* p) {
    auto* self = static_cast<dlpack::ManagedTensor*>(p);
    if (self->deleter != nullptr) self->deleter(self);
  });
}

uint64_t TensorApi::version(PyObject* object) const {
  nb::object value = nb::steal(PyObject_GetAttr(object, version_name_.ptr()));
  if (!value.is_valid()) nb::raise_python_error();
  uint64_t version = PyLong_AsUnsignedLongLong(value.ptr());
  if (version == static_cast<uint64_t>(-1) && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return version;
}

nb::object TensorApi::make(const runtime::OutputLayout& layout, nb::handle size, nb::handle stride, void** data) const {
  if (layout.bytes >= kPoolBytes) {
    std::shared_ptr<void> block = runtime::shared_block(static_cast<size_t>(layout.bytes));
    *data = block.get();
    return wrap(*data, layout.dtype, layout.shape, layout.strides, std::move(block));
  }
  PyObject* arguments[] = {nullptr, size.ptr(), stride.ptr(), dtypes_[static_cast<size_t>(layout.dtype)].ptr()};
  nb::object tensor =
      nb::steal(PyObject_Vectorcall(empty_strided_.ptr(), arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!tensor.is_valid()) nb::raise_python_error();
  *data = view(tensor.ptr()).data;
  return tensor;
}

nb::object TensorApi::borrow(const runtime::TensorView& view) const {
  return wrap(view.data, view.dtype, view.shape, view.strides, nullptr);
}

nb::object TensorApi::restrided(PyObject* object, const std::vector<int64_t>& shape,
                                const std::vector<int64_t>& strides) const {
  nb::object copy = empty_strided_(to_tuple(shape), to_tuple(strides), nb::handle(object).attr("dtype"));
  copy.attr("copy_")(nb::handle(object));
  return copy;
}

nb::object TensorApi::wrap(void* data, DType dtype, std::span<const int64_t> shape, std::span<const int64_t> strides,
                           std::shared_ptr<void> owner) const {
  auto holder = std::make_unique<OwnedManaged>();
  holder->extents.assign(shape.begin(), shape.end());
  holder->extents.insert(holder->extents.end(), strides.begin(), strides.end());
  holder->owner = std::move(owner);
  dlpack::ManagedTensor& managed = holder->managed;
  managed = {.version = {1, 0}, .context = holder.get(), .deleter = delete_managed, .flags = 0};
  managed.tensor = {.data = data,
                    .device = {dlpack::kCpu, 0},
                    .ndim = static_cast<int32_t>(shape.size()),
                    .dtype = to_dlpack(dtype),
                    .shape = holder->extents.data(),
                    .strides = holder->extents.data() + shape.size(),
                    .byte_offset = 0};
  void* object = nullptr;
  if (table_->to_object(&managed, &object) != 0) nb::raise_python_error();
  // The tensor calls delete_managed.
  [[maybe_unused]] const OwnedManaged* owned = holder.release();
  return nb::steal(static_cast<PyObject*>(object));
}

void bind_exchange(nb::module_& m) {
  nb::class_<TensorApi>(m, "TensorApi", "How tensors of torch are read and made.")
      .def(nb::init<nb::handle, nb::object, const nb::dict&>(), nb::arg("tensor_type"), nb::arg("empty_strided"),
           nb::arg("dtypes"));
}

}  // namespace litz::python
