#include "ops/reshape.h"

#include <span>

#include "ops/infer.h"

namespace litz::ops {

namespace {

// Dimensions of one side without sizes of 1: their numbers and sizes.
struct Side {
  std::vector<size_t> dims;
  std::vector<Expr> sizes;
};

Side without_ones(const std::vector<Expr>& shape) {
  Side side;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (is_one(shape[i])) continue;
    side.dims.push_back(i);
    side.sizes.push_back(shape[i]);
  }
  return side;
}

Expr product_of(const std::vector<Expr>& sizes, size_t first, size_t count) {
  Expr p = 1;
  for (size_t i = 0; i < count; ++i) p = p * sizes[first + i];
  return p;
}

// The smallest group that starts at `a` and `b`: counts of dimensions with equal products.
std::pair<size_t, size_t> next_group(const Side& from, size_t a, const Side& to, size_t b) {
  const size_t left = from.sizes.size() - a;
  const size_t right = to.sizes.size() - b;
  for (size_t total = 2; total < left + right; ++total) {
    for (size_t p = 1; p < total; ++p) {
      const size_t q = total - p;
      if (p > left || q > right) continue;
      if (product_of(from.sizes, a, p) == product_of(to.sizes, b, q)) return {p, q};
    }
  }
  return {left, right};
}

}  // namespace

std::vector<Expr> unflatten_index(const Expr& linear, const std::vector<Expr>& shape) {
  std::vector<Expr> index(shape.size(), Expr(0));
  const Side side = without_ones(shape);
  Expr stride = 1;
  for (size_t k = side.dims.size(); k-- > 0;) {
    const Expr quotient = is_one(stride) ? linear : floor_div(linear, stride);
    index[side.dims[k]] = k == 0 ? quotient : mod(quotient, side.sizes[k]);
    stride = stride * side.sizes[k];
  }
  return index;
}

std::vector<Expr> reshape_map(const std::vector<Expr>& index, const std::vector<Expr>& from,
                              const std::vector<Expr>& to) {
  std::vector<Expr> out(to.size(), Expr(0));
  for (const Expr& size : from) {
    if (is_zero(size)) return out;  // no element to map
  }
  const Side source = without_ones(from);
  const Side target = without_ones(to);
  size_t a = 0;
  size_t b = 0;
  while (a < source.dims.size() && b < target.dims.size()) {
    const auto [p, q] = next_group(source, a, target, b);
    Expr linear = 0;
    for (size_t i = 0; i < p; ++i) linear = linear * source.sizes[a + i] + index[source.dims[a + i]];
    const std::vector<Expr> sizes(target.sizes.begin() + b, target.sizes.begin() + b + q);
    const std::vector<Expr> part = unflatten_index(linear, sizes);
    for (size_t i = 0; i < q; ++i) out[target.dims[b + i]] = part[i];
    a += p;
    b += q;
  }
  return out;
}

}  // namespace litz::ops
