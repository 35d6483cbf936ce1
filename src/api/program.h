// A compiled function: what was made of it for each set of dtypes, shapes and strides.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "api/runnable.h"
#include "litz/compile.h"
#include "litz/report.h"
#include "support/options.h"

namespace litz::api {

class Program {
 public:
  Program(const CompileOptions& options, std::source_location at);

  std::vector<Tensor> call(std::span<const Tensor* const> arguments, std::span<const size_t> lengths, Body body);
  Report report() const;
  void refresh() const;

 private:
  struct Variant {
    std::vector<size_t> lengths;
    std::vector<std::shared_ptr<const TensorLayout>> layouts;
    std::unique_ptr<const Runnable> runnable;
    GraphReport report;
    uint64_t used = 0;  // when it was last called

    bool fits(std::span<const Tensor* const> arguments, std::span<const size_t> lengths) const;
  };
  using VariantPtr = std::shared_ptr<Variant>;

  VariantPtr find(std::span<const Tensor* const> arguments, std::span<const size_t> lengths);
  VariantPtr compile(std::span<const Tensor* const> arguments, std::span<const size_t> lengths, Body body);
  std::string reason(const Variant& variant) const;
  void add(VariantPtr variant);

  const Options options_;
  const std::string name_;
  std::mutex compile_mutex_;  // held while the function is traced and compiled
  mutable std::mutex mutex_;
  std::vector<VariantPtr> variants_;  // in the order in which they were compiled
  VariantPtr last_;
  uint64_t clock_ = 0;
  int64_t compilations_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace litz::api
