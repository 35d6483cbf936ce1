// How an eager tensor lies in memory: views are strided windows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::trace {

// Sizes, strides and the place of the first element, in elements, relative to the memory it is a window onto.
struct Strided {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool operator==(const Strided&) const = default;
};

int64_t element_count(std::span<const int64_t> shape);
std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);
Strided row_major(std::vector<int64_t> shape);
// Strides of dimensions with one element, and of tensors with none, do not count.
bool is_row_major(std::span<const int64_t> shape, std::span<const int64_t> strides);
bool same_window(const Strided& a, const Strided& b);
// Whether the window shows each of the first element_count(shape) elements of its memory once.
bool is_dense(const Strided& x);

// The window that a view op of the records (other than reshape and flip) gives. UserError as its record states.
Strided view_of(std::string_view op, const ir::Attributes& attributes, const Strided& x);
// The window with the elements of `x` in another shape, of as many elements; nothing where it takes a copy.
std::optional<Strided> reshaped(const Strided& x, const std::vector<int64_t>& shape);

}  // namespace litz::trace
