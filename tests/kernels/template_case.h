// What the tests of template kernels share: operands that end at a page nobody may touch, kernels put together by hand,
// and epilogues with the same meaning in C++.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::tests {

// Elements between two pages that must not be touched; the last one lies right before the second. `start`: the first
// one right after the first page instead.
class Guarded {
 public:
  Guarded(DType dtype, int64_t elements, bool start = false);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() const { return data_; }
  int64_t size() const { return elements_; }
  // Elements as numbers; set() rounds to the dtype.
  double get(int64_t i) const;
  void set(int64_t i, double value);
  // Numbers between -1 and 1, different for each seed.
  void randomize(int seed);
  void fill(double value);

 private:
  DType dtype_;
  int64_t elements_;
  void* pages_ = nullptr;
  size_t bytes_ = 0;
  void* data_ = nullptr;
};

enum class EpilogueKind : uint8_t { store, bias_relu, bias_residual_relu, gelu, store_bf16 };
const char* name_of(EpilogueKind kind);

// A template kernel under construction, with its data.
class TemplateCase {
 public:
  // A buffer in row-major order; gives its number.
  uint32_t add(const std::string& name, DType dtype, const std::vector<int64_t>& shape,
               kernel_ir::BufferRole role = kernel_ir::BufferRole::in);
  Guarded& data(uint32_t buffer) { return *data_[buffer]; }

  // Appends bias and residual buffers as `kind` wants and prints the epilogue's statements. `place` indexes the result
  // and the residual, `channel` the bias.
  void finish(kernel_ir::Template what, EpilogueKind kind, const std::vector<int64_t>& result_shape,
              const std::vector<Expr>& place, int64_t channels, const Expr& channel);

  // Runs the kernel as code for `target` with its schedule.
  void run(const Target& target);

  // What the epilogue makes of an accumulated value.
  double expected(double accumulated, int64_t place, int64_t channel) const;
  double result(int64_t place) const { return data_[result_]->get(place); }
  int64_t result_size() const { return data_[result_]->size(); }

  kernel_ir::Kernel kernel;

 private:
  std::vector<std::unique_ptr<Guarded>> data_;
  EpilogueKind kind_ = EpilogueKind::store;
  uint32_t bias_ = 0, residual_ = 0, result_ = 0;
};

// The instruction sets that run here, as targets with two threads; the widest also with bf16 dot instructions, if it
// has them.
std::vector<Target> targets();
std::string name_of(const Target& target);

}  // namespace litz::tests
