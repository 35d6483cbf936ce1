// Ops outside of a trace, and the same program traced: both must agree with what is computed here.
#include "litz/ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "litz/compile.h"

namespace {

using litz::DType;
using litz::Sizes;
using litz::Tensor;

std::vector<int64_t> list(std::span<const int64_t> s) { return {s.begin(), s.end()}; }

std::vector<double> values(const Tensor& x) {
  std::vector<double> out;
  const Tensor flat = litz::reshape(x.contiguous(), {-1});
  for (int64_t i = 0; i < flat.elements(); ++i) out.push_back(litz::select(flat, 0, i).item<double>());
  return out;
}

// Runs `fn` at once and compiled; both results have these values, within `tolerance`.
void expect_values(const std::function<Tensor(const Tensor&)>& fn, const Tensor& x, const std::vector<double>& wanted,
                   double tolerance = 1e-6) {
  const Tensor eager = fn(x);
  const Tensor compiled = litz::compile(fn)(x);
  EXPECT_EQ(eager.dtype(), compiled.dtype());
  EXPECT_EQ(list(eager.shape()), list(compiled.shape()));
  for (const Tensor& y : {eager, compiled}) {
    const std::vector<double> got = values(y);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(wanted[i])) {
        EXPECT_TRUE(std::isnan(got[i])) << i;
      } else {
        EXPECT_NEAR(got[i], wanted[i], tolerance) << i;
      }
    }
  }
}

const Tensor& six() {
  static const Tensor x = litz::tensor<float>({-2, -0.5f, 0, 0.5f, 1, 3}, Sizes{2, 3});
  return x;
}

std::vector<double> mapped(double (*fn)(double)) {
  std::vector<double> out;
  for (double v : values(six())) out.push_back(fn(v));
  return out;
}

TEST(OpsTest, ElementaryFunctions) {
  expect_values([](const Tensor& x) { return litz::sin(litz::cos(x)); }, six(),
                mapped([](double v) { return std::sin(std::cos(v)); }));
  expect_values([](const Tensor& x) { return litz::exp(x) - litz::tanh(x) * litz::abs(x); }, six(),
                mapped([](double v) { return std::exp(v) - std::tanh(v) * std::fabs(v); }), 1e-5);
  expect_values([](const Tensor& x) { return litz::sigmoid(-x); }, six(),
                mapped([](double v) { return 1 / (1 + std::exp(v)); }));
  expect_values([](const Tensor& x) { return litz::gelu(x); }, six(),
                mapped([](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); }));
  expect_values([](const Tensor& x) { return litz::clamp(x, -1, 1.5); }, six(),
                mapped([](double v) { return std::min(std::max(v, -1.0), 1.5); }));
  expect_values([](const Tensor& x) { return litz::clamp(x, {}, 0); }, six(),
                mapped([](double v) { return std::min(v, 0.0); }));
  expect_values([](const Tensor& x) { return litz::where(x < 0, litz::relu(x) - 1, x); }, six(),
                mapped([](double v) { return v < 0 ? -1 : v; }));
}

TEST(OpsTest, NumbersBesideTensors) {
  expect_values([](const Tensor& x) { return 2 - x * 3 + 1.5 / (x + 4); }, six(),
                mapped([](double v) { return 2 - v * 3 + 1.5 / (v + 4); }));
  expect_values([](const Tensor& x) { return litz::pow(x, 2) + litz::pow(2, x); }, six(),
                mapped([](double v) { return v * v + std::pow(2, v); }));
  expect_values([](const Tensor& x) { return litz::where(x > 0, 1, x); }, six(),
                mapped([](double v) { return v > 0 ? 1 : v; }));
  EXPECT_THROW(litz::add(1, 2), litz::UserError);
  EXPECT_THROW(litz::sin(1), litz::UserError);
}

