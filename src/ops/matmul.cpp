// Matrix products.
#include "ops/compose.h"

namespace litz::ops {

namespace {

using Operands = std::span<const ValueId>;
using Results = std::vector<ValueId>;
using Shape = std::vector<Expr>;

// Result dtype: that of the operands, or the attribute: f32 for f16 and bf16 leaves the accumulator unrounded.
DType product_dtype(std::string_view op, const InferArgs& args) {
  const DType dtype = operand(args, 0).dtype;
  const DType result = attribute_or(args.attributes, "dtype", dtype);
  if (result != dtype && !(is_half(dtype) && result == DType::f32)) {
    fail(op, "dtype may only widen f16 and bf16 to f32");
  }
  return result;
}

std::vector<TensorType> dot_infer(const InferArgs& args) {
  const TensorType& a = operand(args, 0);
  const TensorType& b = operand(args, 1);
  check_same_dtype("dot", args);
  if (a.rank() < 2 || a.rank() != b.rank()) {
    fail("dot", "needs two operands of one rank, 2 or more, but got " + ir::to_string(a) + " and " + ir::to_string(b));
  }
  const int rank = a.rank();
  Shape shape = a.shape;
  for (int d = 0; d < rank - 2; ++d)
    check_same_size("dot", a.shape[d], "a batch size of 'a'", b.shape[d], "that of 'b'");
  check_same_size("dot", a.shape[rank - 1], "the last size of 'a'", b.shape[rank - 2], "the last but one of 'b'");
  shape[rank - 1] = b.shape[rank - 1];
  return {make_type(args, product_dtype("dot", args), std::move(shape))};
}

std::vector<TensorType> linear_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const TensorType& weight = operand(args, 1);
  check_same_dtype("linear", args);
  if (x.rank() < 1) fail("linear", "'x' must have a dimension");
  check_rank("linear", "weight", weight, 2);
  check_same_size("linear", x.shape.back(), "the last size of 'x'", weight.shape[1], "the last of 'weight'");
  if (has_operand(args, 2)) {
    check_rank("linear", "bias", operand(args, 2), 1);
    check_same_size("linear", operand(args, 2).shape[0], "the size of 'bias'", weight.shape[0],
                    "the first of 'weight'");
  }
  Shape shape = x.shape;
  shape.back() = weight.shape[0];
  return {make_type(args, x.dtype, std::move(shape))};
}

// The shape of torch.matmul: 1-d operands gain a dimension, batch dimensions broadcast.
std::vector<TensorType> matmul_infer(const InferArgs& args) {
  const TensorType& a = operand(args, 0);
  const TensorType& b = operand(args, 1);
  check_same_dtype("matmul", args);
  if (a.rank() < 1 || b.rank() < 1) fail("matmul", "both operands must have a dimension");
  const Expr& inner = b.rank() == 1 ? b.shape[0] : b.shape[b.rank() - 2];
  check_same_size("matmul", a.shape.back(), "the last size of 'a'", inner, "the matching one of 'b'");
  const Shape a_batch(a.shape.begin(), a.shape.end() - std::min(a.rank(), 2));
  const Shape b_batch(b.shape.begin(), b.shape.end() - std::min(b.rank(), 2));
  Shape shape = broadcast("matmul", a_batch, b_batch);
  if (a.rank() > 1) shape.push_back(a.shape[a.rank() - 2]);
  if (b.rank() > 1) shape.push_back(b.shape.back());
  return {make_type(args, a.dtype, std::move(shape))};
}

ValueId expand_batch(Builder& b, ValueId x, Shape batch) {
  const Shape& shape = b.type(x).shape;
  batch.insert(batch.end(), shape.end() - 2, shape.end());
  return expand(b, x, std::move(batch));
}

Results matmul_decompose(Builder& b, Operands operands, const Attributes& attributes) {
  const TensorType ta = b.type(operands[0]);
  const TensorType tb = b.type(operands[1]);
  const std::vector<const TensorType*> types = {&ta, &tb};
  const Shape result = matmul_infer({.operands = types, .attributes = attributes})[0].shape;
  ValueId x = ta.rank() == 1 ? b.add("unsqueeze", {operands[0]}, {{"dim", int64_t{0}}}) : operands[0];
  ValueId y = tb.rank() == 1 ? b.add("unsqueeze", {operands[1]}, {{"dim", int64_t{1}}}) : operands[1];
  if (b.type(y).rank() == 2) {
    // One product over all rows of `a`.
    const Shape rows = b.type(x).shape;
    const Expr count = product(Shape(rows.begin(), rows.end() - 1));
    const ValueId flat = reshape(b, x, {count, rows.back()});
    return {reshape(b, b.add("dot", {flat, y}), result)};
  }
  const Shape x_shape = b.type(x).shape;
  const Shape y_shape = b.type(y).shape;
  const Shape batch =
      broadcast("matmul", Shape(x_shape.begin(), x_shape.end() - 2), Shape(y_shape.begin(), y_shape.end() - 2));
  x = expand_batch(b, x, batch);
  y = expand_batch(b, y, batch);
  return {reshape(b, b.add("dot", {x, y}), result)};
}

// bias * beta + alpha * product, one rounding. With beta 0 the bias is not read.
Results add_product(Builder& b, Operands operands, const Attributes& attributes) {
  const DType dtype = b.type(operands[0]).dtype;
  const DType inner = compute_dtype(dtype);
  const double alpha = attribute_or(attributes, "alpha", 1.0);
  const double beta = attribute_or(attributes, "beta", 1.0);
  Attributes dot_attributes;
  if (inner != dtype) dot_attributes.set("dtype", inner);
  ValueId y = b.add("dot", {operands[1], operands[2]}, dot_attributes);
  if (alpha != 1) y = with_number(b, "mul", y, alpha);
  if (beta != 0) {
    ValueId bias = convert(b, operands[0], inner);
    if (beta != 1) bias = with_number(b, "mul", bias, beta);
    y = b.add("add", {y, bias});
  }
  return {convert(b, y, dtype)};
}

OpRecord add_product_record(std::string_view name, int rank, std::string_view doc) {
  return {.name = name,
          .kind = OpKind::composite,
          .operands = {{.name = "bias"}, {.name = "a"}, {.name = "b"}},
          .attributes = {{"alpha", AttrKind::number, false}, {"beta", AttrKind::number, false}},
          .doc = doc,
          .infer =
              [name, rank](const InferArgs& args) {
                check_same_dtype(name, args);
                check_rank(name, "a", operand(args, 1), rank);
                check_rank(name, "b", operand(args, 2), rank);
                const Attributes none;
                const TensorType dot =
                    infer_types(record("dot"), {.operands = args.operands.subspan(1), .attributes = none}).front();
                const Shape shape = broadcast(name, operand(args, 0).shape, dot.shape);
                if (!(shape == dot.shape)) {
                  fail(name, "'bias' is " + ir::to_string(operand(args, 0)) + ", which does not expand to " +
                                 shape_text(dot.shape));
                }
                return std::vector{dot};
              },
          .decompose = add_product};
}

}  // namespace

