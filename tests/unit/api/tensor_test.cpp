#include "litz/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "litz/ops.h"

namespace {

using litz::DType;
using litz::Sizes;
using litz::Tensor;

std::vector<int64_t> list(std::span<const int64_t> s) { return {s.begin(), s.end()}; }

template <typename Fn>
std::string user_error(Fn fn) {
  try {
    fn();
  } catch (const litz::UserError& e) {
    return e.what();
  }
  return "no UserError";
}

TEST(TensorTest, WhatAHandleSays) {
  const Tensor x = litz::empty({2, 3, 4}, DType::i16);
  EXPECT_TRUE(x.defined());
  EXPECT_EQ(x.dtype(), DType::i16);
  EXPECT_EQ(list(x.shape()), (Sizes{2, 3, 4}));
  EXPECT_EQ(list(x.strides()), (Sizes{12, 4, 1}));
  EXPECT_EQ(x.rank(), 3);
  EXPECT_EQ(x.elements(), 24);
  EXPECT_EQ(x.size(-1), 4);
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_FALSE(x.is_traced());
  EXPECT_THROW(x.size(3), litz::UserError);
  EXPECT_THROW(x.size(-4), litz::UserError);
}

TEST(TensorTest, UndefinedTensorsSaySo) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_NE(user_error([&] { none.shape(); }).find("undefined"), std::string::npos);
  EXPECT_THROW(none.item<float>(), litz::UserError);
  EXPECT_EQ(litz::to_string(none), "undefined");
}

TEST(TensorTest, CopiesShareMemory) {
  const Tensor x = litz::zeros({2});
  const Tensor y = x;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  y.data<float>()[1] = 3;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 3}));
}

TEST(TensorTest, DataChecksItsType) {
  const Tensor x = litz::ones({2});
  EXPECT_NE(user_error([&] { x.data<double>(); }).find("data<float>()"), std::string::npos);
  EXPECT_NE(user_error([&] { litz::ones({1}, DType::bf16).data<float>(); }).find("data<uint16_t>()"),
            std::string::npos);
  EXPECT_EQ(litz::ones({1}, DType::bf16).data<const uint16_t>()[0], 0x3f80);
  EXPECT_EQ(litz::ones({1}, DType::f16).data<uint16_t>()[0], 0x3c00);
  EXPECT_TRUE(litz::ones({1}, DType::boolean).data<bool>()[0]);
  EXPECT_EQ(litz::full({1}, 7, DType::i64).data<long long>()[0], 7);
  EXPECT_EQ(static_cast<const float*>(x.raw_const_data())[1], 1.0f);
}

TEST(TensorTest, ItemOfEveryDtype) {
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16, DType::i64, DType::i32, DType::i16, DType::i8}) {
    EXPECT_EQ(litz::full({1, 1}, -3, dtype).item<double>(), -3) << litz::dtype_name(dtype);
    EXPECT_EQ(litz::full({}, -3, dtype).item<int>(), -3) << litz::dtype_name(dtype);
  }
  EXPECT_EQ(litz::full({}, 200, DType::u8).item<int>(), 200);
  EXPECT_TRUE(litz::full({}, 2, DType::boolean).item<bool>());
  EXPECT_EQ(litz::full({}, NAN).item<int64_t>(), INT64_MIN);
  EXPECT_NE(user_error([] { litz::ones({2}).item<float>(); }).find("f32[2]"), std::string::npos);
}

TEST(TensorTest, CloneAndContiguousOfViews) {
  const Tensor x = litz::arange(6).to(DType::f32);
  const Tensor t = litz::transpose(litz::reshape(x, {2, 3}), 0, 1);
  EXPECT_FALSE(t.is_contiguous());
  const Tensor c = t.contiguous();
  EXPECT_TRUE(c.is_contiguous());
  EXPECT_EQ(list(c.strides()), (Sizes{2, 1}));
  EXPECT_EQ(c.to_vector<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(t.to_vector<float>(), c.to_vector<float>());
  EXPECT_EQ(c.contiguous().raw_const_data(), c.raw_const_data());
  EXPECT_NE(c.clone().raw_const_data(), c.raw_const_data());
}

TEST(TensorTest, CopyFromWritesThroughViews) {
  const Tensor x = litz::zeros({2, 3});
  litz::select(x, 1, 1).copy_from(litz::tensor<float>({5, 6}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 5, 0, 0, 6, 0}));
  EXPECT_THROW(x.copy_from(litz::zeros({3, 2})), litz::UserError);
  EXPECT_THROW(x.copy_from(litz::zeros({2, 3}, DType::f64)), litz::UserError);
}

TEST(TensorTest, CopyFromItsOwnMemoryReadsFirst) {
  const Tensor x = litz::tensor<int32_t>({1, 2, 3, 4});
  litz::slice(x, 0, 1, 4).copy_from(litz::slice(x, 0, 0, 3));
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{1, 1, 2, 3}));
}

TEST(TensorTest, ToOtherDtypes) {
  const Tensor x = litz::tensor<float>({-1.75f, 0, 2.5f, 300});
  EXPECT_EQ(x.to(DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{-1, 0, 2, 300}));
  EXPECT_EQ(x.to(DType::f64).to_vector<double>(), (std::vector<double>{-1.75, 0, 2.5, 300}));
  EXPECT_EQ(x.to(DType::boolean).data<const bool>()[1], false);
  EXPECT_EQ(x.to(DType::bf16).to(DType::f32).to_vector<float>(), (std::vector<float>{-1.75f, 0, 2.5f, 300}));
  EXPECT_EQ(x.to(DType::f32).raw_const_data(), x.raw_const_data());
}

TEST(TensorTest, Prints) {
  std::ostringstream out;
  out << litz::tensor<float>({1, 2.5f, -3, 4}, Sizes{2, 2});
  EXPECT_EQ(out.str(), "f32[2,2] [[1, 2.5], [-3, 4]]");
  EXPECT_EQ(litz::to_string(litz::full({}, 1, DType::boolean)), "bool[] true");
  EXPECT_EQ(litz::to_string(litz::zeros({2, 0}, DType::i64)), "i64[2,0] [[], []]");
  EXPECT_EQ(litz::to_string(litz::zeros({2000})), "f32[2000] of 2000 elements");
}

TEST(TensorTest, ImpossibleSizesAreUserErrors) {
  EXPECT_THROW(litz::empty({-1}), litz::UserError);
  EXPECT_THROW(litz::empty({int64_t{1} << 40, int64_t{1} << 40}), litz::UserError);
}

}  // namespace
