#include "support/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace litz {
namespace {

bool is_nan16(uint16_t bits, uint16_t infinity) { return (bits & 0x7fffu) > infinity; }

// Nearest value of a 16-bit format by trying all of them: ties to the even bit pattern.
template <typename ToFloat>
uint16_t nearest_by_search(double value, ToFloat to_float, uint16_t infinity, double step_beyond) {
  uint16_t best = 0;
  double best_error = std::numeric_limits<double>::infinity();
  for (uint32_t bits = 0; bits <= infinity; ++bits) {
    const double candidate = bits == infinity ? step_beyond : to_float(static_cast<uint16_t>(bits));
    const double error = std::abs(candidate - std::abs(value));
    if (error < best_error || (error == best_error && bits % 2 == 0)) {
      best = static_cast<uint16_t>(bits);
      best_error = error;
    }
  }
  return static_cast<uint16_t>(best | (std::signbit(value) ? 0x8000u : 0u));
}

TEST(Half, EveryPatternComesBack) {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const auto b = static_cast<uint16_t>(bits);
    if (is_nan16(b, 0x7c00)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(b)));
      EXPECT_TRUE(is_nan16(f32_to_f16(f16_to_f32(b)), 0x7c00));
    } else {
      EXPECT_EQ(f32_to_f16(f16_to_f32(b)), b);
    }
    if (is_nan16(b, 0x7f80)) {
      EXPECT_TRUE(std::isnan(bf16_to_f32(b)));
      EXPECT_TRUE(is_nan16(f32_to_bf16(bf16_to_f32(b)), 0x7f80));
    } else {
      EXPECT_EQ(f32_to_bf16(bf16_to_f32(b)), b);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  const float values[] = {0.0f,      -0.0f,      1.0f / 3,       2049.0f, 2051.0f,  65519.0f,     65520.0f,    1e6f,
                          5.96e-8f,  2.98e-8f,   2.9802322e-8f,  3e-8f,   6.1e-5f,  6.103e-5f,    -1.5e-7f,    1e-40f,
                          -65504.5f, 1.0009766f, 1.00048828125f, 3.4e38f, -7.0e-5f, 0x1.ffcp-15f, 0x1.ffep-15f};
  for (const float v : values) {
    EXPECT_EQ(f32_to_f16(v), nearest_by_search(v, f16_to_f32, 0x7c00, 65536.0)) << v;
    EXPECT_EQ(f32_to_bf16(v), nearest_by_search(v, bf16_to_f32, 0x7f80, 0x1p128)) << v;
  }
}

TEST(Half, KnownValues) {
  EXPECT_EQ(f32_to_f16(1.0f), 0x3c00);
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(f32_to_f16(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24f);
  EXPECT_EQ(f32_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Half, DoubleRoundsOnce) {
  // In f32 this is the midpoint of two f16 values; the double is a little above it.
  const double above = 1.00048828125 + 1e-12;
  EXPECT_EQ(f32_to_f16(static_cast<float>(above)), 0x3c00);
  EXPECT_EQ(f64_to_f16(above), 0x3c01);
  EXPECT_EQ(f64_to_f16(-above), 0xbc01);
  const double below = 1.00146484375 - 1e-12;
  EXPECT_EQ(f64_to_f16(below), 0x3c01);
  for (const double v : {1e300, 0.1, 1e-300, 65519.999999, 65520.0, 2.98e-8, 5.9604644775390625e-08 * 1.5}) {
    EXPECT_EQ(f64_to_f16(v), nearest_by_search(v, f16_to_f32, 0x7c00, 65536.0)) << v;
    EXPECT_EQ(f64_to_bf16(-v), nearest_by_search(-v, bf16_to_f32, 0x7f80, 0x1p128)) << v;
  }
  EXPECT_TRUE(is_nan16(f64_to_bf16(std::nan("")), 0x7f80));
}

}  // namespace
}  // namespace litz
