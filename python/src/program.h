// A compiled graph as Python calls it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <vector>

#include "driver/driver.h"
#include "python/src/exchange.h"

namespace litz::python {

// What the caller gets at one place of the list of results.
struct ResultSource {
  enum class Kind : uint8_t { output, input, value };
  Kind kind = Kind::output;
  uint32_t index = 0;      // of the graph's output, or position in the call
  nanobind::object value;  // for Kind::value
  nanobind::object view;   // a function that makes the result of that tensor, or None
};

// Runs an executable on a list of tensors. The part of `litz._litz.Program` that is not Python's object protocol.
class Program {
 public:
  // `inputs`: for each input of the graph, its position in the call's list.
  Program(std::shared_ptr<driver::Compiled> compiled, std::vector<uint32_t> inputs, std::vector<ResultSource> results,
          std::shared_ptr<const TensorApi> tensors);

  // The list of results. Throws as runtime::Executable::run does, and UserError for an input that does not fit. The
  // caller keeps `arguments` as they are until it returns.
  nanobind::object call(std::span<PyObject* const> arguments);
  void refresh();
  const driver::Compiled& compiled() const { return *compiled_; }

 private:
  struct Input {
    uint32_t position = 0;
    DType dtype = DType::f32;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    bool frozen = false;
    // The weight as last seen. Holding its memory keeps a new weight from taking the same address.
    void* data = nullptr;
    std::shared_ptr<void> owner;
  };
  struct Output {
    runtime::OutputLayout layout;
    nanobind::object size;
    nanobind::object stride;
  };

  runtime::TensorView read(Input& input, std::span<PyObject* const> arguments, std::vector<nanobind::object>& copies);
  [[noreturn]] void wrong_input(const Input& input, const dlpack::Tensor& tensor) const;

  std::shared_ptr<driver::Compiled> compiled_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<ResultSource> results_;
  std::shared_ptr<const TensorApi> tensors_;
};

}  // namespace litz::python
