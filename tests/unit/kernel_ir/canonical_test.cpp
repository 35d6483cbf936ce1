#include "kernel_ir/canonical.h"

#include <gtest/gtest.h>

#include <map>

#include "kernel_ir/walk.h"
#include "tests/unit/kernel_ir/random_kernel.h"

namespace litz::kernel_ir {
namespace {

Kernel parsed(const std::string& text) {
  Result<Kernel> k = parse_kernel(text);
  EXPECT_TRUE(k) << (k ? "" : k.error());
  return k ? std::move(*k) : Kernel();
}

TEST(Canonical, DropsNames) {
  Kernel k = parsed(R"text(kernel @gelu3(h: f32[64] in "h", j: i64[8] in, out: f32[8] out) {
  ops("gelu (model.py:9)")
  checks("index out of range")
  schedule(vector_ranges=[row], vector_lanes=16)
  parallel row < 8 {
    %7 = load j[row] : i64
    %9 = check %7 < 64 # 0
    %4 = load h[%9] : f32
    %20 = loop q < 3 reduce(sum f32 %5) { %5 = neg %4 : f32 }
    store out[row], %20
  }
}
)text");
  k.notes = {"fused"};
  EXPECT_EQ(print(canonical(k)), R"text(kernel @kernel(a0: f32[64] in, a1: i64[8] in, a2: f32[8] out) {
  checks("")
  schedule(vector_ranges=[i0], vector_lanes=16)
  parallel i0 < 8 {
    %0 = load a1[i0] : i64
    %1 = check %0 < 64 # 0
    %2 = load a0[%1] : f32
    %4 = loop i1 < 3 reduce(sum f32 %3) { %3 = neg %2 : f32 }
    store a2[i0], %4
  }
}
)text");
}

TEST(Canonical, KeepsTemplateRangesAndSizes) {
  const Kernel k = canonical(
      parsed("kernel @k(a: f32[i0,4] in, b: f32[4,4] in, c: f32[i0,4] out) { template matmul(m=i0, n=4, k=4, lhs=a "
             "strides(0, 4, 1), "
             "rhs=b strides(0, 4, 1)) epilogue(%3) { %5 = loop z < 2 reduce(sum f32 %3) {} store c[m, n], %5 } }"));
  EXPECT_NO_THROW(verify(k));
  EXPECT_EQ(print(k), R"text(kernel @kernel(a0: f32[i0,4] in, a1: f32[4,4] in, a2: f32[i0,4] out) {
  template matmul(m=i0, n=4, k=4,
      lhs=a0 strides(0, 4, 1),
      rhs=a1 strides(0, 4, 1)) epilogue(%0) {
    %1 = loop i1 < 2 reduce(sum f32 %0) {}
    store a2[m, n], %1
  }
}
)text");
}

TEST(Canonical, TellsDifferentKernelsApart) {
  const std::string text =
      "kernel @k(x: f32[4] in, y: f32[4] out) { parallel i < 4 { %0 = load x[i] : f32 store y[i], %0 } }";
  std::string other = text;
  other.replace(other.find("x[i]"), 4, "x[3 - i]");
  EXPECT_NE(canonical(parsed(text)), canonical(parsed(other)));
}

// Gives everything another name, consistently.
Kernel renamed(Kernel k) {
  k.name = "other";
  k.notes = {"a note"};
  for (std::string& c : k.checks) c += "!";
  for (Buffer& b : k.buffers) {
    b.name = "z_" + b.name;
    b.source = "somewhere";
  }
  std::map<std::string, Expr> names;
  for (Ref r = 0; r < k.next_ref; ++r) names.emplace("%" + std::to_string(r), ref_symbol(5 * r + 3));
  for_each_statement(k, [&](const Statement& s, const LoopPath&) {
    const Loop* loop = std::get_if<Loop>(&s);
    if (loop == nullptr) return;
    for (const Range& r : loop->ranges) names.emplace(r.name, Expr::symbol("zz" + r.name));
  });
  for_each_statement(k.body, [&](Statement& s) {
    for (Expr* e : expressions(s)) *e = e->substitute(names);
    for_each_ref(s, [](Ref& r) { r = 5 * r + 3; });
    if (Loop* loop = std::get_if<Loop>(&s)) {
      for (Range& r : loop->ranges) r.name = "zz" + r.name;
    }
  });
  for (std::string& r : k.schedule.vector_ranges) r = "zz" + r;
  k.next_ref = 5 * k.next_ref + 3;
  return k;
}

TEST(Canonical, RandomKernels) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Kernel k = RandomKernel(seed).make();
    const Kernel c = canonical(k);
    ASSERT_NO_THROW(verify(c)) << "seed " << seed << "\n" << print(c);
    ASSERT_EQ(canonical(c), c) << "seed " << seed;
    const Kernel other = renamed(k);
    ASSERT_NO_THROW(verify(other)) << "seed " << seed << "\n" << print(other);
    ASSERT_EQ(canonical(other), c) << "seed " << seed << "\n" << print(canonical(other)) << print(c);
  }
}

}  // namespace
}  // namespace litz::kernel_ir
