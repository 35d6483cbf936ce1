// Reads at computed indices.
#include "ops/gather.h"

namespace litz::ops {

namespace {

std::vector<TensorType> embedding_infer(const InferArgs& args) {
  const TensorType& weight = operand(args, 0);
  const TensorType& indices = operand(args, 1);
  check_rank("embedding", "weight", weight, 2);
  check_index_dtype("embedding", "indices", indices);
  std::vector<Expr> shape = indices.shape;
  shape.push_back(weight.shape[1]);
  return {make_type(args, weight.dtype, std::move(shape))};
}

std::vector<TensorType> index_select_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& index = operand(args, 1);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("index_select", "dim", dim, x.rank());
  check_rank("index_select", "index", index, 1);
  check_index_dtype("index_select", "index", index);
  std::vector<Expr> shape = x.shape;
  shape[dim] = index.shape[0];
  return {make_type(args, x.dtype, std::move(shape))};
}

std::vector<TensorType> gather_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& index = operand(args, 1);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("gather", "dim", dim, x.rank());
  check_rank("gather", "index", index, x.rank());
  check_index_dtype("gather", "index", index);
  for (int64_t d = 0; d < x.rank(); ++d) {
    const bool known = index.shape[d].is_constant() && x.shape[d].is_constant();
    const bool fits = known ? index.shape[d].constant() <= x.shape[d].constant() : index.shape[d] == x.shape[d];
    if (d != dim && !fits) {
      fail("gather", "'index' is " + ir::to_string(index) + ", larger than 'x', " + ir::to_string(x) +
                         ", at dimension " + std::to_string(d));
    }
  }
  return {make_type(args, x.dtype, index.shape)};
}

std::vector<TensorType> index_infer(const InferArgs& args) {
  return {make_type(args, operand(args, 0).dtype, indexed_shape("index", args, 1).shape)};
}

}  // namespace

IndexedShape indexed_shape(std::string_view op, const InferArgs& args, size_t first_index) {
  const TensorType& x = operand(args, 0);
  const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
  check_dims(op, dims, x.rank());
  if (dims.empty()) fail(op, "needs an index");
  check_count(op, "dims", dims, args.operands.size() - first_index);
  IndexedShape result;
  for (size_t i = first_index; i < args.operands.size(); ++i) {
    check_index_dtype(op, "index " + std::to_string(i - first_index), operand(args, i));
    result.index_shape = broadcast(op, result.index_shape, operand(args, i).shape);
  }
  const bool adjacent = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  result.place = adjacent ? dims.front() : 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!contains(dims, d)) result.shape.push_back(x.shape[d]);
  }
  result.shape.insert(result.shape.begin() + result.place, result.index_shape.begin(), result.index_shape.end());
  return result;
}

std::vector<OpRecord> gather_records() {
  std::vector<OpRecord> r;
  r.push_back({.name = "embedding",
               .kind = OpKind::gather,
               .operands = {{.name = "weight"}, {.name = "indices"}},
               .doc = "rows of weight [V, D]: [..., D]. Negative indices are out of range",
               .infer = embedding_infer});
  r.push_back({.name = "index_select",
               .kind = OpKind::gather,
               .operands = {{.name = "x"}, {.name = "index"}},
               .attributes = {{"dim", AttrKind::integer}},
               .doc = "x at index [n] along dim. Negative indices are out of range",
               .infer = index_select_infer});
  r.push_back({.name = "gather",
               .kind = OpKind::gather,
               .operands = {{.name = "x"}, {.name = "index"}},
               .attributes = {{"dim", AttrKind::integer}},
               .doc = "result[i, j, k] = x[index[i, j, k], j, k] for dim 0. Negative indices are out of range",
               .infer = gather_infer});
  r.push_back({.name = "index",
               .kind = OpKind::gather,
               .operands = {{.name = "x"}, {.name = "indices", .kind = OperandKind::variadic}},
               .attributes = {{"dims", AttrKind::integers}},
               .doc = "x indexed by broadcast tensors on dims, as PyTorch's advanced indexing; negative indices wrap",
               .infer = index_infer});
  return r;
}

}  // namespace litz::ops
