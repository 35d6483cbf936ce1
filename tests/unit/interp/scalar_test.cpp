#include "interp/scalar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "interp/tensor.h"

namespace litz::interp {
namespace {

using ir::ScalarOp;
using ir::ScalarValue;

int64_t integer(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  const Typed args[] = {{dtype, a}, {dtype, b}};
  return std::get<int64_t>(evaluate(op, ir::is_comparison(op) ? DType::boolean : dtype, args));
}

double real(ScalarOp op, DType dtype, double a, double b) {
  const Typed args[] = {{dtype, a}, {dtype, b}};
  return std::get<double>(evaluate(op, dtype, args));
}

TEST(Scalars, IntegersWrap) {
  EXPECT_EQ(integer(ScalarOp::add, DType::i8, 127, 1), -128);
  EXPECT_EQ(integer(ScalarOp::add, DType::u8, 128, 128), 0);
  EXPECT_EQ(integer(ScalarOp::mul, DType::i64, INT64_MAX, 2), -2);
  EXPECT_EQ(integer(ScalarOp::sub, DType::u8, 0, 1), 255);
}

TEST(Scalars, DivisionNeverTraps) {
  EXPECT_EQ(integer(ScalarOp::div, DType::i64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(integer(ScalarOp::div, DType::i32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(integer(ScalarOp::fmod, DType::i64, INT64_MIN, -1), 0);
  EXPECT_EQ(integer(ScalarOp::div, DType::i32, 7, 0), 0);
  EXPECT_EQ(integer(ScalarOp::fmod, DType::i32, 7, 0), 0);
  EXPECT_EQ(integer(ScalarOp::div, DType::i32, -7, 2), -3);
}

TEST(Scalars, ShiftsPastTheWidthAreDefined) {
  EXPECT_EQ(integer(ScalarOp::shl, DType::i64, 1000, 64), 0);
  EXPECT_EQ(integer(ScalarOp::shl, DType::i8, 1, 8), 0);
  EXPECT_EQ(integer(ScalarOp::shl, DType::i32, 1, -1), 0);
  EXPECT_EQ(integer(ScalarOp::shr, DType::i32, -5, 40), -1);
  EXPECT_EQ(integer(ScalarOp::shr, DType::u8, 200, 9), 0);
}

TEST(Scalars, FloatsRoundInTheirDtype) {
  EXPECT_EQ(real(ScalarOp::add, DType::f32, 16777216, 1), 16777216);
  EXPECT_EQ(real(ScalarOp::add, DType::f64, 16777216, 1), 16777217);
  EXPECT_EQ(real(ScalarOp::mul, DType::f32, 1e30, 1e30), INFINITY);
  EXPECT_EQ(real(ScalarOp::fmod, DType::f32, -5.5, 2), -1.5);
}

TEST(Scalars, NanWins) {
  EXPECT_TRUE(std::isnan(real(ScalarOp::max, DType::f32, NAN, 1)));
  EXPECT_TRUE(std::isnan(real(ScalarOp::min, DType::f32, 1, NAN)));
  const Typed nan[] = {{DType::f32, NAN}, {DType::f32, NAN}};
  EXPECT_EQ(std::get<int64_t>(evaluate(ScalarOp::ne, DType::boolean, nan)), 1);
  EXPECT_EQ(std::get<int64_t>(evaluate(ScalarOp::eq, DType::boolean, nan)), 0);
}

TEST(Scalars, CastsTruncateAsX86Does) {
  EXPECT_EQ(convert_value(300.7, DType::u8), ScalarValue(int64_t{44}));
  EXPECT_EQ(convert_value(-1.5, DType::u8), ScalarValue(int64_t{255}));
  EXPECT_EQ(convert_value(3e9, DType::i32), ScalarValue(int64_t{INT32_MIN}));
  EXPECT_EQ(convert_value(3e9, DType::i16), ScalarValue(int64_t{0}));
  EXPECT_EQ(convert_value(NAN, DType::i64), ScalarValue(INT64_MIN));
  EXPECT_EQ(convert_value(NAN, DType::boolean), ScalarValue(int64_t{1}));
  EXPECT_EQ(convert_value(int64_t{16777217}, DType::f32), ScalarValue(16777216.0));
  EXPECT_EQ(convert_value(1.00390625, DType::bf16), ScalarValue(1.0));
}

TEST(Scalars, ProgramsRunAgain) {
  ScalarProgram p;
  const ir::Scalar x = p.argument(DType::f32);
  const ir::Scalar y = p.argument(DType::f32);
  const ir::Scalar sum = p.add(p.mul(x, x), y);
  const ScalarValue first[] = {3.0, 1.0};
  const ScalarValue second[] = {2.0, 5.0};
  EXPECT_EQ(p.run(first, sum), ScalarValue(10.0));
  EXPECT_EQ(p.run(second, sum), ScalarValue(9.0));
}

}  // namespace
}  // namespace litz::interp
