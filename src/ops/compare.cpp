// Comparisons, logic, bits, tests for special values, where.
#include <limits>

#include "ops/pointwise.h"

namespace litz::ops {

namespace {

Body logical(ScalarOp op) {
  return [op](ScalarBuilder& b, Args a, const Attributes&) { return b.binary(op, truth(b, a[0]), truth(b, a[1])); };
}

// A test of a float; `of_integers` is its answer for integers.
Body test(std::function<Scalar(ScalarBuilder&, Scalar)> of_float, bool of_integers) {
  return [of_float = std::move(of_float), of_integers](ScalarBuilder& b, Args a, const Attributes&) {
    if (is_floating(a[0].dtype)) return of_float(b, a[0]);
    return b.constant(DType::boolean, int64_t{of_integers});
  };
}

Scalar compare_with_infinity(ScalarBuilder& b, ScalarOp op, Scalar x) {
  return b.compare(op, b.unary(ScalarOp::abs, x), b.number(x.dtype, std::numeric_limits<double>::infinity()));
}

PointwiseSpec binary(std::string_view name, DtypeRule rule, std::string_view doc, Body body, bool commutative) {
  return {.name = name,
          .rule = rule,
          .doc = doc,
          .operands = {"a", "b"},
          .body = std::move(body),
          .commutative = commutative};
}

PointwiseSpec unary(std::string_view name, DtypeRule rule, std::string_view doc, Body body,
                    std::vector<std::string_view> aten) {
  return {.name = name, .rule = rule, .doc = doc, .operands = {"x"}, .body = std::move(body), .aten = std::move(aten)};
}

OpRecord where_record() {
  OpRecord r =
      pointwise({.name = "where",
                 .doc = "a where the boolean condition holds, else b",
                 .operands = {"condition", "a", "b"},
                 .body = [](ScalarBuilder& b, Args a, const Attributes&) { return b.select(a[0], a[1], a[2]); },
                 .aten = {"aten.where.self"}});
  r.operands[0].keep_dtype = true;
  r.infer = [](const InferArgs& args) {
    if (operand(args, 0).dtype != DType::boolean) {
      fail("where", "'condition' must be boolean, but is " + ir::to_string(operand(args, 0)));
    }
    return std::vector{make_type(args, promote(args.operands.subspan(1)), broadcast_shapes(args.operands, "where"))};
  };
  return r;
}

OpRecord shift_record(std::string_view name, ScalarOp op, std::string_view doc) {
  OpRecord r = pointwise(binary(name, DtypeRule::bitwise, doc, just(op), false));
  r.infer = [name, base = r.infer](const InferArgs& args) {
    if (promote(args.operands) == DType::boolean) fail(name, "is not defined for booleans");
    return base(args);
  };
  return r;
}

}  // namespace

std::vector<OpRecord> compare_records() {
  constexpr auto boolean = DtypeRule::boolean;
  constexpr auto bitwise = DtypeRule::bitwise;
  std::vector<OpRecord> r;
  for (const PointwiseSpec& s : {
           binary("eq", boolean, "a == b", just(ScalarOp::eq), true),
           binary("ne", boolean, "a != b; true if either is NaN", just(ScalarOp::ne), true),
           binary("lt", boolean, "a < b", just(ScalarOp::lt), false),
           binary("le", boolean, "a <= b", just(ScalarOp::le), false),
           binary("gt", boolean, "a > b", just(ScalarOp::gt), false),
           binary("ge", boolean, "a >= b", just(ScalarOp::ge), false),
           binary("logical_and", boolean, "a and b are not 0", logical(ScalarOp::bit_and), true),
           binary("logical_or", boolean, "a or b is not 0", logical(ScalarOp::bit_or), true),
           binary("logical_xor", boolean, "one of a and b is not 0", logical(ScalarOp::bit_xor), true),
           binary("bitwise_and", bitwise, "a & b", just(ScalarOp::bit_and), true),
           binary("bitwise_or", bitwise, "a | b", just(ScalarOp::bit_or), true),
           binary("bitwise_xor", bitwise, "a ^ b", just(ScalarOp::bit_xor), true),
           unary("bitwise_not", bitwise, "~x; not for booleans", just(ScalarOp::bit_not), {"aten.bitwise_not.default"}),
           unary("logical_not", boolean, "x is 0",
                 [](ScalarBuilder& b, Args a, const Attributes&) { return b.unary(ScalarOp::bit_not, truth(b, a[0])); },
                 {"aten.logical_not.default"}),
           unary("isnan", boolean, "x is NaN",
                 test([](ScalarBuilder& b, Scalar x) { return b.compare(ScalarOp::ne, x, x); }, false),
                 {"aten.isnan.default"}),
           unary("isinf", boolean, "x is an infinity",
                 test([](ScalarBuilder& b, Scalar x) { return compare_with_infinity(b, ScalarOp::eq, x); }, false),
                 {"aten.isinf.default"}),
           unary("isfinite", boolean, "x is neither NaN nor an infinity",
                 test([](ScalarBuilder& b, Scalar x) { return compare_with_infinity(b, ScalarOp::lt, x); }, true),
                 {"aten.isfinite.default"}),
       }) {
    r.push_back(pointwise(s));
  }
  r.push_back(shift_record("shift_left", ScalarOp::shl, "a << b; 0 where b is negative or the width or more"));
  r.push_back(
      shift_record("shift_right", ScalarOp::shr, "a >> b, arithmetic; b is negative or the width or more: the sign"));
  r.push_back(where_record());
  return r;
}

}  // namespace litz::ops
