// Where the data of a value lies: views moved no data, so reading through them is arithmetic on indices.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ir/graph.h"
#include "ops/record.h"

namespace litz::fusion {

using Index = std::vector<Expr>;  // one expression for each logical dimension

// Operand types of a node in the form that op records take. Keeps the pointers alive.
class NodeArgs {
 public:
  NodeArgs(const ir::Graph& graph, const ir::Node& node);
  ops::InferArgs get() const { return {types_, *attributes_}; }

 private:
  std::vector<const ir::TensorType*> types_;
  const ir::Attributes* attributes_;
};

// The views of a graph, less those that get a buffer of their own (`materialized`).
class Views {
 public:
  explicit Views(const ir::Graph& graph) : graph_(graph) {}

  // True if reading `value` reads another value's buffer.
  bool is_view(ir::ValueId value) const;
  // True if `value` is a generator's (full, iota): computed anew wherever it is read.
  bool is_generated(ir::ValueId value) const;
  // Gives the result of a view or generator a buffer of its own: it is then computed like any other value.
  void materialize(ir::ValueId value);

  // A packed form of a weight that only templates read which can pack it as they go, or a `cat` of weights that has no
  // other reader than such a packed form: neither has a buffer. See fuse().
  bool is_absorbed(ir::ValueId value) const { return absorbed_.contains(value); }
  void absorb(ir::ValueId value) { absorbed_.insert(value); }
  // The values side by side behind an operand: several behind an absorbed `cat`, otherwise itself.
  std::vector<ir::ValueId> parts(ir::ValueId value) const;

  struct Place {
    ir::ValueId value;
    Index index;
  };
  // The element of a buffered value that is read when `value` is read at `index`.
  Place resolve(ir::ValueId value, Index index, const BoundsMap& bounds) const;
  // The buffered value behind `value`.
  ir::ValueId base(ir::ValueId value) const;
  // True if the views between `value` and its buffer show every element of it exactly once, in some order.
  bool shows_each_once(ir::ValueId value) const;
  // If every element of the view's operand appears exactly once in its result: where the element at `index` appears.
  std::optional<Index> forward(const ir::Node& view, const Index& index, const BoundsMap& bounds) const;

 private:
  const ir::Graph& graph_;
  std::set<ir::ValueId> materialized_;
  std::set<ir::ValueId> absorbed_;
};

// The index at which an operand of shape `from` is read when it is broadcast to a result read at `index`.
Index broadcast_index(const Index& index, const std::vector<Expr>& from);

// Row-major position to index and back.
Expr linearize(const Index& index, const std::vector<Expr>& shape);
Index delinearize(const Expr& position, const std::vector<Expr>& shape, const BoundsMap& bounds);

Index simplify_all(Index index, const BoundsMap& bounds);

}  // namespace litz::fusion
