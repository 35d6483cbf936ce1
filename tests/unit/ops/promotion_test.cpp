#include <gtest/gtest.h>

#include "ops/record.h"

namespace litz::ops {
namespace {

TensorType dimensioned(DType dtype) { return {.dtype = dtype, .shape = {3}}; }
TensorType zero_dim(DType dtype) { return {.dtype = dtype}; }

DType promoted(const TensorType& a, const TensorType& b) {
  const TensorType* const both[] = {&a, &b};
  const TensorType* const swapped[] = {&b, &a};
  EXPECT_EQ(promote(both), promote(swapped));
  return promote(both);
}

TEST(PromoteTypes, JoinsWithinAndAcrossCategories) {
  EXPECT_EQ(promote_types(DType::i8, DType::u8), DType::i16);
  EXPECT_EQ(promote_types(DType::i16, DType::u8), DType::i16);
  EXPECT_EQ(promote_types(DType::i32, DType::i64), DType::i64);
  EXPECT_EQ(promote_types(DType::boolean, DType::u8), DType::u8);
  EXPECT_EQ(promote_types(DType::i64, DType::f16), DType::f16);
  EXPECT_EQ(promote_types(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(promote_types(DType::bf16, DType::f32), DType::f32);
  EXPECT_EQ(promote_types(DType::f32, DType::f64), DType::f64);
}

TEST(Promote, AZeroDimOperandGivesWay) {
  EXPECT_EQ(promoted(dimensioned(DType::bf16), zero_dim(DType::f64)), DType::bf16);
  EXPECT_EQ(promoted(dimensioned(DType::i32), zero_dim(DType::i64)), DType::i32);
  EXPECT_EQ(promoted(dimensioned(DType::i32), zero_dim(DType::f64)), DType::f64);
  EXPECT_EQ(promoted(dimensioned(DType::boolean), zero_dim(DType::i64)), DType::i64);
  EXPECT_EQ(promoted(zero_dim(DType::i32), zero_dim(DType::i64)), DType::i64);
  EXPECT_EQ(promoted(dimensioned(DType::i32), dimensioned(DType::i64)), DType::i64);
}

TEST(ResultTypeWithScalar, ANumberCountsOnlyByItsCategory) {
  const ir::ScalarValue whole = int64_t{1} << 40;
  const ir::ScalarValue real = 0.5;
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::u8), whole), DType::u8);
  EXPECT_EQ(result_type_with_scalar(zero_dim(DType::i8), whole), DType::i8);
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::boolean), whole), DType::i64);
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::boolean), real), DType::f32);
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::i64), real), DType::f32);
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::f16), real), DType::f16);
  EXPECT_EQ(result_type_with_scalar(zero_dim(DType::f64), real), DType::f64);
  EXPECT_EQ(result_type_with_scalar(dimensioned(DType::bf16), whole), DType::bf16);
}

}  // namespace
}  // namespace litz::ops
