// ATen's reads and writes at computed indices.
#include "ops/aten_context.h"

namespace litz::ops {

namespace {

AtenResults embedding(AtenContext& c) { return {c.b.add("embedding", {c.tensor(0), c.tensor(1)})}; }

// Operands of any rank as at least 1-d, as ATen treats them.
ValueId at_least_1d(Builder& b, ValueId x) { return b.type(x).rank() == 0 ? reshape(b, x, {Expr(1)}) : x; }

AtenResults index_select(AtenContext& c) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const ValueId index = at_least_1d(b, c.tensor(2));
  const ValueId y = b.add("index_select", {at_least_1d(b, c.tensor(0)), index}, {{"dim", c.dim(1, type.rank())}});
  return {type.rank() == 0 ? reshape(b, y, {}) : y};
}

AtenResults gather(AtenContext& c) {
  Builder& b = c.b;
  const std::vector<Expr> shape = c.type(2).shape;
  const int64_t dim = c.dim(1, c.type(0).rank());
  const ValueId y = b.add("gather", {at_least_1d(b, c.tensor(0)), at_least_1d(b, c.tensor(2))}, {{"dim", dim}});
  return {reshape(b, y, shape)};
}

// The indices that are there and the dimensions they index.
struct Indices {
  std::vector<ValueId> values;
  std::vector<int64_t> dims;
};

Indices indices_of(AtenContext& c, size_t i) {
  Indices out;
  int64_t dim = 0;
  for (ValueId index : c.tensors(i)) {
    if (index != ir::kNoValue) {
      const DType dtype = c.b.type(index).dtype;
      if (dtype == DType::boolean || dtype == DType::u8)
        not_imported("a mask as an index gives a size known at run time");
      if (dtype != DType::i64 && dtype != DType::i32) index = convert(c.b, index, DType::i64);
      out.values.push_back(index);
      out.dims.push_back(dim);
    }
    ++dim;
  }
  if (out.values.empty()) not_imported("it has no index");
  return out;
}

AtenResults index(AtenContext& c) {
  const Indices indices = indices_of(c, 1);
  std::vector<ValueId> operands = {c.tensor(0)};
  operands.insert(operands.end(), indices.values.begin(), indices.values.end());
  return {c.b.add("index", operands, {{"dims", indices.dims}})};
}

AtenResults index_put(AtenContext& c) {
  const Indices indices = indices_of(c, 1);
  std::vector<ValueId> operands = {c.tensor(0), convert(c.b, c.tensor(2), c.type(0).dtype)};
  operands.insert(operands.end(), indices.values.begin(), indices.values.end());
  return {c.b.add("index_put", operands, {{"dims", indices.dims}, {"accumulate", c.boolean_or(3, false)}})};
}

// x as a list, indexed with wrapping.
AtenResults take(AtenContext& c) {
  const ValueId flat = reshape(c.b, c.tensor(0), {c.type(0).elements()});
  return {c.b.add("index", {flat, c.tensor(1)}, {{"dims", std::vector<int64_t>{0}}})};
}

// `start` is what the reduction begins with where x itself takes no part.
AtenResults scatter(AtenContext& c, const std::string& reduce, std::optional<ir::ScalarValue> start = std::nullopt) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const ValueId index = at_least_1d(b, c.tensor(2));
  const ValueId source = c.is_number(3) ? c.full(b.type(index).shape, c.number(3), type.dtype)
                                        : at_least_1d(b, convert(b, c.tensor(3), type.dtype));
  Attributes attributes{{"dim", c.dim(1, type.rank())}};
  ValueId x = at_least_1d(b, c.tensor(0));
  if (start) x = b.add("scatter", {x, index, c.full(b.type(index).shape, {*start}, type.dtype)}, attributes);
  if (!reduce.empty()) attributes.set("reduce", reduce);
  const ValueId y = b.add("scatter", {x, index, source}, attributes);
  return {reshape(b, y, type.shape)};
}

std::string reduction_name(const std::string& aten) {
  if (aten == "add" || aten == "sum") return "add";
  if (aten == "multiply" || aten == "prod") return "prod";
  if (aten == "amax" || aten == "amin") return aten;
  not_imported("reduction \"" + aten + "\" is not compiled yet");
}

AtenResults scatter_named(AtenContext& c) { return scatter(c, reduction_name(c.text_or(4, ""))); }

AtenResults scatter_reduce(AtenContext& c) {
  const std::string reduce = reduction_name(c.text_or(4, ""));
  if (c.boolean_or(5, true)) return scatter(c, reduce);
  const ir::ReduceOp op = reduce == "add"    ? ir::ReduceOp::sum
                          : reduce == "prod" ? ir::ReduceOp::prod
                          : reduce == "amax" ? ir::ReduceOp::max
                                             : ir::ReduceOp::min;
  return scatter(c, reduce, ir::reduce_identity(op, c.type(0).dtype));
}

// index_add, index_copy and index_fill: a 1-d index along one dimension, as an index_put with that dimension in front.
AtenResults along_dim(AtenContext& c, bool accumulate) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const int64_t dim = c.dim(1, type.rank());
  const ValueId index = at_least_1d(b, c.tensor(2));
  const Attributes attributes{{"dims", std::vector<int64_t>{0}}, {"accumulate", accumulate}};
  std::vector<int64_t> to_front = all_dims(std::max(type.rank(), 1));
  std::swap(to_front[0], to_front[dim]);
  const ValueId x = permute(b, at_least_1d(b, c.tensor(0)), to_front);
  ValueId values = ir::kNoValue;
  if (c.is_number(3)) {
    values = c.constant(c.number(3), type.dtype);
  } else {
    values = convert(b, c.tensor(3), type.dtype);
    if (b.type(values).rank() > 0) values = permute(b, values, to_front);
  }
  if (accumulate && !c.is_none(4) && c.real(4) != 1) values = with_number(b, "mul", values, c.real(4));
  const ValueId y = permute(b, b.add("index_put", {x, values, index}, attributes), to_front);
  return {reshape(b, y, type.shape)};
}

}  // namespace

AtenTable aten_indexing() {
  const AtenImporter plain = [](AtenContext& c) { return scatter(c, ""); };
  return {
      {"aten.embedding.default", embedding},
      {"aten.index_select.default", index_select},
      {"aten.gather.default", gather},
      {"aten.index.Tensor", index},
      {"aten._unsafe_index.Tensor", index},
      {"aten.index_put.default", index_put},
      {"aten._unsafe_index_put.default", index_put},
      {"aten.take.default", take},
      {"aten.index_add.default", [](AtenContext& c) { return along_dim(c, /*accumulate=*/true); }},
      {"aten.index_copy.default", [](AtenContext& c) { return along_dim(c, /*accumulate=*/false); }},
      {"aten.index_fill.int_Scalar", [](AtenContext& c) { return along_dim(c, /*accumulate=*/false); }},
      {"aten.index_fill.int_Tensor", [](AtenContext& c) { return along_dim(c, /*accumulate=*/false); }},
      {"aten.scatter.src", plain},
      {"aten.scatter.value", plain},
      {"aten.scatter.reduce", scatter_named},
      {"aten.scatter.value_reduce", scatter_named},
      {"aten.scatter_add.default", [](AtenContext& c) { return scatter(c, "add"); }},
      {"aten.scatter_reduce.two", scatter_reduce},
  };
}

}  // namespace litz::ops
