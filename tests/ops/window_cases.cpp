// Pooling.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

Attributes window(Integers kernel, Integers stride, Integers padding, bool ceil_mode = false) {
  return {{"kernel", std::move(kernel)},
          {"stride", std::move(stride)},
          {"padding", std::move(padding)},
          {"ceil_mode", ceil_mode}};
}

Attributes with(Attributes attributes, const std::string& name, ir::Attribute value) {
  attributes.set(name, std::move(value));
  return attributes;
}

Attributes dilated(Attributes attributes, Integers dilation = {1, 1}) {
  return with(std::move(attributes), "dilation", std::move(dilation));
}

}  // namespace

void window_cases(CaseList& list) {
  for (const char* op : {"max_pool2d", "max_pool2d_with_indices"}) {
    list.add(op, "3x3-stride-2", {f32({2, 5, 11, 9})}, dilated(window({3, 3}, {2, 2}, {1, 1})));
    list.add(op, "2x2", {f32({1, 17, 8, 6})}, dilated(window({2, 2}, {2, 2}, {0, 0})));
    list.add(op, "ceil", {f32({1, 3, 8, 7})}, dilated(window({3, 2}, {2, 3}, {1, 0}, true)));
    list.add(op, "dilated", {f32({1, 3, 9, 9})}, dilated(window({2, 3}, {1, 2}, {1, 1}), {2, 2}));
    list.add(op, "special", {f32({1, 1, 6, 6}, Fill::special)}, dilated(window({2, 2}, {2, 2}, {0, 0})));
    list.add(op, "bf16", {in(DType::bf16, {1, 4, 7, 7})}, dilated(window({3, 3}, {2, 2}, {1, 1})));
    list.add(op, "i32", {in(DType::i32, {1, 4, 7, 7})}, dilated(window({3, 3}, {2, 2}, {1, 1})));
    list.add(op, "no-images", {f32({0, 3, 5, 5})}, dilated(window({2, 2}, {2, 2}, {0, 0})));
  }
  const Near near{.ulps = 4, .absolute = 1e-6};
  const auto average = [&](const std::string& what, Input x, Attributes a, bool count_pad) {
    list.add("avg_pool2d", what, {std::move(x)}, with(std::move(a), "count_include_pad", count_pad), near);
  };
  average("2x2", f32({2, 5, 8, 6}), window({2, 2}, {2, 2}, {0, 0}), true);
  average("count-pad", f32({1, 17, 9, 7}), window({3, 3}, {2, 2}, {1, 1}), true);
  average("skip-pad", f32({1, 3, 9, 7}), window({3, 3}, {2, 2}, {1, 1}), false);
  average("ceil", f32({1, 3, 8, 7}), window({3, 2}, {2, 3}, {1, 1}, true), true);
  average("ceil-skip-pad", f32({1, 3, 8, 7}), window({3, 2}, {2, 3}, {1, 1}, true), false);
  average("divisor", f32({1, 3, 6, 6}), with(window({2, 2}, {1, 1}, {0, 0}), "divisor", int64_t{3}), true);
  average("bf16", in(DType::bf16, {1, 3, 6, 6}), window({3, 3}, {1, 1}, {1, 1}), true);
  average("global", f32({2, 9, 7, 7}), window({7, 7}, {7, 7}, {0, 0}), true);
  const auto adaptive = [&](const std::string& what, Input x, Integers size) {
    list.add("adaptive_avg_pool2d", what, {std::move(x)}, {{"output_size", std::move(size)}}, near);
  };
  adaptive("one", f32({2, 17, 7, 7}), {1, 1});
  adaptive("divides", f32({1, 5, 8, 6}), {4, 3});
  adaptive("uneven", f32({1, 3, 7, 10}), {3, 4});
  adaptive("larger", f32({1, 2, 3, 3}), {5, 2});
  adaptive("bf16-uneven", in(DType::bf16, {1, 2, 5, 7}), {2, 3});
}

}  // namespace litz::op_cases
