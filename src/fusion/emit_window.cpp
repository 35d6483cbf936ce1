// Nodes with loops of their own inside an element: pooling windows, and convolutions and products that no template
// covers.
#include <limits>

#include "fusion/emit_node.h"

namespace litz::fusion {

using ir::Scalar;
using ir::ScalarOp;

namespace {

// Opens a reduction loop over `extents`; gives the index along each.
Index open_loop(Body& body, const std::vector<Expr>& extents) {
  std::vector<kernel_ir::Range> ranges;
  Index index;
  for (const Expr& extent : extents) {
    if (extent == Expr(1)) {
      index.push_back(0);
      continue;
    }
    ranges.push_back({body.fresh_range("k"), extent});
    index.push_back(Expr::symbol(ranges.back().name));
  }
  if (ranges.empty()) ranges.push_back({body.fresh_range("k"), 1});
  body.open(kernel_ir::RangeKind::reduction, std::move(ranges));
  return index;
}

// The mask of positions inside [0, size) in every listed dimension; nothing if all positions are.
std::optional<Scalar> inside(Body& body, const Index& at, const std::vector<Expr>& shape) {
  std::optional<Scalar> all;
  for (size_t d = 0; d < at.size(); ++d) {
    const auto known = bounds_of(at[d], body.bounds());
    const bool low = known && known->low >= 0;
    const bool high = known && shape[d].is_constant() && known->high < shape[d].constant();
    auto require = [&](ScalarOp op, const Expr& bound) {
      const Scalar holds = body.compare(op, body.index_value(at[d]), body.index_value(bound));
      all = all ? body.binary(ScalarOp::bit_and, *all, holds) : holds;
    };
    if (!low) require(ScalarOp::ge, 0);
    if (!high) require(ScalarOp::lt, shape[d]);
  }
  return all;
}

ir::ScalarValue lowest(DType dtype) { return ir::reduce_identity(ir::ReduceOp::max, dtype); }

struct Window {
  std::vector<int64_t> kernel, stride, padding, dilation;
};

// Positions of a pooling window: output index * stride - padding + tap * dilation.
Index window_index(const Index& out, const Index& tap, const Window& w) {
  Index at(out.begin(), out.begin() + 2);
  for (size_t d = 0; d < 2; ++d) {
    at.push_back(out[2 + d] * w.stride[d] - w.padding[d] + tap[d] * w.dilation[d]);
  }
  return at;
}

Scalar emit_max_pool(const EmitContext& c, const ir::Node& node, const Index& index) {
  const ir::TensorType& in = c.graph.type(node.operands[0]);
  const auto& a = node.attributes;
  const Window w{a.get<std::vector<int64_t>>("kernel"), a.get<std::vector<int64_t>>("stride"),
                 a.get<std::vector<int64_t>>("padding"), a.get<std::vector<int64_t>>("dilation")};
  const Index tap = open_loop(c.body, {w.kernel[0], w.kernel[1]});
  const Index at = window_index(index, tap, w);
  const std::optional<Scalar> mask = inside(c.body, at, in.shape);
  const DType compute = compute_dtype(in.dtype);
  const Scalar x =
      mask ? c.body.masked_load(node.operands[0], at, *mask, lowest(in.dtype)) : c.body.load(node.operands[0], at);
  c.body.reduce(ir::ReduceOp::max, compute, c.body.cast(x, compute));
  return c.body.cast(c.body.close()[0][0], in.dtype);
}

// The number of window positions along one dimension that average pooling divides by.
Expr positions(const Expr& out, int64_t kernel, int64_t stride, int64_t padding, const Expr& size, bool count_pad) {
  const Expr start = out * stride - padding;
  const Expr end = min(start + kernel, size + padding);
  return count_pad ? end - start : min(end, size) - max(start, 0);
}

Scalar emit_avg_pool(const EmitContext& c, const ir::Node& node, const Index& index) {
  const ir::TensorType& in = c.graph.type(node.operands[0]);
  const auto& a = node.attributes;
  const Window w{a.get<std::vector<int64_t>>("kernel"),
                 a.get<std::vector<int64_t>>("stride"),
                 a.get<std::vector<int64_t>>("padding"),
                 {1, 1}};
  const Index tap = open_loop(c.body, {w.kernel[0], w.kernel[1]});
  const Index at = window_index(index, tap, w);
  const std::optional<Scalar> mask = inside(c.body, at, in.shape);
  const DType compute = compute_dtype(in.dtype);
  const ir::ScalarValue zero = is_floating(in.dtype) ? ir::ScalarValue(0.0) : ir::ScalarValue(int64_t{0});
  const Scalar x = mask ? c.body.masked_load(node.operands[0], at, *mask, zero) : c.body.load(node.operands[0], at);
  c.body.reduce(ir::ReduceOp::sum, compute, c.body.cast(x, compute));
  const Scalar sum = c.body.close()[0][0];
  Expr count;
  if (a.has("divisor")) {
    count = a.get<int64_t>("divisor");
  } else {
    const bool pad = a.get<bool>("count_include_pad");
    count = positions(index[2], w.kernel[0], w.stride[0], w.padding[0], in.shape[2], pad) *
            positions(index[3], w.kernel[1], w.stride[1], w.padding[1], in.shape[3], pad);
  }
  const Scalar divisor = c.body.cast(c.body.index_value(simplify(count, c.body.bounds())), compute);
  return c.body.cast(c.body.div(sum, divisor), in.dtype);
}

Scalar add_bias(const EmitContext& c, const ir::Node& node, Scalar sum, const Expr& channel) {
  if (node.operands.size() < 3 || node.operands[2] == ir::kNoValue) return sum;
  return c.body.add(sum, c.body.cast(c.pull(node.operands[2], {channel}), sum.dtype));
}

Scalar emit_convolution(const EmitContext& c, const ir::Node& node, const Index& index) {
  const ir::TensorType& in = c.graph.type(node.operands[0]);
  const ir::TensorType& weight = c.graph.type(node.operands[1]);
  const auto& a = node.attributes;
  const auto& stride = a.get<std::vector<int64_t>>("stride");
  const auto& padding = a.get<std::vector<int64_t>>("padding");
  const auto& dilation = a.get<std::vector<int64_t>>("dilation");
  const int64_t groups = a.get<int64_t>("groups");
  std::vector<Expr> extents(weight.shape.begin() + 1, weight.shape.end());
  const Index tap = open_loop(c.body, extents);
  Expr in_channel = tap[0];
  if (groups > 1) {
    const Expr per_group = floor_div(weight.shape[0], groups);
    in_channel = simplify(floor_div(index[1], per_group), c.body.bounds()) * weight.shape[1] + tap[0];
  }
  Index at{index[0], in_channel};
  Index weight_at{index[1], tap[0]};
  for (size_t d = 0; d + 2 < in.shape.size(); ++d) {
    at.push_back(index[2 + d] * stride[d] - padding[d] + tap[1 + d] * dilation[d]);
    weight_at.push_back(tap[1 + d]);
  }
  const std::optional<Scalar> mask = inside(c.body, at, in.shape);
  const DType compute = compute_dtype(in.dtype);
  const ir::ScalarValue zero = is_floating(in.dtype) ? ir::ScalarValue(0.0) : ir::ScalarValue(int64_t{0});
  const Scalar x = mask ? c.body.masked_load(node.operands[0], at, *mask, zero) : c.body.load(node.operands[0], at);
  const Scalar w = c.body.load(node.operands[1], weight_at);
  c.body.reduce(ir::ReduceOp::sum, compute, c.body.mul(c.body.cast(x, compute), c.body.cast(w, compute)));
  const Scalar sum = add_bias(c, node, c.body.close()[0][0], index[1]);
  return c.body.cast(sum, in.dtype);
}

Scalar emit_product(const EmitContext& c, const ir::Node& node, const Index& index) {
  const ir::TensorType& lhs = c.graph.type(node.operands[0]);
  const Index k = open_loop(c.body, {lhs.shape.back()});
  Index lhs_at(index.begin(), index.end() - 1);
  lhs_at.push_back(k[0]);
  Index rhs_at;
  if (node.op == "linear") {
    rhs_at = {index.back(), k[0]};
  } else {
    rhs_at.assign(index.begin(), index.end() - 2);
    rhs_at.push_back(k[0]);
    rhs_at.push_back(index.back());
  }
  const DType compute = compute_dtype(lhs.dtype);
  const Scalar x = c.body.cast(c.body.load(node.operands[0], lhs_at), compute);
  const Scalar w = c.body.cast(c.body.load(node.operands[1], rhs_at), compute);
  c.body.reduce(ir::ReduceOp::sum, compute, c.body.mul(x, w));
  Scalar sum = c.body.close()[0][0];
  if (node.op == "linear") sum = add_bias(c, node, sum, index.back());
  return c.body.cast(sum, lhs.dtype);
}

}  // namespace

Scalar emit_window(const EmitContext& c, const ir::Node& node, const Index& index) {
  if (node.op == "max_pool2d") return emit_max_pool(c, node, index);
  if (node.op == "avg_pool2d") return emit_avg_pool(c, node, index);
  if (node.op == "convolution") return emit_convolution(c, node, index);
  LITZ_CHECK(node.op == "dot" || node.op == "linear", "no windowed form of " + node.op);
  return emit_product(c, node, index);
}

}  // namespace litz::fusion