TEST(OpsTest, NumbersChangeTheDtypeByCategoryOnly) {
  const Tensor i = litz::arange(3, DType::i32);
  EXPECT_EQ((i + 1).dtype(), DType::i32);
  EXPECT_EQ((i + 1.0).dtype(), DType::f32);
  EXPECT_EQ((i / 2).dtype(), DType::f32);
  EXPECT_EQ((litz::ones({2}, DType::f16) * 2.5).dtype(), DType::f16);
  EXPECT_EQ((litz::ones({2}, DType::f16) + litz::ones({}, DType::f32)).dtype(), DType::f16);
  EXPECT_EQ((litz::ones({2}, DType::boolean) + 1).dtype(), DType::i64);
  EXPECT_EQ((litz::ones({2}, DType::boolean) & true).dtype(), DType::boolean);
  EXPECT_EQ((litz::tensor<int64_t>({1}) + (int64_t{1} << 60)).item<int64_t>(), (int64_t{1} << 60) + 1);
}

TEST(OpsTest, IntegersWrap) {
  const Tensor x = litz::full({1}, INT32_MAX, DType::i32);
  EXPECT_EQ((x + x).item<int64_t>(), -2);
  EXPECT_EQ((litz::full({1}, 128, DType::u8) + 128).item<int>(), 0);
  EXPECT_EQ(litz::floor_divide(litz::tensor<int32_t>({-7}), 2).item<int>(), -4);
  EXPECT_EQ(litz::remainder(litz::tensor<int32_t>({-7}), 3).item<int>(), 2);
}

TEST(OpsTest, Broadcasts) {
  const Tensor row = litz::tensor<float>({10, 20, 30});
  expect_values([&](const Tensor& x) { return x + row; }, six(), {8, 19.5, 30, 10.5, 21, 33});
  EXPECT_THROW(litz::zeros({2, 3}) + litz::zeros({2}), litz::UserError);
}

TEST(OpsTest, ViewsShareMemoryOutsideOfATrace) {
  const Tensor x = litz::arange(24).to(DType::f32);
  const Tensor y = litz::reshape(x, {2, 3, -1});
  EXPECT_EQ(y.raw_const_data(), x.raw_const_data());
  EXPECT_EQ(list(litz::permute(y, {2, 0, -2}).strides()), (Sizes{1, 12, 4}));
  const Tensor part = litz::slice(litz::select(y, 0, -1), 1, 1, {}, 2);
  EXPECT_EQ(values(part), (std::vector<double>{13, 15, 17, 19, 21, 23}));
  part.copy_from(litz::zeros({3, 2}));
  EXPECT_EQ(x.data<const float>()[13], 0);
  EXPECT_EQ(list(litz::expand(litz::ones({3, 1}), {2, -1, 4}).strides()), (Sizes{0, 1, 0}));
  EXPECT_EQ(list(litz::squeeze(litz::ones({1, 3, 1})).shape()), (Sizes{3}));
  EXPECT_EQ(list(litz::squeeze(litz::ones({1, 3, 1}), {0, 1}).shape()), (Sizes{3, 1}));
  EXPECT_EQ(list(litz::unsqueeze(litz::ones({3}), -1).shape()), (Sizes{3, 1}));
  EXPECT_EQ(list(litz::flatten(litz::ones({2, 3, 4}), 1).shape()), (Sizes{2, 12}));
  EXPECT_EQ(litz::split(x, 10).size(), 3u);
  EXPECT_EQ(litz::split(x, 10)[2].elements(), 4);
  EXPECT_EQ(litz::chunk(x, 5).size(), 5u);
  EXPECT_EQ(litz::unbind(y, 1).size(), 3u);
}

TEST(OpsTest, ReshapeCopiesWhereNoViewCanBe) {
  const Tensor t = litz::transpose(six(), 0, 1);
  const Tensor flat = litz::reshape(t, {6});
  EXPECT_NE(flat.raw_const_data(), t.raw_const_data());
  EXPECT_EQ(values(flat), (std::vector<double>{-2, 0.5, -0.5, 1, 0, 3}));
  EXPECT_THROW(litz::reshape(t, {4}), litz::UserError);
  EXPECT_THROW(litz::reshape(t, {-1, -1}), litz::UserError);
  EXPECT_THROW(litz::reshape(t, {-1, 4}), litz::UserError);
}

