// ATen's softmax and normalisations.
#include <limits>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

ValueId softmax(AtenContext& c, std::string_view op, std::optional<DType> dtype) {
  const ValueId x = dtype ? convert(c.b, c.tensor(0), *dtype) : c.tensor(0);
  return c.b.add(op, {x}, {{"dim", c.dim(1, c.type(0).rank())}});
}

// The third argument widens f16 to f32.
AtenResults softmax_internal(AtenContext& c, std::string_view op) {
  return {softmax(c, op, c.boolean(2) ? std::optional(DType::f32) : std::nullopt)};
}

AtenResults softmax_dtype(AtenContext& c, std::string_view op) { return {softmax(c, op, c.dtype(2))}; }

// 0 in rows that are -inf throughout.
AtenResults safe_softmax(AtenContext& c) {
  Builder& b = c.b;
  const ValueId y = softmax(c, "softmax", c.dtype(2));
  if (c.type(0).rank() == 0) not_imported("its operand has no dimension");
  const ValueId masked = with_number(b, "eq", c.tensor(0), -std::numeric_limits<double>::infinity());
  const ValueId all = reduce(b, "all", masked, {c.dim(1, c.type(0).rank())}, /*keepdim=*/true);
  return {b.add("where", {all, b.scalar(b.type(y).dtype, 0), y})};
}

Attributes last_dims(AtenContext& c, double eps) {
  return {{"normalized_dims", static_cast<int64_t>(c.integers(1).size())}, {"eps", eps}};
}

AtenResults native_layer_norm(AtenContext& c) {
  const std::vector<ValueId> operands = {c.tensor(0), c.tensor_or_none(2), c.tensor_or_none(3)};
  if (!c.is_used(1) && !c.is_used(2)) {
    return {c.b.add("layer_norm", operands, last_dims(c, c.real(4))), ir::kNoValue, ir::kNoValue};
  }
  return c.b.add_all("native_layer_norm", operands, last_dims(c, c.real(4)));
}

AtenResults layer_norm(AtenContext& c) {
  return {c.b.add("layer_norm", {c.tensor(0), c.tensor_or_none(2), c.tensor_or_none(3)},
                  last_dims(c, c.is_none(4) ? 1e-5 : c.real(4)))};
}

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::epsilon();
    case DType::bf16:
      return 0x1p-7;
    case DType::f16:
      return 0x1p-10;
    default:
      return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
}

ValueId rms_norm(AtenContext& c) {
  const double eps = c.is_none(3) ? epsilon_of(compute_dtype(c.type(0).dtype)) : c.real(3);
  return c.b.add("rms_norm", {c.tensor(0), c.tensor_or_none(2)}, last_dims(c, eps));
}

AtenResults fused_rms_norm(AtenContext& c) {
  if (c.is_used(1)) not_imported("its 1 / rms is read");
  return {rms_norm(c), ir::kNoValue};
}

AtenResults native_group_norm(AtenContext& c) {
  if (c.is_used(1) || c.is_used(2)) not_imported("its mean or rstd is read");
  const ValueId y = c.b.add("group_norm", {c.tensor(0), c.tensor_or_none(1), c.tensor_or_none(2)},
                            {{"groups", c.integer(6)}, {"eps", c.real(7)}});
  return {y, ir::kNoValue, ir::kNoValue};
}

AtenResults group_norm(AtenContext& c) {
  return {c.b.add("group_norm", {c.tensor(0), c.tensor_or_none(2), c.tensor_or_none(3)},
                  {{"groups", c.integer(1)}, {"eps", c.is_none(4) ? 1e-5 : c.real(4)}})};
}

// In inference the statistics that come back are empty tensors.
AtenResults batch_norm(AtenContext& c, double eps, int statistics) {
  if (c.is_none(3) || c.is_none(4)) not_imported("it has no running statistics");
  AtenResults r = {c.b.add("batch_norm_inference",
                           {c.tensor(0), c.tensor_or_none(1), c.tensor_or_none(2), c.tensor(3), c.tensor(4)},
                           {{"eps", eps}})};
  for (int i = 1; i <= statistics; ++i) {
    if (c.is_used(static_cast<size_t>(i)) && statistics > 2)
      not_imported("what it keeps for the backward pass is read");
    // f32 where the parameters are, for an f16 or bf16 operand.
    const DType dtype = promote_types(c.type(0).dtype, c.type(3).dtype);
    r.push_back(c.is_used(static_cast<size_t>(i)) ? full(c.b, {Expr(0)}, 0, dtype) : ir::kNoValue);
  }
  return r;
}

// `training` is argument 5.
AtenResults batch_norm_if_inference(AtenContext& c, size_t eps_at, int statistics) {
  if (c.boolean(5)) not_imported("batch norm in training is not compiled yet");
  return batch_norm(c, c.real(eps_at), statistics);
}

}  // namespace

AtenTable aten_norms() {
  return {
      {"aten._softmax.default", [](AtenContext& c) { return softmax_internal(c, "softmax"); }},
      {"aten._log_softmax.default", [](AtenContext& c) { return softmax_internal(c, "log_softmax"); }},
      {"aten.softmax.int", [](AtenContext& c) { return softmax_dtype(c, "softmax"); }},
      {"aten.log_softmax.int", [](AtenContext& c) { return softmax_dtype(c, "log_softmax"); }},
      {"aten._safe_softmax.default", safe_softmax},
      {"aten.native_layer_norm.default", native_layer_norm},
      {"aten.layer_norm.default", layer_norm},
      {"aten.rms_norm.default", [](AtenContext& c) { return AtenResults{rms_norm(c)}; }},
      {"aten._fused_rms_norm.default", fused_rms_norm},
      {"aten.native_group_norm.default", native_group_norm},
      {"aten.group_norm.default", group_norm},
      {"aten._native_batch_norm_legit_no_training.default", [](AtenContext& c) { return batch_norm(c, c.real(6), 2); }},
      {"aten._batch_norm_no_update.default", [](AtenContext& c) { return batch_norm(c, c.real(6), 3); }},
      {"aten.native_batch_norm.default", [](AtenContext& c) { return batch_norm_if_inference(c, 7, 2); }},
      {"aten._native_batch_norm_legit.default", [](AtenContext& c) { return batch_norm_if_inference(c, 7, 2); }},
      {"aten.batch_norm.default", [](AtenContext& c) { return batch_norm_if_inference(c, 7, 0); }},
      {"aten.cudnn_batch_norm.default", [](AtenContext& c) { return batch_norm_if_inference(c, 7, 3); }},
  };
}

}  // namespace litz::ops
