// Builds a new graph from an old one, node by node: what every pass is made of.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"
#include "ops/record.h"

namespace litz::passes {

// Starts with the old graph's inputs and constants; `copy` or `replace` each node in order, then `finish`.
class Rewriter {
 public:
  explicit Rewriter(const ir::Graph& from);

  const ir::Graph& from() const { return from_; }
  ops::Builder& builder() { return builder_; }
  ir::GraphBuilder& graph() { return graph_; }
  // The new value for an old one.
  ir::ValueId map(ir::ValueId old) const;
  std::vector<ir::ValueId> map_all(const std::vector<ir::ValueId>& old) const;
  // The node as it is, with mapped operands.
  void copy(const ir::Node& node);
  // The same with other result types (layouts).
  void copy_as(const ir::Node& node, std::vector<ir::ValueId> operands, const std::vector<ir::TensorType>& types);
  // `value` of the new graph stands for the old `result`.
  void replace(ir::ValueId result, ir::ValueId value);
  // New nodes get this node's location.
  void locate(const ir::Node& node) { builder_.set_location(node.location); }
  ir::Graph finish() &&;

 private:
  const ir::Graph& from_;
  ir::GraphBuilder graph_;
  ops::Builder builder_;
  std::vector<ir::ValueId> map_;
};

// Rewrites every node: `visit` handles a node (returns true) or leaves it to be copied.
ir::Graph rewrite(const ir::Graph& graph, const std::function<bool(Rewriter&, const ir::Node&)>& visit);

// For each value: it depends on frozen inputs, constants and generators only, and a node or input defines it.
std::vector<bool> frozen_values(const ir::Graph& graph);

// The node does something besides its results: it is kept, and computed where it stands.
bool has_effect(const ir::Node& node);

// Node users and uses as an output, for each value.
std::vector<int> use_counts(const ir::Graph& graph);

}  // namespace litz::passes
