// Attention as generated code against plain loops in f64.
#include <gtest/gtest.h>

#include <cmath>

#include "schedule/templates.h"
#include "tests/kernels/template_case.h"

namespace litz::tests {
namespace {

enum class Mask : uint8_t { none, added, boolean, boolean_rows };

struct Case {
  int64_t batch, heads, queries, keys, dim, value_dim;
  int64_t group = 1;
  bool causal = false;
  Mask mask = Mask::none;
  DType dtype = DType::f32;
  bool heads_inside = false;  // [batch, position, head, d] instead of [batch, head, position, d]
  int64_t block_keys = 0;     // 0: as scheduled
};

std::string describe(const Case& c, const Target& target) {
  std::string text = name_of(target) + " " + std::string(dtype_name(c.dtype)) + " mask " +
                     std::to_string(static_cast<int>(c.mask)) + (c.causal ? " causal" : "");
  for (const int64_t x : {c.batch, c.heads, c.queries, c.keys, c.dim, c.value_dim, c.group, c.block_keys}) {
    text += " " + std::to_string(x);
  }
  return text;
}

// An operand [batch, heads, positions, d] in either order of dimensions.
struct Tensor {
  uint32_t buffer = 0;
  int64_t strides[4];

  Tensor(TemplateCase* test, const Case& c, const char* name, int64_t heads, int64_t positions, int64_t d) {
    const bool inside = c.heads_inside;
    buffer = test->add(name, c.dtype,
                       inside ? std::vector{c.batch, positions, heads, d} : std::vector{c.batch, heads, positions, d});
    strides[0] = heads * positions * d, strides[3] = 1;
    strides[1] = inside ? d : positions * d, strides[2] = inside ? heads * d : d;
  }
  kernel_ir::Operand operand() const { return {buffer, 0, {strides[0], strides[1], strides[2], strides[3]}}; }
  int64_t at(int64_t b, int64_t h, int64_t p, int64_t d) const {
    return b * strides[0] + h * strides[1] + p * strides[2] + d * strides[3];
  }
};

class AttentionCase {
 public:
  AttentionCase(const Case& c, const Target& target)
      : c_(c),
        query_(&test, c, "q", c.heads, c.queries, c.dim),
        key_(&test, c, "k", c.heads / c.group, c.keys, c.dim),
        value_(&test, c, "v", c.heads / c.group, c.keys, c.value_dim) {
    kernel_ir::AttentionTemplate t{.batch = c.batch,
                                   .heads = c.heads,
                                   .queries = c.queries,
                                   .keys = c.keys,
                                   .head_dim = c.dim,
                                   .value_dim = c.value_dim,
                                   .head_group = c.group,
                                   .dtype = c.dtype,
                                   .scale = kScale,
                                   .causal = c.causal};
    t.query = query_.operand(), t.key = key_.operand(), t.value = value_.operand();
    if (c.mask != Mask::none) {
      t.mask_dtype = c.mask == Mask::added ? DType::f32 : DType::boolean;
      const bool rows = c.mask == Mask::boolean_rows;
      mask_ = test.add("mask", t.mask_dtype, {c.batch, rows ? c.queries : 1, c.keys});
      t.mask = kernel_ir::Operand{mask_, 0, {(rows ? c.queries : 1) * c.keys, 0, rows ? c.keys : 0, 1}};
    }
    const auto symbol = [](const char* name) { return Expr::symbol(name); };
    test.finish({.what = t}, EpilogueKind::store, {c.batch, c.queries, c.heads, c.value_dim},
                {symbol("b"), symbol("q"), symbol("h"), symbol("d")}, c.value_dim, symbol("d"));
    test.kernel.schedule = schedule::schedule_attention(t, target);
    if (c.block_keys) test.kernel.schedule.block_k = c.block_keys;
  }

  double score(int64_t b, int64_t h, int64_t q, int64_t k) {
    double sum = 0;
    for (int64_t d = 0; d < c_.dim; ++d) {
      sum += test.data(query_.buffer).get(query_.at(b, h, q, d)) *
             test.data(key_.buffer).get(key_.at(b, h / c_.group, k, d));
    }
    sum *= kScale;
    if (c_.causal && k > q) return -INFINITY;
    if (c_.mask == Mask::added) sum += test.data(mask_).get(b * c_.keys + k);
    if (c_.mask == Mask::boolean && test.data(mask_).get(b * c_.keys + k) == 0) return -INFINITY;
    if (c_.mask == Mask::boolean_rows && test.data(mask_).get((b * c_.queries + q) * c_.keys + k) == 0)
      return -INFINITY;
    return sum;
  }

