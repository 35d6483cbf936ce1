// Makers of pointwise records.
#pragma once

#include <string_view>
#include <vector>

#include "ops/infer.h"

namespace litz::ops {

using ir::Scalar;
using ir::ScalarBuilder;
using ir::ScalarOp;
using Args = std::span<const Scalar>;
using Body = std::function<Scalar(ScalarBuilder&, Args, const Attributes&)>;

// The dtype of a pointwise op's result.
enum class DtypeRule : uint8_t {
  promoted,  // that of the promoted operands
  numeric,   // the same, booleans refused
  bitwise,   // the same, floats refused
  floating,  // f32 for integers; the body runs in it
  boolean,   // boolean; the body runs in the promoted dtype
};

struct PointwiseSpec {
  std::string_view name;
  DtypeRule rule = DtypeRule::promoted;
  std::string_view doc;
  std::vector<std::string_view> operands;
  Body body;
  std::vector<AttrSpec> attributes = {};
  std::vector<std::string_view> aten = {};
  bool commutative = false;
};

OpRecord pointwise(PointwiseSpec spec);

// A body that is one scalar op.
Body just(ScalarOp op);
// An attribute of a body, rounded to the body's dtype.
Scalar number_of(ScalarBuilder& b, DType dtype, const Attributes& attributes, std::string_view name, double otherwise);
// 1 / (1 + exp(-x))
Scalar sigmoid(ScalarBuilder& b, Scalar x);
// Whether x != 0; NaN counts as true.
Scalar truth(ScalarBuilder& b, Scalar x);

}  // namespace litz::ops
