// Softmax and its logarithm.
#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;

// x - max(x) in compute dtype.
ValueId shifted(Builder& b, ValueId x, const std::vector<int64_t>& dims) {
  return b.add("sub", {x, reduce(b, "amax", x, dims, /*keepdim=*/true)});
}

Results decompose(Builder& b, ValueId operand, const Attributes& attributes, bool logarithm) {
  const TensorType type = b.type(operand);
  if (type.rank() == 0) return {full(b, {}, logarithm ? 0 : 1, type.dtype)};
  const std::vector<int64_t> dims = {attributes.get<int64_t>("dim")};
  if (is_zero(type.shape[dims[0]])) return {b.add("identity", {operand})};
  const ValueId x = shifted(b, convert(b, operand, compute_dtype(type.dtype)), dims);
  const ValueId exps = b.add("exp", {x});
  const ValueId sum = reduce(b, "sum", exps, dims, /*keepdim=*/true);
  const ValueId y = logarithm ? b.add("sub", {x, b.add("log", {sum})}) : b.add("div", {exps, sum});
  return {convert(b, y, type.dtype)};
}

OpRecord softmax_record(std::string_view name, std::string_view doc, bool logarithm) {
  return {.name = name,
          .kind = OpKind::composite,
          .operands = {{.name = "x"}},
          .attributes = {{"dim", AttrKind::integer}},
          .doc = doc,
          .infer =
              [name](const InferArgs& args) {
                const TensorType& x = operand(args, 0);
                check_floating(name, "x", x);
                if (x.rank() > 0) check_dim(name, "dim", args.attributes.get<int64_t>("dim"), x.rank());
                return std::vector{make_type(args, x.dtype, x.shape)};
              },
          .decompose = [logarithm](Builder& b, Operands operands,
                                   const Attributes& a) { return decompose(b, operands[0], a, logarithm); }};
}

}  // namespace

std::vector<OpRecord> softmax_records() {
  std::vector<OpRecord> r;
  r.push_back(softmax_record("softmax", "exp(x - max(x)) / sum(exp(x - max(x))) along dim", false));
  r.push_back(softmax_record("log_softmax", "x - max(x) - log(sum(exp(x - max(x)))) along dim", true));
  return r;
}

}  // namespace litz::ops
