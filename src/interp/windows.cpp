// Pooling.
#include <algorithm>
#include <cmath>
#include <limits>

#include "interp/kernels.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

int64_t dilation(const Call& c, int d) { return c.attributes.has("dilation") ? c.integers("dilation")[d] : 1; }

// Calls `visit(h, w)` for each input position of the window at `index`.
void for_each_in_window(const Call& c, const Index& index, const std::function<void(int64_t, int64_t)>& visit) {
  const auto& kernel = c.integers("kernel");
  const auto& stride = c.integers("stride");
  const auto& padding = c.integers("padding");
  for (int64_t i = 0; i < kernel[0]; ++i) {
    for (int64_t j = 0; j < kernel[1]; ++j) {
      const int64_t h = index[2] * stride[0] - padding[0] + i * dilation(c, 0);
      const int64_t w = index[3] * stride[1] - padding[1] + j * dilation(c, 1);
      const bool inside = h >= 0 && w >= 0 && h < c.in(0).shape()[2] && w < c.in(0).shape()[3];
      if (inside) visit(h, w);
    }
  }
}

bool is_nan(const ir::ScalarValue& v) {
  const auto* number = std::get_if<double>(&v);
  return number != nullptr && std::isnan(*number);
}

// The first largest, or the last NaN.
Results max_pool(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor values = c.result();
  Tensor places(DType::i64, values.shape());
  for_each_index(values.shape(), [&](const Index& index, int64_t i) {
    ir::ScalarValue best = ir::reduce_identity(ir::ReduceOp::max, x.dtype());
    int64_t place = -1;
    for_each_in_window(c, index, [&](int64_t h, int64_t w) {
      const ir::ScalarValue v = x.get(x.offset(Index{index[0], index[1], h, w}));
      if (place >= 0 && !(v > best) && !is_nan(v)) return;
      best = v;
      place = h * x.shape()[3] + w;
    });
    values.set(i, best);
    places.set(i, place);
  });
  if (c.types.size() == 1) return {values};
  return {values, places};
}

// The number of elements that eager divides a window's sum by.
int64_t divisor(const Call& c, const Index& index) {
  if (c.attributes.has("divisor")) return c.integer("divisor");
  int64_t count = 1;
  for (int d = 0; d < 2; ++d) {
    const int64_t size = c.in(0).shape()[d + 2];
    const int64_t padding = c.integers("padding")[d];
    const int64_t start = index[d + 2] * c.integers("stride")[d] - padding;
    const int64_t end = std::min(start + c.integers("kernel")[d], size + padding);
    count *= c.boolean("count_include_pad") ? end - start : std::min(end, size) - std::max(start, int64_t{0});
  }
  return count;
}

Results avg_pool(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  for_each_index(out.shape(), [&](const Index& index, int64_t i) {
    double sum = 0;
    for_each_in_window(c, index,
                       [&](int64_t h, int64_t w) { sum += x.number(x.offset(Index{index[0], index[1], h, w})); });
    set_number(out, i, sum / static_cast<double>(divisor(c, index)));
  });
  return {out};
}

Results adaptive_avg_pool(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  const auto range = [&](int64_t i, int64_t size, int64_t outs) {
    return std::pair{i * size / outs, ((i + 1) * size + outs - 1) / outs};
  };
  for_each_index(out.shape(), [&](const Index& index, int64_t i) {
    const auto [top, bottom] = range(index[2], x.shape()[2], out.shape()[2]);
    const auto [left, right] = range(index[3], x.shape()[3], out.shape()[3]);
    double sum = 0;
    for (int64_t h = top; h < bottom; ++h) {
      for (int64_t w = left; w < right; ++w) sum += x.number(x.offset(Index{index[0], index[1], h, w}));
    }
    set_number(out, i, sum / static_cast<double>((bottom - top) * (right - left)));
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kWindows[] = {{"max_pool2d", max_pool},
                                                            {"max_pool2d_with_indices", max_pool},
                                                            {"avg_pool2d", avg_pool},
                                                            {"adaptive_avg_pool2d", adaptive_avg_pool}};

}  // namespace

KernelTable window_kernels() { return kWindows; }

}  // namespace litz::interp
