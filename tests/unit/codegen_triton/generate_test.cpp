#include "codegen/triton/generate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/check.h"
#include "tests/unit/kernel_ir/random_kernel.h"

namespace litz::codegen::triton {
namespace {

kernel_ir::Kernel parsed(const std::string& text) {
  Result<kernel_ir::Kernel> k = kernel_ir::parse_kernel(text);
  EXPECT_TRUE(k) << (k ? "" : k.error());
  if (!k) return {};
  kernel_ir::verify(*k);
  return std::move(*k);
}

Generated generated(const std::string& text) { return generate(parsed(text), Target{}, Options{}); }

// The text without the digest in the entry's name.
std::string without_digest(const Generated& g) {
  std::string text = g.source.text;
  for (size_t at = text.find(g.source.entry); at != std::string::npos; at = text.find(g.source.entry)) {
    text.replace(at, g.source.entry.size(), "kernel");
  }
  return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* kSinCos = R"text(kernel @sincos(x: f32[10000] in "x", out: f32[10000] out) {
  ops("cos (f.py:3)", "sin (f.py:3)")
  parallel i < 10000 {
    %5 = load x[i] : f32
    %6 = cos %5 : f32
    %7 = sin %6 : f32
    store out[i], %7
  }
})text";

TEST(Triton, PointwiseReadsOnceAndWritesOnce) {
  EXPECT_EQ(without_digest(generated(kSinCos)), R"text(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(a0_ptr, a1_ptr, XBLOCK: tl.constexpr):
    x = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    xmask = x < 10000
    v0 = tl.load(a0_ptr + x, xmask)
    v1 = libdevice.cos(v0)
    v2 = libdevice.sin(v1)
    tl.store(a1_ptr + x, v2, xmask)
)text");
}

TEST(Triton, LaunchSaysHowToCallIt) {
  const Generated g = generated(kSinCos);
  EXPECT_EQ(g.source.kind, SourceKind::triton);
  EXPECT_EQ(g.source.launch_json,
            "{\"signature\": {\"a0_ptr\": \"*fp32\", \"a1_ptr\": \"*fp32\"}, \"phases\": [{\"entry\": \"" +
                g.source.entry +
                "\", \"programs\": 79, \"constexprs\": {\"XBLOCK\": 128}, \"num_warps\": 4}], \"num_stages\": 1, "
                "\"enable_fp_fusion\": false, \"enable_reflect_ftz\": false}");
  ASSERT_EQ(g.launch.phases.size(), 1u);
  EXPECT_EQ(g.launch.phases[0].tasks, Expr(79));
  EXPECT_FALSE(g.launch.may_fault);
}

TEST(Triton, ReadableTextHasTheProgramsNames) {
  const std::string text = generated(kSinCos).source.readable;
  EXPECT_TRUE(text.starts_with("# sincos\n#   cos (f.py:3)\n#   sin (f.py:3)\nimport triton\n")) << text;
  EXPECT_TRUE(contains(text, "tl.load(x_ptr + x, xmask)")) << text;
  EXPECT_TRUE(contains(text, "tl.store(out_ptr + x, v2, xmask)")) << text;
}

TEST(Triton, NamesThatAreNoPythonNames) {
  const std::string text = generated(
                               "kernel @k(\"a.b\": f32[4] in, a_b: f32[4] in, \"1\": f32[4] out) { parallel i < 4 { "
                               "%0 = load \"a.b\"[i] : f32 %1 = load a_b[i] : f32 %2 = add %0, %1 : f32 "
                               "store \"1\"[i], %2 } }")
                               .source.readable;
  EXPECT_TRUE(contains(text, "(a_b_ptr, a_b_1_ptr, b1_ptr, XBLOCK: tl.constexpr)")) << text;
}

TEST(Triton, EqualKernelsAreEqualTexts) {
  std::string other = kSinCos;
  for (const auto& [from, to] : {std::pair{"@sincos", "@layer7"}, std::pair{"x:", "h:"}, std::pair{"load x", "load h"},
                                 std::pair{"f.py:3", "g.py:9"}, std::pair{"\"x\"", "\"hidden\""}}) {
    other.replace(other.find(from), std::string(from).size(), to);
  }
  const Generated a = generated(kSinCos), b = generated(other);
  EXPECT_EQ(a.source.text, b.source.text);
  EXPECT_EQ(a.source.entry, b.source.entry);
  EXPECT_EQ(a.source.launch_json, b.source.launch_json);
  EXPECT_NE(a.source.readable, b.source.readable);
}

TEST(Triton, SameFromRunToRun) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const kernel_ir::Kernel k = kernel_ir::RandomKernel(seed, /*small=*/true).make();
    const Generated a = generate(k, Target{}, Options{}), b = generate(k, Target{}, Options{});
    EXPECT_EQ(a.source.text, b.source.text) << seed;
    EXPECT_EQ(a.source.readable, b.source.readable) << seed;
  }
}

