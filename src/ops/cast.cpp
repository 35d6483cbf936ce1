// Conversion of dtype.
#include "ops/pointwise.h"

namespace litz::ops {

std::vector<OpRecord> cast_records() {
  OpRecord r = pointwise({.name = "convert",
                          .doc = "x in another dtype; floats truncate to integers, anything but 0 is true",
                          .operands = {"x"},
                          .body = [](ScalarBuilder&, Args a, const Attributes&) { return a[0]; },
                          .attributes = {{"dtype", AttrKind::dtype}}});
  r.infer = [](const InferArgs& args) {
    const DType dtype = args.attributes.get<DType>("dtype");
    if (dtype == DType::token) fail("convert", "nothing converts to a token");
    return std::vector{make_type(args, dtype, operand(args, 0).shape)};
  };
  return {std::move(r)};
}

}  // namespace litz::ops
