// Tensors to and from PyTorch through DLPack's C exchange table; nothing of torch is linked.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <vector>

#include "python/src/dlpack_abi.h"
#include "runtime/executable.h"
#include "runtime/tensor.h"

namespace litz::python {

// What is needed of torch, looked up once: the exchange table, the tensor type, a function that allocates.
class TensorApi {
 public:
  // `tensor_type` is torch.Tensor; `empty_strided(size, stride, dtype)` makes a CPU tensor; `dtypes` maps Litz's dtype
  // names to torch's. Throws UserError if this torch has no exchange table of a known version.
  TensorApi(nanobind::handle tensor_type, nanobind::object empty_strided, const nanobind::dict& dtypes);

  // Memory, dtype and sizes of a tensor on the CPU, valid as long as `object` is. Throws UserError if it is none, and
  // for subclasses that are not their own data (fake tensors, wrappers).
  dlpack::Tensor view(PyObject* object) const;
  // An owner of the tensor's memory.
  std::shared_ptr<void> own(PyObject* object) const;
  uint64_t version(PyObject* object) const;  // its version counter

  // A tensor of these sizes, uninitialised; large ones come from Litz's block pool. `*data` is its first element.
  nanobind::object make(const runtime::OutputLayout& layout, nanobind::handle size, nanobind::handle stride,
                        void** data) const;
  // A tensor over memory that outlives it.
  nanobind::object borrow(const runtime::TensorView& view) const;
  // A copy of `object` with these sizes and strides.
  nanobind::object restrided(PyObject* object, const std::vector<int64_t>& shape,
                             const std::vector<int64_t>& strides) const;

 private:
  bool is_accepted_type(PyTypeObject* type) const;
  nanobind::object wrap(void* data, DType dtype, std::span<const int64_t> shape, std::span<const int64_t> strides,
                        std::shared_ptr<void> owner) const;

  const dlpack::ExchangeTable* table_ = nullptr;
  nanobind::object tensor_type_;
  nanobind::object empty_strided_;
  nanobind::object dispatch_;  // torch.Tensor.__torch_dispatch__, that of tensors that are their own data
  nanobind::object version_name_;
  std::array<nanobind::object, kDTypeCount> dtypes_;
  mutable std::vector<PyTypeObject*> accepted_;  // under the interpreter's lock; types are never freed while here
};

// Litz's dtype for DLPack's; UserError if there is none.
DType dtype_of(const dlpack::DataType& type);
nanobind::tuple to_tuple(std::span<const int64_t> values);
// Whether strides address the same elements: those of dimensions of size 1, or of empty tensors, do not count.
bool same_strides(std::span<const int64_t> shape, const int64_t* a, std::span<const int64_t> b);

void bind_exchange(nanobind::module_& m);

}  // namespace litz::python
