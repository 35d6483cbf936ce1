// ATen's activation functions that are no plain records.
#include "ops/aten_context.h"

namespace litz::ops {

namespace {

ValueId zero_like(Builder& b, ValueId x) { return b.scalar(b.type(x).dtype, 0); }

// In f32 for f16 and bf16, rounded once.
template <typename Fn>
AtenResults in_compute_dtype(AtenContext& c, Fn fn) {
  const DType dtype = float_of(c.type(0).dtype);
  const ValueId x = convert(c.b, c.tensor(0), compute_dtype(dtype));
  return {convert(c.b, fn(x), dtype)};
}

AtenResults leaky_relu(AtenContext& c) {
  return {c.b.add("leaky_relu", {c.tensor(0)}, {{"slope", c.is_none(1) ? 0.01 : c.real(1)}})};
}

AtenResults celu(AtenContext& c) {
  const double alpha = c.is_none(1) ? 1 : c.real(1);
  if (alpha == 0) not_imported("alpha is 0");
  return {c.b.add("elu", {c.tensor(0)}, {{"alpha", alpha}, {"input_scale", 1 / alpha}})};
}

AtenResults selu(AtenContext& c) {
  return {c.b.add("elu", {c.tensor(0)},
                  {{"alpha", 1.6732632423543772848170429916717}, {"scale", 1.0507009873554804934193349852946}})};
}

AtenResults relu6(AtenContext& c) { return {c.b.add("hardtanh", {c.tensor(0)}, {{"min", 0.0}, {"max", 6.0}})}; }

AtenResults threshold(AtenContext& c) {
  const ValueId x = c.tensor(0);
  const DType dtype = c.type(0).dtype;
  const ValueId below = c.b.add("le", {x, c.constant(c.number(1), dtype)});
  return {c.b.add("where", {below, c.constant(c.number(2), dtype), x})};
}

AtenResults hardshrink(AtenContext& c) {
  const ValueId x = c.tensor(0);
  const double lambda = c.is_none(1) ? 0.5 : c.real(1);
  const ValueId inside = with_number(c.b, "le", c.b.add("abs", {x}), lambda);
  return {c.b.add("where", {inside, zero_like(c.b, x), x})};
}

AtenResults softshrink(AtenContext& c) {
  Builder& b = c.b;
  const double lambda = c.is_none(1) ? 0.5 : c.real(1);
  return in_compute_dtype(c, [&](ValueId x) {
    const ValueId low = b.add("where", {with_number(b, "lt", x, -lambda), with_number(b, "add", x, lambda),
                                        with_number(b, "mul", x, 0)});  // keeps NaN
    return b.add("where", {with_number(b, "gt", x, lambda), with_number(b, "sub", x, lambda), low});
  });
}

AtenResults prelu(AtenContext& c) {
  const ValueId x = c.tensor(0);
  const ValueId scaled = c.b.add("mul", {x, c.tensor(1)});
  return {c.b.add("where", {with_number(c.b, "gt", x, 0), x, scaled})};
}

// min(x, 0) - log1p(exp(-|x|)); the second result is kept for the backward pass.
AtenResults log_sigmoid(AtenContext& c) {
  if (c.name() == "aten.log_sigmoid_forward.default" && c.is_used(1)) not_imported("its buffer is read");
  Builder& b = c.b;
  AtenResults r = in_compute_dtype(c, [&](ValueId x) {
    const ValueId tail = b.add("log1p", {b.add("exp", {b.add("neg", {b.add("abs", {x})})})});
    return b.add("sub", {b.add("minimum", {x, zero_like(b, x)}), tail});
  });
  if (c.name() == "aten.log_sigmoid_forward.default") r.push_back(ir::kNoValue);
  return r;
}

AtenResults logit(AtenContext& c) {
  Builder& b = c.b;
  return in_compute_dtype(c, [&](ValueId x) {
    if (!c.is_none(1)) {
      // Not a clamp: with eps above 0.5 the lower bound wins.
      const ValueId low = b.scalar(b.type(x).dtype, c.real(1));
      const ValueId high = b.scalar(b.type(x).dtype, 1 - c.real(1));
      const ValueId below = b.add("lt", {x, low});
      x = b.add("where", {below, low, b.add("where", {b.add("gt", {x, high}), high, x})});
    }
    const ValueId rest = b.add("sub", {b.scalar(b.type(x).dtype, 1), x});
    return b.add("log", {b.add("div", {x, rest})});
  });
}

AtenResults glu(AtenContext& c) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(1, -1), type.rank());
  if (type.rank() == 0 || !type.shape[dim].is_constant() || type.shape[dim].constant() % 2 != 0) {
    not_imported("the size at its dimension is not even");
  }
  const int64_t half = type.shape[dim].constant() / 2;
  const auto part = [&](int64_t start) {
    return b.add("slice", {c.tensor(0)}, {{"dim", dim}, {"start", start}, {"end", start + half}, {"step", int64_t{1}}});
  };
  const ValueId a = part(0);
  const DType inner = compute_dtype(type.dtype);
  const ValueId gate = b.add("sigmoid", {convert(b, part(half), inner)});
  return {convert(b, b.add("mul", {convert(b, a, inner), gate}), type.dtype)};
}

AtenResults dropout(AtenContext& c) {
  const double p = c.real(1);
  const bool native = c.name() == "aten.native_dropout.default";
  const bool train = native ? c.boolean_or(2, true) : c.boolean(2);
  if (train && p != 0) not_imported("random numbers are not generated yet");
  AtenResults r = {c.b.add("identity", {c.tensor(0)})};
  if (native) r.push_back(c.is_used(1) ? full(c.b, c.type(0).shape, 1, DType::boolean) : ir::kNoValue);
  return r;
}

}  // namespace

AtenTable aten_activations() {
  return {
      {"aten.leaky_relu.default", leaky_relu},
      {"aten.celu.default", celu},
      {"aten.selu.default", selu},
      {"aten.relu6.default", relu6},
      {"aten.threshold.default", threshold},
      {"aten.hardshrink.default", hardshrink},
      {"aten.softshrink.default", softshrink},
      {"aten._prelu_kernel.default", prelu},
      {"aten.log_sigmoid_forward.default", log_sigmoid},
      {"aten.log_sigmoid.default", log_sigmoid},
      {"aten.logit.default", logit},
      {"aten.glu.default", glu},
      {"aten.native_dropout.default", dropout},
      {"aten.dropout.default", dropout},
  };
}

}  // namespace litz::ops
