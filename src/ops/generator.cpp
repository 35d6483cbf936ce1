// Ops without operands.
#include "ops/infer.h"

namespace litz::ops {

namespace {

std::vector<TensorType> full_infer(const InferArgs& args) {
  const DType dtype = args.attributes.get<DType>("dtype");
  if (dtype == DType::token) fail("full", "a token has no value");
  if (args.attributes.has("int_value") && is_floating(dtype)) fail("full", "int_value is for integer dtypes");
  return {make_type(args, dtype, args.attributes.get<std::vector<Expr>>("shape"))};
}

std::vector<TensorType> iota_infer(const InferArgs& args) {
  const DType dtype = args.attributes.get<DType>("dtype");
  if (dtype == DType::token || dtype == DType::boolean) fail("iota", "dtype must be a number's");
  const auto& shape = args.attributes.get<std::vector<Expr>>("shape");
  if (shape.size() != 1) fail("iota", "shape must have one entry");
  return {make_type(args, dtype, shape)};
}

std::vector<TensorType> size_infer(const InferArgs& args) {
  const DType dtype = args.attributes.get<DType>("dtype");
  if (dtype == DType::token || dtype == DType::boolean) fail("size", "dtype must be a number's");
  if (args.attributes.get<std::vector<Expr>>("value").size() != 1) fail("size", "value must have one entry");
  return {make_type(args, dtype, {})};
}

}  // namespace

std::vector<OpRecord> generator_records() {
  std::vector<OpRecord> r;
  r.push_back({.name = "full",
               .kind = OpKind::generator,
               .attributes = {{"shape", AttrKind::exprs},
                              {"value", AttrKind::number},
                              {"dtype", AttrKind::dtype},
                              {"int_value", AttrKind::integer, false}},
               .doc = "every element is `value`; `int_value` overrides it where a 64-bit integer needs all its bits",
               .infer = full_infer});
  r.push_back({.name = "iota",
               .kind = OpKind::generator,
               .attributes = {{"shape", AttrKind::exprs},
                              {"start", AttrKind::integer},
                              {"step", AttrKind::integer},
                              {"dtype", AttrKind::dtype}},
               .doc = "start, start + step, …: shape [n]",
               .infer = iota_infer});
  r.push_back({.name = "size",
               .kind = OpKind::generator,
               .attributes = {{"value", AttrKind::exprs}, {"dtype", AttrKind::dtype}},
               .doc = "a size known at run time, as a 0-d value",
               .infer = size_infer});
  return r;
}

}  // namespace litz::ops
