// cat, pad, stack, block scatters, layouts.
#include <cmath>

#include "tests/ops/case_list.h"

namespace litz::op_cases {

void shuffle_cases(CaseList& list) {
  list.add("cat", "rows", {f32({2, 9}), f32({5, 9}), f32({1, 9})}, {{"dim", int64_t{0}}});
  list.add("cat", "columns", {f32({3, 7}), f32({3, 1}), f32({3, 20})}, {{"dim", int64_t{1}}});
  list.add("cat", "with-empty", {in(DType::i32, {3, 0}), in(DType::i32, {3, 4})}, {{"dim", int64_t{1}}});
  list.add("cat", "one", {in(DType::bf16, {3, 4})}, {{"dim", int64_t{0}}});
  list.add("cat", "bool", {in(DType::boolean, {5}), in(DType::boolean, {6})}, {{"dim", int64_t{0}}});
  list.add("stack", "front", {f32({4, 5}), f32({4, 5}), f32({4, 5})}, {{"dim", int64_t{0}}});
  list.add("stack", "back", {f32({4}), f32({4})}, {{"dim", int64_t{1}}});
  list.add("stack", "scalars", {f32({}), f32({})}, {{"dim", int64_t{0}}});

  list.add("pad", "both", {f32({3, 5})}, {{"padding", Integers{1, 2, 0, 3}}, {"value", 0.5}});
  list.add("pad", "negative", {f32({6, 9})}, {{"padding", Integers{-1, 2, 3, -4}}, {"value", 0.0}});
  list.add("pad", "infinite", {f32({4})}, {{"padding", Integers{2, 2}}, {"value", -INFINITY}});
  list.add("pad", "from-empty", {f32({0, 3})}, {{"padding", Integers{1, 1, 0, 0}}, {"value", 7.0}});
  list.add("pad", "i64", {in(DType::i64, {4})}, {{"padding", Integers{0, 3}}, {"value", -1.0}});

  const Attributes columns{{"dim", int64_t{1}}, {"start", int64_t{2}}, {"end", int64_t{9}}, {"step", int64_t{3}}};
  list.add("slice_scatter", "step", {f32({4, 11}), f32({4, 3})}, columns);
  list.add("slice_scatter", "rows", {in(DType::i32, {6, 5}), in(DType::i32, {2, 5})},
           {{"dim", int64_t{0}}, {"start", int64_t{-2}}, {"end", INT64_MAX}, {"step", int64_t{1}}});
  list.add("slice_scatter", "nothing", {f32({4, 5}), f32({4, 0})},
           {{"dim", int64_t{1}}, {"start", int64_t{3}}, {"end", int64_t{3}}, {"step", int64_t{1}}});
  list.add("select_scatter", "row", {f32({4, 11}), f32({11})}, {{"dim", int64_t{0}}, {"index", int64_t{2}}});
  list.add("select_scatter", "last-column", {f32({4, 11}), f32({4})}, {{"dim", int64_t{1}}, {"index", int64_t{-1}}});

  list.add("layout_convert", "channels-last", {f32({2, 5, 3, 4})}, {{"layout", ir::Layout{.order = {0, 2, 3, 1}}}});
  list.add("layout_convert", "plain", {f32({3, 4})}, {{"layout", ir::Layout{}}});
}

}  // namespace litz::op_cases
