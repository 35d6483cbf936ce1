// Matrix products and attention. Floats accumulate in f64 and round once; integers wrap.
#include <cmath>
#include <limits>

#include "interp/kernels.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

// A sum of products, of floats or of integers.
class Accumulator {
 public:
  explicit Accumulator(bool floats) : floats_(floats) {}
  void add(const ir::ScalarValue& a, const ir::ScalarValue& b) {
    if (floats_) {
      sum_ += std::get<double>(a) * std::get<double>(b);
    } else {
      whole_ += static_cast<uint64_t>(std::get<int64_t>(a)) * static_cast<uint64_t>(std::get<int64_t>(b));
    }
  }
  void add(const ir::ScalarValue& a) { add(a, floats_ ? ir::ScalarValue(1.0) : ir::ScalarValue(int64_t{1})); }
  ir::ScalarValue value(DType dtype) const {
    return floats_ ? ir::ScalarValue(sum_) : ir::scalar_value(dtype, static_cast<int64_t>(whole_));
  }

 private:
  bool floats_;
  double sum_ = 0;
  uint64_t whole_ = 0;
};

Results dot(const Call& c) {
  Tensor out = c.result();
  const Tensor& a = c.in(0);
  const Tensor& b = c.in(1);
  const int64_t m = a.shape()[a.rank() - 2];
  const int64_t k = a.shape()[a.rank() - 1];
  const int64_t n = b.shape()[b.rank() - 1];
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t column = i % n;
    const int64_t row = i / n;  // over batches and rows
    Accumulator sum(is_floating(a.dtype()));
    for (int64_t j = 0; j < k; ++j) sum.add(a.get(row * k + j), b.get((row / m * k + j) * n + column));
    out.set(i, sum.value(out.dtype()));
  }
  return {out};
}

Results linear(const Call& c) {
  Tensor out = c.result();
  const Tensor& x = c.in(0);
  const Tensor& weight = c.in(1);
  const int64_t n = weight.shape()[0];
  const int64_t k = weight.shape()[1];
  for (int64_t i = 0; i < out.elements(); ++i) {
    Accumulator sum(is_floating(x.dtype()));
    for (int64_t j = 0; j < k; ++j) sum.add(x.get(i / n * k + j), weight.get(i % n * k + j));
    if (c.has(2)) sum.add(c.in(2).get(i % n));
    out.set(i, sum.value(out.dtype()));
  }
  return {out};
}

// The element of `mask`, which broadcasts to [B, H, Q, K].
int64_t mask_offset(const Tensor& mask, const Index& score) {
  Index index(score.end() - mask.rank(), score.end());
  for (int d = 0; d < mask.rank(); ++d) {
    if (mask.shape()[d] == 1) index[d] = 0;
  }
  return mask.offset(index);
}

double score(const Call& c, const Index& at) {
  const Tensor& q = c.in(0);
  const Tensor& k = c.in(1);
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  if (c.attributes.has("causal") && c.boolean("causal") && at[3] > at[2]) return kMasked;
  const int64_t head = at[1] / (q.shape()[1] / k.shape()[1]);
  double sum = 0;
  for (int64_t d = 0; d < q.shape()[3]; ++d) {
    sum += q.number(q.offset(Index{at[0], at[1], at[2], d})) * k.number(k.offset(Index{at[0], head, at[3], d}));
  }
  sum *= c.number("scale");
  if (!c.has(3)) return sum;
  const Tensor& mask = c.in(3);
  const int64_t place = mask_offset(mask, at);
  if (mask.dtype() == DType::boolean) return mask.integer(place) != 0 ? sum : kMasked;
  return sum + mask.number(place);
}

// A row with every key masked gives 0, as eager's kernel does.
Results attention(const Call& c) {
  Tensor out = c.result();
  const Tensor& v = c.in(2);
  const int64_t keys = v.shape()[2];
  const int64_t head_group = v.shape()[1] == 0 ? 1 : c.in(0).shape()[1] / v.shape()[1];
  const auto& shape = out.shape();
  for_each_index(Index{shape[0], shape[1], shape[2]}, [&](const Index& row, int64_t) {
    std::vector<double> weights(static_cast<size_t>(keys));
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < keys; ++j) {
      weights[j] = score(c, {row[0], row[1], row[2], j});
      largest = std::isnan(weights[j]) || std::isnan(largest) ? std::nan("") : std::max(largest, weights[j]);
    }
    const bool all_masked = std::isinf(largest) && largest < 0;
    double sum = 0;
    for (double& w : weights) {
      w = all_masked ? 0 : std::exp(w - largest);
      sum += w;
    }
    for (int64_t d = 0; d < shape[3]; ++d) {
      double value = 0;
      for (int64_t j = 0; j < keys; ++j) {
        value += weights[j] * v.number(v.offset(Index{row[0], row[1] / head_group, j, d}));
      }
      set_number(out, out.offset(Index{row[0], row[1], row[2], d}), all_masked ? value : value / sum);
    }
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kProducts[] = {
    {"dot", dot}, {"linear", linear}, {"attention", attention}};

}  // namespace

KernelTable product_kernels() { return kProducts; }

}  // namespace litz::interp
