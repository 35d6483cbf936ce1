// Times one template kernel on the thread pool, beside what this machine's arithmetic units could do at most.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "kernel_ir/kernel.h"
#include "runtime/module.h"
#include "support/target.h"

namespace litz::bench {

struct Options {
  Target target = host_target();
  double seconds = 0.3;  // for each kernel
  int copies = 1;        // of the buffers: with many, weights come from memory as in a model
};
// --threads N, --isa NAME, --seconds S, --copies N; exits with a message at anything else.
Options parse_options(int argc, char** argv);

// Multiply-adds in f32 that `threads` threads of this machine reach, in GFLOP/s.
double fma_ceiling(const Target& target);

struct Result {
  double milliseconds = 0;  // the fastest run
  double compile_milliseconds = 0;
  size_t code_bytes = 0;
};

// Compiles the kernel and runs it on buffers of random numbers.
Result time_kernel(const kernel_ir::Kernel& kernel, const Options& options);

// Prints a row: name, time, GFLOP/s, share of the ceiling, compile time.
void print_header(double ceiling);
void print_row(const std::string& name, const Result& result, double flops, double ceiling);

// A buffer in row-major order, for kernels put together by hand.
kernel_ir::Buffer buffer(const std::string& name, DType dtype, const std::vector<int64_t>& shape,
                         kernel_ir::BufferRole role = kernel_ir::BufferRole::in);

}  // namespace litz::bench
