// The reference interpreter on tensors of torch: slow, obviously right.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>

#include "interp/interp.h"
#include "litz/error.h"
#include "python/src/bindings.h"
#include "python/src/exchange.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

interp::Tensor to_interpreter(const TensorApi& tensors, nb::handle object) {
  dlpack::Tensor view = tensors.view(object.ptr());
  std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
  interp::Tensor out(dtype_of(view.dtype), shape);
  const int64_t size = dtype_size(out.dtype());
  interp::for_each_index(out.shape(), [&](const interp::Index& index, int64_t number) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * view.strides[d];
    std::memcpy(out.data() + number * size, static_cast<const std::byte*>(view.data) + offset * size,
                static_cast<size_t>(size));
  });
  return out;
}

nb::object to_torch(const TensorApi& tensors, const interp::Tensor& tensor) {
  std::vector<int64_t> strides(tensor.shape().size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(tensor.shape()[d], 1);
  runtime::OutputLayout layout{tensor.dtype(), tensor.shape(), strides, tensor.bytes()};
  void* data = nullptr;
  nb::object out = tensors.make(layout, to_tuple(layout.shape), to_tuple(layout.strides), &data);
  if (tensor.bytes() > 0) std::memcpy(data, tensor.data(), static_cast<size_t>(tensor.bytes()));
  return out;
}

nb::list interpret(const ir::Graph& graph, const nb::list& inputs, const nb::object& foreign,
                   const TensorApi& tensors) {
  std::vector<interp::Tensor> arguments;
  for (nb::handle input : inputs) arguments.push_back(to_interpreter(tensors, input));
  auto handler = [&](const ir::Node& node, const std::vector<const interp::Tensor*>& operands) {
    nb::list values;
    for (const interp::Tensor* operand : operands) values.append(to_torch(tensors, *operand));
    std::vector<interp::Tensor> results;
    for (nb::handle result : foreign(node.attributes.get<std::string>("payload"), values)) {
      results.push_back(to_interpreter(tensors, result));
    }
    return results;
  };
  nb::list out;
  for (const interp::Tensor& result : interp::run(graph, std::move(arguments), handler)) {
    out.append(to_torch(tensors, result));
  }
  return out;
}

}  // namespace

void bind_interpreter(nb::module_& m) {
  m.def("interpret", &interpret, nb::arg("graph"), nb::arg("inputs"), nb::arg("foreign"), nb::arg("tensors"),
        "The outputs of a graph by the reference interpreter, dense. `foreign(key, tensors)` runs its foreign nodes.");
}

}  // namespace litz::python
