#include "fusion/emit_node.h"

#include <algorithm>

namespace litz::fusion {

using ir::Scalar;
using ir::ScalarOp;

std::string describe(const ir::Node& node) {
  const std::string op = node.location.op.empty() ? node.op : node.location.op;
  return node.location.source.empty() ? op : op + " at " + node.location.source;
}

namespace {

Scalar all_of(Body& body, const std::vector<Scalar>& conditions) {
  Scalar out = conditions.front();
  for (size_t i = 1; i < conditions.size(); ++i) out = body.binary(ScalarOp::bit_and, out, conditions[i]);
  return out;
}

// Conditions under which low <= e < high; those that always hold are left out.
void in_range(Body& body, const Expr& e, const Expr& low, const Expr& high, std::vector<Scalar>* conditions) {
  const auto known = bounds_of(e, body.bounds());
  const Scalar value = body.index_value(e);
  if (!(known && low.is_constant() && known->low >= low.constant())) {
    conditions->push_back(body.compare(ScalarOp::ge, value, body.index_value(low)));
  }
  if (!(known && high.is_constant() && known->high < high.constant())) {
    conditions->push_back(body.compare(ScalarOp::lt, value, body.index_value(high)));
  }
}

ir::ScalarValue scalar_value(DType dtype, double value) {
  if (is_floating(dtype)) return value;
  return static_cast<int64_t>(value);
}

Scalar emit_pointwise(const EmitContext& c, const ir::Node& node, const Index& index) {
  NodeArgs args(c.graph, node);
  std::vector<Scalar> values;
  for (const InlineRead& read : inline_reads(c.graph, c.views, node, index)) {
    values.push_back(c.pull(node.operands[read.operand], read.index));
  }
  return ops::apply_body(ops::record(node.op), c.body, values, args.get(), c.graph.type(node.results[0]).dtype);
}

// The i64 index that an index operand holds, checked against `size`.
Scalar checked_index(const EmitContext& c, const ir::Node& node, uint32_t operand, const Index& at, const Expr& size,
                     bool wraps) {
  const Scalar value = c.body.cast(c.pull(node.operands[operand], at), DType::i64);
  return c.body.check(value, size, wraps, describe(node));
}

// Only "index" counts negative indices from the end.
Scalar emit_gather(const EmitContext& c, const ir::Node& node, const Index& index) {
  const std::vector<Expr>& table = c.graph.type(node.operands[0]).shape;
  const std::vector<InlineRead> reads = inline_reads(c.graph, c.views, node, index);
  Index at;
  if (node.op == "embedding") {
    at = {c.body.as_expr(checked_index(c, node, 1, reads[0].index, table[0], false)), index.back()};
  } else if (node.op == "gather" || node.op == "index_select") {
    const auto dim = static_cast<size_t>(node.attributes.get<int64_t>("dim"));
    at = index;
    if (at.empty()) return c.pull(node.operands[0], {});
    at[dim] = c.body.as_expr(checked_index(c, node, 1, reads[0].index, table[dim], false));
  } else {
    const auto& dims = node.attributes.get<std::vector<int64_t>>("dims");
    size_t rank = 0;
    for (uint32_t o = 1; o < node.operands.size(); ++o) {
      rank = std::max(rank, c.graph.type(node.operands[o]).shape.size());
    }
    const bool adjacent = dims.back() - dims.front() == static_cast<int64_t>(dims.size()) - 1;
    const size_t first = adjacent ? static_cast<size_t>(dims.front()) : 0;
    // Dimensions that are not indexed keep their order around the block of index dimensions.
    size_t next = 0;
    for (size_t d = 0; d < table.size(); ++d) {
      auto which = std::find(dims.begin(), dims.end(), static_cast<int64_t>(d));
      if (which != dims.end()) {
        const auto o = static_cast<uint32_t>(which - dims.begin()) + 1;
        at.push_back(c.body.as_expr(checked_index(c, node, o, reads[o - 1].index, table[d], true)));
        continue;
      }
      if (next == first) next += rank;
      at.push_back(index[next++]);
    }
  }
  return c.body.load(node.operands[0], at);
}

Scalar emit_pad(const EmitContext& c, const ir::Node& node, const Index& index) {
  const std::vector<Expr>& shape = c.graph.type(node.operands[0]).shape;
  const auto& padding = node.attributes.get<std::vector<int64_t>>("padding");
  const DType dtype = c.graph.type(node.operands[0]).dtype;
  std::vector<Scalar> inside;
  Index at;
  for (size_t d = 0; d < shape.size(); ++d) {
    at.push_back(index[d] - padding[2 * d]);
    in_range(c.body, at.back(), 0, shape[d], &inside);
  }
  const ir::ScalarValue fill = scalar_value(dtype, node.attributes.get<double>("value"));
  if (inside.empty()) return c.body.load(node.operands[0], at);
  return c.body.masked_load(node.operands[0], at, all_of(c.body, inside), fill);
}

Scalar emit_cat(const EmitContext& c, const ir::Node& node, const Index& index) {
  const auto dim = static_cast<size_t>(node.attributes.get<int64_t>("dim"));
  const DType dtype = c.graph.type(node.results[0]).dtype;
  Scalar out{};
  bool first = true;
  Expr start = 0;
  for (ir::ValueId operand : node.operands) {
    const ir::TensorType& type = c.graph.type(operand);
    if (type.rank() != static_cast<int>(index.size())) continue;  // eager skips empty 1-d tensors
    const Expr end = start + type.shape[dim];
    Index at = index;
    at[dim] = index[dim] - start;
    std::vector<Scalar> inside;
    in_range(c.body, at[dim], 0, type.shape[dim], &inside);
    start = end;
    if (type.shape[dim] == Expr(0)) continue;
    if (inside.empty()) return c.body.cast(c.body.load(operand, at), dtype);
    const Scalar here = all_of(c.body, inside);
    const Scalar value = c.body.cast(c.body.masked_load(operand, at, here, scalar_value(type.dtype, 0)), dtype);
    out = first ? value : c.body.select(here, value, out);
    first = false;
  }
  return first ? c.body.constant(dtype, scalar_value(dtype, 0)) : out;
}

// Both scatters replace a part of `x` by `source`: slice_scatter a slice, select_scatter one position.
Scalar emit_part_scatter(const EmitContext& c, const ir::Node& node, const Index& index) {
  const auto dim = static_cast<size_t>(node.attributes.get<int64_t>("dim"));
  const ir::TensorType& source = c.graph.type(node.operands[1]);
  const DType dtype = c.graph.type(node.results[0]).dtype;
  std::vector<Scalar> inside;
  Index at = index;
  const int64_t size = c.graph.type(node.operands[0]).shape[dim].constant();
  const auto from_start = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  if (node.op == "select_scatter") {
    const Expr position = from_start(node.attributes.get<int64_t>("index"));
    in_range(c.body, index[dim], position, position + 1, &inside);
    at.erase(at.begin() + static_cast<ptrdiff_t>(dim));
  } else {
    const int64_t begin = from_start(node.attributes.get<int64_t>("start"));
    const int64_t step = node.attributes.get<int64_t>("step");
    at[dim] = simplify(floor_div(index[dim] - begin, step), c.body.bounds());
    in_range(c.body, at[dim], 0, source.shape[dim], &inside);
    if (step != 1) {
      const Scalar phase = c.body.index_value(mod(index[dim] - begin, step));
      inside.push_back(c.body.compare(ScalarOp::eq, phase, c.body.constant(DType::i64, int64_t{0})));
    }
  }
  const Scalar old = c.pull(node.operands[0], index);
  if (source.elements() == Expr(0)) return old;
  if (inside.empty()) return c.body.cast(c.body.load(node.operands[1], at), dtype);
  const Scalar here = all_of(c.body, inside);
  const Scalar value =
      c.body.cast(c.body.masked_load(node.operands[1], at, here, scalar_value(source.dtype, 0)), dtype);
  return c.body.select(here, value, old);
}

// Padding of the new layout lies outside the logical shape: it is written as zero.
Scalar emit_layout_convert(const EmitContext& c, const ir::Node& node, const Index& index) {
  const ir::TensorType& type = c.graph.type(node.results[0]);
  std::vector<Scalar> inside;
  for (size_t d = 0; d < index.size(); ++d) {
    const auto known = bounds_of(index[d], c.body.bounds());
    if (known && type.shape[d].is_constant() && known->high < type.shape[d].constant()) continue;
    in_range(c.body, index[d], 0, type.shape[d], &inside);
  }
  if (inside.empty()) return c.pull(node.operands[0], index);
  return c.body.masked_load(node.operands[0], index, all_of(c.body, inside), scalar_value(type.dtype, 0));
}

}  // namespace

Scalar emit_generated(const EmitContext& c, const ir::Node& node, const Index& index) {
  const DType dtype = c.graph.type(node.results[0]).dtype;
  if (node.op == "iota") {
    const Expr value = index[0] * node.attributes.get<int64_t>("step") + node.attributes.get<int64_t>("start");
    return c.body.cast(c.body.index_value(value), dtype);
  }
  if (node.op == "size") {
    return c.body.cast(c.body.index_value(node.attributes.get<std::vector<Expr>>("value")[0]), dtype);
  }
  LITZ_CHECK(node.op == "full", "unknown generator " + node.op);
  if (node.attributes.has("int_value") && !is_floating(dtype)) {
    return c.body.constant(dtype, node.attributes.get<int64_t>("int_value"));
  }
  return c.body.number(dtype, node.attributes.get<double>("value"));
}

Scalar emit_elementwise(const EmitContext& c, const ir::Node& node, const Index& index) {
  switch (ops::record(node.op).kind) {
    case ops::OpKind::pointwise:
      return emit_pointwise(c, node, index);
    case ops::OpKind::view:
      return c.pull(node.operands[0], inline_reads(c.graph, c.views, node, index)[0].index);
    case ops::OpKind::generator:
      return emit_generated(c, node, index);
    case ops::OpKind::gather:
      return emit_gather(c, node, index);
    default:
      break;
  }
  if (node.op == "pad") return emit_pad(c, node, index);
  if (node.op == "cat") return emit_cat(c, node, index);
  if (node.op == "layout_convert") return emit_layout_convert(c, node, index);
  LITZ_CHECK(node.op == "slice_scatter" || node.op == "select_scatter", "no elementwise form of " + node.op);
  return emit_part_scatter(c, node, index);
}

}  // namespace litz::fusion
