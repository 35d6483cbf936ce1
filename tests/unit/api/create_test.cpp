#include "litz/create.h"

#include <gtest/gtest.h>

#include <cmath>

#include "litz/ops.h"

namespace {

using litz::DType;
using litz::Sizes;
using litz::Tensor;

TEST(CreateTest, FilledTensors) {
  EXPECT_EQ(litz::full({3}, 2.5).to_vector<float>(), (std::vector<float>{2.5, 2.5, 2.5}));
  EXPECT_EQ(litz::ones({2, 1}, DType::i8).to_vector<int8_t>(), (std::vector<int8_t>{1, 1}));
  EXPECT_EQ(litz::zeros({2}, DType::f64).to_vector<double>(), (std::vector<double>{0, 0}));
  EXPECT_EQ(litz::full({1001}, -7, DType::i64).to_vector<int64_t>(), std::vector<int64_t>(1001, -7));
  EXPECT_EQ(litz::full({0, 5}, 1).elements(), 0);
}

TEST(CreateTest, Arange) {
  EXPECT_EQ(litz::arange(4).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(litz::arange(3, DType::f32).to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(litz::arange(0).elements(), 0);
  EXPECT_THROW(litz::arange(-1), litz::UserError);
  EXPECT_THROW(litz::arange(3, DType::boolean), litz::UserError);
}

TEST(CreateTest, RandomNumbersComeFromTheirSeed) {
  const auto a = litz::randn({1001}, DType::f32, 7).to_vector<float>();
  EXPECT_EQ(a, litz::randn({1001}, DType::f32, 7).to_vector<float>());
  EXPECT_NE(a, litz::randn({1001}, DType::f32, 8).to_vector<float>());
  // A longer one begins with the same numbers, whatever the threads.
  const auto longer = litz::randn({100000}, DType::f32, 7).to_vector<float>();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
}

TEST(CreateTest, CallsWithoutASeedDiffer) {
  litz::manual_seed(3);
  const auto a = litz::randn({8}).to_vector<float>();
  const auto b = litz::randn({8}).to_vector<float>();
  EXPECT_NE(a, b);
  litz::manual_seed(3);
  EXPECT_EQ(a, litz::randn({8}).to_vector<float>());
  EXPECT_EQ(b, litz::randn({8}).to_vector<float>());
}

TEST(CreateTest, PhiloxAsPublished) {
  // Known answer of Philox 4x32-10 for counter 0 and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  const auto u = litz::rand({4}, DType::f32, 0).to_vector<float>();
  const uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(u[i], static_cast<float>(words[i] >> 8) * 0x1p-24f);
}

TEST(CreateTest, NormalNumbersHaveTheirMoments) {
  const auto x = litz::randn({200000}, DType::f64, 1).to_vector<double>();
  double sum = 0;
  double squares = 0;
  for (double v : x) {
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 200000, 0, 0.01);
  EXPECT_NEAR(squares / 200000, 1, 0.02);
}

TEST(CreateTest, UniformNumbersStayBelowOne) {
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const Tensor x = litz::rand({50000}, dtype, 2).to(DType::f64);
    const auto values = x.to_vector<double>();
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1) << litz::dtype_name(dtype);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  }
  EXPECT_THROW(litz::rand({2}, DType::i32), litz::UserError);
}

TEST(CreateTest, Randint) {
  const auto x = litz::randint(-2, 3, {10000}, DType::i64, 5).to_vector<int64_t>();
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), -2);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 2);
  EXPECT_EQ(litz::randint(0, 2, {3}, DType::u8).dtype(), DType::u8);
  EXPECT_THROW(litz::randint(3, 3, {2}), litz::UserError);
  EXPECT_THROW(litz::randint(0, 3, {2}, DType::f32), litz::UserError);
}

TEST(CreateTest, MemoryOfTheCaller) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  const Tensor x = litz::from_blob(memory, {3, 2}, {1, 3});
  EXPECT_EQ(x.raw_const_data(), memory);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  memory[3] = 30;
  EXPECT_EQ((x + 1).to_vector<float>(), (std::vector<float>{1, 31, 2, 5, 3, 6}));
  x.data<float>()[0] = 9;
  EXPECT_EQ(memory[0], 9);
}

TEST(CreateTest, TheDeleterRunsOnceAfterTheLastView) {
  int deleted = 0;
  auto* memory = new float[4]{1, 2, 3, 4};
  {
    Tensor view;
    {
      const Tensor x = litz::from_blob(memory, {2, 2}, {}, DType::f32, [&](void* p) {
        ++deleted;
        delete[] static_cast<float*>(p);
      });
      view = litz::select(x, 0, 1);
    }
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(view.to_vector<float>(), (std::vector<float>{3, 4}));
  }
  EXPECT_EQ(deleted, 1);
}

TEST(CreateTest, ConstMemoryIsReadOnly) {
  const float memory[2] = {1, 2};
  const Tensor x = litz::from_blob(memory, {2});
  EXPECT_EQ(x.data<const float>(), memory);
  EXPECT_THROW(x.data<float>(), litz::UserError);
  EXPECT_THROW(x.copy_from(litz::zeros({2})), litz::UserError);
  EXPECT_EQ((x * 2).to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST(CreateTest, BadBlobsAreUserErrors) {
  float memory[4] = {};
  EXPECT_THROW(litz::from_blob(memory, {2, 2}, {1}), litz::UserError);
  EXPECT_THROW(litz::from_blob(memory, {2}, {-1}), litz::UserError);
  EXPECT_THROW(litz::from_blob(memory, {-2}), litz::UserError);
  EXPECT_THROW(litz::from_blob(static_cast<float*>(nullptr), {2}), litz::UserError);
  EXPECT_EQ(litz::from_blob(static_cast<float*>(nullptr), {0}).elements(), 0);
}

TEST(CreateTest, TensorCopiesItsValues) {
  std::vector<int32_t> values = {1, 2, 3, 4};
  const Tensor x = litz::tensor(values, Sizes{2, 2});
  values[0] = 100;
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(x.dtype(), DType::i32);
  EXPECT_EQ(litz::tensor<double>({1.5}).rank(), 1);
}

}  // namespace
