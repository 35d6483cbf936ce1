// Matrix products as generated code against plain loops in f64.
#include <gtest/gtest.h>

#include <cmath>

#include "schedule/templates.h"
#include "tests/kernels/template_case.h"

namespace litz::tests {
namespace {

enum class Left : uint8_t { rows, padded_rows, columns };
enum class Right : uint8_t { packed, rows, columns, parts };

struct Case {
  int64_t batch, m, n, k;
  DType dtype = DType::f32;
  Left left = Left::rows;
  Right right = Right::packed;
  EpilogueKind epilogue = EpilogueKind::store;
  int64_t block_k = 0, block_m = 0, block_n = 0;  // 0: as scheduled
  bool share_rhs = false;                         // else as scheduled
};

std::string describe(const Case& c, const Target& target) {
  return name_of(target) + " batch " + std::to_string(c.batch) + " m " + std::to_string(c.m) + " n " +
         std::to_string(c.n) + " k " + std::to_string(c.k) + " " + std::string(dtype_name(c.dtype)) + " left " +
         std::to_string(static_cast<int>(c.left)) + " right " + std::to_string(static_cast<int>(c.right)) + " " +
         name_of(c.epilogue);
}

// The right operand as numbers [batch, k, n], and its buffer.
std::vector<double> add_right(const Case& c, const Target& target, TemplateCase& test, kernel_ir::MatmulTemplate& t) {
  std::vector<double> values(static_cast<size_t>(c.batch * c.k * c.n));
  const auto at = [&](int64_t b, int64_t k, int64_t n) -> double& {
    return values[static_cast<size_t>((b * c.k + k) * c.n + n)];
  };
  if (c.right == Right::packed) {
    const schedule::MatmulPacking packing = schedule::matmul_packing(c.n, c.k, c.dtype, target);
    const int64_t p = packing.panel, panels = (c.n + p - 1) / p, pair = c.dtype == DType::bf16 ? 2 : 1;
    const int64_t steps = (c.k + pair - 1) / pair;
    t.rhs_panel = p;
    t.rhs.buffer = test.add("w", c.dtype, {panels, steps, p, pair});
    Guarded& w = test.data(t.rhs.buffer);
    for (int64_t n = 0; n < panels * p; ++n) {
      for (int64_t k = 0; k < steps * pair; ++k) {
        const int64_t place = ((n / p * steps + k / pair) * p + n % p) * pair + k % pair;
        if (n < c.n && k < c.k) {
          at(0, k, n) = w.get(place);
        } else {
          w.set(place, 0);
        }
      }
    }
    return values;
  }
  if (c.right == Right::parts) {  // [n, k] in three buffers
    constexpr int64_t kPart = 32;
    t.rhs_starts = {kPart, 3 * kPart};
    t.more_rhs.resize(2);
    for (int64_t part = 0; part < 3; ++part) {
      const int64_t first = part == 0 ? 0 : t.rhs_starts[part - 1], last = part == 2 ? c.n : t.rhs_starts[part];
      kernel_ir::Operand& operand = part == 0 ? t.rhs : t.more_rhs[part - 1];
      operand.buffer = test.add("w" + std::to_string(part), c.dtype, {last - first, c.k});
      operand.strides = {0, 1, c.k};
      for (int64_t n = first; n < last; ++n) {
        for (int64_t k = 0; k < c.k; ++k) at(0, k, n) = test.data(operand.buffer).get((n - first) * c.k + k);
      }
    }
    return values;
  }
  const bool by_rows = c.right == Right::rows;
  t.rhs.buffer = test.add("w", c.dtype, by_rows ? std::vector{c.batch, c.k, c.n} : std::vector{c.batch, c.n, c.k});
  t.rhs.strides = {c.k * c.n, by_rows ? c.n : 1, by_rows ? 1 : c.k};
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t k = 0; k < c.k; ++k) {
      for (int64_t n = 0; n < c.n; ++n) {
        at(b, k, n) = test.data(t.rhs.buffer).get(b * c.k * c.n + (by_rows ? k * c.n + n : n * c.k + k));
      }
    }
  }
  return values;
}

