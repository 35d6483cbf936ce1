#include "python/src/foreign.h"

#include <string>
#include <vector>

#include "litz/error.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

class PythonRunner : public runtime::ForeignRunner {
 public:
  PythonRunner(nb::object function, nb::object frozen_changed, std::shared_ptr<const TensorApi> tensors)
      : function_(std::move(function)), frozen_changed_(std::move(frozen_changed)), tensors_(std::move(tensors)) {}

  ~PythonRunner() override {
    nb::gil_scoped_acquire lock;
    function_.reset();
    frozen_changed_.reset();
    tensors_.reset();
  }

  void frozen_changed(size_t input) override {
    nb::gil_scoped_acquire lock;
    frozen_changed_(input);
  }

  void run(const ForeignStep& step, std::span<const runtime::TensorView> args,
           std::vector<runtime::OwnedTensor>& results) override {
    nb::gil_scoped_acquire lock;
    nb::list operands;
    for (const runtime::TensorView& view : args) operands.append(tensors_->borrow(view));
    nb::object returned = function_(nb::str(step.attributes.c_str()), operands);
    size_t count = nb::len(returned);
    if (count != step.result_specs.size()) {
      throw InternalError(step.id + " returned " + std::to_string(count) + " tensors, its graph node has " +
                          std::to_string(step.result_specs.size()));
    }
    results.clear();
    for (size_t i = 0; i < count; ++i) results.push_back(take(returned[i], step, step.result_specs[i]));
  }

 private:
  runtime::OwnedTensor take(nb::object object, const ForeignStep& step, const TensorSpec& spec) const {
    runtime::OwnedTensor out;
    out.dtype = spec.dtype;
    for (const Expr& e : spec.shape) out.shape.push_back(e.constant());
    for (const Expr& e : spec.strides) out.strides.push_back(e.constant());
    dlpack::Tensor tensor = tensors_->view(object.ptr());
    bool fits = dtype_of(tensor.dtype) == out.dtype && static_cast<size_t>(tensor.ndim) == out.shape.size() &&
                std::equal(out.shape.begin(), out.shape.end(), tensor.shape);
    if (!fits) throw InternalError(step.id + " returned a tensor of another dtype or shape than its graph node has");
    if (!same_strides(out.shape, tensor.strides, out.strides)) {
      object = tensors_->restrided(object.ptr(), out.shape, out.strides);
      tensor = tensors_->view(object.ptr());
    }
    out.data = tensor.data;
    out.owner = tensors_->own(object.ptr());
    return out;
  }

  nb::object function_;
  nb::object frozen_changed_;
  std::shared_ptr<const TensorApi> tensors_;
};

}  // namespace

std::shared_ptr<runtime::ForeignRunner> make_foreign_runner(nb::object function, nb::object frozen_changed,
                                                            std::shared_ptr<const TensorApi> tensors) {
  return std::make_shared<PythonRunner>(std::move(function), std::move(frozen_changed), std::move(tensors));
}

}  // namespace litz::python
