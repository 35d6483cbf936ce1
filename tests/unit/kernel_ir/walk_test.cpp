#include "kernel_ir/walk.h"

#include <gtest/gtest.h>

namespace litz::kernel_ir {
namespace {

Kernel parsed(const std::string& text) {
  Result<Kernel> k = parse_kernel(text);
  EXPECT_TRUE(k) << (k ? "" : k.error());
  if (!k) return {};
  verify(*k);
  return std::move(*k);
}

const char* kSoftmax = R"text(kernel @softmax(x: f32[32,512] in, y: f32[32,512] out) {
  parallel i0 < 32 {
    %3 = loop r0 < 512 reduce(max f32 %2) { %2 = load x[i0, r0] : f32 }
    %7 = loop r1 < 512 reduce(sum f32 %6) {
      %4 = load x[i0, r1] : f32
      %5 = sub %4, %3 : f32
      %6 = exp %5 : f32
    }
    loop r2 < 512 {
      %8 = load x[i0, r2] : f32
      %9 = sub %8, %3 : f32
      %10 = exp %9 : f32
      %11 = div %10, %7 : f32
      store y[i0, r2], %11
    }
  }
})text";

TEST(ForEachStatement, KnowsTheLoopsAround) {
  std::string seen;
  for_each_statement(parsed(kSoftmax), [&](const Statement& s, const LoopPath& path) {
    if (!std::holds_alternative<Load>(s)) return;
    for (const Loop* l : path) seen += l->ranges[0].name + ".";
    seen += " ";
  });
  EXPECT_EQ(seen, "i0.r0. i0.r1. i0.r2. ");
}

TEST(RefsRead, CountIndicesAndMasks) {
  const Kernel k = parsed(
      "kernel @k(x: f32[8] in, y: f32[1] out) { parallel { %0 = const 1 : i64 %1 = const true : bool "
      "%2 = load x[%0 + 1] if %1 else 0.5 : f32 store y[0], %2 if %1 } }");
  std::vector<std::vector<Ref>> reads, results;
  for_each_statement(k, [&](const Statement& s, const LoopPath&) {
    reads.push_back(refs_read(s));
    results.push_back(results_of(s));
  });
  EXPECT_EQ(reads, (std::vector<std::vector<Ref>>{{}, {}, {}, {0, 1}, {2, 1}}));
  EXPECT_EQ(results, (std::vector<std::vector<Ref>>{{}, {0}, {1}, {2}, {}}));
  EXPECT_EQ(used_refs(k), 3u);
}

TEST(RangeDependence, FollowsOperandsAndDropsReducedRanges) {
  const auto ranges = range_dependence(parsed(kSoftmax));
  EXPECT_EQ(ranges[2], (std::set<std::string>{"i0", "r0"}));
  EXPECT_EQ(ranges[3], (std::set<std::string>{"i0"}));
  EXPECT_EQ(ranges[5], (std::set<std::string>{"i0", "r1"}));
  EXPECT_EQ(ranges[11], (std::set<std::string>{"i0", "r2"}));
}

TEST(RangeDependence, OfIndirectAndWrittenBuffers) {
  const auto ranges = range_dependence(
      parsed("kernel @k(x: f32[8] in, j: i64[4] in, y: f32[4] out, t: f32[1] local) { parallel i < 4 { loop w < 2 { "
             "%0 = load j[i] : i64 %1 = load x[%0] : f32 store t[0], %1 %2 = load t[0] : f32 %3 = const 1.0 : f32 } "
             "%4 = const 2.0 : f32 store y[i], %4 } }"));
  EXPECT_EQ(ranges[1], (std::set<std::string>{"i"}));
  EXPECT_EQ(ranges[2], (std::set<std::string>{"i", "w"}));
  EXPECT_TRUE(ranges[3].empty());
}

TEST(LiveRanges, ReachTheEndOfALoopAround) {
  const auto live = live_ranges(parsed(kSoftmax));
  // Positions: 0 parallel, 1 loop r0, 2 %2, 3 loop r1, 4 %4, 5 %5, 6 %6, 7 loop r2, 8 … 12 %8 … store.
  EXPECT_EQ(live[2], (LiveRange{2, 2}));
  EXPECT_EQ(live[3], (LiveRange{2, 12}));
  EXPECT_EQ(live[4], (LiveRange{4, 5}));
  EXPECT_EQ(live[7], (LiveRange{6, 12}));
  EXPECT_EQ(live[8], (LiveRange{8, 9}));
  EXPECT_EQ(live[11], (LiveRange{11, 12}));
}

TEST(WorkOf, CountsAnElementOnce) {
  const Work w = work_of(parsed(kSoftmax));
  EXPECT_EQ(w.bytes_read, Expr(int64_t{32} * 512 * 4));
  EXPECT_EQ(w.bytes_written, Expr(int64_t{32} * 512 * 4));
  EXPECT_EQ(w.flops, Expr(int64_t{32} * 512 * 4));    // max, sub, sum, sub
  EXPECT_EQ(w.special, Expr(int64_t{32} * 512 * 3));  // exp, exp, div
}

TEST(WorkOf, BroadcastReadsTheSmallBuffer) {
  const Work w =
      work_of(parsed("kernel @k(b: f32[16] in, y: bf16[64,16] out) { parallel i < 64, j < 16 { %0 = load b[j] : f32 %1 "
                     "= cast %0 : bf16 "
                     "store y[i, j], %1 } }"));
  EXPECT_EQ(w.bytes_read, Expr(64));
  EXPECT_EQ(w.bytes_written, Expr(int64_t{2} * 64 * 16));
  EXPECT_EQ(w.flops, Expr(0));
}

TEST(WorkOf, Templates) {
  const Work w =
      work_of(parsed("kernel @k(a: f32[4,6] in, b: f32[6,5] in, c: f32[4,5] out) { template matmul(m=4, n=5, k=6, "
                     "lhs=a strides(0, 6, 1), "
                     "rhs=b strides(0, 5, 1)) epilogue(%0) { %1 = fma %0, %0, %0 : f32 store c[m, n], %1 } }"));
  EXPECT_EQ(w.flops, Expr(int64_t{2} * 4 * 5 * 6 + int64_t{2} * 4 * 5));
  EXPECT_EQ(w.bytes_read, Expr(int64_t{4} * (24 + 30)));
  EXPECT_EQ(w.bytes_written, Expr(int64_t{4} * 20));
}

}  // namespace
}  // namespace litz::kernel_ir