std::vector<OpRecord> matmul_records() {
  std::vector<OpRecord> r;
  r.push_back(
      {.name = "dot",
       .kind = OpKind::matmul,
       .operands = {{.name = "a"}, {.name = "b"}},
       .attributes = {{"dtype", AttrKind::dtype, false}},
       .doc = "[B…, M, K] x [B…, K, N]; f16 and bf16 add up in f32 and round once, or stay f32 if dtype says so",
       .infer = dot_infer,
       .aten = {"aten.mm.default", "aten.bmm.default"}});
  r.push_back({.name = "linear",
               .kind = OpKind::matmul,
               .operands = {{.name = "x"}, {.name = "weight"}, {.name = "bias", .kind = OperandKind::optional}},
               .doc = "x [..., K] times the transpose of weight [N, K], plus bias [N]; one rounding",
               .infer = linear_infer,
               .aten = {"aten.linear.default"}});
  r.push_back({.name = "matmul",
               .kind = OpKind::composite,
               .operands = {{.name = "a"}, {.name = "b"}},
               .doc = "torch.matmul: vectors, matrices, broadcast batches of matrices",
               .infer = matmul_infer,
               .decompose = matmul_decompose,
               .aten = {"aten.matmul.default", "aten.mv.default", "aten.dot.default", "aten.vdot.default"}});
  r.push_back(add_product_record("addmm", 2, "beta * bias + alpha * (a [M, K] x b [K, N]); one rounding"));
  r.push_back(add_product_record("baddbmm", 3, "beta * bias + alpha * (a [B, M, K] x b [B, K, N]); one rounding"));
  return r;
}

}  // namespace litz::ops
