// How a node reads its operands, as far as fusion needs to know.
#pragma once

#include <vector>

#include "fusion/resolve.h"

namespace litz::fusion {

// What a node is to fusion.
enum class NodeRole : uint8_t {
  view,         // needs no kernel: a view, or a generator computed where it is read
  elementwise,  // one result element from operand elements at known places (pointwise, gather, shuffle, generator)
  reduction,
  window,     // starts a group with inner loops of its own (pooling, a convolution or product without a template)
  templated,  // matmul, convolution or attention in template form
  foreign,
};

NodeRole role_of(const ir::Graph& graph, const Views& views, const ir::Node& node);
// For a node in template form or not: whether a template covers it, and if not why.
bool template_covers(const ir::Graph& graph, const ir::Node& node, std::string* why_not);

// An operand that is read at one place for each element of the result; its producer may be in the same kernel.
struct InlineRead {
  uint32_t operand;
  Index index;
};
// The inline reads of an elementwise node whose result is read at `index`. Operands not listed are tables: they are
// read at computed places, so they must lie in a buffer.
std::vector<InlineRead> inline_reads(const ir::Graph& graph, const Views& views, const ir::Node& node,
                                     const Index& index);

}  // namespace litz::fusion
