// One result element of a node as scalar SSA.
#pragma once

#include <functional>

#include "fusion/body.h"
#include "fusion/node_reads.h"

namespace litz::fusion {

// Reads an operand's element: a member's SSA value or a load.
using Pull = std::function<ir::Scalar(ir::ValueId operand, const Index& index)>;

struct EmitContext {
  const ir::Graph& graph;
  const Views& views;
  Body& body;
  Pull pull;
};

// The element at `index` of an elementwise node, in the result's dtype.
ir::Scalar emit_elementwise(const EmitContext& context, const ir::Node& node, const Index& index);
// The same of a node of role window, with loops of its own: pooling, a convolution or a product without a template.
ir::Scalar emit_window(const EmitContext& context, const ir::Node& node, const Index& index);
// A generator's element.
ir::Scalar emit_generated(const EmitContext& context, const ir::Node& node, const Index& index);

// "embedding at model.py:12": names a node in messages.
std::string describe(const ir::Node& node);

}  // namespace litz::fusion
