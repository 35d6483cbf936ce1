// Views: each element of the result is one element of the operand; `map` says which.
#include "ops/reshape.h"

#include <algorithm>

#include "ops/infer.h"

namespace litz::ops {

namespace {

using Index = std::vector<Expr>;

std::vector<TensorType> reshape_infer(const InferArgs& args) {
  const auto& shape = args.attributes.get<std::vector<Expr>>("shape");
  const TensorType& x = operand(args, 0);
  if (!(product(shape) == x.elements())) {
    fail("reshape", "shape " + shape_text(shape) + " does not hold the elements of " + ir::to_string(x));
  }
  return {make_type(args, x.dtype, shape)};
}

std::vector<TensorType> permute_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
  check_count("permute", "dims", dims, x.shape.size());
  std::vector<Expr> shape;
  std::vector<bool> seen(dims.size());
  for (int64_t d : dims) {
    check_dim("permute", "dimension", d, x.rank());
    if (seen[d]) fail("permute", "dimension " + std::to_string(d) + " stands twice in dims");
    seen[d] = true;
    shape.push_back(x.shape[d]);
  }
  return {make_type(args, x.dtype, std::move(shape))};
}

Index permute_map(const Index& index, const InferArgs& args, const TensorType&) {
  const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
  Index out(index.size());
  for (size_t i = 0; i < dims.size(); ++i) out[dims[i]] = index[i];
  return out;
}

std::vector<TensorType> expand_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const auto& shape = args.attributes.get<std::vector<Expr>>("shape");
  const bool longer = shape.size() >= x.shape.size();
  for (size_t i = 0; longer && i < x.shape.size(); ++i) {
    const Expr& from = x.shape[i];
    const Expr& to = shape[shape.size() - x.shape.size() + i];
    if (!(from == to) && !is_one(from)) {
      fail("expand", "size " + from.to_string() + " at dimension " + std::to_string(i) + " does not expand to " +
                         to.to_string() + "; only size 1 expands");
    }
  }
  if (!longer) fail("expand", "shape " + shape_text(shape) + " has fewer dimensions than " + ir::to_string(x));
  return {make_type(args, x.dtype, shape)};
}

Index expand_map(const Index& index, const InferArgs& args, const TensorType& result) {
  const TensorType& x = operand(args, 0);
  const size_t added = index.size() - x.shape.size();
  Index out;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const bool expanded = is_one(x.shape[i]) && !is_one(result.shape[added + i]);
    out.push_back(expanded || is_one(x.shape[i]) ? Expr(0) : index[added + i]);
  }
  return out;
}

// Where a slice begins and ends: negative positions count from the end, then both are clamped to the size.
struct SliceRange {
  Expr start;
  Expr size;
};

Expr clamp_position(int64_t position, const Expr& size) {
  if (size.is_constant()) {
    const int64_t n = size.constant();
    const int64_t wrapped = position < 0 ? position + n : position;
    return std::min(std::max(wrapped, int64_t{0}), n);
  }
  if (position < 0) return max(size + Expr(position), 0);
  return position == INT64_MAX ? size : position == 0 ? Expr(0) : min(position, size);
}

SliceRange slice_range(const InferArgs& args) {
  const Attributes& a = args.attributes;
  const Expr& size = operand(args, 0).shape[a.get<int64_t>("dim")];
  const Expr start = clamp_position(a.get<int64_t>("start"), size);
  const Expr end = clamp_position(a.get<int64_t>("end"), size);
  const Expr length = start == Expr(0) ? end : max(end - start, 0);
  const int64_t step = a.get<int64_t>("step");
  return {start, step == 1 ? length : ceil_div(length, step)};
}

std::vector<TensorType> slice_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("slice", "dim", dim, x.rank());
  if (args.attributes.get<int64_t>("step") < 1) fail("slice", "step must be positive");
  std::vector<Expr> shape = x.shape;
  shape[dim] = slice_range(args).size;
  return {make_type(args, x.dtype, std::move(shape))};
}

