// A recorded and compiled program, on tensors.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "api/session.h"
#include "api/state.h"
#include "driver/driver.h"
#include "support/options.h"

namespace litz::api {

class Runnable {
 public:
  // Compiles what was recorded.
  Runnable(Trace trace, const Options& options);

  // The results, one for each that was recorded. `arguments` have the layouts of those that it was recorded with.
  std::vector<Tensor> run(std::span<const Tensor* const> arguments) const;
  void refresh() const;

  // Null if the program computes nothing: it returns its arguments, captured tensors or views of them.
  const driver::Compiled* compiled() const { return compiled_.get(); }

 private:
  struct Result {
    trace::Result where;
    bool is_handle;  // the argument or captured tensor itself
    std::shared_ptr<const TensorLayout> layout;
  };
  struct Output {
    size_t bytes;
  };

  const Tensor& source(const trace::Result& where, std::span<const Tensor* const> arguments) const;

  std::shared_ptr<driver::Compiled> compiled_;
  std::vector<Tensor> captured_;
  std::vector<Result> results_;
  std::vector<Output> outputs_;
};

}  // namespace litz::api
