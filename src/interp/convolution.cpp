// Convolution in 1 to 3 dimensions. Accumulates in f64 and rounds once.
#include "interp/kernels.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

struct Shape {
  const std::vector<int64_t>& stride;
  const std::vector<int64_t>& padding;
  const std::vector<int64_t>& dilation;
  bool transposed;
};

// The input position that output position `out` reads through kernel position `k`; -1 if there is none.
int64_t input_position(const Shape& s, size_t d, int64_t out, int64_t k, int64_t size) {
  int64_t at = 0;
  if (s.transposed) {
    const int64_t shifted = out + s.padding[d] - k * s.dilation[d];
    if (shifted % s.stride[d] != 0) return -1;
    at = shifted / s.stride[d];
  } else {
    at = out * s.stride[d] - s.padding[d] + k * s.dilation[d];
  }
  return at >= 0 && at < size ? at : -1;
}

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out(static_cast<size_t>(t.elements()));
  for (int64_t i = 0; i < t.elements(); ++i) out[i] = t.number(i);
  return out;
}

// For each kernel position inside the input: its number, and that of the input position within a plane.
std::vector<std::pair<int64_t, int64_t>> taps(const Shape& s, const Tensor& x, const Tensor& weight, const Index& out) {
  const std::vector<int64_t> kernel(weight.shape().begin() + 2, weight.shape().end());
  std::vector<std::pair<int64_t, int64_t>> result;
  for_each_index(kernel, [&](const Index& k, int64_t number) {
    int64_t place = 0;
    for (size_t d = 0; d < k.size(); ++d) {
      const int64_t size = x.shape()[d + 2];
      const int64_t at = input_position(s, d, out[d + 2], k[d], size);
      if (at < 0) return;
      place = place * size + at;
    }
    result.emplace_back(number, place);
  });
  return result;
}

Results convolution(const Call& c) {
  Tensor out = c.result();
  const Tensor& x = c.in(0);
  const Tensor& weight = c.in(1);
  const Shape s{c.integers("stride"), c.integers("padding"), c.integers("dilation"), c.boolean("transposed")};
  const int64_t groups = c.integer("groups");
  const int64_t in_channels = x.shape()[1] / groups;     // of a group
  const int64_t out_channels = out.shape()[1] / groups;  // of a group
  const std::vector<double> xs = numbers(x);
  const std::vector<double> ws = numbers(weight);
  const int64_t plane = element_count(std::span(x.shape()).subspan(2));
  const int64_t window = element_count(std::span(weight.shape()).subspan(2));
  for_each_index(out.shape(), [&](const Index& index, int64_t i) {
    const int64_t group = index[1] / out_channels;
    const auto pairs = taps(s, x, weight, index);
    double sum = c.has(2) ? c.in(2).number(index[1]) : 0;
    for (int64_t channel = 0; channel < in_channels; ++channel) {
      const int64_t in_channel = group * in_channels + channel;
      const int64_t row =
          s.transposed ? in_channel * out_channels + index[1] % out_channels : index[1] * in_channels + channel;
      const double* input = xs.data() + (index[0] * x.shape()[1] + in_channel) * plane;
      for (const auto& [k, place] : pairs) sum += input[place] * ws[row * window + k];
    }
    set_number(out, i, sum);
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kConvolutions[] = {{"convolution", convolution}};

}  // namespace

KernelTable convolution_kernels() { return kConvolutions; }

}  // namespace litz::interp
