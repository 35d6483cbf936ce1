// ATen's views, copies of views, and ops that move elements.
#include <algorithm>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

using Integers = std::vector<int64_t>;

// A list of sizes with at most one -1, which takes what is left.
std::vector<Expr> resolve_sizes(AtenContext& c, size_t i, const Expr& elements) {
  std::vector<Expr> shape = c.sizes(i);
  Expr known = 1;
  Expr* unknown = nullptr;
  for (Expr& e : shape) {
    if (e == Expr(-1)) {
      unknown = &e;
    } else {
      known = known * e;
    }
  }
  if (unknown != nullptr) {
    if (is_zero(known)) not_imported("a size can't be inferred for no elements");
    *unknown = floor_div(elements, known);
  }
  return shape;
}

AtenResults view(AtenContext& c) {
  const Expr elements = c.type(0).elements();
  return {c.b.add("reshape", {c.tensor(0)}, {{"shape", resolve_sizes(c, 1, elements)}})};
}

AtenResults expand_to(AtenContext& c) {
  std::vector<Expr> shape = c.sizes(1);
  const std::vector<Expr> own = c.type(0).shape;
  if (shape.size() < own.size()) not_imported("it has fewer sizes than its operand");
  for (size_t i = 0; i < own.size(); ++i) {
    Expr& e = shape[shape.size() - own.size() + i];
    if (e == Expr(-1)) e = own[i];
  }
  return {c.b.add("expand", {c.tensor(0)}, {{"shape", shape}})};
}

AtenResults permute_dims(AtenContext& c) {
  Integers dims;
  for (int64_t d : c.integers(1)) dims.push_back(AtenContext::wrap_dim(d, c.type(0).rank()));
  return {permute(c.b, c.tensor(0), dims)};
}

AtenResults transpose(AtenContext& c) {
  const int rank = c.type(0).rank();
  Integers dims = all_dims(rank);
  const int64_t a = c.dim(1, rank);
  const int64_t b = c.dim(2, rank);
  if (rank > 0) std::swap(dims[a], dims[b]);
  return {permute(c.b, c.tensor(0), dims)};
}

AtenResults t(AtenContext& c) {
  Integers dims = all_dims(c.type(0).rank());
  std::reverse(dims.begin(), dims.end());
  return {permute(c.b, c.tensor(0), dims)};
}

AtenResults unsqueeze(AtenContext& c) {
  return {c.b.add("unsqueeze", {c.tensor(0)}, {{"dim", c.dim(1, c.type(0).rank() + 1)}})};
}

AtenResults squeeze_dims(AtenContext& c, const Integers& wanted) {
  Integers dims;
  for (int64_t d = 0; d < c.type(0).rank(); ++d) {
    if (contains(wanted, d) && is_one(c.type(0).shape[d])) dims.push_back(d);
  }
  return {c.b.add("squeeze", {c.tensor(0)}, {{"dims", dims}})};
}

AtenResults squeeze_all(AtenContext& c) { return squeeze_dims(c, all_dims(c.type(0).rank())); }

AtenResults squeeze(AtenContext& c) {
  Integers wanted;
  for (int64_t d : c.integers(1)) wanted.push_back(AtenContext::wrap_dim(d, c.type(0).rank()));
  return squeeze_dims(c, wanted);
}

Attributes slice_attributes(AtenContext& c, size_t first, int rank) {
  return {{"dim", c.is_none(first) ? int64_t{0} : c.dim(first, rank)},
          {"start", c.integer_or(first + 1, 0)},
          {"end", c.integer_or(first + 2, INT64_MAX)},
          {"step", c.integer_or(first + 3, 1)}};
}

AtenResults slice(AtenContext& c) {
  return {c.b.add("slice", {c.tensor(0)}, slice_attributes(c, 1, c.type(0).rank()))};
}

AtenResults slice_scatter(AtenContext& c) {
  const ValueId source = convert(c.b, c.tensor(1), c.type(0).dtype);
  return {c.b.add("slice_scatter", {c.tensor(0), source}, slice_attributes(c, 2, c.type(0).rank()))};
}

AtenResults select(AtenContext& c) {
  return {c.b.add("select", {c.tensor(0)}, {{"dim", c.dim(1, c.type(0).rank())}, {"index", c.integer(2)}})};
}

AtenResults select_scatter(AtenContext& c) {
  const ValueId source = convert(c.b, c.tensor(1), c.type(0).dtype);
  return {
      c.b.add("select_scatter", {c.tensor(0), source}, {{"dim", c.dim(2, c.type(0).rank())}, {"index", c.integer(3)}})};
}

AtenResults flip(AtenContext& c) {
  const Integers dims = c.integers(1).empty() ? Integers{} : c.dims(1, c.type(0).rank());
  return {c.b.add("flip", {c.tensor(0)}, {{"dims", dims}})};
}

