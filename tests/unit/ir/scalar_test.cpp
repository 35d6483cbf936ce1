#include "ir/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "support/check.h"

namespace litz::ir {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ScalarOps, NamesAreUniqueAndParse) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ScalarOp::bitcast); ++i) {
    const auto op = static_cast<ScalarOp>(i);
    EXPECT_TRUE(names.insert(scalar_op_name(op)).second) << scalar_op_name(op);
    ScalarOp parsed = ScalarOp::add;
    EXPECT_TRUE(parse_scalar_op(scalar_op_name(op), &parsed));
    EXPECT_EQ(parsed, op);
    EXPECT_GE(scalar_op_arity(op), 1);
    EXPECT_LE(scalar_op_arity(op), 3);
  }
  ScalarOp op = ScalarOp::add;
  EXPECT_FALSE(parse_scalar_op("gelu", &op));
  EXPECT_EQ(scalar_op_arity(ScalarOp::add), 2);
  EXPECT_EQ(scalar_op_arity(ScalarOp::select), 3);
  EXPECT_EQ(scalar_op_arity(ScalarOp::cast), 1);
}

TEST(ReduceOps, NamesParse) {
  for (int i = 0; i <= static_cast<int>(ReduceOp::argmin); ++i) {
    const auto op = static_cast<ReduceOp>(i);
    ReduceOp parsed = ReduceOp::sum;
    EXPECT_TRUE(parse_reduce_op(reduce_op_name(op), &parsed));
    EXPECT_EQ(parsed, op);
  }
  ReduceOp op = ReduceOp::sum;
  EXPECT_FALSE(parse_reduce_op("mean", &op));
}

TEST(ReduceIdentity, ByOpAndDtype) {
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::sum, DType::f32), 0.0));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::sum, DType::i64), int64_t{0}));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::prod, DType::f64), 1.0));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::max, DType::f32), -kInf));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::argmin, DType::f32), kInf));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::max, DType::i8), int64_t{-128}));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::min, DType::u8), int64_t{255}));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::max, DType::u8), int64_t{0}));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::min, DType::i64), std::numeric_limits<int64_t>::max()));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::any, DType::boolean), int64_t{0}));
  EXPECT_TRUE(same_value(reduce_identity(ReduceOp::all, DType::boolean), int64_t{1}));
}

TEST(ScalarValue, RoundsFloatsToTheDtype) {
  EXPECT_TRUE(same_value(scalar_value(DType::f64, 0.1), 0.1));
  EXPECT_TRUE(same_value(scalar_value(DType::f32, 0.1), static_cast<double>(0.1f)));
  EXPECT_TRUE(same_value(scalar_value(DType::bf16, 1.00390625), 1.0));  // halfway: to even
  EXPECT_TRUE(same_value(scalar_value(DType::bf16, 3.4e38), kInf));
  EXPECT_TRUE(same_value(scalar_value(DType::f16, 65519.0), 65504.0));
  EXPECT_TRUE(same_value(scalar_value(DType::f16, 65520.0), kInf));
  EXPECT_TRUE(same_value(scalar_value(DType::f16, 6e-8), 0x1p-24));  // subnormal
  EXPECT_TRUE(same_value(scalar_value(DType::f32, -0.0), -0.0));
  EXPECT_TRUE(std::isnan(std::get<double>(scalar_value(DType::f16, std::nan("")))));
}

TEST(ScalarValue, WrapsIntegers) {
  EXPECT_TRUE(same_value(scalar_value(DType::i8, int64_t{200}), int64_t{-56}));
  EXPECT_TRUE(same_value(scalar_value(DType::u8, int64_t{-1}), int64_t{255}));
  EXPECT_TRUE(same_value(scalar_value(DType::i32, int64_t{1} << 31), -(int64_t{1} << 31)));
  EXPECT_TRUE(same_value(scalar_value(DType::boolean, int64_t{7}), int64_t{1}));
  EXPECT_TRUE(same_value(scalar_value(DType::boolean, 0.5), int64_t{1}));
  EXPECT_TRUE(same_value(scalar_value(DType::i32, -2.9), int64_t{-2}));
  EXPECT_TRUE(same_value(scalar_value(DType::i64, std::nan("")), std::numeric_limits<int64_t>::min()));
  EXPECT_TRUE(same_value(scalar_value(DType::f32, int64_t{16777217}), 16777216.0));
}

TEST(SameValue, ComparesBits) {
  EXPECT_TRUE(same_value(std::nan(""), std::nan("")));
  EXPECT_FALSE(same_value(0.0, -0.0));
  EXPECT_FALSE(same_value(int64_t{0}, 0.0));
}

// Writes down what is emitted.
class Recorder : public ScalarBuilder {
 public:
  Scalar constant(DType dtype, ScalarValue value) override {
    last = value;
    return {.id = next++, .dtype = dtype};
  }
  Scalar emit(ScalarOp op, DType dtype, std::span<const Scalar> args) override {
    text += std::string(scalar_op_name(op)) + "/" + std::to_string(args.size()) + ":" + std::string(dtype_name(dtype)) +
            " ";
    return {.id = next++, .dtype = dtype};
  }

  std::string text;
  ScalarValue last;
  uint32_t next = 0;
};

TEST(ScalarBuilder, GivesResultsTheirDtypes) {
  Recorder r;
  const Scalar a = r.number(DType::f32, 0.1);
  EXPECT_TRUE(same_value(r.last, static_cast<double>(0.1f)));
  const Scalar b = r.unary(ScalarOp::exp, a);
  const Scalar c = r.compare(ScalarOp::lt, a, b);
  EXPECT_EQ(c.dtype, DType::boolean);
  r.select(c, a, b);
  r.fma(a, b, a);
  EXPECT_EQ(r.cast(a, DType::f32).id, a.id);
  r.cast(a, DType::i32);
  EXPECT_EQ(r.text, "exp/1:f32 lt/2:bool select/3:f32 fma/3:f32 cast/1:i32 ");
}

TEST(ScalarBuilder, RefusesMixedDtypes) {
  Recorder r;
  const Scalar a = r.number(DType::f32, 1), b = r.number(DType::f64, 1);
  EXPECT_THROW(r.add(a, b), InternalError);
  EXPECT_THROW(r.select(a, a, a), InternalError);
  EXPECT_THROW(r.fma(a, a, b), InternalError);
}

}  // namespace
}  // namespace litz::ir
