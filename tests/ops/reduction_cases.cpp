// Reductions, statistics, scans.
#include <cmath>

#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

Attributes over(Integers dims, bool keepdim = false) { return {{"dims", std::move(dims)}, {"keepdim", keepdim}}; }

Attributes with(Attributes attributes, const std::string& name, ir::Attribute value) {
  attributes.set(name, std::move(value));
  return attributes;
}

// The dimensions that every reduction is tried on.
void on_shapes(CaseList& list, const std::string& op, const std::function<Near(DType, int64_t)>& near) {
  list.add(op, "last", {f32({7, 67})}, over({1}), near(DType::f32, 67));
  list.add(op, "first", {f32({35, 19})}, over({0}), near(DType::f32, 35));
  list.add(op, "middle-keepdim", {f32({3, 17, 5})}, over({1}, true), near(DType::f32, 17));
  list.add(op, "all", {f32({5, 7, 11})}, over({0, 1, 2}), near(DType::f32, 385));
  list.add(op, "all-keepdim", {f32({5, 7})}, over({0, 1}, true), near(DType::f32, 35));
  list.add(op, "scalar", {f32({})}, over({}), near(DType::f32, 1));
  list.add(op, "f64", {in(DType::f64, {5, 33})}, over({1}), near(DType::f64, 33));
  list.add(op, "bf16", {in(DType::bf16, {5, 65})}, over({1}), near(DType::bf16, 65));
  list.add(op, "f16-first", {in(DType::f16, {17, 33})}, over({0}), near(DType::f16, 17));
  list.add(op, "no-rows", {f32({0, 7})}, over({1}), near(DType::f32, 7));
}

void on_dtypes(CaseList& list, const std::string& op) {
  for (DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean}) {
    list.add(op, name_of(dtype), {in(dtype, {5, 29})}, over({1}));
  }
}

void sums(CaseList& list) {
  const auto near = [](DType dtype, int64_t count) { return sum_near(dtype, count, 3); };
  on_shapes(list, "sum", near);
  on_dtypes(list, "sum");
  list.add("sum", "special", {f32({3, 41}, Fill::special)}, over({0}), sum_near(DType::f32, 3, 100));
  list.add("sum", "outer-dims", {f32({5, 7, 11})}, over({0, 2}), near(DType::f32, 55));
  list.add("sum", "nothing", {f32({3, 0})}, over({1}));
  list.add("sum", "dtype", {in(DType::i32, {5, 9})}, with(over({1}), "dtype", DType::i32));
  list.add("sum", "i32-wraps-in-i64", {in(DType::i32, {9}, Fill::special)}, over({0}));
  list.add("sum", "large", {f32({3, 40001})}, over({1}), near(DType::f32, 40001));
  on_shapes(list, "prod", [](DType dtype, int64_t count) {
    return Near{.ulps = static_cast<double>(count) + 2, .absolute = is_half(dtype) ? 1e-6 : 0};
  });
  on_dtypes(list, "prod");
  list.add("prod", "nothing", {f32({3, 0})}, over({1}));
}

void extremes(CaseList& list) {
  const auto exact = [](DType, int64_t) { return Near{}; };
  for (const char* op : {"amax", "amin", "argmax", "argmin", "any", "all"}) {
    const bool index = std::string(op).starts_with("arg");
    on_shapes(list, op, exact);
    for (DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
      list.add(op, name_of(dtype), {in(dtype, {5, 29}, Fill::special)}, over({1}));
    }
    if (!index) list.add(op, "bool", {in(DType::boolean, {5, 29})}, over({1}));
    list.add(op, "nan", {f32({25, 3}, Fill::special)}, over({1}));
    list.add(op, "nan-first-dim", {f32({3, 25}, Fill::special)}, over({0}));
  }
  list.add("any", "nothing", {in(DType::boolean, {3, 0})}, over({1}));
  list.add("all", "nothing", {in(DType::boolean, {3, 0})}, over({1}));
  list.add("argmax", "ties", {in(DType::i8, {40, 60}, Fill::normal)}, over({1}));
  list.add("argmax", "keepdim", {f32({4, 9})}, over({1}, true));
}

