#include "ir/graph.h"

#include <algorithm>

#include "ir/text.h"

namespace litz::ir {

namespace {

bool same_double(double a, double b) { return same_value(a, b); }

bool same_attribute(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const double* x = std::get_if<double>(&a)) return same_double(*x, std::get<double>(b));
  if (const auto* x = std::get_if<std::vector<double>>(&a)) {
    const auto& y = std::get<std::vector<double>>(b);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), same_double);
  }
  return a == b;
}

}  // namespace

const Attribute* Attributes::find(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Attributes::set(std::string_view name, Attribute value) {
  for (auto& [key, old] : items_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  items_.emplace_back(std::string(name), std::move(value));
}

bool Attributes::operator==(const Attributes& other) const {
  return std::equal(
      items_.begin(), items_.end(), other.items_.begin(), other.items_.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && same_attribute(a.second, b.second); });
}

const Node* Graph::producer(ValueId id) const {
  const int32_t node = values_.at(id).node;
  return node < 0 ? nullptr : &nodes_.at(static_cast<size_t>(node));
}

Graph Graph::with_frozen_inputs(const std::vector<bool>& frozen) const {
  LITZ_CHECK(frozen.size() == inputs_.size(), "one flag for each input");
  Graph out = *this;
  for (size_t i = 0; i < frozen.size(); ++i) out.inputs_[i].frozen = frozen[i];
  return out;
}

std::vector<std::vector<uint32_t>> Graph::users() const {
  std::vector<std::vector<uint32_t>> users(values_.size());
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const ValueId operand : nodes_[i].operands) {
      if (operand == kNoValue) continue;
      auto& list = users.at(operand);
      if (list.empty() || list.back() != i) list.push_back(i);
    }
  }
  return users;
}

GraphBuilder::GraphBuilder(std::string name) {
  if (!name.empty()) graph_.name_ = std::move(name);
}

std::string GraphBuilder::unique_name(const std::string& wanted) {
  if (!wanted.empty() && names_.emplace(wanted, 1).second) return wanted;
  // The next number to try; map nodes stay where they are.
  int& next = names_[wanted];
  const std::string stem = wanted.empty() ? "" : wanted + "_";
  while (true) {
    std::string name = stem + std::to_string(next++);
    if (names_.emplace(name, 1).second) return name;
  }
}

ValueId GraphBuilder::new_value(TensorType type, const std::string& name) {
  if (const auto problem = layout_problem(type.layout, type.rank())) LITZ_CHECK(false, *problem);
  type.layout = normalized(std::move(type.layout));
  LITZ_CHECK(graph_.values_.size() < kNoValue, "too many values");
  graph_.values_.push_back(Value{.type = std::move(type), .name = unique_name(name)});
  return static_cast<ValueId>(graph_.values_.size() - 1);
}

ValueId GraphBuilder::input(TensorType type, const std::string& name, std::vector<Expr> strides, bool frozen) {
  LITZ_CHECK(strides.empty() || strides.size() == type.shape.size(),
             "input '" + name + "' has strides of another rank");
  const ValueId id = new_value(std::move(type), name);
  graph_.inputs_.push_back(Input{.value = id, .strides = std::move(strides), .frozen = frozen});
  return id;
}

ValueId GraphBuilder::constant(TensorType type, ConstantData data, const std::string& name) {
  const ValueId id = new_value(std::move(type), name);
  graph_.values_[id].constant = static_cast<int32_t>(graph_.constants_.size());
  graph_.constants_.push_back(std::move(data));
  return id;
}

std::vector<ValueId> GraphBuilder::add(Node node, const std::vector<TensorType>& types,
                                       const std::vector<std::string>& names) {
  for (const ValueId operand : node.operands) {
    LITZ_CHECK(operand == kNoValue || operand < graph_.values_.size(),
               "'" + node.op + "' reads a value that is not defined");
  }
  node.results.clear();
  for (size_t i = 0; i < types.size(); ++i) {
    const ValueId id = new_value(types[i], i < names.size() ? names[i] : "");
    graph_.values_[id].node = static_cast<int32_t>(graph_.nodes_.size());
    node.results.push_back(id);
  }
  std::vector<ValueId> results = node.results;
  graph_.nodes_.push_back(std::move(node));
  return results;
}

