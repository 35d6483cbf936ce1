// Reductions over dimensions, and scans.
#include "ops/infer.h"

namespace litz::ops {

namespace {

enum class ResultDtype : uint8_t { same, sum, boolean, index };

DType result_dtype(ResultDtype rule, const InferArgs& args) {
  const DType dtype = operand(args, 0).dtype;
  switch (rule) {
    case ResultDtype::same:
      return dtype;
    case ResultDtype::boolean:
      return DType::boolean;
    case ResultDtype::index:
      return DType::i64;
    case ResultDtype::sum:
      return attribute_or(args.attributes, "dtype", is_floating(dtype) ? dtype : DType::i64);
  }
  return dtype;
}

// Ops without a value for no elements refuse dimensions of size 0.
void check_not_empty(std::string_view op, const TensorType& x, const std::vector<int64_t>& dims) {
  for (int64_t d : dims) {
    if (!is_zero(x.shape[d])) continue;
    fail(op, "dimension " + std::to_string(d) + " of " + ir::to_string(x) + " has no elements to reduce");
  }
}

OpRecord reduction(std::string_view name, ir::ReduceOp op, ResultDtype rule, std::string_view doc) {
  OpRecord r{.name = name,
             .kind = OpKind::reduction,
             .operands = {{.name = "x"}},
             .attributes = {{"dims", AttrKind::integers}, {"keepdim", AttrKind::boolean}},
             .doc = doc,
             .reduce = ReduceSpec{.op = op}};
  if (rule == ResultDtype::sum) r.attributes.push_back({"dtype", AttrKind::dtype, false});
  r.infer = [name, op, rule](const InferArgs& args) {
    const TensorType& x = operand(args, 0);
    const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
    check_dims(name, dims, x.rank());
    const bool bounded = op == ir::ReduceOp::max || op == ir::ReduceOp::min || rule == ResultDtype::index;
    if (bounded) check_not_empty(name, x, dims);
    if (rule == ResultDtype::index && dims.size() != 1 && dims.size() != x.shape.size()) {
      fail(name, "dims must be one dimension or all");
    }
    const bool keepdim = args.attributes.get<bool>("keepdim");
    return std::vector{make_type(args, result_dtype(rule, args), reduced_shape(x.shape, dims, keepdim))};
  };
  return r;
}

std::vector<TensorType> cumsum_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  if (x.rank() > 0) check_dim("cumsum", "dim", args.attributes.get<int64_t>("dim"), x.rank());
  return {make_type(args, result_dtype(ResultDtype::sum, args), x.shape)};
}

}  // namespace

std::vector<OpRecord> reduction_records() {
  using ir::ReduceOp;
  std::vector<OpRecord> r;
  r.push_back(reduction("sum", ReduceOp::sum, ResultDtype::sum,
                        "sum over dims; integers and booleans give i64; f16 and bf16 add up in f32"));
  r.push_back(reduction("prod", ReduceOp::prod, ResultDtype::sum, "product over dims; dtypes as for sum"));
  r.push_back(reduction("amax", ReduceOp::max, ResultDtype::same, "largest over dims; NaN if any is"));
  r.push_back(reduction("amin", ReduceOp::min, ResultDtype::same, "smallest over dims; NaN if any is"));
  r.push_back(reduction("any", ReduceOp::any, ResultDtype::boolean, "whether any is not 0"));
  r.push_back(reduction("all", ReduceOp::all, ResultDtype::boolean, "whether none is 0"));
  r.push_back(reduction("argmax", ReduceOp::argmax, ResultDtype::index,
                        "index of the first largest (or first NaN) along the one dimension of dims, or in row-major "
                        "order over all"));
  r.push_back(reduction("argmin", ReduceOp::argmin, ResultDtype::index, "index of the first smallest; see argmax"));
  r.push_back({.name = "cumsum",
               .kind = OpKind::scan,
               .operands = {{.name = "x"}},
               .attributes = {{"dim", AttrKind::integer}, {"dtype", AttrKind::dtype, false}},
               .doc = "sums of the elements so far along dim; dtypes as for sum; a 0-d operand is its own sum",
               .infer = cumsum_infer});
  return r;
}

}  // namespace litz::ops
