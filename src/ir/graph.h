// The Graph: a tensor program in functional SSA.
//
// Meaning. A value is written once, by a node or as an input; nodes stand in an order in which every operand is defined
// before its use. Nothing is mutated and nothing aliases inside; what the caller sees of mutation and aliasing stands
// at the border (Input, Output). Integers wrap in their own width. Floats follow IEEE 754 and eager PyTorch's rules:
// NaN propagates through min, max and comparisons as eager's ops do. An op ends in one rounding to its result's dtype;
// ops on f16 and bf16 compute in f32. Effects are ordered by values of dtype `token`. An op may own sub-graphs, which
// see only their own inputs, and may define symbols (sizes known only at run time) that its result types and later
// nodes use.
//
// A Graph is immutable: build one with ir::GraphBuilder, rewrite one by building another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/types.h"

namespace litz::ir {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;  // an optional operand that is absent

using Attribute = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, DType,
                               std::vector<Expr>, Layout>;

// Attributes by name, in the order of the op's record. What names and types an op has is stated by its record.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, Attribute>> items) : items_(items) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Attribute* find(std::string_view name) const;
  // The attribute's value; InternalError if it is absent or of another type.
  template <typename T>
  const T& get(std::string_view name) const;
  void set(std::string_view name, Attribute value);  // replaces or appends
  const std::vector<std::pair<std::string, Attribute>>& items() const { return items_; }
  bool operator==(const Attributes&) const;  // floats by their bits

 private:
  std::vector<std::pair<std::string, Attribute>> items_;
};

// Bytes of a constant, shared by all graphs that use it; named by the SHA-256 of its contents.
struct ConstantData {
  std::string digest;
  std::shared_ptr<const void> bytes;  // null if only the digest is known (a graph read from text)
  int64_t size = 0;                   // in bytes
};

// Where in the user's program a node comes from. Not part of equality of graphs.
struct Location {
  std::string source;  // "model.py:12 in forward", empty if unknown
  std::string op;      // the op as the user's framework names it: "aten.addmm.default"
};

class Graph;

struct Node {
  std::string op;
  std::vector<ValueId> operands;  // kNoValue for an absent optional operand
  std::vector<ValueId> results;
  Attributes attributes;
  std::vector<std::string> defines;  // symbols that this node defines
  std::vector<std::shared_ptr<const Graph>> subgraphs;
  Location location;
};

struct Value {
  TensorType type;
  std::string name;       // unique in the graph, without the '%'
  int32_t node = -1;      // index of the defining node; -1: input or constant
  int32_t constant = -1;  // index into Graph::constants(); -1: not a constant
};

struct Input {
  ValueId value = kNoValue;
  std::vector<Expr> strides;  // in elements, of the tensor as the caller passes it; empty: contiguous
  bool frozen = false;        // a weight: may be packed; the driver watches it for changes
  bool operator==(const Input&) const = default;
};

struct Output {
  ValueId value = kNoValue;
  std::vector<Expr> strides;  // in elements, as the caller shall see them; empty: contiguous
  int32_t written_to = -1;    // the result is written back into this input
  bool operator==(const Output&) const = default;
};

class Graph {
 public:
  const std::string& name() const { return name_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<ConstantData>& constants() const { return constants_; }

  const Value& value(ValueId id) const { return values_.at(id); }
  const TensorType& type(ValueId id) const { return values_.at(id).type; }
  const Node* producer(ValueId id) const;  // null for inputs and constants
  // For each value, the indices of the nodes that read it, in order; an output counts as no node.
  std::vector<std::vector<uint32_t>> users() const;
  // The same graph with other inputs frozen: one flag for each input.
  Graph with_frozen_inputs(const std::vector<bool>& frozen) const;

 private:
  friend class GraphBuilder;
  std::string name_ = "graph";
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<ConstantData> constants_;
};

// Builds a Graph, node by node. Types are given by the caller; ops::Builder infers them from the op records.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name = "graph");

  // An empty name is replaced by a fresh number; a name already taken gets a suffix.
  ValueId input(TensorType type, const std::string& name, std::vector<Expr> strides = {}, bool frozen = false);
  ValueId constant(TensorType type, ConstantData data, const std::string& name = "");
  // `node.results` is filled in. Returns the result ids, one for each type.
  std::vector<ValueId> add(Node node, const std::vector<TensorType>& types, const std::vector<std::string>& names = {});
  void output(Output output);

  const TensorType& type(ValueId id) const { return graph_.values_.at(id).type; }
  const Graph& peek() const { return graph_; }
  Graph finish() &&;

 private:
  std::string unique_name(const std::string& wanted);
  ValueId new_value(TensorType type, const std::string& name);

  Graph graph_;
  std::map<std::string, int> names_;
};

// An attribute's value as the text form writes it.
std::string to_string(const Attribute& attribute);

// The text form. parse(print(g)) equals g but for constants' bytes and locations' absence.
std::string print(const Graph& graph);
Result<Graph> parse_graph(std::string_view text);
// Same inputs, outputs, nodes, types and attributes; names and locations do not count.
bool structurally_equal(const Graph& a, const Graph& b);

template <typename T>
const T& Attributes::get(std::string_view name) const {
  const Attribute* a = find(name);
  LITZ_CHECK(a != nullptr, "no attribute '" + std::string(name) + "'");
  const T* value = std::get_if<T>(a);
  LITZ_CHECK(value != nullptr, "attribute '" + std::string(name) + "' has another type");
  return *value;
}

}  // namespace litz::ir
