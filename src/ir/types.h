// Tensor types: dtype, shape, device and physical layout.
//
// A logical index picks an element as the program sees it; a layout says where that element lies. The layout first puts
// the dimensions in `order`; each split then takes an inner block out of one dimension and appends it as a further,
// faster dimension. Example, a convolution's activation blocked by 16 channels:
//   logical  f32[1, 64, 56, 56]   index (n, c, h, w)
//   layout   {0,1,2,3|1:16}       physical [1, 4, 56, 56, 16], index (n, c/16, h, w, c%16)
// A channels-last tensor is {0,2,3,1}. A weight packed for a matrix product with 32 columns a panel, W[N, K] as
// [N/32, K, 32], is {0,1|0:32}. A split whose block does not divide the size pads it up: `padding` says what the extra
// elements hold. Of two splits of one dimension the later is the finer: {0,1|1:8,0:16,1:2} lays i as i/16, i/2%8, i%2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "litz/dtype.h"
#include "support/target.h"
#include "symbolic/expr.h"

namespace litz::ir {

enum class Padding : uint8_t { none, zero, undefined };

// Splits logical dimension `dim` into ceil(size / block) outer positions and an inner block of `block` elements.
struct Split {
  int dim = 0;
  int64_t block = 1;
  bool operator==(const Split&) const = default;
};

struct Layout {
  std::vector<int> order;  // permutation of the logical dimensions; empty: 0, 1, 2, … (never written out in a Graph)
  std::vector<Split> splits;
  Padding padding = Padding::none;

  bool operator==(const Layout&) const = default;
  bool is_default() const { return order.empty() && splits.empty(); }
};

struct TensorType {
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  DeviceKind device = DeviceKind::cpu;
  Layout layout;

  bool operator==(const TensorType&) const = default;
  int rank() const { return static_cast<int>(shape.size()); }
  Expr elements() const { return product(shape); }
};

// Why `layout` does not fit a tensor of `rank` dimensions, if it does not.
std::optional<std::string> layout_problem(const Layout& layout, int rank);
// The same layout with an identity order as an empty one.
Layout normalized(Layout layout);

// Sizes of the physical dimensions, slowest first; padding included.
std::vector<Expr> physical_shape(const TensorType& type);
// Where the element at `index` (one expression for each logical dimension) lies: one expression for each physical
// dimension. `bounds` are those of the symbols in `index`; they let c/16 and c%16 simplify.
std::vector<Expr> physical_index(const TensorType& type, const std::vector<Expr>& index, const BoundsMap& bounds);
// The inverse: the logical index of the element at a physical index.
std::vector<Expr> logical_index(const TensorType& type, const std::vector<Expr>& physical, const BoundsMap& bounds);
// Row-major strides, in elements.
std::vector<Expr> contiguous_strides(const std::vector<Expr>& shape);
// Elements of storage, padding included.
Expr storage_elements(const TensorType& type);

std::string to_string(const TensorType& type);  // "f32[1,64,56,56]{0,1,2,3|1:16}"

}  // namespace litz::ir