TEST(OpsTest, ElementsElsewhere) {
  expect_values([](const Tensor& x) { return litz::cat({x, litz::neg(x)}, 1); }, six(),
                {-2, -0.5, 0, 2, 0.5, 0, 0.5, 1, 3, -0.5, -1, -3});
  expect_values([](const Tensor& x) { return litz::stack({x, x}, -1); }, six(),
                {-2, -2, -0.5, -0.5, 0, 0, 0.5, 0.5, 1, 1, 3, 3});
  expect_values([](const Tensor& x) { return litz::pad(x, {1, 0}, 7); }, six(), {7, -2, -0.5, 0, 7, 0.5, 1, 3});
  expect_values([](const Tensor& x) { return litz::flip(x, {1}); }, six(), {0, -0.5, -2, 3, 1, 0.5});
  expect_values([](const Tensor& x) { return litz::roll(x, 1, 1); }, six(), {0, -2, -0.5, 3, 0.5, 1});
  expect_values([](const Tensor& x) { return litz::tril(x); }, six(), {-2, 0, 0, 0.5, 1, 0});
  expect_values([](const Tensor& x) { return litz::repeat(x, {1, 2}); }, six(),
                {-2, -0.5, 0, -2, -0.5, 0, 0.5, 1, 3, 0.5, 1, 3});
  expect_values([](const Tensor& x) { return litz::diagonal(x, 1); }, six(), {-0.5, 3});
  expect_values([](const Tensor& x) { return litz::full_like(x, 4) + litz::ones_like(x); }, six(), {5, 5, 5, 5, 5, 5});
}

TEST(OpsTest, Reductions) {
  expect_values([](const Tensor& x) { return litz::sum(x); }, six(), {2});
  expect_values([](const Tensor& x) { return litz::sum(x, 0); }, six(), {-1.5, 0.5, 3});
  expect_values([](const Tensor& x) { return litz::mean(x, {-1}, true); }, six(), {-2.5 / 3, 1.5});
  expect_values([](const Tensor& x) { return litz::amax(x, 1) - litz::amin(x, 1); }, six(), {2, 2.5});
  expect_values([](const Tensor& x) { return litz::argmax(x, 0); }, six(), {1, 1, 1});
  expect_values([](const Tensor& x) { return litz::argmin(x); }, six(), {0});
  expect_values([](const Tensor& x) { return litz::var(x, 1, 0); }, six(), {13.0 / 18, 7.0 / 6}, 1e-5);
  expect_values([](const Tensor& x) { return litz::cumsum(x, 1); }, six(), {-2, -2.5, -2.5, 0.5, 1.5, 4.5});
  expect_values([](const Tensor& x) { return litz::any(x > 2, 1); }, six(), {0, 1});
  expect_values([](const Tensor& x) { return litz::norm(x, 1); }, six(), {7});
  expect_values([](const Tensor& x) { return litz::sum(litz::softmax(x, 1), 1); }, six(), {1, 1});
  EXPECT_EQ(litz::sum(litz::ones({3}, DType::boolean)).dtype(), DType::i64);
  EXPECT_TRUE(std::isnan(litz::amax(litz::tensor<float>({1, NAN, 2})).item<float>()));
}

TEST(OpsTest, Products) {
  const Tensor w = litz::tensor<float>({1, 2, 3, 4, 5, 6}, Sizes{2, 3});
  const Tensor b = litz::tensor<float>({100, 200});
  expect_values([&](const Tensor& x) { return litz::linear(x, w, b); }, six(), {97, 189.5, 111.5, 225});
  expect_values([&](const Tensor& x) { return litz::matmul(x, litz::transpose(w, 0, 1)); }, six(),
                {-3, -10.5, 11.5, 25});
  expect_values([&](const Tensor& x) { return litz::addmm(b, x, litz::transpose(w, 0, 1), 0.01, 2); }, six(),
                {-5, -19, 24, 52}, 1e-5);
}

TEST(OpsTest, Convolution) {
  const Tensor x = litz::arange(16, DType::f32);
  const Tensor w = litz::ones({1, 1, 3, 3});
  const Tensor b = litz::tensor<float>({0.5f});
  expect_values(
      [&](const Tensor& v) {
        return litz::conv2d(litz::reshape(v, {1, 1, 4, 4}), w, b, {.stride = 2, .padding = {1, 1}});
      },
      x, {10.5, 24.5, 51.5, 90.5});
  EXPECT_THROW(litz::conv2d(litz::ones({1, 2, 4, 4}), w), litz::UserError);
  EXPECT_THROW(litz::conv2d(litz::ones({4, 4}), w), litz::UserError);
}