Index slice_map(const Index& index, const InferArgs& args, const TensorType&) {
  const int64_t dim = args.attributes.get<int64_t>("dim");
  Index out = index;
  out[dim] = slice_range(args).start + index[dim] * Expr(args.attributes.get<int64_t>("step"));
  return out;
}

Expr select_index(const InferArgs& args) {
  const int64_t index = args.attributes.get<int64_t>("index");
  return index < 0 ? operand(args, 0).shape[args.attributes.get<int64_t>("dim")] + Expr(index) : Expr(index);
}

std::vector<TensorType> select_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  const int64_t index = args.attributes.get<int64_t>("index");
  check_dim("select", "dim", dim, x.rank());
  const Expr& size = x.shape[dim];
  if (size.is_constant() && (index >= size.constant() || index < -size.constant())) {
    throw IndexError("select: index " + std::to_string(index) + " is out of range for size " + size.to_string() +
                     " at dimension " + std::to_string(dim));
  }
  return {make_type(args, x.dtype, reduced_shape(x.shape, {dim}, /*keepdim=*/false))};
}

Index select_map(const Index& index, const InferArgs& args, const TensorType&) {
  Index out = index;
  out.insert(out.begin() + args.attributes.get<int64_t>("dim"), select_index(args));
  return out;
}

std::vector<TensorType> squeeze_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
  check_dims("squeeze", dims, x.rank());
  for (int64_t d : dims) {
    if (!is_one(x.shape[d])) {
      fail("squeeze", "dimension " + std::to_string(d) + " of " + ir::to_string(x) + " is not of size 1");
    }
  }
  return {make_type(args, x.dtype, reduced_shape(x.shape, dims, /*keepdim=*/false))};
}

Index squeeze_map(const Index& index, const InferArgs& args, const TensorType&) {
  const auto& dims = args.attributes.get<std::vector<int64_t>>("dims");
  Index out;
  size_t next = 0;
  for (int64_t d = 0; d < operand(args, 0).rank(); ++d) out.push_back(contains(dims, d) ? Expr(0) : index[next++]);
  return out;
}

std::vector<TensorType> unsqueeze_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  check_dim("unsqueeze", "dim", dim, x.rank() + 1);
  std::vector<Expr> shape = x.shape;
  shape.insert(shape.begin() + dim, Expr(1));
  return {make_type(args, x.dtype, std::move(shape))};
}

Index unsqueeze_map(const Index& index, const InferArgs& args, const TensorType&) {
  Index out = index;
  out.erase(out.begin() + args.attributes.get<int64_t>("dim"));
  return out;
}

std::vector<TensorType> flip_infer(const InferArgs& args) {
  check_dims("flip", args.attributes.get<std::vector<int64_t>>("dims"), operand(args, 0).rank());
  return {make_type(args, operand(args, 0).dtype, operand(args, 0).shape)};
}

Index flip_map(const Index& index, const InferArgs& args, const TensorType& result) {
  Index out = index;
  for (int64_t d : args.attributes.get<std::vector<int64_t>>("dims")) out[d] = result.shape[d] - Expr(1) - index[d];
  return out;
}

std::vector<TensorType> unfold_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const int64_t dim = args.attributes.get<int64_t>("dim");
  const int64_t size = args.attributes.get<int64_t>("size");
  const int64_t step = args.attributes.get<int64_t>("step");
  check_dim("unfold", "dim", dim, x.rank());
  if (size < 0 || step < 1) fail("unfold", "size must not be negative and step must be positive");
  if (x.shape[dim].is_constant() && size > x.shape[dim].constant()) {
    fail("unfold", "size " + std::to_string(size) + " is larger than " + x.shape[dim].to_string() +
                       ", the size at dimension " + std::to_string(dim));
  }
  std::vector<Expr> shape = x.shape;
  shape[dim] = floor_div(shape[dim] - Expr(size), step) + Expr(1);
  shape.emplace_back(size);
  return {make_type(args, x.dtype, std::move(shape))};
}

Index unfold_map(const Index& index, const InferArgs& args, const TensorType&) {
  const int64_t dim = args.attributes.get<int64_t>("dim");
  Index out(index.begin(), index.end() - 1);
  out[dim] = index[dim] * Expr(args.attributes.get<int64_t>("step")) + index.back();
  return out;
}