void check(const Case& c, const Target& target) {
  SCOPED_TRACE(describe(c, target));
  TemplateCase test;
  kernel_ir::MatmulTemplate t{.batch = c.batch, .m = c.m, .n = c.n, .k = c.k, .dtype = c.dtype};
  const bool by_columns = c.left == Left::columns;
  const int64_t row = c.left == Left::padded_rows ? c.k + 3 : c.k;
  t.lhs.buffer = test.add("x", c.dtype, by_columns ? std::vector{c.batch, c.k, c.m} : std::vector{c.batch, c.m, row});
  t.lhs.strides = {c.m * row, by_columns ? 1 : row, by_columns ? c.m : 1};
  const std::vector<double> right = add_right(c, target, test, t);

  std::vector<Expr> place = {Expr::symbol("m"), Expr::symbol("n")};
  std::vector<int64_t> shape = {c.m, c.n};
  if (c.batch > 1) {
    place.insert(place.begin(), Expr::symbol("b"));
    shape.insert(shape.begin(), c.batch);
  }
  const auto lhs = t.lhs;
  test.finish({.what = t}, c.epilogue, shape, place, c.n, Expr::symbol("n"));
  test.kernel.schedule = schedule::schedule_matmul(t, target);
  if (c.block_k) test.kernel.schedule.block_k = c.block_k;
  if (c.block_m) test.kernel.schedule.block_m = c.block_m;
  if (c.block_n) test.kernel.schedule.block_n = c.block_n;
  if (c.share_rhs) {
    test.kernel.schedule.share_rhs = true;
    test.kernel.schedule.along_k = false;
  }
  test.run(target);

  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t m = 0; m < c.m; ++m) {
      for (int64_t n = 0; n < c.n; ++n) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < c.k; ++k) {
          const double x = test.data(lhs.buffer).get(b * c.m * row + (by_columns ? k * c.m + m : m * row + k)) *
                           right[static_cast<size_t>((b * c.k + k) * c.n + n)];
          sum += x;
          size += std::fabs(x);
        }
        const int64_t at = (b * c.m + m) * c.n + n;
        const double expected = test.expected(sum, at, n);
        const double unit = c.epilogue == EpilogueKind::store_bf16 ? 1.0 / 256 : 1.2e-7;
        ASSERT_NEAR(test.result(at), expected, unit * std::fabs(expected) + 4e-7 * (size + 1))
            << "at " << b << ", " << m << ", " << n;
      }
    }
  }
}

void check_everywhere(const std::vector<Case>& cases) {
  for (const Target& target : targets()) {
    for (const Case& c : cases) check(c, target);
  }
}

TEST(Matmul, SizesWithTails) {
  check_everywhere({{1, 1, 1, 1},
                    {1, 1, 1000, 33},
                    {1, 3, 40, 70, DType::f32, Left::rows, Right::packed, EpilogueKind::bias_relu},
                    {1, 17, 33, 5},
                    {1, 29, 96, 64, DType::f32, Left::padded_rows},
                    {1, 128, 50, 31, DType::f32, Left::rows, Right::packed, EpilogueKind::bias_residual_relu},
                    {1, 15, 64, 512}});
}

TEST(Matmul, Epilogues) {
  for (const EpilogueKind kind :
       {EpilogueKind::bias_relu, EpilogueKind::bias_residual_relu, EpilogueKind::gelu, EpilogueKind::store_bf16}) {
    check_everywhere({{1, 19, 70, 24, DType::f32, Left::rows, Right::packed, kind}});
  }
}

