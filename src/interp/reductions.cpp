// Reductions and scans. Floats accumulate in f64.
#include <cmath>

#include "interp/kernels.h"

namespace litz::interp {

namespace {

using ir::ScalarValue;
using Results = std::vector<Tensor>;

// For each result element, in order: the values it reduces, in row-major order.
std::vector<std::vector<ScalarValue>> groups(const Call& c, const Tensor& x) {
  const auto& dims = c.integers("dims");
  std::vector<bool> reduced(x.shape().size());
  for (int64_t d : dims) reduced[d] = true;
  std::vector<std::vector<ScalarValue>> out(static_cast<size_t>(c.result().elements()));
  for_each_index(x.shape(), [&](const Index& index, int64_t i) {
    int64_t group = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!reduced[d]) group = group * x.shape()[d] + index[d];
    }
    out[group].push_back(x.get(i));
  });
  return out;
}

ScalarValue sum_of(const std::vector<ScalarValue>& values, DType dtype) {
  double sum = 0;
  uint64_t whole = 0;
  for (const ScalarValue& v : values) {
    if (is_floating(dtype)) {
      sum += std::get<double>(v);
    } else {
      whole += static_cast<uint64_t>(std::get<int64_t>(v));
    }
  }
  return is_floating(dtype) ? ScalarValue(sum) : ir::scalar_value(dtype, static_cast<int64_t>(whole));
}

ScalarValue prod_of(const std::vector<ScalarValue>& values, DType dtype) {
  double product = 1;
  uint64_t whole = 1;
  for (const ScalarValue& v : values) {
    if (is_floating(dtype)) {
      product *= std::get<double>(v);
    } else {
      whole *= static_cast<uint64_t>(std::get<int64_t>(v));
    }
  }
  return is_floating(dtype) ? ScalarValue(product) : ir::scalar_value(dtype, static_cast<int64_t>(whole));
}

// Whether `a` goes before `b` for a maximum (a minimum): NaN goes before all.
bool better(const ScalarValue& a, const ScalarValue& b, bool largest) {
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    if (std::isnan(y)) return false;
    return std::isnan(*x) || (largest ? *x > y : *x < y);
  }
  const int64_t x = std::get<int64_t>(a);
  const int64_t y = std::get<int64_t>(b);
  return largest ? x > y : x < y;
}

int64_t best_of(const std::vector<ScalarValue>& values, bool largest) {
  int64_t best = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (better(values[i], values[best], largest)) best = static_cast<int64_t>(i);
  }
  return best;
}

bool is_true(const ScalarValue& v) {
  const auto* integer = std::get_if<int64_t>(&v);
  return integer != nullptr ? *integer != 0 : std::get<double>(v) != 0;
}

ScalarValue reduce_values(std::string_view op, const std::vector<ScalarValue>& values, DType dtype) {
  if (op == "sum") return sum_of(values, dtype);
  if (op == "prod") return prod_of(values, dtype);
  if (op == "any") return int64_t{std::any_of(values.begin(), values.end(), is_true)};
  if (op == "all") return int64_t{std::all_of(values.begin(), values.end(), is_true)};
  const bool largest = op == "amax" || op == "argmax";
  if (op == "argmax" || op == "argmin") return best_of(values, largest);
  if (values.empty()) return ir::reduce_identity(largest ? ir::ReduceOp::max : ir::ReduceOp::min, dtype);
  return values[best_of(values, largest)];
}

Results reduce(const Call& c) {
  Tensor out = c.result();
  const bool arithmetic = c.op == "sum" || c.op == "prod";
  // Eager casts to the result's dtype first; an f32 operand with dtype bf16 loses its bits before it is added.
  const Tensor x = arithmetic ? convert(c.in(0), out.dtype()) : c.in(0);
  const auto values = groups(c, x);
  for (size_t i = 0; i < values.size(); ++i) {
    out.set(static_cast<int64_t>(i), reduce_values(c.op, values[i], out.dtype()));
  }
  return {out};
}

Results cumsum(const Call& c) {
  Tensor out = c.result();
  const Tensor x = convert(c.in(0), out.dtype());
  if (x.rank() == 0) return {x};
  const int64_t dim = c.integer("dim");
  std::vector<ScalarValue> sums(static_cast<size_t>(x.elements()));
  for_each_index(x.shape(), [&](const Index& index, int64_t i) {
    std::vector<ScalarValue> parts = {x.get(i)};
    if (index[dim] > 0) {
      Index before = index;
      --before[dim];
      parts.push_back(sums[x.offset(before)]);
    }
    sums[i] = sum_of(parts, x.dtype());
    out.set(i, sums[i]);
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kReductions[] = {
    {"sum", reduce}, {"prod", reduce},   {"amax", reduce},   {"amin", reduce},  {"any", reduce},
    {"all", reduce}, {"argmax", reduce}, {"argmin", reduce}, {"cumsum", cumsum}};

}  // namespace

KernelTable reduction_kernels() { return kReductions; }

}  // namespace litz::interp