void statistics(CaseList& list) {
  const auto near = [](DType dtype, int64_t) {
    return Near{.ulps = 8, .absolute = dtype == DType::f64 ? 1e-14 : 4e-6};
  };
  on_shapes(list, "mean", near);
  list.add("mean", "nothing", {f32({3, 0})}, over({1}));
  list.add("mean", "planes", {f32({2, 3, 7, 7})}, over({2, 3}, true), near(DType::f32, 49));
  list.add("mean", "dtype", {f32({3, 9})}, with(over({1}), "dtype", DType::bf16), near(DType::bf16, 9));
  for (const char* op : {"var", "std", "var_mean"}) {
    const auto corrected = [&](double c, Integers dims, bool keepdim = false) {
      return with(over(std::move(dims), keepdim), "correction", c);
    };
    list.add(op, "last", {f32({5, 33})}, corrected(1, {1}), {.ulps = 16, .absolute = 1e-6});
    list.add(op, "first-keepdim", {f32({9, 7})}, corrected(0, {0}, true), {.ulps = 16, .absolute = 1e-6});
    list.add(op, "f64", {in(DType::f64, {5, 9})}, corrected(1, {1}), {.ulps = 16, .absolute = 1e-14});
    list.add(op, "bf16", {in(DType::bf16, {5, 33})}, corrected(1, {1}), {.ulps = 16, .absolute = 1e-6});
    list.add(op, "one-element", {f32({4, 1})}, corrected(1, {1}), {.ulps = 16});
    list.add(op, "all", {f32({3, 4, 5})}, corrected(1, {0, 1, 2}), {.ulps = 16, .absolute = 1e-6});
  }
  on_shapes(list, "logsumexp", near);
  list.add("logsumexp", "special", {f32({25, 3}, Fill::special)}, over({1}), near(DType::f32, 3));
  list.add("logsumexp", "nothing", {f32({3, 0})}, over({1}));
  for (double p : {0.0, 1.0, 2.0, 3.0, -1.0}) {
    list.add("norm", "p" + std::to_string(static_cast<int>(p)), {f32({5, 33})}, with(over({1}), "p", p),
             {.ulps = 32, .absolute = 1e-6});
  }
  list.add("norm", "infinity", {f32({5, 33})}, with(over({0}), "p", HUGE_VAL));
  list.add("norm", "bf16", {in(DType::bf16, {5, 33})}, with(over({1}), "p", 2.0), {.ulps = 32});
}

void scans(CaseList& list) {
  list.add("cumsum", "last", {f32({5, 67})}, {{"dim", int64_t{1}}}, sum_near(DType::f32, 67, 3));
  list.add("cumsum", "first", {f32({33, 9})}, {{"dim", int64_t{0}}}, sum_near(DType::f32, 33, 3));
  list.add("cumsum", "bf16", {in(DType::bf16, {3, 17})}, {{"dim", int64_t{1}}}, sum_near(DType::bf16, 17, 3));
  list.add("cumsum", "i32", {in(DType::i32, {3, 17})}, {{"dim", int64_t{1}}});
  list.add("cumsum", "bool", {in(DType::boolean, {40})}, {{"dim", int64_t{0}}});
  list.add("cumsum", "scalar", {f32({})}, {{"dim", int64_t{0}}});
  list.add("cumsum", "bool-scalar", {in(DType::boolean, {})}, {{"dim", int64_t{0}}});
  list.add("cumsum", "empty", {f32({0, 3})}, {{"dim", int64_t{0}}});
}

}  // namespace

void reduction_cases(CaseList& list) {
  sums(list);
  extremes(list);
  statistics(list);
  scans(list);
}

}  // namespace litz::op_cases
