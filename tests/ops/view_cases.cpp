// Views and generators.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

std::vector<Expr> sizes(const Shape& shape) { return {shape.begin(), shape.end()}; }

void reshape(CaseList& list, const std::string& what, const Shape& from, const Shape& to, DType dtype = DType::f32) {
  list.add("reshape", what, {in(dtype, from)}, {{"shape", sizes(to)}});
}

void slice(CaseList& list, const std::string& what, const Shape& shape, int64_t dim, int64_t start, int64_t end,
           int64_t step) {
  list.add("slice", what, {f32(shape)}, {{"dim", dim}, {"start", start}, {"end", end}, {"step", step}});
}

void shapes(CaseList& list) {
  reshape(list, "merge", {8, 12, 64}, {96, 64});
  reshape(list, "split", {6, 35}, {2, 3, 5, 7});
  reshape(list, "unaligned", {6, 10}, {4, 15});
  reshape(list, "ones", {1, 5, 1, 7}, {5, 1, 7, 1});
  reshape(list, "flatten", {3, 4, 5}, {60});
  reshape(list, "to-scalar", {1, 1}, {});
  reshape(list, "from-scalar", {}, {1, 1, 1});
  reshape(list, "empty", {0, 7}, {3, 0, 2});
  reshape(list, "bool", {4, 9}, {9, 4}, DType::boolean);
  reshape(list, "two-groups", {4, 6, 10, 3}, {24, 5, 6});
  list.add("expand", "rows", {f32({1, 17})}, {{"shape", sizes({5, 17})}});
  list.add("expand", "columns", {f32({5, 1})}, {{"shape", sizes({5, 19})}});
  list.add("expand", "new-dims", {f32({7})}, {{"shape", sizes({2, 3, 7})}});
  list.add("expand", "scalar", {f32({})}, {{"shape", sizes({3, 3})}});
  list.add("expand", "to-empty", {f32({1, 3})}, {{"shape", sizes({0, 3})}});
  list.add("squeeze", "middle", {f32({3, 1, 5, 1})}, {{"dims", Integers{1, 3}}});
  list.add("squeeze", "to-scalar", {f32({1, 1})}, {{"dims", Integers{0, 1}}});
  list.add("squeeze", "nothing", {f32({3, 1})}, {{"dims", Integers{}}});
  list.add("unsqueeze", "front", {f32({5})}, {{"dim", int64_t{0}}});
  list.add("unsqueeze", "back", {in(DType::bf16, {3, 5})}, {{"dim", int64_t{2}}});
  list.add("unsqueeze", "scalar", {f32({})}, {{"dim", int64_t{0}}});
}

void orders(CaseList& list) {
  list.add("permute", "matrix", {f32({37, 19})}, {{"dims", Integers{1, 0}}});
  list.add("permute", "batched", {f32({3, 5, 7})}, {{"dims", Integers{0, 2, 1}}});
  list.add("permute", "rotate", {in(DType::f16, {2, 3, 4, 5})}, {{"dims", Integers{3, 0, 2, 1}}});
  list.add("permute", "scalar", {f32({})}, {{"dims", Integers{}}});
  list.add("permute", "empty", {f32({0, 4})}, {{"dims", Integers{1, 0}}});
  list.add("flip", "last", {f32({3, 33})}, {{"dims", Integers{1}}});
  list.add("flip", "all", {in(DType::i32, {3, 5, 7})}, {{"dims", Integers{0, 1, 2}}});
  list.add("flip", "none", {f32({5})}, {{"dims", Integers{}}});
}

void parts(CaseList& list) {
  slice(list, "middle", {5, 40}, 1, 3, 29, 1);
  slice(list, "step", {5, 40}, 1, 1, INT64_MAX, 3);
  slice(list, "negative", {9, 5}, 0, -4, -1, 1);
  slice(list, "clamped", {9, 5}, 0, -100, 100, 2);
  slice(list, "nothing", {9, 5}, 0, 6, 2, 1);
  list.add("select", "first", {f32({5, 7})}, {{"dim", int64_t{0}}, {"index", int64_t{2}}});
  list.add("select", "negative", {f32({5, 7})}, {{"dim", int64_t{1}}, {"index", int64_t{-1}}});
  list.add("select", "vector", {in(DType::i64, {5})}, {{"dim", int64_t{0}}, {"index", int64_t{4}}});
  list.add("unfold", "overlapping", {f32({3, 11})}, {{"dim", int64_t{1}}, {"size", int64_t{4}}, {"step", int64_t{2}}});
  list.add("unfold", "first-dim", {f32({7, 3})}, {{"dim", int64_t{0}}, {"size", int64_t{7}}, {"step", int64_t{1}}});
  list.add("as_strided", "diagonal", {f32({6, 7})},
           {{"shape", sizes({6})}, {"strides", Integers{8}}, {"offset", int64_t{0}}});
  list.add("as_strided", "overlapping", {f32({20})},
           {{"shape", sizes({4, 5})}, {"strides", Integers{3, 2}}, {"offset", int64_t{1}}});
}

void generators(CaseList& list) {
  list.add("full", "f32", {}, {{"shape", sizes({3, 11})}, {"value", 0.1}, {"dtype", DType::f32}});
  list.add("full", "bf16", {}, {{"shape", sizes({7})}, {"value", 0.1}, {"dtype", DType::bf16}});
  list.add("full", "i64-large", {},
           {{"shape", sizes({2})}, {"value", 9e18}, {"dtype", DType::i64}, {"int_value", int64_t{9007199254740993}}});
  list.add("full", "bool-scalar", {}, {{"shape", sizes({})}, {"value", 1.0}, {"dtype", DType::boolean}});
  list.add("full", "empty", {}, {{"shape", sizes({0, 2})}, {"value", 1.0}, {"dtype", DType::f32}});
  list.add("iota", "i64", {},
           {{"shape", sizes({37})}, {"start", int64_t{5}}, {"step", int64_t{-3}}, {"dtype", DType::i64}});
  list.add("iota", "f32", {},
           {{"shape", sizes({19})}, {"start", int64_t{0}}, {"step", int64_t{2}}, {"dtype", DType::f32}});
  list.add("iota", "i8-wraps", {},
           {{"shape", sizes({300})}, {"start", int64_t{0}}, {"step", int64_t{1}}, {"dtype", DType::i8}});
  list.add("size", "constant", {}, {{"value", std::vector<Expr>{7}}, {"dtype", DType::f32}});
}

}  // namespace

void view_cases(CaseList& list) {
  shapes(list);
  orders(list);
  parts(list);
  generators(list);
}

}  // namespace litz::op_cases
