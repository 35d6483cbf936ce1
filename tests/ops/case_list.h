// What the files of cases are written with.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/ops/cases.h"

namespace litz::op_cases {

using Shape = std::vector<int64_t>;
using Integers = std::vector<int64_t>;
using ir::Attributes;

struct Near {
  double ulps = 0;
  double absolute = 0;
};

inline Input in(DType dtype, Shape shape, Fill fill = Fill::normal) {
  return {.dtype = dtype, .shape = std::move(shape), .fill = fill};
}
inline Input f32(Shape shape, Fill fill = Fill::normal) { return in(DType::f32, std::move(shape), fill); }
inline Input index(Shape shape, int64_t limit, DType dtype = DType::i64) {
  return {.dtype = dtype, .shape = std::move(shape), .fill = Fill::index, .limit = limit};
}
inline Input absent() { return {.absent = true}; }

std::string shape_name(const Shape& shape);  // "3x5x7", "scalar"
// How near a sum of `count` products of numbers below `magnitude` must be, for results of `dtype`.
Near sum_near(DType dtype, int64_t count, double magnitude);

class CaseList {
 public:
  void add(const std::string& op, const std::string& what, std::vector<Input> inputs, Attributes attributes = {},
           Near near = {}) {
    cases_.push_back({.name = op + "/" + what,
                      .op = op,
                      .inputs = std::move(inputs),
                      .attributes = std::move(attributes),
                      .ulps = near.ulps,
                      .absolute = near.absolute});
  }
  void add_graph(const std::string& op, const std::string& what, std::vector<Input> inputs,
                 std::function<ir::Graph(const OpCase&)> build, Near near = {}) {
    add(op, what, std::move(inputs), {}, near);
    cases_.back().build = std::move(build);
  }
  std::vector<OpCase> take() { return std::move(cases_); }

 private:
  std::vector<OpCase> cases_;
};

void unary_cases(CaseList& list);
void binary_cases(CaseList& list);
void view_cases(CaseList& list);
void shuffle_cases(CaseList& list);
void reduction_cases(CaseList& list);
void normalization_cases(CaseList& list);
void product_cases(CaseList& list);
void convolution_cases(CaseList& list);
void window_cases(CaseList& list);
void gather_cases(CaseList& list);
void graph_cases(CaseList& list);

}  // namespace litz::op_cases