TEST(Matmul, BlocksOfK) {
  check_everywhere({{1, 30, 70, 65, DType::f32, Left::rows, Right::packed, EpilogueKind::bias_relu, 16, 14, 32},
                    {1, 30, 70, 65, DType::bf16, Left::rows, Right::packed, EpilogueKind::store, 16, 14, 32},
                    {2, 30, 70, 65, DType::f32, Left::columns, Right::columns, EpilogueKind::store, 32, 30, 64}});
}

TEST(Matmul, RowsAPowerOfTwoApart) {
  check_everywhere({{1, 40, 64, 1024, DType::f32, Left::rows, Right::packed, EpilogueKind::bias_relu}});
}

TEST(Matmul, UnpackedAndTransposed) {
  check_everywhere({{3, 10, 37, 21, DType::f32, Left::rows, Right::rows},
                    {2, 33, 40, 48, DType::f32, Left::rows, Right::columns},
                    {2, 7, 50, 19, DType::f32, Left::columns, Right::columns},
                    {1, 70, 130, 12, DType::f32, Left::columns, Right::rows, EpilogueKind::bias_relu, 0, 28, 32}});
}

// A weight as it is, packed on the way: squares that end early, k shorter than a vector, blocks of k, many rows.
TEST(Matmul, PlainWeight) {
  check_everywhere({{1, 20, 70, 33, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu},
                    {1, 40, 33, 7, DType::f32, Left::rows, Right::columns},
                    {1, 16, 5, 41, DType::f32, Left::rows, Right::columns},
                    {1, 300, 96, 600, DType::f32, Left::rows, Right::columns},
                    {1, 30, 70, 66, DType::bf16, Left::rows, Right::columns, EpilogueKind::bias_relu, 16, 14, 32},
                    {1, 30, 40, 64, DType::bf16, Left::rows, Right::columns},
                    {1, 30, 40, 65, DType::bf16, Left::rows, Right::columns}});
}

// The right operand packed first, in scratch that all tasks share.
TEST(Matmul, RightPackedForAllTasks) {
  constexpr EpilogueKind kStore = EpilogueKind::store;
  check_everywhere({{1, 30, 70, 65, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu, 16, 14, 32, true},
                    {1, 30, 70, 65, DType::f32, Left::rows, Right::rows, kStore, 0, 14, 32, true},
                    {3, 30, 70, 40, DType::f32, Left::columns, Right::columns, kStore, 16, 14, 32, true},
                    {1, 50, 160, 70, DType::f32, Left::rows, Right::parts, kStore, 32, 28, 64, true},
                    {2, 30, 70, 66, DType::bf16, Left::rows, Right::columns, kStore, 16, 14, 32, true},
                    {1, 30, 70, 65, DType::bf16, Left::rows, Right::rows, kStore, 0, 14, 32, true},
                    {1, 40, 70, 128, DType::bf16, Left::rows, Right::columns, kStore, 64, 32, 32, true},
                    {1, 0, 70, 65, DType::f32, Left::rows, Right::columns, kStore, 16, 14, 32, true}});
}

TEST(Matmul, RightIsSharedWhereRowsDoNotStayInCache) {
  Target target = host_target();
  lower_isa(target, Isa::avx2);
  target.l2_bytes = 512 << 10;
  kernel_ir::MatmulTemplate t{.m = 1024, .n = 1024, .k = 1024};
  t.lhs.strides = {1 << 20, 1024, 1};
  t.rhs.strides = {0, 1, 1024};
  EXPECT_TRUE(schedule::schedule_matmul(t, target).share_rhs);
  t.m = 128;
  EXPECT_FALSE(schedule::schedule_matmul(t, target).share_rhs);
  t.m = 1024;
  t.n = 1 << 20;  // 4 GiB
  EXPECT_FALSE(schedule::schedule_matmul(t, target).share_rhs);
  t.n = Expr::symbol("s0");
  EXPECT_FALSE(schedule::schedule_matmul(t, target).share_rhs);
}