TEST(OpsTest, Pools) {
  const Tensor x = litz::arange(16, DType::f32);
  const auto image = [](const Tensor& v) { return litz::reshape(v, {1, 1, 4, 4}); };
  expect_values([&](const Tensor& v) { return litz::max_pool2d(image(v), 2); }, x, {5, 7, 13, 15});
  expect_values([&](const Tensor& v) { return litz::max_pool2d(image(v), 3, {.stride = 2, .padding = 1}); }, x,
                {5, 7, 13, 15});
  expect_values([&](const Tensor& v) { return litz::avg_pool2d(image(v), 2); }, x, {2.5, 4.5, 10.5, 12.5});
  expect_values([&](const Tensor& v) { return litz::adaptive_avg_pool2d(image(v), 1); }, x, {7.5});
}

TEST(OpsTest, Norms) {
  const Tensor w = litz::tensor<float>({2, 2, 2});
  expect_values([&](const Tensor& x) { return litz::mean(litz::layer_norm(x, 3, w), 1); }, six(), {0, 0}, 1e-5);
  const Tensor mean = litz::tensor<float>({1, 2, 3});
  const Tensor var = litz::tensor<float>({4, 4, 4});
  expect_values([&](const Tensor& x) { return litz::batch_norm(x, mean, var, w, {}, 0); }, six(),
                {-3, -2.5, -3, -0.5, -1, 0});
}

TEST(OpsTest, Attention) {
  const Tensor q = litz::randn({1, 2, 5, 4}, DType::f32, 1);
  const Tensor k = litz::randn({1, 2, 5, 4}, DType::f32, 2);
  const Tensor v = litz::ones({1, 2, 5, 4});
  for (double got : values(litz::scaled_dot_product_attention(q, k, v, {.causal = true}))) EXPECT_NEAR(got, 1, 1e-6);
}

TEST(OpsTest, Indices) {
  const Tensor table = litz::tensor<float>({0, 1, 10, 11, 20, 21}, Sizes{3, 2});
  const Tensor rows = litz::tensor<int64_t>({2, 0});
  EXPECT_EQ(values(litz::embedding(table, rows)), (std::vector<double>{20, 21, 0, 1}));
  EXPECT_EQ(values(litz::index_select(table, 1, litz::tensor<int64_t>({1}))), (std::vector<double>{1, 11, 21}));
  EXPECT_EQ(values(litz::index(table, {Tensor(), litz::tensor<int64_t>({-1})})), (std::vector<double>{1, 11, 21}));
  EXPECT_EQ(values(litz::gather(table, 0, litz::tensor<int64_t>({1, 2}, Sizes{1, 2}))), (std::vector<double>{10, 21}));
  const Tensor put = litz::index_put(table, {rows}, litz::zeros({2}));
  EXPECT_EQ(values(put), (std::vector<double>{0, 0, 10, 11, 0, 0}));
  EXPECT_EQ(values(litz::scatter_add(litz::zeros({3}), 0, litz::tensor<int64_t>({1, 1}), litz::ones({2}))),
            (std::vector<double>{0, 2, 0}));
}

TEST(OpsTest, ErrorsNameTheCallAndItsPlace) {
  try {
    litz::matmul(litz::ones({2, 3}), litz::ones({4, 5}));
    FAIL();
  } catch (const litz::UserError& e) {
    EXPECT_EQ(std::string(e.what()).find("matmul (ops_test.cpp:" + std::to_string(__LINE__ - 3) + "): "), 0u)
        << e.what();
  }
}

TEST(OpsTest, BadIndicesAreIndexErrors) {
  const Tensor table = litz::ones({3, 2});
  EXPECT_THROW(litz::embedding(table, litz::tensor<int64_t>({3})), litz::IndexError);
  EXPECT_THROW(litz::embedding(table, litz::tensor<int64_t>({-1})), litz::IndexError);
  EXPECT_THROW(litz::select(table, 0, 3), litz::IndexError);
}

TEST(OpsTest, EmptyAndZeroDimensionalTensors) {
  EXPECT_EQ((litz::ones({0, 3}) + 1).elements(), 0);
  EXPECT_EQ(litz::sum(litz::ones({0, 3}), 0).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(litz::exp(litz::zeros({})).item<float>(), 1);
  EXPECT_TRUE(std::isnan(litz::mean(litz::ones({0})).item<float>()));
}

}  // namespace