AtenResults unfold(AtenContext& c) {
  if (c.type(0).rank() == 0) not_imported("its operand has no dimension");
  return {c.b.add("unfold", {c.tensor(0)},
                  {{"dim", c.dim(1, c.type(0).rank())}, {"size", c.integer(2)}, {"step", c.integer(3)}})};
}

// Only of inputs that are contiguous: what strides eager gives a value inside the graph is not known here.
AtenResults as_strided(AtenContext& c) {
  const ValueId x = c.tensor(0);
  for (const ir::Input& input : c.b.graph().peek().inputs()) {
    if (input.value != x) continue;
    if (!input.strides.empty() && !(input.strides == ir::contiguous_strides(c.type(0).shape))) break;
    return {c.b.add("as_strided", {x},
                    {{"shape", c.sizes(1)}, {"strides", c.integers(2)}, {"offset", c.integer_or(3, 0)}})};
  }
  not_imported("its operand is not a contiguous input");
}

ValueId part(AtenContext& c, int64_t dim, int64_t start, int64_t end) {
  return c.b.add("slice", {c.tensor(0)}, {{"dim", dim}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
}

int64_t known_size(AtenContext& c, int64_t dim) {
  if (c.type(0).rank() == 0) not_imported("its operand has no dimension");
  const Expr& size = c.type(0).shape[dim];
  if (!size.is_constant()) not_imported("it needs sizes known at compile time");
  return size.constant();
}

AtenResults split(AtenContext& c) {
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(2, 0), c.type(0).rank());
  const int64_t size = known_size(c, dim);
  const int64_t step = c.integer(1);
  if (step < 0 || (step == 0 && size != 0)) not_imported("the size of a part must be positive");
  AtenResults out;
  for (int64_t start = 0; start < std::max(size, int64_t{1}); start += std::max(step, int64_t{1})) {
    out.push_back(part(c, dim, start, std::min(start + step, size)));
  }
  return out;
}

AtenResults split_with_sizes(AtenContext& c) {
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(2, 0), c.type(0).rank());
  AtenResults out;
  int64_t start = 0;
  for (int64_t size : c.integers(1)) {
    out.push_back(part(c, dim, start, start + size));
    start += size;
  }
  if (start != known_size(c, dim)) not_imported("the parts don't add up to the size");
  return out;
}

AtenResults unbind(AtenContext& c) {
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(1, 0), c.type(0).rank());
  AtenResults out;
  const int64_t size = known_size(c, dim);
  for (int64_t i = 0; i < size; ++i) out.push_back(c.b.add("select", {c.tensor(0)}, {{"dim", dim}, {"index", i}}));
  return out;
}

// The diagonal of the last two dimensions, as every (columns + 1)-th element of the flattened matrix.
AtenResults diagonal(AtenContext& c) {
  Builder& b = c.b;
  const int rank = c.type(0).rank();
  const int64_t offset = c.integer_or(1, 0);
  const int64_t d1 = AtenContext::wrap_dim(c.integer_or(2, 0), rank);
  const int64_t d2 = AtenContext::wrap_dim(c.integer_or(3, 1), rank);
  if (rank < 2 || d1 == d2) not_imported("it needs two dimensions");
  const int64_t rows = known_size(c, d1);
  const int64_t columns = known_size(c, d2);
  const int64_t count =
      std::max(int64_t{0}, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  Integers dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != d1 && d != d2) dims.push_back(d);
  }
  dims.push_back(d1);
  dims.push_back(d2);
  const ValueId matrix = permute(b, c.tensor(0), dims);
  std::vector<Expr> shape(b.type(matrix).shape.begin(), b.type(matrix).shape.end() - 2);
  shape.emplace_back(rows * columns);
  const ValueId flat = reshape(b, matrix, shape);
  const int64_t start = offset >= 0 ? offset : -offset * columns;
  const int64_t end = count == 0 ? start : start + (count - 1) * (columns + 1) + 1;
  return {b.add("slice", {flat},
                {{"dim", static_cast<int64_t>(rank - 2)}, {"start", start}, {"end", end}, {"step", columns + 1}})};
}

AtenResults repeat(AtenContext& c) {
  Builder& b = c.b;
  const Integers counts = c.integers(1);
  std::vector<Expr> own = c.type(0).shape;
  if (counts.size() < own.size()) not_imported("it has fewer counts than dimensions");
  own.insert(own.begin(), counts.size() - own.size(), Expr(1));
  std::vector<Expr> with_ones;
  std::vector<Expr> expanded;
  std::vector<Expr> joined;
  for (size_t i = 0; i < own.size(); ++i) {
    with_ones.insert(with_ones.end(), {Expr(1), own[i]});
    expanded.insert(expanded.end(), {Expr(counts[i]), own[i]});
    joined.push_back(Expr(counts[i]) * own[i]);
  }
  return {reshape(b, expand(b, reshape(b, c.tensor(0), with_ones), expanded), joined)};
}

