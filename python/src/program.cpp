#include "python/src/program.h"

#include <string>

#include "litz/error.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

std::vector<int64_t> constants(const std::vector<Expr>& values) {
  std::vector<int64_t> out;
  out.reserve(values.size());
  for (const Expr& e : values) out.push_back(e.constant());
  return out;
}

runtime::OutputLayout layout_of(const TensorSpec& spec) {
  runtime::OutputLayout out{.dtype = spec.dtype, .shape = constants(spec.shape), .strides = constants(spec.strides)};
  int64_t extent = 1;
  for (size_t d = 0; d < out.shape.size(); ++d) {
    if (out.shape[d] == 0) return out;
    extent += (out.shape[d] - 1) * out.strides[d];
  }
  out.bytes = extent * dtype_size(out.dtype);
  return out;
}

std::string shape_text(const int64_t* shape, size_t rank) {
  std::string out = "[";
  for (size_t i = 0; i < rank; ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return out + "]";
}

}  // namespace

Program::Program(std::shared_ptr<driver::Compiled> compiled, std::vector<uint32_t> inputs,
                 std::vector<ResultSource> results, std::shared_ptr<const TensorApi> tensors)
    : compiled_(std::move(compiled)), results_(std::move(results)), tensors_(std::move(tensors)) {
  const Plan& plan = compiled_->executable->plan();
  LITZ_CHECK(plan.inputs.size() == inputs.size(), "positions for every input of the plan");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec& spec = plan.inputs[i];
    inputs_.push_back({.position = inputs[i],
                       .dtype = spec.dtype,
                       .shape = constants(spec.shape),
                       .strides = constants(spec.strides),
                       .frozen = plan.frozen_inputs[i]});
  }
  for (const TensorSpec& spec : plan.outputs) {
    runtime::OutputLayout layout = layout_of(spec);
    outputs_.push_back({layout, to_tuple(layout.shape), to_tuple(layout.strides)});
  }
}

nb::object Program::call(std::span<PyObject* const> arguments) {
  std::vector<nb::object> copies;
  std::vector<runtime::TensorView> views;
  views.reserve(inputs_.size());
  for (Input& input : inputs_) views.push_back(read(input, arguments, copies));

  std::vector<nb::object> tensors;
  std::vector<void*> pointers(outputs_.size());
  tensors.reserve(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    tensors.push_back(tensors_->make(outputs_[i].layout, outputs_[i].size, outputs_[i].stride, &pointers[i]));
  }
  {
    nb::gil_scoped_release release;
    compiled_->executable->run_into(views, pointers);
  }

  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(results_.size())));
  for (size_t i = 0; i < results_.size(); ++i) {
    const ResultSource& source = results_[i];
    nb::object item = source.value;
    if (source.kind == ResultSource::Kind::output) item = tensors[source.index];
    if (source.kind == ResultSource::Kind::input) item = nb::borrow(arguments[source.index]);
    if (!source.view.is_none()) item = source.view(item);
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), item.release().ptr());
  }
  return list;
}

runtime::TensorView Program::read(Input& input, std::span<PyObject* const> arguments, std::vector<nb::object>& copies) {
  if (input.position >= arguments.size()) {
    throw UserError("a compiled graph was called with " + std::to_string(arguments.size()) +
                    " inputs; it needs more than " + std::to_string(input.position));
  }
  PyObject* object = arguments[input.position];
  dlpack::Tensor tensor = tensors_->view(object);
  if (dtype_of(tensor.dtype) != input.dtype || static_cast<size_t>(tensor.ndim) != input.shape.size() ||
      !std::equal(input.shape.begin(), input.shape.end(), tensor.shape)) {
    wrong_input(input, tensor);
  }
  if (!same_strides(input.shape, tensor.strides, input.strides)) {
    copies.push_back(tensors_->restrided(object, input.shape, input.strides));
    tensor = tensors_->view(copies.back().ptr());
  }
  runtime::TensorView view{
      .data = tensor.data, .dtype = input.dtype, .shape = input.shape, .strides = input.strides, .version = 0};
  if (input.frozen) {
    view.version = tensors_->version(object);
    if (tensor.data != input.data) {
      input.owner = tensors_->own(object);
      input.data = tensor.data;
    }
  }
  return view;
}

void Program::wrong_input(const Input& input, const dlpack::Tensor& tensor) const {
  throw UserError("input " + std::to_string(input.position) + " is " + std::string(dtype_name(dtype_of(tensor.dtype))) +
                  shape_text(tensor.shape, static_cast<size_t>(tensor.ndim)) + "; the graph was compiled for " +
                  std::string(dtype_name(input.dtype)) + shape_text(input.shape.data(), input.shape.size()));
}

void Program::refresh() { compiled_->executable->refresh(); }

}  // namespace litz::python