std::vector<TensorType> as_strided_infer(const InferArgs& args) {
  const TensorType& x = operand(args, 0);
  const auto& shape = args.attributes.get<std::vector<Expr>>("shape");
  const auto& strides = args.attributes.get<std::vector<int64_t>>("strides");
  const int64_t offset = args.attributes.get<int64_t>("offset");
  check_count("as_strided", "strides", strides, shape.size());
  Expr last = offset;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] < 0) fail("as_strided", "strides must not be negative");
    last = last + (shape[i] - Expr(1)) * Expr(strides[i]);
    empty = empty || is_zero(shape[i]);
  }
  if (offset < 0) fail("as_strided", "offset must not be negative");
  if (!last.is_constant() || !x.elements().is_constant()) {
    if (!(last == x.elements() - Expr(1))) fail("as_strided", "its bounds can't be shown for sizes known at run time");
  } else if (!empty && last.constant() >= x.elements().constant()) {
    throw IndexError("as_strided: index " + last.to_string() + " is out of range for " + x.elements().to_string() +
                     " elements");
  }
  return {make_type(args, x.dtype, shape)};
}

Index as_strided_map(const Index& index, const InferArgs& args, const TensorType&) {
  const auto& strides = args.attributes.get<std::vector<int64_t>>("strides");
  Expr offset = args.attributes.get<int64_t>("offset");
  for (size_t i = 0; i < strides.size(); ++i) offset = offset + index[i] * Expr(strides[i]);
  return unflatten_index(offset, operand(args, 0).shape);
}

OpRecord view(std::string_view name, std::vector<AttrSpec> attributes, std::string_view doc,
              std::vector<TensorType> (*infer)(const InferArgs&),
              Index (*map)(const Index&, const InferArgs&, const TensorType&)) {
  return {.name = name,
          .kind = OpKind::view,
          .operands = {{.name = "x"}},
          .attributes = std::move(attributes),
          .doc = doc,
          .infer = infer,
          .map = map};
}

Index reshape_index(const Index& index, const InferArgs& args, const TensorType& result) {
  return reshape_map(index, result.shape, operand(args, 0).shape);
}

}  // namespace

std::vector<OpRecord> view_records() {
  constexpr auto integer = AttrKind::integer;
  constexpr auto integers = AttrKind::integers;
  constexpr auto exprs = AttrKind::exprs;
  std::vector<OpRecord> r;
  r.push_back(view("reshape", {{"shape", exprs}}, "the same elements in row-major order, in another shape",
                   reshape_infer, reshape_index));
  r.push_back(view("permute", {{"dims", integers}}, "result dimension i is dimension dims[i] of x", permute_infer,
                   permute_map));
  r.push_back(view("expand", {{"shape", exprs}}, "repeats dimensions of size 1, and adds dimensions in front",
                   expand_infer, expand_map));
  r.push_back(view("slice", {{"dim", integer}, {"start", integer}, {"end", integer}, {"step", integer}},
                   "x[start:end:step] along dim; positions as in Python", slice_infer, slice_map));
  r.push_back(view("select", {{"dim", integer}, {"index", integer}}, "x[index] along dim, which goes", select_infer,
                   select_map));
  r.push_back(
      view("squeeze", {{"dims", integers}}, "without the dimensions dims, each of size 1", squeeze_infer, squeeze_map));
  r.push_back(
      view("unsqueeze", {{"dim", integer}}, "a dimension of size 1 before dim", unsqueeze_infer, unsqueeze_map));
  r.push_back(view("flip", {{"dims", integers}}, "reversed along dims", flip_infer, flip_map));
  r.push_back(view("unfold", {{"dim", integer}, {"size", integer}, {"step", integer}},
                   "windows of `size` along dim, `step` apart; the place in the window is a new last dimension",
                   unfold_infer, unfold_map));
  r.push_back(view("as_strided", {{"shape", exprs}, {"strides", integers}, {"offset", integer}},
                   "element i of the result is element offset + sum(i * strides) of x in row-major order",
                   as_strided_infer, as_strided_map));
  return r;
}

}  // namespace litz::ops