// Each shift is two slices joined the other way round.
AtenResults roll(AtenContext& c) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  Integers shifts = c.integers(1);
  Integers dims = c.integers(2);
  ValueId x = c.tensor(0);
  const bool flat = dims.empty();
  if (flat) {
    x = reshape(b, x, {type.elements()});
    dims = {0};
  }
  if (shifts.size() != dims.size()) not_imported("it has another number of shifts than of dimensions");
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = AtenContext::wrap_dim(dims[i], b.type(x).rank());
    if (b.type(x).rank() == 0 || !b.type(x).shape[dim].is_constant())
      not_imported("it needs sizes known at compile time");
    const int64_t size = b.type(x).shape[dim].constant();
    const int64_t cut = size == 0 ? 0 : ((size - shifts[i] % size) % size);
    if (cut == 0) continue;
    const auto piece = [&](int64_t start, int64_t end) {
      return b.add("slice", {x}, {{"dim", dim}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
    };
    const ValueId tail = piece(cut, size);
    x = b.add("cat", {tail, piece(0, cut)}, {{"dim", dim}});
  }
  x = flat ? reshape(b, x, type.shape) : x;
  return {x == c.tensor(0) ? b.add("identity", {x}) : x};
}

// [.., C*r*r, H, W] to [.., C, H*r, W*r], or back.
AtenResults pixel_shuffle(AtenContext& c, bool back) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const Expr r = c.integer(1);
  const int rank = type.rank();
  if (rank < 3 || c.integer(1) < 1) not_imported("it needs [.., C, H, W] and a positive factor");
  const std::vector<Expr> lead(type.shape.begin(), type.shape.end() - 3);
  const Expr channels = type.shape[rank - 3];
  const Expr h = type.shape[rank - 2];
  const Expr w = type.shape[rank - 1];
  const auto with = [&](std::vector<Expr> tail) {
    std::vector<Expr> shape = lead;
    shape.insert(shape.end(), tail.begin(), tail.end());
    return shape;
  };
  Integers dims = all_dims(rank - 3);
  const auto at = [&](int64_t i) { return static_cast<int64_t>(rank - 3) + i; };
  if (back) {
    const ValueId six = reshape(b, c.tensor(0), with({channels, floor_div(h, r), r, floor_div(w, r), r}));
    for (int64_t i : {0, 2, 4, 1, 3}) dims.push_back(at(i));
    return {reshape(b, permute(b, six, dims), with({channels * r * r, floor_div(h, r), floor_div(w, r)}))};
  }
  const Expr outer = floor_div(channels, r * r);
  const ValueId six = reshape(b, c.tensor(0), with({outer, r, r, h, w}));
  for (int64_t i : {0, 3, 1, 4, 2}) dims.push_back(at(i));
  return {reshape(b, permute(b, six, dims), with({outer, h * r, w * r}))};
}

AtenResults channel_shuffle(AtenContext& c) {
  Builder& b = c.b;
  const TensorType type = c.type(0);
  const Expr groups = c.integer(1);
  if (type.rank() < 3 || c.integer(1) < 1) not_imported("it needs [N, C, ..] and a positive number of groups");
  std::vector<Expr> split = {type.shape[0], groups, floor_div(type.shape[1], groups)};
  split.insert(split.end(), type.shape.begin() + 2, type.shape.end());
  Integers dims = all_dims(static_cast<int>(split.size()));
  std::swap(dims[1], dims[2]);
  return {reshape(b, permute(b, reshape(b, c.tensor(0), split), dims), type.shape)};
}

// Quarter turns from the first of two dimensions to the second.
AtenResults rot90(AtenContext& c) {
  Builder& b = c.b;
  const int rank = c.type(0).rank();
  const Integers given = c.integers(2);
  if (given.size() != 2) not_imported("it needs two dimensions");
  const Integers d = {AtenContext::wrap_dim(given[0], rank), AtenContext::wrap_dim(given[1], rank)};
  const int64_t turns = ((c.integer_or(1, 1) % 4) + 4) % 4;
  const auto flipped = [&](Integers dims) {
    std::sort(dims.begin(), dims.end());
    return b.add("flip", {c.tensor(0)}, {{"dims", dims}});
  };
  if (turns == 0) return {b.add("identity", {c.tensor(0)})};
  if (turns == 2) return {flipped(d)};
  Integers dims = all_dims(rank);
  std::swap(dims[d[0]], dims[d[1]]);
  return {permute(b, flipped({turns == 1 ? d[1] : d[0]}), dims)};
}

