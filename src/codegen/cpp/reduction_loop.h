// Prints one reduction loop: its ranges as nested loops, the innermost as vector lanes where the schedule says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cpp/block.h"
#include "codegen/cpp/reduce.h"

namespace litz::codegen::cpp {

class ReductionLoop {
 public:
  // `vectorise`: iterations of the last range are lanes. `unroll`: vectors in flight.
  ReductionLoop(BlockEmitter* block, const kernel_ir::Loop& loop, bool vectorise, int64_t unroll);
  // Prints it and binds the results.
  void print();

 private:
  // One loop in C++: over a range, or over blocks of it. `fresh_level`: what an iteration adds up is added up apart
  // first.
  struct Node {
    size_t range;
    int64_t unit;   // indices of the range in one iteration
    int64_t count;  // iterations, at most
    bool fresh_level = false;
  };

  int64_t extent(size_t range) const { return loop_.ranges[range].extent.constant(); }
  bool innermost(size_t range) const { return range + 1 == loop_.ranges.size(); }
  int64_t step(size_t range) const { return innermost(range) && vectorise_ ? block_.lanes() * copies_ : 1; }
  int64_t main_end(size_t range) const { return extent(range) / step(range) * step(range); }
  void plan();
  void print_node(size_t at, const std::string& from, int level);
  void print_iteration(size_t at, const std::string& index, int level);
  void print_copies(const std::string& index, int level);
  void print_rest(int level);
  void print_body(const std::string& index, int level, const std::string& copy, int64_t valid_lanes);
  std::string position() const;

  BlockEmitter& block_;
  Writer& out_;
  const kernel_ir::Loop& loop_;
  bool vectorise_;
  int copies_;
  Accumulators accumulators_;
  std::vector<Node> nodes_;  // outermost first
};

}  // namespace litz::codegen::cpp
