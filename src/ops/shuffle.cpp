// Ops that put elements elsewhere without computing: cat, pad, scatter of a block, changes of layout.
#include "ops/infer.h"

namespace litz::ops {

namespace {

std::vector<TensorType> cat_infer(const InferArgs& args) {
  if (args.operands.empty()) fail("cat", "needs an operand");
  const TensorType& first = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("cat", "dim", dim, first.rank());
  check_same_dtype("cat", args);
  std::vector<Expr> shape = first.shape;
  for (size_t i = 1; i < args.operands.size(); ++i) {
    const TensorType& x = operand(args, i);
    bool fits = x.rank() == first.rank();
    for (int64_t d = 0; fits && d < first.rank(); ++d) fits = d == dim || x.shape[d] == first.shape[d];
    if (!fits) {
      fail("cat", "operand " + std::to_string(i) + " is " + ir::to_string(x) + ", but operand 0 is " +
                      ir::to_string(first) + "; sizes must agree except at dimension " + std::to_string(dim));
    }
    shape[dim] = shape[dim] + x.shape[dim];
  }
  return {make_type(args, first.dtype, std::move(shape))};
}

std::vector<TensorType> pad_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const auto& padding = args.attributes.get<std::vector<int64_t>>("padding");
  check_count("pad", "padding", padding, 2 * x.shape.size());
  std::vector<Expr> shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    shape[d] = shape[d] + Expr(padding[2 * d]) + Expr(padding[2 * d + 1]);
    if (shape[d].is_constant() && shape[d].constant() < 0) {
      fail("pad", "padding leaves a negative size at dimension " + std::to_string(d));
    }
  }
  return {make_type(args, x.dtype, std::move(shape))};
}

std::vector<TensorType> stack_infer(const InferArgs& args) {
  if (args.operands.empty()) fail("stack", "needs an operand");
  const TensorType& first = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("stack", "dim", dim, first.rank() + 1);
  check_same_dtype("stack", args);
  for (size_t i = 1; i < args.operands.size(); ++i) {
    if (operand(args, i).shape == first.shape) continue;
    fail("stack", "operand " + std::to_string(i) + " is " + ir::to_string(operand(args, i)) + ", but operand 0 is " +
                      ir::to_string(first));
  }
  std::vector<Expr> shape = first.shape;
  shape.insert(shape.begin() + dim, Expr(static_cast<int64_t>(args.operands.size())));
  return {make_type(args, first.dtype, std::move(shape))};
}

std::vector<ValueId> stack_decompose(Builder& b, std::span<const ValueId> operands, const Attributes& attributes) {
  const int64_t dim = attributes.get<int64_t>("dim");
  std::vector<ValueId> parts;
  for (ValueId x : operands) parts.push_back(b.add("unsqueeze", {x}, {{"dim", dim}}));
  return {b.add("cat", parts, {{"dim", dim}})};
}

// The type of the block of `x` that the op replaces: what the view op of the same name gives.
void check_block(std::string_view op, std::string_view view, const InferArgs& args) {
  const TensorType* x = args.operands[0];
  const InferArgs of_view{.operands = std::span(&x, 1), .attributes = args.attributes};
  const TensorType block = infer_types(record(view), of_view).front();
  const TensorType& source = operand(args, 1);
  if (source.shape == block.shape && source.dtype == block.dtype) return;
  fail(op, "'source' must be " + ir::to_string(block) + ", but is " + ir::to_string(source));
}

OpRecord block_scatter(std::string_view name, std::string_view view, std::vector<AttrSpec> attributes,
                       std::string_view doc) {
  return {.name = name,
          .kind = OpKind::shuffle,
          .operands = {{.name = "x"}, {.name = "source"}},
          .attributes = std::move(attributes),
          .doc = doc,
          .infer = [name, view](const InferArgs& args) {
            check_block(name, view, args);
            return std::vector{make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
          }};
}

std::vector<TensorType> layout_convert_infer(const InferArgs& args) {
  TensorType type = make_type(args, operand(args, 0).dtype, operand(args, 0).shape);
  type.layout = args.attributes.get<ir::Layout>("layout");
  return {type};
}

}  // namespace

std::vector<OpRecord> shuffle_records() {
  constexpr auto integer = AttrKind::integer;
  std::vector<OpRecord> r;
  r.push_back({.name = "cat",
               .kind = OpKind::shuffle,
               .operands = {{.name = "xs", .kind = OperandKind::variadic}},
               .attributes = {{"dim", integer}},
               .doc = "the operands one after the other along dim; one dtype, other sizes equal",
               .infer = cat_infer});
  r.push_back({.name = "stack",
               .kind = OpKind::composite,
               .operands = {{.name = "xs", .kind = OperandKind::variadic}},
               .attributes = {{"dim", integer}},
               .doc = "the operands along a new dimension before dim",
               .infer = stack_infer,
               .decompose = stack_decompose});
  r.push_back({.name = "pad",
               .kind = OpKind::shuffle,
               .operands = {{.name = "x"}},
               .attributes = {{"padding", AttrKind::integers}, {"value", AttrKind::number}},
               .doc = "padding: low and high for each dimension, first dimension first; negative ones cut",
               .infer = pad_infer});
  r.push_back(block_scatter("slice_scatter", "slice",
                            {{"dim", integer}, {"start", integer}, {"end", integer}, {"step", integer}},
                            "x with x[start:end:step] along dim replaced by source"));
  r.push_back(block_scatter("select_scatter", "select", {{"dim", integer}, {"index", integer}},
                            "x with x[index] along dim replaced by source"));
  r.push_back({.name = "layout_convert",
               .kind = OpKind::shuffle,
               .operands = {{.name = "x"}},
               .attributes = {{"layout", AttrKind::layout}},
               .doc = "the same value in another physical layout",
               .infer = layout_convert_infer});
  return r;
}

}  // namespace litz::ops
