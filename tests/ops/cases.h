// The table of op cases: what every back end must compute as the interpreter does.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/tensor.h"
#include "ir/graph.h"
#include "ops/record.h"

namespace litz::op_cases {

// What made-up inputs hold.
enum class Fill : uint8_t {
  normal,        // floats in [-3, 3); integers in [-20, 20), unsigned ones in [0, 20); booleans
  positive,      // floats in [0.05, 3); integers in [1, 20)
  unit,          // floats in [-1, 1)
  special,       // NaN, infinities, zeros of both signs, subnormals, extremes, then as normal; integers: extremes first
  index,         // integers in [0, limit)
  signed_index,  // integers in [-limit, limit)
};

struct Input {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  Fill fill = Fill::normal;
  int64_t limit = 1;    // for indices
  bool absent = false;  // an optional operand that is not given
};

struct OpCase {
  std::string name;  // "sin/f32-special": the op, then what is special
  std::string op;    // the record that it covers
  std::vector<Input> inputs;
  ir::Attributes attributes;
  // How far a float may be off, in units in the last place of the result's dtype, plus an absolute part. 0 and 0: same
  // bits (NaNs apart). Where results are f16 or bf16 any `ulps` but 0 counts as 1 and more.
  double ulps = 0;
  double absolute = 0;
  // A graph of its own; empty: the op alone.
  std::function<ir::Graph(const OpCase&)> build = {};

  ir::Graph graph() const;
  std::vector<interp::Tensor> make_inputs() const;  // without absent ones
};

std::span<const OpCase> all_cases();

// Runs a graph on inputs and gives its outputs.
using Backend = std::function<std::vector<interp::Tensor>(const ir::Graph&, std::vector<interp::Tensor>)>;
// Where `actual` differs from `expected` by more than the case allows: a description; empty if nowhere.
std::string difference(const OpCase& op_case, const std::vector<interp::Tensor>& expected,
                       const std::vector<interp::Tensor>& actual);
// The difference between `backend` and the interpreter, or the error that the back end threw; empty if there is none.
std::string run_case(const OpCase& op_case, const Backend& backend);

}  // namespace litz::op_cases
