// ATen's reductions and scans.
#include "ops/aten_context.h"

namespace litz::ops {

namespace {

using Integers = std::vector<int64_t>;

// What a reduction is over: `dims_at` and `keepdim_at` are argument numbers, absent ones mean all and not kept.
struct Over {
  Integers dims;
  bool keepdim;
};

constexpr size_t kAbsent = SIZE_MAX;

Over over(AtenContext& c, size_t dims_at, size_t keepdim_at) {
  const int rank = c.type(0).rank();
  return {dims_at == kAbsent ? all_dims(rank) : c.dims(dims_at, rank),
          keepdim_at != kAbsent && c.boolean_or(keepdim_at, false)};
}

Attributes attributes_of(const Over& o) { return {{"dims", o.dims}, {"keepdim", o.keepdim}}; }

ValueId reduced(AtenContext& c, std::string_view op, const Over& o) {
  return c.b.add(op, {c.tensor(0)}, attributes_of(o));
}

// sum and prod: the operand is cast to the wanted dtype first.
AtenResults sum_like(AtenContext& c, std::string_view op, const Over& o, size_t dtype_at) {
  const auto dtype = c.dtype(dtype_at);
  const ValueId x = dtype ? convert(c.b, c.tensor(0), *dtype) : c.tensor(0);
  Attributes attributes = attributes_of(o);
  // A sum of integers is i64 unless another dtype is asked for.
  if (dtype && !is_floating(*dtype) && *dtype != DType::i64) attributes.set("dtype", *dtype);
  return {c.b.add(op, {x}, attributes)};
}

AtenResults mean(AtenContext& c, const Over& o, size_t dtype_at) {
  const DType dtype = c.dtype(dtype_at).value_or(c.type(0).dtype);
  if (!is_floating(dtype)) not_imported("a mean of integers needs a floating dtype");
  // From half to a wider dtype the operand is cast first; to f16 or bf16 only the result is rounded.
  Attributes attributes = attributes_of(o);
  ValueId x = c.tensor(0);
  if (!is_half(dtype) || !is_floating(c.type(0).dtype)) x = convert(c.b, x, dtype);
  if (c.b.type(x).dtype != dtype) attributes.set("dtype", dtype);
  return {c.b.add("mean", {x}, attributes)};
}

// Eager's any and all of u8 give u8.
AtenResults truth_of(AtenContext& c, std::string_view op, const Over& o) {
  const ValueId r = reduced(c, op, o);
  return {c.type(0).dtype == DType::u8 ? convert(c.b, r, DType::u8) : r};
}

AtenResults extremum_with_place(AtenContext& c, std::string_view value_op, std::string_view index_op) {
  const Over o = over(c, 1, 2);
  if (c.type(0).rank() == 0) {
    return {c.b.add("identity", {c.tensor(0)}), c.b.scalar_int(DType::i64, 0)};
  }
  return {reduced(c, value_op, o), c.is_used(1) ? reduced(c, index_op, o) : ir::kNoValue};
}

AtenResults aminmax(AtenContext& c) {
  const Over o = over(c, 1, 2);
  const ValueId low = reduced(c, "amin", o);
  return {low, reduced(c, "amax", o)};
}

AtenResults place(AtenContext& c, std::string_view op) {
  const Over o = over(c, 1, 2);
  if (c.type(0).dtype == DType::boolean) not_imported("it is not defined for booleans");
  return {reduced(c, op, o)};
}

AtenResults variance(AtenContext& c, std::string_view op, const Over& o, double correction) {
  Attributes attributes = attributes_of(o);
  attributes.set("correction", correction);
  return c.b.add_all(op, {c.tensor(0)}, attributes);
}

AtenResults std_mean(AtenContext& c) {
  const Over o = over(c, 1, 3);
  const AtenResults mean_too = variance(c, "var_mean", o, c.is_none(2) ? 1 : c.real(2));
  // The root is taken before the one rounding to f16 or bf16.
  return {variance(c, "std", o, c.is_none(2) ? 1 : c.real(2))[0], mean_too[1]};
}

// A sum that counts NaN as 0.
AtenResults nansum(AtenContext& c) {
  const Over o = over(c, 1, 2);
  const auto dtype = c.dtype(3);
  ValueId x = dtype ? convert(c.b, c.tensor(0), *dtype) : c.tensor(0);
  if (is_floating(c.b.type(x).dtype)) {
    x = c.b.add("where", {c.b.add("isnan", {x}), c.b.scalar(c.b.type(x).dtype, 0), x});
  }
  return {c.b.add("sum", {x}, attributes_of(o))};
}

AtenResults variance_correction(AtenContext& c, std::string_view op) {
  return variance(c, op, over(c, 1, 3), c.is_none(2) ? 1 : c.real(2));
}
AtenResults variance_dim(AtenContext& c, std::string_view op) {
  return variance(c, op, over(c, 1, 3), c.boolean_or(2, true) ? 1 : 0);
}
AtenResults variance_all(AtenContext& c, std::string_view op) {
  return variance(c, op, over(c, kAbsent, kAbsent), c.boolean_or(1, true) ? 1 : 0);
}

AtenResults logsumexp(AtenContext& c) {
  const Over o = over(c, 1, 2);
  const ValueId x = convert(c.b, c.tensor(0), float_of(c.type(0).dtype));
  return {c.b.add("logsumexp", {x}, attributes_of(o))};
}

AtenResults norm(AtenContext& c, double p, const Over& o, size_t dtype_at) {
  const DType dtype = c.dtype(dtype_at).value_or(c.type(0).dtype);
  Attributes attributes = attributes_of(o);
  attributes.set("p", p);
  return {c.b.add("norm", {convert(c.b, c.tensor(0), dtype)}, attributes)};
}

AtenResults cumsum(AtenContext& c) {
  const auto dtype = c.dtype(2);
  const ValueId x = dtype ? convert(c.b, c.tensor(0), *dtype) : c.tensor(0);
  Attributes attributes{{"dim", c.dim(1, c.type(0).rank())}};
  if (dtype && !is_floating(*dtype) && *dtype != DType::i64) attributes.set("dtype", *dtype);
  return {c.b.add("cumsum", {x}, attributes)};
}

AtenResults count_nonzero(AtenContext& c, const Over& o) {
  const ValueId nonzero = with_number(c.b, "ne", c.tensor(0), 0);
  return {c.b.add("sum", {nonzero}, attributes_of(o))};
}

}  // namespace

AtenTable aten_reductions() {
  AtenTable t = {
      {"aten.sum.default", [](AtenContext& c) { return sum_like(c, "sum", over(c, kAbsent, kAbsent), 1); }},
      {"aten.sum.dim_IntList", [](AtenContext& c) { return sum_like(c, "sum", over(c, 1, 2), 3); }},
      {"aten.prod.default", [](AtenContext& c) { return sum_like(c, "prod", over(c, kAbsent, kAbsent), 1); }},
      {"aten.prod.dim_int", [](AtenContext& c) { return sum_like(c, "prod", over(c, 1, 2), 3); }},
      {"aten.mean.default", [](AtenContext& c) { return mean(c, over(c, kAbsent, kAbsent), 1); }},
      {"aten.mean.dim", [](AtenContext& c) { return mean(c, over(c, 1, 2), 3); }},
      {"aten.amax.default", [](AtenContext& c) { return AtenResults{reduced(c, "amax", over(c, 1, 2))}; }},
      {"aten.amin.default", [](AtenContext& c) { return AtenResults{reduced(c, "amin", over(c, 1, 2))}; }},
      {"aten.max.default", [](AtenContext& c) { return AtenResults{reduced(c, "amax", over(c, kAbsent, kAbsent))}; }},
      {"aten.min.default", [](AtenContext& c) { return AtenResults{reduced(c, "amin", over(c, kAbsent, kAbsent))}; }},
      {"aten.max.dim", [](AtenContext& c) { return extremum_with_place(c, "amax", "argmax"); }},
      {"aten.min.dim", [](AtenContext& c) { return extremum_with_place(c, "amin", "argmin"); }},
      {"aten.aminmax.default", aminmax},
      {"aten.argmax.default", [](AtenContext& c) { return place(c, "argmax"); }},
      {"aten.argmin.default", [](AtenContext& c) { return place(c, "argmin"); }},
      {"aten.logsumexp.default", logsumexp},
      {"aten.linalg_vector_norm.default", [](AtenContext& c) { return norm(c, c.real(1), over(c, 2, 3), 4); }},
      {"aten.norm.ScalarOpt_dim",
       [](AtenContext& c) { return norm(c, c.is_none(1) ? 2 : c.real(1), over(c, 2, 3), kAbsent); }},
      {"aten.norm.ScalarOpt_dim_dtype",
       [](AtenContext& c) { return norm(c, c.is_none(1) ? 2 : c.real(1), over(c, 2, 3), 4); }},
      {"aten.norm.Scalar", [](AtenContext& c) { return norm(c, c.real(1), over(c, kAbsent, kAbsent), kAbsent); }},
      {"aten.cumsum.default", cumsum},
      {"aten.std_mean.correction", std_mean},
      {"aten.nansum.default", nansum},
      {"aten.count_nonzero.default", [](AtenContext& c) { return count_nonzero(c, over(c, 1, kAbsent)); }},
      {"aten.count_nonzero.dim_IntList", [](AtenContext& c) { return count_nonzero(c, over(c, 1, kAbsent)); }},
  };
  for (std::string_view op : {"any", "all"}) {
    const std::string name = "aten." + std::string(op);
    t.emplace_back(name + ".default", [op](AtenContext& c) { return truth_of(c, op, over(c, kAbsent, kAbsent)); });
    t.emplace_back(name + ".dim", [op](AtenContext& c) { return truth_of(c, op, over(c, 1, 2)); });
    t.emplace_back(name + ".dims", [op](AtenContext& c) { return truth_of(c, op, over(c, 1, 2)); });
  }
  for (std::string_view op : {"var", "std", "var_mean"}) {
    const std::string name = "aten." + std::string(op);
    t.emplace_back(name + ".correction", [op](AtenContext& c) { return variance_correction(c, op); });
    t.emplace_back(name + ".dim", [op](AtenContext& c) { return variance_dim(c, op); });
    t.emplace_back(name + ".default", [op](AtenContext& c) { return variance_all(c, op); });
  }
  return t;
}

}  // namespace litz::ops