void GraphBuilder::output(Output output) {
  LITZ_CHECK(output.value < graph_.values_.size(), "an output is not defined");
  LITZ_CHECK(output.strides.empty() || output.strides.size() == type(output.value).shape.size(),
             "an output has strides of another rank");
  LITZ_CHECK(output.written_to < static_cast<int32_t>(graph_.inputs_.size()), "an output is written to no input");
  graph_.outputs_.push_back(std::move(output));
}

Graph GraphBuilder::finish() && { return std::move(graph_); }

namespace {

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b), to_b_(a.values().size(), kNoValue) {}

  bool equal() {
    const bool sizes = a_.inputs().size() == b_.inputs().size() && a_.outputs().size() == b_.outputs().size() &&
                       a_.nodes().size() == b_.nodes().size();
    if (!sizes || !constants_equal()) return false;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const Input& x = a_.inputs()[i];
      const Input& y = b_.inputs()[i];
      if (!bind(x.value, y.value) || x.strides != y.strides || x.frozen != y.frozen) return false;
    }
    for (size_t i = 0; i < a_.nodes().size(); ++i) {
      if (!nodes_equal(a_.nodes()[i], b_.nodes()[i])) return false;
    }
    for (size_t i = 0; i < a_.outputs().size(); ++i) {
      const Output& x = a_.outputs()[i];
      const Output& y = b_.outputs()[i];
      if (!same(x.value, y.value) || x.strides != y.strides || x.written_to != y.written_to) return false;
    }
    return true;
  }

 private:
  bool bind(ValueId x, ValueId y) {
    to_b_.at(x) = y;
    return a_.type(x) == b_.type(y);
  }

  bool same(ValueId x, ValueId y) const { return x == kNoValue || y == kNoValue ? x == y : to_b_.at(x) == y; }

  static std::vector<ValueId> constant_values(const Graph& g) {
    std::vector<ValueId> ids;
    for (ValueId id = 0; id < g.values().size(); ++id) {
      if (g.value(id).constant >= 0) ids.push_back(id);
    }
    return ids;
  }

  // Constants pair up in order.
  bool constants_equal() {
    const std::vector<ValueId> xs = constant_values(a_);
    const std::vector<ValueId> ys = constant_values(b_);
    if (xs.size() != ys.size()) return false;
    for (size_t i = 0; i < xs.size(); ++i) {
      const ConstantData& x = a_.constants().at(static_cast<size_t>(a_.value(xs[i]).constant));
      const ConstantData& y = b_.constants().at(static_cast<size_t>(b_.value(ys[i]).constant));
      if (!bind(xs[i], ys[i]) || x.digest != y.digest || x.size != y.size) return false;
    }
    return true;
  }

  bool nodes_equal(const Node& x, const Node& y) {
    if (x.op != y.op || x.attributes != y.attributes || x.defines != y.defines) return false;
    if (x.operands.size() != y.operands.size() || x.results.size() != y.results.size()) return false;
    if (x.subgraphs.size() != y.subgraphs.size()) return false;
    for (size_t i = 0; i < x.operands.size(); ++i) {
      if (!same(x.operands[i], y.operands[i])) return false;
    }
    for (size_t i = 0; i < x.results.size(); ++i) {
      if (!bind(x.results[i], y.results[i])) return false;
    }
    for (size_t i = 0; i < x.subgraphs.size(); ++i) {
      if (!structurally_equal(*x.subgraphs[i], *y.subgraphs[i])) return false;
    }
    return true;
  }

  const Graph& a_;
  const Graph& b_;
  std::vector<ValueId> to_b_;
};

}  // namespace

bool structurally_equal(const Graph& a, const Graph& b) { return Comparison(a, b).equal(); }

}  // namespace litz::ir
