#include "litz/dtype.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TEST(DType, NamesParseBack) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(d)), d);
  }
  EXPECT_EQ(dtype_name(DType::boolean), "bool");
  EXPECT_EQ(dtype_name(DType::token), "token");
  EXPECT_EQ(parse_dtype("f31"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, Sizes) {
  EXPECT_EQ(dtype_size(DType::f64), 8);
  EXPECT_EQ(dtype_size(DType::bf16), 2);
  EXPECT_EQ(dtype_size(DType::i16), 2);
  EXPECT_EQ(dtype_size(DType::boolean), 1);
  EXPECT_EQ(dtype_size(DType::token), 0);
}

TEST(DType, Kinds) {
  EXPECT_TRUE(is_floating(DType::f16));
  EXPECT_FALSE(is_floating(DType::i64));
  EXPECT_TRUE(is_integral(DType::boolean));
  EXPECT_FALSE(is_integral(DType::token));
  EXPECT_EQ(compute_dtype(DType::bf16), DType::f32);
  EXPECT_EQ(compute_dtype(DType::f64), DType::f64);
}

TEST(Check, ThrowsWithConditionAndPlace) {
  const int x = 3;
  try {
    LITZ_CHECK(x == 4, "x is " + std::to_string(x));
    FAIL() << "no exception";
  } catch (const InternalError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("x == 4"), std::string::npos) << text;
    EXPECT_NE(text.find("x is 3"), std::string::npos) << text;
    EXPECT_NE(text.find("dtype_test.cpp:"), std::string::npos) << text;
  }
}

TEST(Check, EvaluatesTheMessageOnlyOnFailure) {
  bool evaluated = false;
  auto message = [&] {
    evaluated = true;
    return std::string("m");
  };
  LITZ_CHECK(true, message());
  EXPECT_FALSE(evaluated);
}

}  // namespace
}  // namespace litz