std::string file(const std::string& name) {
  std::ifstream in("tests/unit/codegen_triton/kernels/" + name);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name << " (tests run in the root of the repository)";
  return text.str();
}

TEST(Triton, SoftmaxLoadsItsRowOnce) {
  EXPECT_EQ(without_digest(generated(file("softmax.litz"))), R"text(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def kernel(a0_ptr, a1_ptr, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    x = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = x < 6
    r = tl.arange(0, RBLOCK)[None, :]
    rmask = r < 20
    v0 = tl.load(a0_ptr + (r + 20*x), xmask & rmask)
    v1 = tl.reduce(tl.where(rmask, v0, float("-inf")), 1, _maximum, keep_dims=True)
    v3 = v0 - v1
    v4 = libdevice.exp(v3)
    v5 = tl.sum(tl.where(rmask, v4, 0.0), 1, keep_dims=True)
    v9 = tl.div_rn(v4, v5)
    tl.store(a1_ptr + (r + 20*x), v9, xmask & rmask)
)text");
}

TEST(Triton, LongRowsRunInBlocks) {
  const std::string text = generated(file("softmax_in_blocks.litz")).source.text;
  EXPECT_TRUE(contains(text, "    for r_start in range(0, 20, RBLOCK):\n")) << text;
  EXPECT_TRUE(contains(text, "acc1 = tl.full([XBLOCK, RBLOCK], float(\"-inf\"), tl.float32)")) << text;
}

TEST(Triton, TransposesHaveTwoDimensionalTiles) {
  const std::string text = generated(file("transpose.litz")).source.text;
  EXPECT_TRUE(contains(text, "XBLOCK: tl.constexpr, YBLOCK: tl.constexpr")) << text;
  EXPECT_TRUE(contains(text, "tl.load(a0_ptr + (35*x + y), ymask & xmask)")) << text;
  EXPECT_TRUE(contains(text, "tl.store(a2_ptr + (x + 40*y), v2, ymask & xmask)")) << text;
}

TEST(Triton, IndicesAreCheckedBeforeTheyAreUsed) {
  const Generated g = generated(file("embedding.litz"));
  EXPECT_TRUE(g.launch.may_fault);
  EXPECT_TRUE(contains(g.source.text, "v1 = _check(v0, -(20), 20, ymask, fault, 1)")) << g.source.text;
  EXPECT_TRUE(contains(g.source.launch_json, "\"fault\": \"*i64\"")) << g.source.launch_json;
}

TEST(Triton, PhasesAreFunctions) {
  const Generated g = generated(file("two_phases.litz"));
  ASSERT_EQ(g.launch.phases.size(), 2u);
  const std::string stem = g.source.entry.substr(0, g.source.entry.size() - 2);
  EXPECT_EQ(g.source.entry, stem + "_0");
  EXPECT_TRUE(contains(g.source.text, "def " + stem + "_1(")) << g.source.text;
}

TEST(Triton, LargeBuffersHaveWideIndices) {
  const std::string text = generated(
                               "kernel @k(x: f32[65536,65536] in, y: f32[65536,65536] out) { parallel i < 65536, "
                               "j < 65536 { %0 = load x[i, j] : f32 store y[i, j], %0 } }")
                               .source.text;
  EXPECT_TRUE(contains(text, "x = tl.program_id(0).to(tl.int64) * XBLOCK + tl.arange(0, XBLOCK)")) << text;
}

TEST(Triton, DivisionAndRootAreExact) {
  const std::string text = generated(
                               "kernel @k(x: f32[4] in, y: f32[4] out) { parallel i < 4 { %0 = load x[i] : f32 "
                               "%1 = sqrt %0 : f32 %2 = div %1, %0 : f32 store y[i], %2 } }")
                               .source.text;
  EXPECT_TRUE(contains(text, "tl.sqrt_rn(v0)")) << text;
  EXPECT_TRUE(contains(text, "tl.div_rn(v1, v0)")) << text;
}

void expect_unsupported(const std::string& text, const std::string& id) {
  try {
    generated(text);
    FAIL() << "generated: " << text;
  } catch (const UnsupportedError& e) {
    EXPECT_EQ(e.id(), id);
  }
}

TEST(Triton, RefusesWhatItLacks) {
  expect_unsupported(
      "kernel @k(a: f32[4,4] in, b: f32[4,4] in, c: f32[4,4] out) { template matmul(m=4, n=4, k=4, "
      "lhs=a strides(0, 4, 1), rhs=b strides(0, 4, 1)) epilogue(%0) { store c[m, n], %0 } }",
      "triton-template");
  expect_unsupported(
      "kernel @k(x: f32[n] in, y: f32[n] out) { parallel i < n { %0 = load x[i] : f32 store y[i], %0 } }",
      "triton-symbolic-kernel");
  expect_unsupported(
      "kernel @k(x: f32[9] in, y: f32[9] out) { schedule(blocks=[100]) parallel i < 9 { "
      "%0 = load x[i] : f32 store y[i], %0 } }",
      "triton-block");
}

}  // namespace
}  // namespace litz::codegen::triton
