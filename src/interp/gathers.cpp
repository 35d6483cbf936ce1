// Reads and writes at computed indices. Every index is checked before anything is written.
#include <algorithm>

#include "interp/kernels.h"
#include "interp/scalar.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

Results embedding(const Call& c) {
  const Tensor& weight = c.in(0);
  const Tensor& indices = c.in(1);
  return {rearranged(weight, c.types[0], [&](const Index& index) {
    const Index at(index.begin(), index.end() - 1);
    const int64_t row = check_index(c.op, indices.integer(indices.offset(at)), weight.shape()[0], 0);
    return Index{row, index.back()};
  })};
}

Results index_select(const Call& c) {
  const int64_t dim = c.integer("dim");
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    index[dim] = check_index(c.op, c.in(1).integer(index[dim]), c.in(0).shape()[dim], dim);
    return index;
  })};
}

Results gather(const Call& c) {
  const int64_t dim = c.integer("dim");
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    index[dim] = check_index(c.op, c.in(1).integer(c.in(1).offset(index)), c.in(0).shape()[dim], dim);
    return index;
  })};
}

std::vector<int64_t> broadcast_shape(std::span<const Tensor* const> tensors) {
  size_t rank = 0;
  for (const Tensor* t : tensors) rank = std::max(rank, t->shape().size());
  std::vector<int64_t> shape(rank, 1);
  for (const Tensor* t : tensors) {
    for (size_t d = 0; d < t->shape().size(); ++d) {
      int64_t& size = shape[rank - t->shape().size() + d];
      if (t->shape()[d] != 1) size = t->shape()[d];
    }
  }
  return shape;
}

// The element of `t`, broadcast, at `index`.
int64_t broadcast_offset(const Tensor& t, const Index& index) {
  Index own(index.end() - t.rank(), index.end());
  for (int d = 0; d < t.rank(); ++d) {
    if (t.shape()[d] == 1) own[d] = 0;
  }
  return t.offset(own);
}

// Which element of x the result's index of advanced indexing means.
class IndexedPlace {
 public:
  IndexedPlace(const Call& c, size_t first_index)
      : op_(c.op), x_(c.in(0)), dims_(c.integers("dims")), indices_(std::span(c.operands).subspan(first_index)) {
    rank_ = broadcast_shape(indices_).size();
    const bool adjacent = dims_.back() - dims_.front() + 1 == static_cast<int64_t>(dims_.size());
    place_ = adjacent ? dims_.front() : 0;
  }

  std::vector<int64_t> result_shape() const {
    std::vector<int64_t> shape;
    for (int64_t d = 0; d < x_.rank(); ++d) {
      if (!is_indexed(d)) shape.push_back(x_.shape()[d]);
    }
    const std::vector<int64_t> inserted = broadcast_shape(indices_);
    shape.insert(shape.begin() + place_, inserted.begin(), inserted.end());
    return shape;
  }

  Index operator()(const Index& index) const {
    const auto begin = index.begin() + place_;
    const Index inner(begin, begin + static_cast<int64_t>(rank_));
    Index rest(index.begin(), begin);
    rest.insert(rest.end(), begin + static_cast<int64_t>(rank_), index.end());
    Index out;
    size_t next = 0;
    for (int64_t d = 0; d < x_.rank(); ++d) {
      const auto it = std::find(dims_.begin(), dims_.end(), d);
      if (it == dims_.end()) {
        out.push_back(rest[next++]);
        continue;
      }
      const Tensor& indices = *indices_[it - dims_.begin()];
      out.push_back(wrap_index(op_, indices.integer(broadcast_offset(indices, inner)), x_.shape()[d], d));
    }
    return out;
  }

 private:
  bool is_indexed(int64_t d) const { return std::find(dims_.begin(), dims_.end(), d) != dims_.end(); }

  std::string_view op_;
  const Tensor& x_;
  const std::vector<int64_t>& dims_;
  std::span<const Tensor* const> indices_;
  size_t rank_ = 0;
  int64_t place_ = 0;
};

Results index(const Call& c) { return {rearranged(c.in(0), c.types[0], IndexedPlace(c, 1))}; }

// `a` combined with `b` in the compute dtype, not rounded to f16 or bf16.
ir::ScalarValue combine(ir::ScalarOp op, DType dtype, const ir::ScalarValue& a, const ir::ScalarValue& b) {
  const DType inner = compute_dtype(dtype);
  const Typed args[] = {{inner, a}, {inner, b}};
  return evaluate(op, inner, args);
}

// Sums for booleans are `or`.
ir::ScalarOp combiner(const std::string& reduce, DType dtype) {
  if (dtype == DType::boolean)
    return reduce == "add" || reduce == "amax" ? ir::ScalarOp::bit_or : ir::ScalarOp::bit_and;
  if (reduce == "prod") return ir::ScalarOp::mul;
  if (reduce == "amax") return ir::ScalarOp::max;
  return reduce == "amin" ? ir::ScalarOp::min : ir::ScalarOp::add;
}

Results index_put(const Call& c) {
  Tensor out = c.in(0);
  const Tensor& values = c.in(1);
  const IndexedPlace place(c, 2);
  const ir::ScalarOp add = combiner("add", out.dtype());
  for_each_index(place.result_shape(), [&](const Index& at, int64_t) {
    const int64_t target = out.offset(place(at));
    const ir::ScalarValue value = values.get(broadcast_offset(values, at));
    out.set(target, c.boolean("accumulate") ? combine(add, out.dtype(), out.get(target), value) : value);
  });
  return {out};
}

Results scatter(const Call& c) {
  Tensor out = c.in(0);
  const Tensor& index = c.in(1);
  const Tensor& source = c.in(2);
  const int64_t dim = c.integer("dim");
  for_each_index(index.shape(), [&](const Index& at, int64_t i) {
    Index target = at;
    target[dim] = check_index(c.op, index.integer(i), out.shape()[dim], dim);
    const int64_t place = out.offset(target);
    const ir::ScalarValue value = source.get(source.offset(at));
    if (!c.attributes.has("reduce")) {
      out.set(place, value);
      return;
    }
    const ir::ScalarOp op = combiner(c.attributes.get<std::string>("reduce"), out.dtype());
    out.set(place, combine(op, out.dtype(), out.get(place), value));
  });
  return {out};
}

constexpr std::pair<std::string_view, Kernel> kGathers[] = {
    {"embedding", embedding}, {"index_select", index_select}, {"gather", gather}, {"index", index}};
constexpr std::pair<std::string_view, Kernel> kScatters[] = {{"index_put", index_put}, {"scatter", scatter}};

}  // namespace

KernelTable gather_kernels() { return kGathers; }
KernelTable scatter_kernels() { return kScatters; }

}  // namespace litz::interp
