#include "frontends/trace/strided.h"

#include <algorithm>
#include <map>

#include "ops/record.h"

namespace litz::trace {

namespace {

ir::TensorType type_of(const std::vector<int64_t>& shape) { return {.shape = {shape.begin(), shape.end()}}; }

// Runs of dimensions of `x` that lie in memory as one, as (size, stride) of each run; sizes of 1 are left out.
struct Run {
  int64_t size;
  int64_t stride;
};

std::vector<Run> runs_of(const Strided& x) {
  std::vector<Run> runs;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (x.shape[d] == 1) continue;
    if (!runs.empty() && runs.back().stride == x.strides[d] * x.shape[d]) {
      runs.back().size *= x.shape[d];
      runs.back().stride = x.strides[d];
    } else {
      runs.push_back({x.shape[d], x.strides[d]});
    }
  }
  return runs;
}

}  // namespace

int64_t element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

Strided row_major(std::vector<int64_t> shape) {
  Strided out;
  out.strides = row_major_strides(shape);
  out.shape = std::move(shape);
  return out;
}

bool is_row_major(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  int64_t stride = 1;
  bool same = true;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] != 1 && strides[d] != stride) same = false;
    stride *= shape[d];
  }
  return same;
}

bool same_window(const Strided& a, const Strided& b) {
  if (a.shape != b.shape) return false;
  if (element_count(a.shape) == 0) return true;
  bool same = a.offset == b.offset;
  for (size_t d = 0; d < a.shape.size(); ++d) same = same && (a.shape[d] == 1 || a.strides[d] == b.strides[d]);
  return same;
}

bool is_dense(const Strided& x) {
  if (element_count(x.shape) == 0) return true;
  std::vector<size_t> order;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (x.shape[d] != 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x.strides[a] < x.strides[b]; });
  int64_t stride = 1;
  for (size_t d : order) {
    if (x.strides[d] != stride) return false;
    stride *= x.shape[d];
  }
  return x.offset == 0;
}

// From the record's map: the operand's index is linear in the result's, so each coefficient times the operand's stride
// adds to the result's stride.
Strided view_of(std::string_view op, const ir::Attributes& attributes, const Strided& x) {
  const ops::OpRecord& record = ops::record(op);
  const ir::TensorType type = type_of(x.shape);
  const ir::TensorType* operand = &type;
  const ops::InferArgs args{.operands = {&operand, 1}, .attributes = attributes};
  const ir::TensorType result = ops::infer_types(record, args).front();
  std::vector<Expr> index;
  std::map<std::string, int64_t> origin;
  for (size_t d = 0; d < result.shape.size(); ++d) {
    const std::string name = "i" + std::to_string(d);
    index.push_back(Expr::symbol(name));
    origin[name] = 0;
  }
  Strided out{.strides = std::vector<int64_t>(index.size(), 0), .offset = x.offset};
  for (const Expr& size : result.shape) out.shape.push_back(size.constant());
  const std::vector<Expr> place = record.map(index, args, result);
  for (size_t d = 0; d < place.size(); ++d) {
    const int64_t start = place[d].evaluate(origin);
    out.offset += start * x.strides[d];
    for (size_t i = 0; i < index.size(); ++i) {
      const auto linear = as_linear(place[d], "i" + std::to_string(i));
      LITZ_CHECK(linear && linear->coefficient.is_constant(), std::string(op) + " is no strided view");
      out.strides[i] += linear->coefficient.constant() * x.strides[d];
    }
  }
  return out;
}

std::optional<Strided> reshaped(const Strided& x, const std::vector<int64_t>& shape) {
  Strided out{.shape = shape, .strides = row_major_strides(shape), .offset = x.offset};
  if (element_count(shape) == 0 || is_row_major(x.shape, x.strides)) return out;
  std::vector<Run> runs = runs_of(x);
  // From the last dimension on, each new one takes its size off the end of the last run.
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    while (!runs.empty() && runs.back().size == 1) runs.pop_back();
    if (runs.empty() || runs.back().size % shape[d] != 0) return std::nullopt;
    out.strides[d] = runs.back().stride;
    runs.back().stride *= shape[d];
    runs.back().size /= shape[d];
  }
  return out;
}

}  // namespace litz::trace
