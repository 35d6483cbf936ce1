#include "ir/types.h"

#include <algorithm>
#include <numeric>

#include "ir/text.h"

namespace litz::ir {

namespace {

int logical_dim(const Layout& layout, int position) {
  return layout.order.empty() ? position : layout.order.at(static_cast<size_t>(position));
}

void check_rank(size_t have, size_t want, const char* what) {
  LITZ_CHECK(have == want,
             std::string(what) + " of " + std::to_string(have) + " dimensions, expected " + std::to_string(want));
}

std::vector<Expr> simplified(std::vector<Expr> index, const BoundsMap& bounds) {
  for (Expr& e : index) e = simplify(e, bounds);
  return index;
}

}  // namespace

std::optional<std::string> layout_problem(const Layout& layout, int rank) {
  if (!layout.order.empty()) {
    std::vector<int> sorted = layout.order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> identity(static_cast<size_t>(rank));
    std::iota(identity.begin(), identity.end(), 0);
    if (sorted != identity) return "the layout's order is no permutation of " + std::to_string(rank) + " dimensions";
  }
  for (const Split& s : layout.splits) {
    if (s.dim < 0 || s.dim >= rank) {
      return "the layout splits dimension " + std::to_string(s.dim) + " of " + std::to_string(rank);
    }
    if (s.block < 1) return "a block of the layout has " + std::to_string(s.block) + " elements";
  }
  return std::nullopt;
}

Layout normalized(Layout layout) {
  bool identity = true;
  for (size_t i = 0; i < layout.order.size(); ++i) identity = identity && layout.order[i] == static_cast<int>(i);
  if (identity) layout.order.clear();
  return layout;
}

std::vector<Expr> physical_shape(const TensorType& type) {
  const Layout& layout = type.layout;
  std::vector<Expr> outer = type.shape;
  for (auto s = layout.splits.rbegin(); s != layout.splits.rend(); ++s) {
    Expr& size = outer.at(static_cast<size_t>(s->dim));
    size = ceil_div(size, s->block);
  }
  std::vector<Expr> shape;
  for (int i = 0; i < type.rank(); ++i) shape.push_back(outer.at(static_cast<size_t>(logical_dim(layout, i))));
  for (const Split& s : layout.splits) shape.emplace_back(s.block);
  return shape;
}

std::vector<Expr> physical_index(const TensorType& type, const std::vector<Expr>& index, const BoundsMap& bounds) {
  const Layout& layout = type.layout;
  check_rank(index.size(), type.shape.size(), "index");
  std::vector<Expr> outer = index;
  std::vector<Expr> inner(layout.splits.size());
  for (size_t i = layout.splits.size(); i-- > 0;) {
    Expr& rest = outer.at(static_cast<size_t>(layout.splits[i].dim));
    inner[i] = mod(rest, layout.splits[i].block);
    rest = floor_div(rest, layout.splits[i].block);
  }
  std::vector<Expr> physical;
  for (int i = 0; i < type.rank(); ++i) physical.push_back(outer.at(static_cast<size_t>(logical_dim(layout, i))));
  physical.insert(physical.end(), inner.begin(), inner.end());
  return simplified(std::move(physical), bounds);
}

std::vector<Expr> logical_index(const TensorType& type, const std::vector<Expr>& physical, const BoundsMap& bounds) {
  const Layout& layout = type.layout;
  const size_t rank = type.shape.size();
  check_rank(physical.size(), rank + layout.splits.size(), "physical index");
  std::vector<Expr> index(rank);
  for (int i = 0; i < type.rank(); ++i) {
    index.at(static_cast<size_t>(logical_dim(layout, i))) = physical[static_cast<size_t>(i)];
  }
  for (size_t i = 0; i < layout.splits.size(); ++i) {
    Expr& e = index.at(static_cast<size_t>(layout.splits[i].dim));
    e = e * layout.splits[i].block + physical[rank + i];
  }
  return simplified(std::move(index), bounds);
}

std::vector<Expr> contiguous_strides(const std::vector<Expr>& shape) {
  std::vector<Expr> strides(shape.size());
  Expr stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * shape[i];
  }
  return strides;
}

Expr storage_elements(const TensorType& type) { return product(physical_shape(type)); }

std::string to_string(const TensorType& type) {
  std::string out(dtype_name(type.dtype));
  if (type.dtype != DType::token || !type.shape.empty() || type.layout != Layout{}) {
    out += "[";
    for (size_t i = 0; i < type.shape.size(); ++i) out += (i == 0 ? "" : ",") + type.shape[i].to_string();
    out += "]";
  }
  if (type.layout != Layout{}) {
    Layout layout = type.layout;
    if (layout.order.empty()) {
      layout.order.resize(type.shape.size());
      std::iota(layout.order.begin(), layout.order.end(), 0);
    }
    out += layout_text(layout);
  }
  if (type.device == DeviceKind::cuda) out += "@cuda";
  return out;
}

}  // namespace litz::ir
