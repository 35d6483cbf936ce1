// Reads and writes at computed indices.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

Input wrapping(Shape shape, int64_t limit) {
  return {.dtype = DType::i64, .shape = std::move(shape), .fill = Fill::signed_index, .limit = limit};
}

void gathers(CaseList& list) {
  list.add("embedding", "rows", {f32({11, 17}), index({3, 5}, 11)});
  list.add("embedding", "i32-indices", {f32({11, 17}), index({7}, 11, DType::i32)});
  list.add("embedding", "bf16", {in(DType::bf16, {9, 33}), index({4}, 9)});
  list.add("embedding", "scalar", {f32({9, 5}), index({}, 9)});
  list.add("embedding", "no-indices", {f32({9, 5}), index({0}, 9)});
  list.add("index_select", "rows", {f32({9, 7}), index({13}, 9)}, {{"dim", int64_t{0}}});
  list.add("index_select", "columns", {f32({9, 7}), index({5}, 7)}, {{"dim", int64_t{1}}});
  list.add("index_select", "i64", {in(DType::i64, {9}), index({20}, 9, DType::i32)}, {{"dim", int64_t{0}}});
  list.add("gather", "rows", {f32({9, 7}), index({5, 7}, 9)}, {{"dim", int64_t{0}}});
  list.add("gather", "columns", {f32({9, 7}), index({9, 20}, 7)}, {{"dim", int64_t{1}}});
  list.add("gather", "smaller", {in(DType::i32, {4, 5, 6}), index({2, 9, 3}, 5)}, {{"dim", int64_t{1}}});
  list.add("index", "first", {f32({9, 7}), wrapping({4, 3}, 9)}, {{"dims", Integers{0}}});
  list.add("index", "last", {f32({3, 9, 7}), wrapping({5}, 7)}, {{"dims", Integers{2}}});
  list.add("index", "two-adjacent", {f32({9, 7, 5}), wrapping({4, 1}, 9), wrapping({3}, 7)},
           {{"dims", Integers{0, 1}}});
  list.add("index", "two-apart", {f32({9, 7, 5}), wrapping({4}, 9), wrapping({3, 4}, 5)}, {{"dims", Integers{0, 2}}});
  list.add("index", "inner", {f32({2, 9, 7, 3}), wrapping({4}, 9), wrapping({4}, 7)}, {{"dims", Integers{1, 2}}});
  list.add("index", "scalar", {in(DType::boolean, {9, 3}), wrapping({}, 9)}, {{"dims", Integers{0}}});
}

// Where indices may meet, only ops whose result does not depend on their order are tried.
void scatters(CaseList& list) {
  const Near near{.ulps = 8, .absolute = 1e-5};
  const auto put = [&](const std::string& what, std::vector<Input> inputs, Integers dims, bool accumulate,
                       Near n = {}) {
    list.add("index_put", what, std::move(inputs), {{"dims", std::move(dims)}, {"accumulate", accumulate}}, n);
  };
  put("accumulate", {f32({9, 7}), f32({20, 7}), wrapping({20}, 9)}, {0}, true, near);
  put("accumulate-i64", {in(DType::i64, {9}), in(DType::i64, {30}), wrapping({30}, 9)}, {0}, true);
  put("one-value", {f32({9, 7}), f32({}), wrapping({5}, 9)}, {0}, false);
  put("one-row", {f32({9, 7}), f32({7}), wrapping({1}, 9)}, {0}, false);
  put("two-dims", {f32({9, 7}), f32({}), wrapping({4, 1}, 9), wrapping({3}, 7)}, {0, 1}, false);
  const auto scatter = [&](const std::string& what, std::vector<Input> inputs, int64_t dim, const char* reduce,
                           Near n) {
    Attributes a{{"dim", dim}};
    if (*reduce != '\0') a.set("reduce", std::string(reduce));
    list.add("scatter", what, std::move(inputs), a, n);
  };
  scatter("one-row", {f32({9, 7}), index({1, 7}, 9), f32({1, 7})}, 0, "", {});
  scatter("smaller", {f32({9, 7}), index({5, 1}, 7), f32({6, 3})}, 1, "", {});
  scatter("add", {f32({9, 7}), index({12, 7}, 9), f32({12, 7})}, 0, "add", near);
  scatter("add-i32", {in(DType::i32, {9, 7}), index({9, 20}, 7), in(DType::i32, {9, 20})}, 1, "add", {});
  scatter("amax", {f32({9, 7}), index({12, 7}, 9), f32({12, 7})}, 0, "amax", {});
  scatter("amin", {in(DType::i64, {9}), index({30}, 9), in(DType::i64, {30})}, 0, "amin", {});
  scatter("prod", {f32({9}), index({12}, 9), f32({12})}, 0, "prod", {.ulps = 16});
}

}  // namespace

void gather_cases(CaseList& list) {
  gathers(list);
  scatters(list);
}

}  // namespace litz::op_cases
