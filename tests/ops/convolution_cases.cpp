// Convolutions.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

struct Conv {
  Integers stride = {1, 1};
  Integers padding = {0, 0};
  Integers dilation = {1, 1};
  int64_t groups = 1;
  bool transposed = false;
  Integers output_padding = {0, 0};

  Attributes attributes() const {
    return {{"stride", stride}, {"padding", padding},       {"dilation", dilation},
            {"groups", groups}, {"transposed", transposed}, {"output_padding", output_padding}};
  }
};

void conv(CaseList& list, const std::string& what, const Shape& x, const Shape& weight, const Conv& c,
          bool bias = false, DType dtype = DType::f32) {
  int64_t taps = 1;
  for (size_t d = 1; d < weight.size(); ++d) taps *= weight[d];
  const int64_t channels = c.transposed ? weight[1] * c.groups : weight[0];
  std::vector<Input> inputs = {in(dtype, x), in(dtype, weight)};
  if (bias) inputs.push_back(in(dtype, {channels}));
  list.add("convolution", what, inputs, c.attributes(), sum_near(dtype, c.transposed ? taps * weight[0] : taps, 9));
}

void plain(CaseList& list) {
  conv(list, "1x1", {2, 19, 5, 7}, {21, 19, 1, 1}, {});
  conv(list, "3x3-same", {1, 16, 9, 11}, {32, 16, 3, 3}, {.padding = {1, 1}}, /*bias=*/true);
  conv(list, "3x3-odd-channels", {2, 5, 8, 8}, {7, 5, 3, 3}, {.padding = {1, 1}});
  conv(list, "7x7-stride-2", {1, 3, 17, 19}, {18, 3, 7, 7}, {.stride = {2, 2}, .padding = {3, 3}});
  conv(list, "1x1-stride-2", {1, 17, 7, 7}, {16, 17, 1, 1}, {.stride = {2, 2}});
  conv(list, "dilated", {1, 4, 13, 13}, {6, 4, 3, 3}, {.padding = {2, 2}, .dilation = {2, 2}});
  conv(list, "uneven", {1, 3, 9, 14}, {4, 3, 2, 5}, {.stride = {2, 3}, .padding = {1, 2}, .dilation = {2, 1}});
  conv(list, "no-padding", {3, 8, 6, 6}, {16, 8, 3, 3}, {});
  conv(list, "kernel-is-input", {2, 6, 4, 4}, {5, 6, 4, 4}, {});
  conv(list, "mostly-padding", {2, 8, 1, 1}, {8, 8, 3, 3}, {.padding = {1, 1}});
  conv(list, "one-channel", {1, 1, 20, 20}, {1, 1, 3, 3}, {.padding = {1, 1}}, /*bias=*/true);
  conv(list, "no-images", {0, 3, 5, 5}, {4, 3, 3, 3}, {});
}

void grouped(CaseList& list) {
  conv(list, "groups", {1, 32, 7, 7}, {64, 8, 3, 3}, {.padding = {1, 1}, .groups = 4});
  conv(list, "groups-of-4", {2, 32, 5, 5}, {32, 4, 3, 3}, {.padding = {1, 1}, .groups = 8}, /*bias=*/true);
  conv(list, "groups-odd", {1, 9, 6, 6}, {15, 3, 3, 3}, {.groups = 3});
  conv(list, "depthwise", {1, 19, 9, 9}, {19, 1, 3, 3}, {.padding = {1, 1}, .groups = 19});
  conv(list, "depthwise-stride-2", {1, 16, 9, 9}, {32, 1, 5, 5}, {.stride = {2, 2}, .padding = {2, 2}, .groups = 16});
}

void dtypes(CaseList& list) {
  conv(list, "bf16", {1, 17, 7, 7}, {16, 17, 3, 3}, {.padding = {1, 1}}, /*bias=*/true, DType::bf16);
  conv(list, "bf16-groups", {1, 16, 6, 6}, {32, 4, 3, 3}, {.padding = {1, 1}, .groups = 4}, false, DType::bf16);
  conv(list, "f64", {1, 3, 6, 6}, {4, 3, 3, 3}, {}, false, DType::f64);
  conv(list, "f16", {1, 3, 6, 6}, {4, 3, 3, 3}, {}, /*bias=*/true, DType::f16);
}

void other_ranks(CaseList& list) {
  const Conv one{.stride = {2}, .padding = {1}, .dilation = {1}, .output_padding = {0}};
  conv(list, "1d", {2, 5, 17}, {7, 5, 3}, one, /*bias=*/true);
  const Conv three{.stride = {1, 2, 1}, .padding = {1, 0, 1}, .dilation = {1, 1, 1}, .output_padding = {0, 0, 0}};
  conv(list, "3d", {1, 3, 5, 7, 6}, {4, 3, 3, 2, 3}, three);
  conv(list, "transposed", {1, 6, 5, 5}, {6, 4, 3, 3},
       {.stride = {2, 2}, .padding = {1, 1}, .transposed = true, .output_padding = {1, 1}}, /*bias=*/true);
  conv(list, "transposed-groups", {2, 6, 4, 5}, {6, 2, 2, 3}, {.groups = 2, .transposed = true});
  const Conv back{.stride = {3}, .padding = {0}, .dilation = {2}, .transposed = true, .output_padding = {2}};
  conv(list, "transposed-1d", {1, 3, 6}, {3, 2, 3}, back);
}

}  // namespace

void convolution_cases(CaseList& list) {
  plain(list);
  grouped(list);
  dtypes(list);
  other_ranks(list);
}

}  // namespace litz::op_cases
