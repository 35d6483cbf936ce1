// Runs a kernel as generated code, under every ISA of this machine and every schedule worth trying, against the
// interpreter.
#pragma once

#include <string>

#include "kernel_ir/kernel.h"

namespace litz::tests {

struct ExecuteOptions {
  // Largest |got - expected| / max(|expected|, floor); 0: equal bits, NaN equal to NaN.
  double tolerance = 0;
  double floor = 1e-30;
  bool specials = true;     // among the data: NaN, infinities, subnormals, the integers' extremes
  double spread = 3;        // standard deviation of floats
  int64_t index_limit = 0;  // i64 buffers hold indices in [-limit, limit)
  size_t max_schedules = 3;
  int seed = 1;
};

// Adds a GoogleTest failure where they differ.
void execute(const std::string& text, const ExecuteOptions& options = {});

// Replaces "$A", "$B", … in `text`.
std::string with(std::string text, std::initializer_list<std::pair<const char*, std::string>> values);

}  // namespace litz::tests
