// Softmax, means, variances and normalisations, computed in f64 and rounded once: a check on their decompositions.
#include <algorithm>
#include <cmath>

#include "interp/kernels.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

// The row-major numbers of the elements of `shape` that share all indices but those of `dims`, one list for each group.
std::vector<std::vector<int64_t>> groups(std::span<const int64_t> shape, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  std::vector<bool> inner(shape.size());
  for (int64_t d : dims) inner[d] = true;
  for (size_t d = 0; d < shape.size(); ++d) count *= inner[d] ? 1 : shape[d];
  std::vector<std::vector<int64_t>> out(static_cast<size_t>(count));
  for_each_index(shape, [&](const Index& index, int64_t i) {
    int64_t group = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!inner[d]) group = group * shape[d] + index[d];
    }
    out[group].push_back(i);
  });
  return out;
}

struct Moments {
  double mean = 0;
  double squares = 0;  // sum of squared differences from the mean
  double count = 0;
};

Moments moments(const Tensor& x, const std::vector<int64_t>& members) {
  Moments m{.count = static_cast<double>(members.size())};
  for (int64_t i : members) m.mean += x.number(i);
  m.mean /= m.count;
  for (int64_t i : members) m.squares += (x.number(i) - m.mean) * (x.number(i) - m.mean);
  return m;
}

Results softmax(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  const bool logarithm = c.op == "log_softmax";
  const std::vector<int64_t> dims = x.rank() == 0 ? std::vector<int64_t>{} : std::vector<int64_t>{c.integer("dim")};
  for (const auto& members : groups(x.shape(), dims)) {
    if (members.empty()) continue;
    double largest = x.number(members[0]);
    for (int64_t i : members) largest = std::isnan(x.number(i)) ? x.number(i) : std::max(largest, x.number(i));
    double sum = 0;
    for (int64_t i : members) sum += std::exp(x.number(i) - largest);
    for (int64_t i : members) {
      const double shifted = x.number(i) - largest;
      set_number(out, i, logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
    }
  }
  return {out};
}

Results statistic(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor first = c.result();
  Tensor means(first.dtype(), first.shape());
  const auto parts = groups(x.shape(), c.integers("dims"));
  for (size_t g = 0; g < parts.size(); ++g) {
    const Moments m = moments(x, parts[g]);
    const auto i = static_cast<int64_t>(g);
    set_number(means, i, m.mean);
    if (c.op == "mean") continue;
    const double variance = m.squares / std::max(0.0, m.count - c.number("correction"));
    set_number(first, i, c.op == "std" ? std::sqrt(variance) : variance);
  }
  if (c.op == "mean") return {means};
  if (c.op == "var_mean") return {first, means};
  return {first};
}

std::vector<int64_t> last_dims(const Call& c) {
  std::vector<int64_t> dims;
  for (int64_t d = c.in(0).rank() - c.integer("normalized_dims"); d < c.in(0).rank(); ++d) dims.push_back(d);
  return dims;
}

double weight_at(const Call& c, size_t operand, int64_t i, double otherwise) {
  return c.has(operand) ? c.in(operand).number(i) : otherwise;
}

Results layer_norm(const Call& c) {
  const Tensor& x = c.in(0);
  Results out;
  for (size_t i = 0; i < c.types.size(); ++i) out.push_back(c.result(i));
  const auto rows = groups(x.shape(), last_dims(c));
  for (size_t row = 0; row < rows.size(); ++row) {
    const Moments m = moments(x, rows[row]);
    const double rstd = 1 / std::sqrt(m.squares / m.count + c.number("eps"));
    for (size_t k = 0; k < rows[row].size(); ++k) {
      const int64_t i = rows[row][k];
      const auto place = static_cast<int64_t>(k);
      const double y = (x.number(i) - m.mean) * rstd;
      set_number(out[0], i, y * weight_at(c, 1, place, 1) + weight_at(c, 2, place, 0));
    }
    if (out.size() == 1) continue;
    set_number(out[1], static_cast<int64_t>(row), m.mean);
    set_number(out[2], static_cast<int64_t>(row), rstd);
  }
  return out;
}

Results rms_norm(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  for (const auto& row : groups(x.shape(), last_dims(c))) {
    double squares = 0;
    for (int64_t i : row) squares += x.number(i) * x.number(i);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(row.size()) + c.number("eps"));
    for (size_t k = 0; k < row.size(); ++k) {
      set_number(out, row[k], x.number(row[k]) * scale * weight_at(c, 1, static_cast<int64_t>(k), 1));
    }
  }
  return {out};
}

Results group_norm(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  const int64_t channels = x.shape()[1];
  const int64_t groups_of = c.integer("groups");
  const int64_t plane = element_count(std::span(x.shape()).subspan(2));
  const std::vector<int64_t> grouped = {x.shape()[0], groups_of, channels / groups_of * plane};
  for (const auto& members : groups(grouped, {2})) {
    const Moments m = moments(x, members);
    const double rstd = 1 / std::sqrt(m.squares / m.count + c.number("eps"));
    for (int64_t i : members) {
      const int64_t channel = i / plane % channels;
      set_number(out, i, (x.number(i) - m.mean) * rstd * weight_at(c, 1, channel, 1) + weight_at(c, 2, channel, 0));
    }
  }
  return {out};
}

Results batch_norm(const Call& c) {
  const Tensor& x = c.in(0);
  Tensor out = c.result();
  for_each_index(x.shape(), [&](const Index& index, int64_t i) {
    const int64_t channel = index[1];
    const double scale = weight_at(c, 1, channel, 1) / std::sqrt(c.in(4).number(channel) + c.number("eps"));
    const double shift = weight_at(c, 2, channel, 0) - c.in(3).number(channel) * scale;
    set_number(out, i, x.number(i) * scale + shift);
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kNormalizations[] = {{"softmax", softmax},
                                                                   {"log_softmax", softmax},
                                                                   {"mean", statistic},
                                                                   {"var", statistic},
                                                                   {"std", statistic},
                                                                   {"var_mean", statistic},
                                                                   {"layer_norm", layer_norm},
                                                                   {"native_layer_norm", layer_norm},
                                                                   {"rms_norm", rms_norm},
                                                                   {"group_norm", group_norm},
                                                                   {"batch_norm_inference", batch_norm}};

}  // namespace

KernelTable normalization_kernels() { return kNormalizations; }

}  // namespace litz::interp
