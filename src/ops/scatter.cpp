// Writes at computed indices, into a copy of the first operand.
#include "ops/gather.h"

namespace litz::ops {

namespace {

std::vector<TensorType> index_put_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& values = operand(args, 1);
  const IndexedShape at = indexed_shape("index_put", args, 2);
  if (values.dtype != x.dtype) {
    fail("index_put", "'values' must be " + std::string(dtype_name(x.dtype)) + ", but is " + ir::to_string(values));
  }
  if (!(broadcast("index_put", values.shape, at.shape) == at.shape)) {
    fail("index_put", "'values' is " + ir::to_string(values) + ", which does not expand to " + shape_text(at.shape));
  }
  return {make_type(args, x.dtype, x.shape)};
}

bool is_at_most(const Expr& a, const Expr& b) {
  return a == b || (a.is_constant() && b.is_constant() && a.constant() <= b.constant());
}

std::vector<TensorType> scatter_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& index = operand(args, 1);
  const TensorType& source = operand(args, 2);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  const std::string reduce = attribute_or(args.attributes, "reduce", std::string("add"));
  check_dim("scatter", "dim", dim, x.rank());
  check_rank("scatter", "index", index, x.rank());
  check_rank("scatter", "source", source, x.rank());
  check_index_dtype("scatter", "index", index);
  if (source.dtype != x.dtype) {
    fail("scatter", "'source' must be " + std::string(dtype_name(x.dtype)) + ", but is " + ir::to_string(source));
  }
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (is_at_most(index.shape[d], source.shape[d]) && (d == dim || is_at_most(index.shape[d], x.shape[d]))) continue;
    fail("scatter",
         "'index' is " + ir::to_string(index) + ", larger than 'x' or 'source' at dimension " + std::to_string(d));
  }
  if (reduce != "add" && reduce != "prod" && reduce != "amax" && reduce != "amin") {
    fail("scatter", "reduce must be \"add\", \"prod\", \"amax\" or \"amin\"");
  }
  return {make_type(args, x.dtype, x.shape)};
}

}  // namespace

std::vector<OpRecord> scatter_records() {
  std::vector<OpRecord> r;
  r.push_back({.name = "index_put",
               .kind = OpKind::scatter,
               .operands = {{.name = "x"}, {.name = "values"}, {.name = "indices", .kind = OperandKind::variadic}},
               .attributes = {{"dims", AttrKind::integers}, {"accumulate", AttrKind::boolean}},
               .doc = "x with `values` at what `index` would read, or added there; negative indices wrap",
               .infer = index_put_infer});
  r.push_back({.name = "scatter",
               .kind = OpKind::scatter,
               .operands = {{.name = "x"}, {.name = "index"}, {.name = "source"}},
               .attributes = {{"dim", AttrKind::integer}, {"reduce", AttrKind::text, false}},
               .doc = "x with x[index[i, j], j] = source[i, j] for dim 0, in row-major order of (i, j), or combined by "
                      "reduce: \"add\", \"prod\", \"amax\", \"amin\"",
               .infer = scatter_infer});
  return r;
}

}  // namespace litz::ops
