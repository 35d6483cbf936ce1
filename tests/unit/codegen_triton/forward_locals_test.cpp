#include "codegen/triton/forward_locals.h"

#include <gtest/gtest.h>

#include "kernel_ir/canonical.h"
#include "support/check.h"

namespace litz::codegen::triton {
namespace {

kernel_ir::Kernel parsed(const std::string& text) {
  Result<kernel_ir::Kernel> k = kernel_ir::parse_kernel(text);
  EXPECT_TRUE(k) << (k ? "" : k.error());
  if (!k) return {};
  kernel_ir::verify(*k);
  return std::move(*k);
}

// A kernel with a local row of 8 and these statements in its loop.
std::string kernel(const std::string& body) {
  return "kernel @k(x: f32[4,8] in, y: f32[4,8] out, row: f32[8] local) { checks(\"c\") parallel i < 4 { " + body +
         " } }";
}

std::string forwarded(const std::string& body) {
  const kernel_ir::Kernel k = forward_locals(parsed(kernel(body)));
  kernel_ir::verify(k);
  return kernel_ir::print(kernel_ir::canonical(k));
}

TEST(ForwardLocals, ComputesAgainWhatWasStored) {
  EXPECT_EQ(
      forwarded("%3 = loop w < 8 reduce(sum f32 %1) { %0 = load x[i, w] : f32 %1 = exp %0 : f32 store row[w], %1 } "
                "loop q < 8 { %4 = load row[7 - q] : f32 %5 = div %4, %3 : f32 store y[i, q], %5 }"),
      R"text(kernel @kernel(a0: f32[4,8] in, a1: f32[4,8] out) {
  checks("")
  parallel i0 < 4 {
    %2 = loop i1 < 8 reduce(sum f32 %1) {
      %0 = load a0[i0, i1] : f32
      %1 = exp %0 : f32
    }
    loop i2 < 8 {
      %3 = load a0[i0, -i2 + 7] : f32
      %4 = exp %3 : f32
      %5 = div %4, %2 : f32
      store a1[i0, i2], %5
    }
  }
}
)text");
}

TEST(ForwardLocals, DropsLoopsThatOnlyFilledARow) {
  EXPECT_EQ(forwarded("%0 = const 2.0 : f32 loop w < 8 { store row[w], %0 } "
                      "loop q < 8 { %1 = load row[q] : f32 store y[i, q], %1 }"),
            R"text(kernel @kernel(a0: f32[4,8] in, a1: f32[4,8] out) {
  checks("")
  parallel i0 < 4 {
    %0 = const 2.0 : f32
    loop i1 < 8 { store a1[i0, i1], %0 }
  }
}
)text");
}

TEST(ForwardLocals, FollowsRowsMadeFromRows) {
  const std::string text = forwarded(
      "loop w < 8 { %0 = load x[i, w] : f32 store row[w], %0 } "
      "loop v < 8 { %1 = load row[v] : f32 %2 = exp %1 : f32 store row[v], %2 } "
      "loop q < 8 { %3 = load row[q] : f32 store y[i, q], %3 }");
  EXPECT_NE(
      text.find("loop i1 < 8 {\n      %0 = load a0[i0, i1] : f32\n      %1 = exp %0 : f32\n      store a1[i0, i1], %1"),
      std::string::npos)
      << text;
}

TEST(ForwardLocals, LeavesOtherKernelsAlone) {
  const kernel_ir::Kernel k =
      parsed("kernel @k(y: f32[1] out) { parallel { %0 = const 1.0 : f32 %1 = neg %0 : f32 store y[0], %0 } }");
  EXPECT_EQ(forward_locals(k), k);
}

void expect_unsupported(const std::string& body, const std::string& why) {
  try {
    forward_locals(parsed(kernel(body)));
    FAIL() << "forwarded: " << body;
  } catch (const UnsupportedError& e) {
    EXPECT_EQ(e.id(), "triton-local-buffer");
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

TEST(ForwardLocals, RefusesWhatCannotBeComputedAgain) {
  const std::string end = " loop q < 8 { %8 = load row[q] : f32 store y[i, q], %8 }";
  expect_unsupported("%0 = const 1.0 : f32 store row[0], %0" + end, "is written outside a loop");
  expect_unsupported("%0 = const 1.0 : f32 %1 = const true : bool loop w < 8 { store row[w], %0 if %1 }" + end,
                     "is written under a mask");
  expect_unsupported("%0 = const 1.0 : f32 loop w < 4 { store row[2*w], %0 }" + end,
                     "is not written one range a dimension");
  expect_unsupported("%0 = const 1.0 : f32 loop w < 8, u < 2 { store row[w], %0 }" + end,
                     "does not hold every iteration");
  expect_unsupported("loop a < 2 { loop w < 8 { %0 = load x[a, w] : f32 store row[w], %0 } }" + end,
                     "is read outside the loop around the one that writes it");
  expect_unsupported(
      "loop w < 8 { %1 = loop z < 2 reduce(sum f32 %0) { %0 = load x[z, w] : f32 } store row[w], %1 }" + end,
      "holds what an inner loop gives");
}

}  // namespace
}  // namespace litz::codegen::triton
