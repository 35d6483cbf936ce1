// ATen's matrix products, convolutions and attention.
#include <cmath>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

// beta and alpha at 3 and 4.
AtenResults add_product(AtenContext& c, std::string_view op) {
  Attributes attributes;
  const double beta = c.is_none(3) ? 1 : c.real(3);
  const double alpha = c.is_none(4) ? 1 : c.real(4);
  if (alpha != 1) attributes.set("alpha", alpha);
  if (beta != 1) attributes.set("beta", beta);
  return {c.b.add(op, {c.tensor(0), c.tensor(1), c.tensor(2)}, attributes)};
}

// beta * x + alpha * (matrix times vector), as an addmm with one column.
AtenResults addmv(AtenContext& c) {
  Builder& b = c.b;
  const ValueId column = b.add("unsqueeze", {c.tensor(2)}, {{"dim", int64_t{1}}});
  const int64_t last = c.type(0).rank();
  const ValueId bias = last == 0 ? c.tensor(0) : b.add("unsqueeze", {c.tensor(0)}, {{"dim", last}});
  const ValueId y = b.add("addmm", {bias, c.tensor(1), column},
                          {{"beta", c.is_none(3) ? 1.0 : c.real(3)}, {"alpha", c.is_none(4) ? 1.0 : c.real(4)}});
  return {b.add("squeeze", {y}, {{"dims", std::vector<int64_t>{1}}})};
}

// beta * x + alpha * (column times row).
AtenResults addr(AtenContext& c) {
  Builder& b = c.b;
  const ValueId column = b.add("unsqueeze", {c.tensor(1)}, {{"dim", int64_t{1}}});
  const ValueId row = b.add("unsqueeze", {c.tensor(2)}, {{"dim", int64_t{0}}});
  return {b.add("addmm", {c.tensor(0), column, row},
                {{"beta", c.is_none(3) ? 1.0 : c.real(3)}, {"alpha", c.is_none(4) ? 1.0 : c.real(4)}})};
}

AtenResults convolution(AtenContext& c) {
  if (c.type(0).rank() < 3) not_imported("its operand has no spatial dimension");
  const auto spatial = static_cast<size_t>(c.type(0).rank() - 2);
  return {c.b.add("convolution", {c.tensor(0), c.tensor(1), c.tensor_or_none(2)},
                  {{"stride", c.repeated(3, spatial)},
                   {"padding", c.repeated(4, spatial)},
                   {"dilation", c.repeated(5, spatial)},
                   {"groups", c.integer(8)},
                   {"transposed", c.boolean(6)},
                   {"output_padding", c.repeated(7, spatial)}})};
}

// Argument numbers of an attention op.
struct AttentionArgs {
  size_t mask, dropout, causal, scale;
};

ValueId attention(AtenContext& c, const AttentionArgs& at) {
  if (c.real(at.dropout) != 0) not_imported("dropout is not compiled yet");
  const TensorType q = c.type(0);
  if (q.rank() != 4) not_imported("its operands don't have 4 dimensions");
  if (c.is_none(at.scale) && !q.shape[3].is_constant()) not_imported("its head size is not known");
  const double scale =
      c.is_none(at.scale) ? 1 / std::sqrt(static_cast<double>(q.shape[3].constant())) : c.real(at.scale);
  Attributes attributes{{"scale", scale}};
  if (c.boolean_or(at.causal, false)) attributes.set("causal", true);
  return c.b.add("attention", {c.tensor(0), c.tensor(1), c.tensor(2), c.tensor_or_none(at.mask)}, attributes);
}

AtenResults flash_attention_cpu(AtenContext& c) {
  if (c.is_used(1)) not_imported("its logsumexp is read");
  return {attention(c, {.mask = 5, .dropout = 3, .causal = 4, .scale = 6}), ir::kNoValue};
}

AtenResults scaled_dot_product_attention(AtenContext& c) {
  return {attention(c, {.mask = 3, .dropout = 4, .causal = 5, .scale = 6})};
}

AtenResults math_attention(AtenContext& c) {
  if (c.is_used(1)) not_imported("its weights are read");
  if (!c.is_none(6)) not_imported("it has a dropout mask");
  // To this op a boolean mask is 0 and 1, added like any other.
  if (!c.is_none(3) && c.type(3).dtype == DType::boolean) not_imported("its mask is boolean");
  return {attention(c, {.mask = 3, .dropout = 4, .causal = 5, .scale = 7}), ir::kNoValue};
}

}  // namespace

AtenTable aten_products() {
  return {
      {"aten.addmm.default", [](AtenContext& c) { return add_product(c, "addmm"); }},
      {"aten.baddbmm.default", [](AtenContext& c) { return add_product(c, "baddbmm"); }},
      {"aten.addmv.default", addmv},
      {"aten.addr.default", addr},
      {"aten.convolution.default", convolution},
      {"aten._convolution.default", convolution},
      {"aten._scaled_dot_product_flash_attention_for_cpu.default", flash_attention_cpu},
      {"aten.scaled_dot_product_attention.default", scaled_dot_product_attention},
      {"aten._scaled_dot_product_attention_math.default", math_attention},
  };
}

}  // namespace litz::ops
