// Matrix products and attention.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

void dots(CaseList& list) {
  const auto dot = [&](const std::string& what, DType dtype, const Shape& a, const Shape& b) {
    list.add("dot", what, {in(dtype, a), in(dtype, b)}, {}, sum_near(dtype, a.back(), 9));
  };
  dot("small", DType::f32, {3, 5}, {5, 7});
  dot("tiles", DType::f32, {37, 65}, {65, 71});
  dot("deep", DType::f32, {5, 700}, {700, 33});
  dot("row", DType::f32, {1, 33}, {33, 65});
  dot("column", DType::f32, {33, 17}, {17, 1});
  dot("batched", DType::f32, {3, 9, 17}, {3, 17, 11});
  dot("two-batches", DType::f32, {2, 3, 5, 8}, {2, 3, 8, 6});
  dot("inner-empty", DType::f32, {3, 0}, {0, 5});
  dot("no-rows", DType::f32, {0, 3}, {3, 5});
  for (DType dtype : {DType::f64, DType::bf16, DType::f16, DType::i64, DType::i32, DType::u8}) {
    dot(name_of(dtype), dtype, {9, 33}, {33, 19});
  }
  list.add("dot", "bf16-to-f32", {in(DType::bf16, {7, 21}), in(DType::bf16, {21, 35})}, {{"dtype", DType::f32}},
           sum_near(DType::f32, 21, 9));
}

void linears(CaseList& list) {
  list.add("linear", "bias", {f32({9, 65}), f32({37, 65}), f32({37})}, {}, sum_near(DType::f32, 65, 9));
  list.add("linear", "plain", {f32({9, 33}), f32({70, 33})}, {}, sum_near(DType::f32, 33, 9));
  list.add("linear", "vector", {f32({33}), f32({5, 33}), f32({5})}, {}, sum_near(DType::f32, 33, 9));
  list.add("linear", "batched", {f32({2, 3, 17}), f32({9, 17}), f32({9})}, {}, sum_near(DType::f32, 17, 9));
  list.add("linear", "large", {f32({50, 300}), f32({130, 300}), f32({130})}, {}, sum_near(DType::f32, 300, 9));
  list.add("linear", "bf16", {in(DType::bf16, {9, 65}), in(DType::bf16, {37, 65}), in(DType::bf16, {37})}, {},
           sum_near(DType::bf16, 65, 9));
  list.add("linear", "no-rows", {f32({0, 3}), f32({5, 3}), f32({5})}, {}, sum_near(DType::f32, 3, 9));
}

void matmuls(CaseList& list) {
  const auto matmul = [&](const std::string& what, const Shape& a, const Shape& b) {
    list.add("matmul", what, {f32(a), f32(b)}, {}, sum_near(DType::f32, a.back(), 9));
  };
  matmul("vectors", {17}, {17});
  matmul("matrix-vector", {5, 17}, {17});
  matmul("vector-matrix", {17}, {17, 9});
  matmul("matrices", {5, 17}, {17, 9});
  matmul("folded", {2, 3, 5, 17}, {17, 9});
  matmul("broadcast-batches", {2, 1, 5, 8}, {3, 8, 7});
  matmul("vector-batch", {8}, {3, 8, 7});
  matmul("batch-vector", {3, 7, 8}, {8});
}

void sums_of_products(CaseList& list) {
  const Near near = sum_near(DType::f32, 40, 9);
  list.add("addmm", "row-bias", {f32({9}), f32({5, 17}), f32({17, 9})}, {}, near);
  list.add("addmm", "scaled", {f32({5, 9}), f32({5, 17}), f32({17, 9})}, {{"alpha", 0.5}, {"beta", 2.0}}, near);
  list.add("addmm", "beta-zero", {f32({20}, Fill::special), f32({5, 17}), f32({17, 20})}, {{"beta", 0.0}}, near);
  list.add("addmm", "bf16", {in(DType::bf16, {9}), in(DType::bf16, {5, 17}), in(DType::bf16, {17, 9})}, {}, near);
  list.add("addmm", "i64", {in(DType::i64, {9}), in(DType::i64, {5, 17}), in(DType::i64, {17, 9})});
  list.add("baddbmm", "full-bias", {f32({3, 5, 9}), f32({3, 5, 17}), f32({3, 17, 9})}, {{"alpha", 0.125}}, near);
  list.add("baddbmm", "scalar-bias", {f32({1, 1, 1}), f32({3, 5, 17}), f32({3, 17, 9})}, {{"beta", 0.5}}, near);
}

void attentions(CaseList& list) {
  const Near near{.ulps = 64, .absolute = 4e-6};
  const Attributes scale{{"scale", 0.25}};
  const auto qkv = [](DType dtype) {
    return std::vector<Input>{in(dtype, {2, 3, 7, 16}), in(dtype, {2, 3, 9, 16}), in(dtype, {2, 3, 9, 16})};
  };
  const auto with = [](std::vector<Input> inputs, Input mask) {
    inputs.push_back(std::move(mask));
    return inputs;
  };
  list.add("attention", "plain", qkv(DType::f32), scale, near);
  list.add("attention", "bf16", qkv(DType::bf16), scale, {.ulps = 1, .absolute = 0.05});
  list.add("attention", "causal", qkv(DType::f32), {{"scale", 0.25}, {"causal", true}}, near);
  list.add("attention", "mask", with(qkv(DType::f32), f32({2, 1, 7, 9})), scale, near);
  list.add("attention", "bool-mask", with(qkv(DType::f32), in(DType::boolean, {7, 9})), scale, near);
  list.add("attention", "bool-mask-column", with(qkv(DType::f32), in(DType::boolean, {2, 1, 7, 1})), scale, near);
  list.add("attention", "shared-heads", {f32({1, 6, 5, 8}), f32({1, 2, 11, 8}), f32({1, 2, 11, 8})}, scale, near);
  list.add("attention", "other-value-size", {f32({1, 2, 5, 8}), f32({1, 2, 6, 8}), f32({1, 2, 6, 12})}, scale, near);
  list.add("attention", "one-query", {f32({2, 2, 1, 64}), f32({2, 2, 130, 64}), f32({2, 2, 130, 64})},
           {{"scale", 0.125}}, near);
  list.add("attention", "long", {f32({1, 1, 70, 32}), f32({1, 1, 150, 32}), f32({1, 1, 150, 32})}, scale, near);
}

}  // namespace

void product_cases(CaseList& list) {
  dots(list);
  linears(list);
  matmuls(list);
  sums_of_products(list);
  attentions(list);
}

}  // namespace litz::op_cases
