// Index arithmetic of reshapes.
//
// Dimensions are matched in groups with equal products, smallest first, sizes of 1 apart. A group of one dimension on
// each side maps as it is: unsqueeze-like reshapes need no division. [8, 12, 64] to [96, 64] has the groups {8, 12 |
// 96} and {64 | 64}: the index (i, j) maps to (floor_div(i, 12), mod(i, 12), j).
#pragma once

#include <vector>

#include "symbolic/expr.h"

namespace litz::ops {

// The index in a row-major tensor of shape `to` of the element at `index` in one of shape `from`. Equal products.
std::vector<Expr> reshape_map(const std::vector<Expr>& index, const std::vector<Expr>& from,
                              const std::vector<Expr>& to);
// The index of element number `linear`.
std::vector<Expr> unflatten_index(const Expr& linear, const std::vector<Expr>& shape);

}  // namespace litz::ops
