#include "schedule/collapse.h"

#include <gtest/gtest.h>

#include "kernel_ir/kernel.h"

namespace litz::schedule {
namespace {

std::string collapsed(const std::string& text) {
  auto kernel = kernel_ir::parse_kernel(text);
  EXPECT_TRUE(kernel) << kernel.error();
  collapse(*kernel);
  kernel_ir::verify(*kernel);
  return kernel_ir::print(*kernel);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Collapse, ContiguousRangesBecomeOne) {
  const std::string text = collapsed(R"(kernel @k(x: f32[8,4,16] in, y: f32[8,4,16] out) {
    parallel i0 < 8, i1 < 4, i2 < 16 { %0 = load x[i0, i1, i2] : f32  store y[i0, i1, i2], %0 }
  })");
  EXPECT_TRUE(has(text, "parallel i0 < 512 {")) << text;
}

TEST(Collapse, ABroadcastOperandKeepsItsRangeApart) {
  const std::string text = collapsed(R"(kernel @k(x: f32[8,4,16] in, b: f32[16] in, y: f32[8,4,16] out) {
    parallel i0 < 8, i1 < 4, i2 < 16 {
      %0 = load x[i0, i1, i2] : f32
      %1 = load b[i2] : f32
      %2 = add %0, %1 : f32
      store y[i0, i1, i2], %2
    }
  })");
  EXPECT_TRUE(has(text, "parallel i0 < 32, i2 < 16 {")) << text;
}

TEST(Collapse, RangesOfOneIterationGo) {
  const std::string text = collapsed(R"(kernel @k(x: f32[1,7,1] in, y: f32[1,7,1] out) {
    parallel n < 1, h < 7, w < 1 { %0 = load x[n, h, w] : f32  store y[n, h, w], %0 }
  })");
  EXPECT_TRUE(has(text, "parallel h < 7 {")) << text;
}

TEST(Collapse, AnIndexAsValueKeepsItsRangeApart) {
  const std::string text = collapsed(R"(kernel @k(y: i64[8,4] out) {
    parallel i0 < 8, i1 < 4 { %0 = index i1  store y[i0, i1], %0 }
  })");
  EXPECT_TRUE(has(text, "parallel i0 < 8, i1 < 4 {")) << text;
}

TEST(Collapse, ATransposedOperandKeepsRangesApart) {
  const std::string text = collapsed(R"(kernel @k(x: f32[4,8] in, y: f32[8,4] out) {
    parallel i0 < 8, i1 < 4 { %0 = load x[i1, i0] : f32  store y[i0, i1], %0 }
  })");
  EXPECT_TRUE(has(text, "parallel i0 < 8, i1 < 4 {")) << text;
}

TEST(Collapse, ReducedRangesJoinToo) {
  const std::string text = collapsed(R"(kernel @k(x: f32[3,5,6] in, y: f32[3] out) {
    parallel i0 < 3 {
      %1 = loop r0 < 5, r1 < 6 reduce(sum f32 %0) { %0 = load x[i0, r0, r1] : f32 }
      store y[i0], %1
    }
  })");
  EXPECT_TRUE(has(text, "loop r0 < 30 ")) << text;
}

}  // namespace
}  // namespace litz::schedule