TEST(Matmul, PartsSideBySide) {
  check_everywhere({{1, 20, 130, 33, DType::f32, Left::rows, Right::parts, EpilogueKind::bias_relu},
                    {1, 5, 130, 40, DType::f32, Left::rows, Right::parts, EpilogueKind::bias_relu},
                    {1, 40, 128, 64, DType::bf16, Left::rows, Right::parts},
                    {1, 50, 160, 70, DType::f32, Left::rows, Right::parts, EpilogueKind::store, 32, 28, 64}});
}

// Vectors along k.
TEST(Matmul, FewRows) {
  for (int64_t m = 1; m <= 6; ++m) {
    check_everywhere({{1, m, 70, 37 + m, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu}});
  }
  check_everywhere({{1, 17, 35, 48, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu},
                    {1, 24, 33, 64, DType::f32, Left::rows, Right::columns}});
  check_everywhere({{1, 1, 3, 5, DType::f32, Left::rows, Right::columns},
                    {2, 7, 50, 48, DType::f32, Left::columns, Right::columns},
                    {1, 3, 40, 64, DType::bf16, Left::rows, Right::columns, EpilogueKind::gelu},
                    {1, 2, 1000, 600, DType::f32, Left::padded_rows, Right::columns}});
}

TEST(Matmul, HalfPrecision) {
  check_everywhere({{1, 20, 70, 64, DType::bf16, Left::rows, Right::packed, EpilogueKind::bias_relu},
                    {1, 2, 40, 33, DType::bf16},
                    {1, 31, 33, 7, DType::bf16, Left::padded_rows},
                    {1, 9, 40, 16, DType::bf16, Left::columns},
                    {2, 9, 40, 35, DType::bf16, Left::rows, Right::columns},
                    {1, 20, 70, 33, DType::f16},
                    {2, 20, 17, 33, DType::f16, Left::rows, Right::rows, EpilogueKind::store_bf16}});
}

// Whole steps of 32 values of k, as the matrix unit takes them: one and two registers of rows, tiles of two sizes, a
// narrow panel, columns that are not there, blocks of k, operands that are copied, sums that go to bf16.
TEST(Matmul, WholeStepsOfPairs) {
  check_everywhere({{1, 32, 64, 32, DType::bf16},
                    {1, 9, 33, 96, DType::bf16, Left::rows, Right::columns, EpilogueKind::bias_relu},
                    {1, 16, 16, 64, DType::bf16, Left::rows, Right::columns},
                    {1, 17, 70, 64, DType::bf16, Left::padded_rows, Right::packed, EpilogueKind::gelu},
                    {1, 75, 40, 64, DType::bf16, Left::columns, Right::columns, EpilogueKind::store_bf16},
                    {1, 64, 128, 1024, DType::bf16, Left::rows, Right::columns, EpilogueKind::bias_residual_relu},
                    {1, 200, 130, 1600, DType::bf16, Left::rows, Right::packed, EpilogueKind::bias_relu},
                    {1, 200, 130, 1600, DType::bf16, Left::rows, Right::columns, EpilogueKind::store, 64, 64, 32},
                    {3, 40, 48, 32, DType::bf16, Left::rows, Right::columns},
                    {1, 45, 128, 64, DType::bf16, Left::rows, Right::parts}});
}

TEST(Matmul, NothingToDo) {
  check_everywhere({{1, 0, 8, 4},
                    {1, 0, 8, 48, DType::f32, Left::rows, Right::columns},
                    {1, 0, 8, 40, DType::bf16, Left::rows, Right::columns},
                    {1, 4, 8, 0, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu},
                    {1, 40, 8, 0, DType::f32, Left::rows, Right::columns, EpilogueKind::bias_relu},
                    {1, 4, 8, 0, DType::f32, Left::rows, Right::packed, EpilogueKind::bias_relu}});
}

}  // namespace
}  // namespace litz::tests
