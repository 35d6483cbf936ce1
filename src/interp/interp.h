// Runs graphs op by op.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interp/tensor.h"
#include "ir/graph.h"

namespace litz::interp {

// Runs a `foreign` node on its operands (null where absent); gives its results.
using ForeignHandler = std::function<std::vector<Tensor>(const ir::Node&, const std::vector<const Tensor*>&)>;

// The outputs of a graph, in order. Inputs are dense, whatever strides the graph states for its border; outputs too,
// and write-backs into inputs are left to the caller. UserError if the inputs don't fit, IndexError for indices out of
// range, UnsupportedError for a foreign node without a handler or a constant without bytes.
std::vector<Tensor> run(const ir::Graph& graph, std::vector<Tensor> inputs, const ForeignHandler& foreign = {});

// One op. `operands` has a null entry for an absent optional operand; sizes among the attributes must be constants.
std::vector<Tensor> apply(std::string_view op, const std::vector<const Tensor*>& operands,
                          const ir::Attributes& attributes);
// The same through the op's decomposition.
std::vector<Tensor> apply_decomposed(std::string_view op, const std::vector<const Tensor*>& operands,
                                     const ir::Attributes& attributes);

}  // namespace litz::interp
