// Foreign steps: what the caller supplies, and what the reference interpreter runs.
#pragma once

#include <memory>

#include "ir/graph.h"
#include "runtime/executable.h"

namespace litz::driver {

// The id and attributes by which a foreign step names a node. An op of Litz's own carries itself as a graph in text
// form, so that the reference interpreter can run it.
struct ForeignName {
  std::string id;
  std::string attributes;
  std::string reason;  // why it is not compiled
};
ForeignName foreign_name(const ir::Graph& graph, const ir::Node& node);

// Runs steps of Litz's own ops with the interpreter and hands all others to `next` (null: UnsupportedError).
std::shared_ptr<runtime::ForeignRunner> with_interpreter(std::shared_ptr<runtime::ForeignRunner> next);

}  // namespace litz::driver