AtenResults narrow(AtenContext& c) {
  const int64_t dim = c.dim(1, c.type(0).rank());
  const int64_t size = known_size(c, dim);
  const int64_t start = c.integer(2) < 0 ? c.integer(2) + size : c.integer(2);
  return {part(c, dim, start, start + c.integer(3))};
}

AtenResults cat(AtenContext& c) {
  Builder& b = c.b;
  std::vector<ValueId> parts;
  std::vector<TensorType> types;
  for (ValueId x : c.tensors(0)) {
    // Eager skips tensors of shape [0].
    if (b.type(x).rank() == 1 && is_zero(b.type(x).shape[0]) && c.tensors(0).size() > 1) continue;
    parts.push_back(x);
  }
  if (parts.empty()) parts.push_back(c.tensors(0).at(0));
  for (ValueId x : c.tensors(0)) types.push_back(b.type(x));
  std::vector<const TensorType*> pointers;
  for (const TensorType& type : types) pointers.push_back(&type);
  const DType dtype = promote(pointers);
  for (ValueId& x : parts) x = convert(b, x, dtype);
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(1, 0), b.type(parts[0]).rank());
  if (parts.size() == 1) return {b.add("identity", {parts[0]})};
  return {b.add("cat", parts, {{"dim", dim}})};
}

AtenResults stack(AtenContext& c) {
  const std::vector<ValueId> parts = c.tensors(0);
  if (parts.empty()) not_imported("it has no operands");
  const int64_t dim = AtenContext::wrap_dim(c.integer_or(1, 0), c.b.type(parts[0]).rank() + 1);
  return {c.b.add("stack", parts, {{"dim", dim}})};
}

// ATen's list begins with the last dimension.
AtenResults constant_pad(AtenContext& c) {
  const Integers pairs = c.integers(1);
  const auto rank = static_cast<size_t>(c.type(0).rank());
  if (pairs.size() % 2 != 0 || pairs.size() > 2 * rank) not_imported("it has another number of paddings");
  Integers padding(2 * rank, 0);
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    padding[2 * (rank - 1 - i)] = pairs[2 * i];
    padding[2 * (rank - 1 - i) + 1] = pairs[2 * i + 1];
  }
  return {c.b.add("pad", {c.tensor(0)}, {{"padding", padding}, {"value", c.is_none(2) ? 0.0 : c.real(2)}})};
}

}  // namespace

AtenTable aten_views() {
  AtenTable table = {
      {"aten._unsafe_view.default", view},
      {"aten.reshape.default", view},
      {"aten._reshape_alias.default", view},
      {"aten.t.default", t},
      {"aten.numpy_T.default", t},
      {"aten.slice_scatter.default", slice_scatter},
      {"aten.select_scatter.default", select_scatter},
      {"aten.flip.default", flip},
      {"aten.as_strided.default", as_strided},
      {"aten.split.Tensor", split},
      {"aten.split.default", split_with_sizes},
      {"aten.unsafe_split.Tensor", split},
      {"aten.split_with_sizes.default", split_with_sizes},
      {"aten.unsafe_split_with_sizes.default", split_with_sizes},
      {"aten.split_with_sizes_copy.default", split_with_sizes},
      {"aten.unbind.int", unbind},
      {"aten.repeat.default", repeat},
      {"aten.roll.default", roll},
      {"aten.pixel_shuffle.default", [](AtenContext& c) { return pixel_shuffle(c, /*back=*/false); }},
      {"aten.pixel_unshuffle.default", [](AtenContext& c) { return pixel_shuffle(c, /*back=*/true); }},
      {"aten.cat.default", cat},
      {"aten.stack.default", stack},
      {"aten.channel_shuffle.default", channel_shuffle},
      {"aten.rot90.default", rot90},
      {"aten.narrow_copy.default", narrow},
      {"aten.constant_pad_nd.default", constant_pad},
  };
  const std::vector<std::tuple<std::string, std::string, AtenImporter>> with_copies = {
      {"view", "default", view},       {"expand", "default", expand_to},    {"permute", "default", permute_dims},
      {"transpose", "int", transpose}, {"unsqueeze", "default", unsqueeze}, {"squeeze", "default", squeeze_all},
      {"squeeze", "dim", squeeze},     {"squeeze", "dims", squeeze},        {"slice", "Tensor", slice},
      {"select", "int", select},       {"diagonal", "default", diagonal}};
  for (const auto& [name, overload, importer] : with_copies) {
    table.emplace_back("aten." + name + "." + overload, importer);
    table.emplace_back("aten." + name + "_copy." + overload, importer);
  }
  table.emplace_back("aten.t_copy.default", t);
  table.emplace_back("aten.unbind_copy.int", unbind);
  table.emplace_back("aten.unfold.default", unfold);
  table.emplace_back("aten.unfold_copy.default", unfold);
  return table;
}

}  // namespace litz::ops