  void compare(int64_t b, int64_t h, int64_t q) {
    std::vector<double> weights;
    double top = -INFINITY, total = 0;
    for (int64_t k = 0; k < c_.keys; ++k) top = std::max(top, weights.emplace_back(score(b, h, q, k)));
    for (double& w : weights) total += w = top == -INFINITY ? 0 : std::exp(w - top);
    for (int64_t d = 0; d < c_.value_dim; ++d) {
      double expected = 0;
      for (int64_t k = 0; k < c_.keys; ++k) {
        const double w = weights[static_cast<size_t>(k)];
        if (w != 0) expected += w / total * test.data(value_.buffer).get(value_.at(b, h / c_.group, k, d));
      }
      const double got = test.result(((b * c_.queries + q) * c_.heads + h) * c_.value_dim + d);
      ASSERT_NEAR(got, expected, 2e-6) << "batch " << b << " head " << h << " query " << q << " d " << d;
    }
  }

  void compare_all() {
    for (int64_t b = 0; b < c_.batch; ++b) {
      for (int64_t h = 0; h < c_.heads; ++h) {
        for (int64_t q = 0; q < c_.queries; ++q) compare(b, h, q);
      }
    }
  }

  TemplateCase test;
  uint32_t mask() const { return mask_; }

 private:
  static constexpr double kScale = 0.75;
  Case c_;
  Tensor query_, key_, value_;
  uint32_t mask_ = 0;
};

void check_everywhere(const std::vector<Case>& cases) {
  for (const Target& target : targets()) {
    for (const Case& c : cases) {
      SCOPED_TRACE(describe(c, target));
      AttentionCase attention(c, target);
      attention.test.run(target);
      attention.compare_all();
    }
  }
}

TEST(Attention, Sizes) {
  check_everywhere({{1, 2, 32, 32, 64, 64, 1, false, Mask::none, DType::f32, true},
                    {2, 3, 17, 45, 24, 40},
                    {1, 1, 5, 3, 7, 9},
                    {1, 2, 1, 130, 80, 80},
                    {1, 2, 29, 64, 16, 128}});
}

TEST(Attention, Causal) {
  check_everywhere({{1, 2, 40, 40, 16, 16, 1, true},
                    {1, 1, 20, 50, 16, 32, 1, true},
                    {1, 1, 70, 33, 16, 32, 1, true},
                    {1, 1, 100, 100, 16, 32, 1, true, Mask::none, DType::f32, false, 32}});
}

TEST(Attention, Masks) {
  check_everywhere({{2, 2, 20, 37, 16, 16, 1, false, Mask::added},
                    {2, 2, 20, 37, 16, 16, 1, false, Mask::boolean, DType::f32, true},
                    {2, 1, 33, 70, 16, 16, 1, false, Mask::boolean_rows, DType::f32, false, 32},
                    {1, 1, 33, 70, 16, 16, 1, true, Mask::added, DType::f32, false, 32}});
}

TEST(Attention, SharedKeysAndSmallFloats) {
  check_everywhere({{1, 4, 20, 50, 32, 32, 2},
                    {2, 4, 10, 30, 16, 24, 4, true, Mask::none, DType::bf16, true},
                    {1, 2, 20, 50, 32, 17, 1, false, Mask::boolean, DType::bf16, false, 32},
                    {1, 2, 20, 50, 33, 32, 1, false, Mask::none, DType::f16}});
}

// As eager's scaled_dot_product_attention has it.
TEST(Attention, RowsThatSeeNoKeyAreZero) {
  for (const Target& target : targets()) {
    for (const int64_t block : {0, 32}) {
      SCOPED_TRACE(name_of(target) + " " + std::to_string(block));
      AttentionCase attention({1, 1, 9, 80, 16, 16, 1, false, Mask::boolean_rows, DType::f32, false, block}, target);
      for (int64_t k = 0; k < 80; ++k) attention.test.data(attention.mask()).set(int64_t{4} * 80 + k, 0);
      for (int64_t k = 0; k < 64; ++k) attention.test.data(attention.mask()).set(int64_t{6} * 80 + k, 0);
      attention.test.run(target);
      attention.compare_all();
    }
  }
}

TEST(Attention, NoKeysGiveZeros) { check_everywhere({{1, 2, 5, 0, 16, 16}}); }

}  // namespace
}  // namespace litz::tests
