// Pointwise ops of one operand.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::bf16, DType::f16};

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

// Sizes that are odd, smaller than a vector, and no multiple of one.
Shape float_shape(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {3, 67};
    case DType::f64:
      return {37};
    default:
      return {5, 33};
  }
}

void on_floats(CaseList& list, const std::string& op, Near near, const Attributes& attributes = {}) {
  for (DType dtype : kFloats) {
    list.add(op, name_of(dtype) + "-special", {in(dtype, float_shape(dtype), Fill::special)}, attributes, near);
  }
}

void functions(CaseList& list) {
  // Vector maths: at most 1 ulp in f32, 2 in f64; the interpreter rounds once.
  const Near near{.ulps = 3};
  for (const char* op : {"sqrt",  "rsqrt", "exp",   "exp2", "expm1", "log",        "log2",   "log10", "log1p",
                         "sin",   "cos",   "tan",   "asin", "acos",  "atan",       "sinh",   "cosh",  "tanh",
                         "asinh", "acosh", "atanh", "erf",  "erfc",  "reciprocal", "sigmoid"}) {
    on_floats(list, op, std::string(op) == "sqrt" || std::string(op) == "reciprocal" ? Near{} : near);
    list.add(op, "i64", {in(DType::i64, {19}, Fill::positive)}, {}, near);
    list.add(op, "f32-unit", {f32({1031}, Fill::unit)}, {}, near);
  }
  list.add("sin", "bool", {in(DType::boolean, {9})}, {}, near);
  list.add("exp", "scalar", {f32({})}, {}, near);
  list.add("exp", "empty", {f32({0, 5})}, {}, near);
  list.add("sin", "large", {f32({70001})}, {}, near);
}

void exact(CaseList& list) {
  for (const char* op : {"neg", "abs", "sign", "floor", "ceil", "trunc", "round", "square", "identity"}) {
    on_floats(list, op, {});
    for (DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
      list.add(op, name_of(dtype) + "-special", {in(dtype, {29}, Fill::special)});
    }
  }
  for (const char* op : {"relu", "hardtanh", "clamp"}) {
    const Attributes limits = std::string(op) == "relu" ? Attributes{} : Attributes{{"min", -0.75}, {"max", 1.5}};
    on_floats(list, op, {}, limits);
    list.add(op, "i32-special", {in(DType::i32, {31}, Fill::special)},
             limits.items().empty() ? Attributes{} : Attributes{{"min", -3.0}, {"max", 8.0}});
  }
  list.add("sign", "bool", {in(DType::boolean, {7})});
  list.add("identity", "bool", {in(DType::boolean, {3, 3})});
  list.add("neg", "scalar", {f32({})});
  list.add("abs", "empty", {f32({3, 0})});
  list.add("clamp", "only-min", {f32({17}, Fill::special)}, {{"min", 0.25}});
  list.add("clamp", "only-max", {f32({17}, Fill::special)}, {{"max", 0.25}});
  list.add("clamp", "min-above-max", {f32({17}, Fill::special)}, {{"min", 1.0}, {"max", -1.0}});
}

void tests_of_values(CaseList& list) {
  for (const char* op : {"isnan", "isinf", "isfinite", "logical_not"}) {
    on_floats(list, op, {});
    list.add(op, "i16", {in(DType::i16, {21}, Fill::special)});
    list.add(op, "bool", {in(DType::boolean, {21})});
  }
  for (DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean}) {
    list.add("bitwise_not", name_of(dtype), {in(dtype, {23}, Fill::special)});
  }
}

void activations(CaseList& list) {
  on_floats(list, "silu", {.ulps = 4});
  on_floats(list, "gelu", {.ulps = 4, .absolute = 1e-6}, {{"approximate", std::string("none")}});
  on_floats(list, "hardswish", {});
  on_floats(list, "hardsigmoid", {});
  on_floats(list, "leaky_relu", {}, {{"slope", 0.1}});
  on_floats(list, "elu", {.ulps = 4}, {{"alpha", 1.5}, {"scale", 1.25}, {"input_scale", 0.5}});
  on_floats(list, "softplus", {.ulps = 8}, {{"beta", 2.0}, {"threshold", 3.0}});
  on_floats(list, "mish", {.ulps = 16, .absolute = 1e-6});
  list.add("gelu", "tanh", {f32({4, 65})}, {{"approximate", std::string("tanh")}}, {.ulps = 4, .absolute = 1e-6});
  list.add("gelu", "default", {f32({33})}, {}, {.ulps = 4, .absolute = 1e-6});
  list.add("leaky_relu", "default", {f32({33})});
  list.add("elu", "default", {f32({33})}, {}, {.ulps = 4});
  list.add("softplus", "default", {f32({33})}, {}, {.ulps = 8});
}

void conversions(CaseList& list) {
  const DType all[] = {DType::f64, DType::f32, DType::bf16, DType::f16, DType::i64,
                       DType::i32, DType::i16, DType::i8,   DType::u8,  DType::boolean};
  for (DType from : all) {
    for (DType to : all) {
      const bool narrows = from == DType::f64 && is_half(to);
      list.add("convert", name_of(from) + "-to-" + name_of(to), {in(from, {43}, Fill::special)}, {{"dtype", to}},
               {.ulps = narrows ? 1.0 : 0.0});
    }
  }
}

}  // namespace

void unary_cases(CaseList& list) {
  functions(list);
  exact(list);
  tests_of_values(list);
  activations(list);
  conversions(list);
}

}  // namespace litz::op_cases
