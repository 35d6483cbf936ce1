// Composite reductions: mean, variance, norms.
#include <cmath>

#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;

struct Reduced {
  std::vector<int64_t> dims;
  bool keepdim;
};

Reduced reduced(const Attributes& a) { return {a.get<std::vector<int64_t>>("dims"), a.get<bool>("keepdim")}; }

// From the kept form: rounds to `dtype` and drops the dimensions unless they stay.
ValueId finish(Builder& b, ValueId kept, const Reduced& r, DType dtype) {
  const ValueId x = convert(b, kept, dtype);
  return r.keepdim || r.dims.empty() ? x : b.add("squeeze", {x}, {{"dims", r.dims}});
}

Results mean_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const Reduced r = reduced(attributes);
  const DType dtype = attribute_or(attributes, "dtype", b.type(operands[0]).dtype);
  const ValueId x = convert(b, operands[0], compute_dtype(dtype));
  return {finish(b, mean_kept(b, x, r.dims), r, dtype)};
}

// Mean and variance in compute dtype, kept.
std::pair<ValueId, ValueId> moments(Builder& b, ValueId operand, const Attributes& attributes) {
  const std::vector<int64_t>& dims = attributes.get<std::vector<int64_t>>("dims");
  const ValueId x = convert(b, operand, compute_dtype(b.type(operand).dtype));
  const ValueId mean = mean_kept(b, x, dims);
  const ValueId variance = variance_kept(b, b.add("sub", {x, mean}), dims, attributes.get<double>("correction"));
  return {mean, variance};
}

Results var_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const DType dtype = b.type(operands[0]).dtype;
  return {finish(b, moments(b, operands[0], attributes).second, reduced(attributes), dtype)};
}

Results std_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const DType dtype = b.type(operands[0]).dtype;
  const ValueId root = b.add("sqrt", {moments(b, operands[0], attributes).second});
  return {finish(b, root, reduced(attributes), dtype)};
}

Results var_mean_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const Reduced r = reduced(attributes);
  const DType dtype = b.type(operands[0]).dtype;
  const auto [mean, variance] = moments(b, operands[0], attributes);
  return {finish(b, variance, r, dtype), finish(b, mean, r, dtype)};
}

// The largest is taken out first, unless it is infinite.
Results logsumexp_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const Reduced r = reduced(attributes);
  const TensorType type = b.type(operands[0]);
  const ValueId x = convert(b, operands[0], compute_dtype(type.dtype));
  if (is_zero(count_of(type.shape, r.dims))) {
    return {finish(b, b.add("log", {reduce(b, "sum", x, r.dims, /*keepdim=*/true)}), r, type.dtype)};
  }
  const ValueId largest = reduce(b, "amax", x, r.dims, /*keepdim=*/true);
  const ValueId zero = b.scalar(b.type(x).dtype, 0);
  const ValueId shift = b.add("where", {b.add("isinf", {largest}), zero, largest});
  const ValueId exps = b.add("exp", {b.add("sub", {x, shift})});
  const ValueId logs = b.add("log", {reduce(b, "sum", exps, r.dims, /*keepdim=*/true)});
  return {finish(b, b.add("add", {logs, shift}), r, type.dtype)};
}

ValueId norm_kept(Builder& b, ValueId x, const std::vector<int64_t>& dims, double p) {
  const bool keep = true;
  if (p == 0) {
    const ValueId nonzero = with_number(b, "ne", x, 0);
    return reduce(b, "sum", convert(b, nonzero, b.type(x).dtype), dims, keep);
  }
  if (p == 2) return b.add("sqrt", {reduce(b, "sum", b.add("mul", {x, x}), dims, keep)});
  const ValueId magnitude = b.add("abs", {x});
  if (std::isinf(p)) return reduce(b, p > 0 ? "amax" : "amin", magnitude, dims, keep);
  if (p == 1) return reduce(b, "sum", magnitude, dims, keep);
  const ValueId sum = reduce(b, "sum", with_number(b, "pow", magnitude, p), dims, keep);
  return with_number(b, "pow", sum, 1 / p);
}

Results norm_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const Reduced r = reduced(attributes);
  const DType dtype = b.type(operands[0]).dtype;
  const ValueId x = convert(b, operands[0], compute_dtype(dtype));
  return {finish(b, norm_kept(b, x, r.dims, attributes.get<double>("p")), r, dtype)};
}

OpRecord statistic(std::string_view name, std::string_view doc, std::vector<AttrSpec> more, int results,
                   Results (*decompose)(Builder&, Operands, const Attributes&)) {
  OpRecord r{.name = name,
             .kind = OpKind::composite,
             .operands = {{.name = "x"}},
             .attributes = {{"dims", AttrKind::integers}, {"keepdim", AttrKind::boolean}},
             .results = results,
             .doc = doc};
  r.attributes.insert(r.attributes.end(), more.begin(), more.end());
  r.infer = [name, results](const InferArgs& args) {
    const TensorType& x = operand(args, 0);
    const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
    check_dims(name, dims, x.rank());
    TensorType type = make_type(args, attribute_or(args.attributes, "dtype", x.dtype),
                                reduced_shape(x.shape, dims, args.attributes.get<bool>("keepdim")));
    if (!is_floating(type.dtype)) fail(name, "'x' must have a floating dtype, but is " + ir::to_string(x));
    return std::vector<TensorType>(results, type);
  };
  r.decompose = decompose;
  return r;
}

}  // namespace

std::vector<OpRecord> statistics_records() {
  const AttrSpec correction{"correction", AttrKind::number};
  std::vector<OpRecord> r;
  r.push_back(statistic("mean", "sum / count over dims; in f32 for f16 and bf16", {{"dtype", AttrKind::dtype, false}},
                        1, mean_decompose));
  r.push_back(statistic("var", "sum of squared differences from the mean / max(0, count - correction)", {correction}, 1,
                        var_decompose));
  r.push_back(statistic("std", "sqrt(var)", {correction}, 1, std_decompose));
  r.push_back(statistic("var_mean", "var and mean", {correction}, 2, var_mean_decompose));
  r.push_back(statistic("logsumexp", "log(sum(exp(x))) over dims, without overflow", {}, 1, logsumexp_decompose));
  r.push_back(statistic("norm", "sum(|x|^p)^(1/p) over dims; p 0 counts, infinities give the extremes of |x|",
                        {{"p", AttrKind::number}}, 1, norm_decompose));
  return r;
}

}  // namespace litz::ops
