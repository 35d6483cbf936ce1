// Scaled dot-product attention.
#include <limits>

#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;

std::vector<TensorType> attention_infer(const InferArgs& args) {
  constexpr std::string_view op = "attention";
  const TensorType& q = operand(args, 0);
  const TensorType& k = operand(args, 1);
  const TensorType& v = operand(args, 2);
  const TensorType* const qkv[] = {&q, &k, &v};
  check_same_dtype(op, {.operands = qkv, .attributes = args.attributes});
  check_floating(op, "q", q);
  check_rank(op, "q", q, 4);
  check_rank(op, "k", k, 4);
  check_rank(op, "v", v, 4);
  check_same_size(op, q.shape[0], "the batch of 'q'", k.shape[0], "that of 'k'");
  check_same_size(op, k.shape[0], "the batch of 'k'", v.shape[0], "that of 'v'");
  check_same_size(op, k.shape[1], "the number of heads of 'k'", v.shape[1], "that of 'v'");
  check_same_size(op, q.shape[3], "the head size of 'q'", k.shape[3], "that of 'k'");
  check_same_size(op, k.shape[2], "the length of 'k'", v.shape[2], "that of 'v'");
  if (!(q.shape[1] == k.shape[1])) {
    const bool known = q.shape[1].is_constant() && k.shape[1].is_constant() && k.shape[1].constant() > 0;
    if (!known || q.shape[1].constant() % k.shape[1].constant() != 0) {
      fail(op, "the heads of 'q', " + q.shape[1].to_string() + ", must be a multiple of those of 'k', " +
                   k.shape[1].to_string());
    }
  }
  if (has_operand(args, 3)) {
    const TensorType& mask = operand(args, 3);
    const std::vector<Expr> scores = {q.shape[0], q.shape[1], q.shape[2], k.shape[2]};
    if (mask.dtype != DType::boolean && !is_floating(mask.dtype)) {
      fail(op, "'mask' must be boolean or floating, but is " + ir::to_string(mask));
    }
    if (!(broadcast(op, mask.shape, scores) == scores)) {
      fail(op, "'mask' is " + ir::to_string(mask) + ", which does not expand to " + shape_text(scores));
    }
  }
  return {make_type(args, q.dtype, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]})};
}

// Each key/value head repeated for the query heads that share it.
ValueId repeat_heads(Builder& b, ValueId x, const Expr& heads) {
  const std::vector<Expr> s = b.type(x).shape;
  if (s[1] == heads) return x;
  const ValueId five = b.add("unsqueeze", {x}, {{"dim", int64_t{2}}});
  const ValueId repeated = expand(b, five, {s[0], s[1], floor_div(heads, s[1]), s[2], s[3]});
  return reshape(b, repeated, {s[0], heads, s[2], s[3]});
}

// Query i sees keys 0 to i.
ValueId causal_mask(Builder& b, const Expr& queries, const Expr& keys) {
  const ValueId i = b.add("unsqueeze", {iota(b, queries, DType::i64)}, {{"dim", int64_t{1}}});
  return b.add("le", {iota(b, keys, DType::i64), i});
}

ValueId masked_scores(Builder& b, ValueId scores, Operands operands, const Attributes& attributes) {
  const TensorType type = b.type(scores);
  const ValueId minus_infinity = b.scalar(type.dtype, -std::numeric_limits<double>::infinity());
  if (attribute_or(attributes, "causal", false)) {
    const ValueId keep = causal_mask(b, type.shape[2], type.shape[3]);
    scores = b.add("where", {keep, scores, minus_infinity});
  }
  const ValueId mask = operand_or_none(operands, 3);
  if (mask == ir::kNoValue) return scores;
  if (b.type(mask).dtype == DType::boolean) return b.add("where", {mask, scores, minus_infinity});
  return b.add("add", {scores, convert(b, mask, type.dtype)});
}

// As eager's flash kernel: scores and sums in f32, the exponentials rounded to the operands' dtype before the second
// product, one division at the end. A row with every key masked gives 0.
Results attention_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType q = b.type(operands[0]);
  const DType inner = compute_dtype(q.dtype);
  Attributes wide;
  if (inner != q.dtype) wide.set("dtype", inner);
  const ValueId k = repeat_heads(b, operands[1], q.shape[1]);
  const ValueId v = repeat_heads(b, operands[2], q.shape[1]);
  if (is_zero(b.type(k).shape[2])) {
    const ValueId v_like = full(b, {q.shape[0], q.shape[1], q.shape[2], b.type(v).shape[3]}, 0, q.dtype);
    return {v_like};
  }
  const ValueId dots = b.add("dot", {operands[0], transpose_last(b, k)}, wide);
  const ValueId scores =
      masked_scores(b, with_number(b, "mul", dots, attributes.get<double>("scale")), operands, attributes);
  const std::vector<int64_t> keys = {3};
  const ValueId largest = reduce(b, "amax", scores, keys, /*keepdim=*/true);
  const ValueId zero = b.scalar(inner, 0);
  const ValueId all_masked = with_number(b, "eq", largest, -std::numeric_limits<double>::infinity());
  const ValueId shift = b.add("where", {all_masked, zero, largest});
  const ValueId exps = b.add("exp", {b.add("sub", {scores, shift})});
  const ValueId sum = reduce(b, "sum", exps, keys, /*keepdim=*/true);
  const ValueId weighted = b.add("dot", {convert(b, exps, q.dtype), v}, wide);
  const ValueId divisor = b.add("where", {all_masked, b.scalar(inner, 1), sum});
  return {convert(b, b.add("div", {weighted, divisor}), q.dtype)};
}

}  // namespace

std::vector<OpRecord> attention_records() {
  std::vector<OpRecord> r;
  r.push_back(
      {.name = "attention",
       .kind = OpKind::attention,
       .operands = {{.name = "q"}, {.name = "k"}, {.name = "v"}, {.name = "mask", .kind = OperandKind::optional}},
       .attributes = {{"scale", AttrKind::number}, {"causal", AttrKind::boolean, false}},
       .doc = "softmax(scale * q k^T + mask) v; q [B, H, Q, D], k and v [B, Hkv, K, D]; a boolean mask keeps "
              "where true; a row with every key masked gives 0",
       .infer = attention_infer,
       .decompose = attention_decompose});
  return r;
}

}  // namespace litz::ops
