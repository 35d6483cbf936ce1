// Pointwise ops of two and three operands.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

constexpr DType kIntegers[] = {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8};

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

void on_floats(CaseList& list, const std::string& op, Near near = {}, const Attributes& attributes = {}) {
  // Rows against a column of the same special values: each pair meets.
  list.add(op, "f32-special", {f32({24, 1}, Fill::special), f32({24}, Fill::special)}, attributes, near);
  list.add(op, "f64-special", {in(DType::f64, {21, 1}, Fill::special), in(DType::f64, {21}, Fill::special)}, attributes,
           near);
  list.add(op, "bf16-special", {in(DType::bf16, {23, 1}, Fill::special), in(DType::bf16, {23}, Fill::special)},
           attributes, near);
  list.add(op, "f16", {in(DType::f16, {3, 37}), in(DType::f16, {3, 37})}, attributes, near);
  list.add(op, "f32", {f32({5, 7, 31}), f32({5, 7, 31})}, attributes, near);
}

void on_integers(CaseList& list, const std::string& op, const Attributes& attributes = {}) {
  for (DType dtype : kIntegers) {
    list.add(op, name_of(dtype) + "-special", {in(dtype, {11, 1}, Fill::special), in(dtype, {13}, Fill::special)},
             attributes);
  }
}

void on_booleans(CaseList& list, const std::string& op) {
  list.add(op, "bool", {in(DType::boolean, {17}), in(DType::boolean, {17})});
}

void arithmetic(CaseList& list) {
  for (const char* op : {"add", "sub", "mul", "minimum", "maximum", "fmod", "remainder"}) {
    on_floats(list, op);
    on_integers(list, op);
  }
  for (const char* op : {"add", "mul", "minimum", "maximum"}) on_booleans(list, op);
  on_floats(list, "div");
  on_integers(list, "div");
  on_booleans(list, "div");
  for (const char* rounding : {"trunc", "floor"}) {
    const Attributes a{{"rounding", std::string(rounding)}};
    const std::string r = rounding;
    list.add("div", "f32-" + r, {f32({24, 1}, Fill::special), f32({24}, Fill::special)}, a);
    list.add("div", "bf16-" + r, {in(DType::bf16, {24, 1}, Fill::special), in(DType::bf16, {24}, Fill::special)}, a);
    for (DType dtype : kIntegers) {
      list.add("div", name_of(dtype) + "-" + r, {in(dtype, {11, 1}, Fill::special), in(dtype, {13}, Fill::special)}, a);
    }
  }
  for (const char* op : {"add", "sub"}) {
    list.add(op, "alpha", {f32({37}), f32({37})}, {{"alpha", 0.3}});
    list.add(op, "alpha-i32", {in(DType::i32, {37}), in(DType::i32, {37})}, {{"alpha", 3.0}});
  }
}

void promotion(CaseList& list) {
  list.add("add", "scalar-gives-way", {in(DType::bf16, {9}), f32({})});
  list.add("add", "scalar-of-higher-category", {in(DType::i32, {9}), f32({})});
  list.add("mul", "i8-u8", {in(DType::i8, {19}, Fill::special), in(DType::u8, {19}, Fill::special)});
  list.add("mul", "f16-bf16", {in(DType::f16, {19}), in(DType::bf16, {19})});
  list.add("mul", "bool-f32", {in(DType::boolean, {19}), f32({19}, Fill::special)});
  list.add("add", "i64-f32", {in(DType::i64, {19}, Fill::special), f32({19})});
  list.add("add", "scalars", {f32({}), f32({})});
  list.add("add", "broadcast-middle", {f32({3, 1, 5}), f32({4, 1})});
  list.add("add", "broadcast-empty", {f32({3, 1, 5}), f32({0, 1})});
  list.add("mul", "broadcast-rows", {f32({17, 33}), f32({33})});
  list.add("mul", "broadcast-columns", {f32({17, 33}), f32({17, 1})});
  list.add("lt", "bf16-f32", {in(DType::bf16, {33}), f32({33})});
}

void special_functions(CaseList& list) {
  list.add("pow", "f32", {f32({61}, Fill::positive), f32({61})}, {}, {.ulps = 3});
  list.add("pow", "f32-special", {f32({24, 1}, Fill::special), f32({24}, Fill::special)}, {}, {.ulps = 3});
  list.add("pow", "f64", {in(DType::f64, {21}, Fill::positive), in(DType::f64, {21})}, {}, {.ulps = 4});
  list.add("pow", "bf16", {in(DType::bf16, {21}, Fill::positive), in(DType::bf16, {21})}, {}, {.ulps = 3});
  on_integers(list, "pow");
  on_floats(list, "atan2", {.ulps = 3});
  on_floats(list, "hypot", {.ulps = 3});
  on_floats(list, "copysign");
  on_floats(list, "xlogy", {.ulps = 4});
  for (const char* op : {"atan2", "copysign", "xlogy", "hypot"}) {
    list.add(op, "i32", {in(DType::i32, {15}, Fill::positive), in(DType::i32, {15}, Fill::positive)}, {}, {.ulps = 4});
  }
}

void comparisons(CaseList& list) {
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"}) {
    on_floats(list, op);
    list.add(op, "i64-special", {in(DType::i64, {11, 1}, Fill::special), in(DType::i64, {13}, Fill::special)});
    list.add(op, "u8", {in(DType::u8, {35}), in(DType::u8, {35})});
    on_booleans(list, op);
  }
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
    on_integers(list, op);
    on_booleans(list, op);
  }
  for (DType dtype : kIntegers) {
    const Input amounts{.dtype = dtype, .shape = {80}, .fill = Fill::index, .limit = 70};
    list.add("shift_left", name_of(dtype), {in(dtype, {11, 1}, Fill::special), amounts});
    list.add("shift_right", name_of(dtype), {in(dtype, {11, 1}, Fill::special), amounts});
  }
  list.add("shift_left", "negative-amount", {in(DType::i32, {11, 1}), in(DType::i32, {13}, Fill::special)});
  list.add("shift_right", "negative-amount", {in(DType::i32, {11, 1}), in(DType::i32, {13}, Fill::special)});
}

void ternary(CaseList& list) {
  list.add("where", "f32", {in(DType::boolean, {5, 1}), f32({33}, Fill::special), f32({5, 33})});
  list.add("where", "promotes", {in(DType::boolean, {9}), in(DType::i64, {9}), f32({})});
  list.add("where", "bf16-scalars", {in(DType::boolean, {3, 11}), in(DType::bf16, {}), in(DType::bf16, {})});
  list.add("where", "i8", {in(DType::boolean, {65}), in(DType::i8, {65}), in(DType::i8, {65})});
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    const std::string n = name_of(dtype);
    list.add("addcmul", n, {in(dtype, {27}), in(dtype, {27}), in(dtype, {27})}, {{"value", 0.7}});
    list.add("addcdiv", n, {in(dtype, {27}), in(dtype, {27}), in(dtype, {27})}, {{"value", 0.7}});
    list.add("lerp", n, {in(dtype, {27}), in(dtype, {27}), in(dtype, {27}, Fill::unit)});
  }
  list.add("addcmul", "i32", {in(DType::i32, {27}), in(DType::i32, {27}), in(DType::i32, {27})}, {{"value", 2.0}});
  list.add("addcmul", "default", {f32({3, 9}), f32({9}), f32({3, 1})});
}

}  // namespace

void binary_cases(CaseList& list) {
  arithmetic(list);
  promotion(list);
  special_functions(list);
  comparisons(list);
  ternary(list);
}

}  // namespace litz::op_cases
