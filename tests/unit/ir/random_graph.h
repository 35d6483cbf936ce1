// Random graphs for round-trip tests: they have every feature of the text form; what their ops mean does not matter.
#pragma once

#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "ir/graph.h"

namespace litz::ir {

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : rng_(seed) {}

  Graph make(int depth = 0) {
    GraphBuilder b(pick(kNames));
    values_.clear();
    const int inputs = below(4);
    for (int i = 0; i < inputs; ++i) {
      TensorType t = type();
      std::vector<Expr> strides;
      if (below(3) == 0) {
        for (size_t d = 0; d < t.shape.size(); ++d) strides.push_back(size());
      }
      values_.push_back(b.input(t, name(), strides, below(3) == 0));
    }
    const int nodes = below(8);
    for (int i = 0; i < nodes; ++i) {
      if (below(6) == 0) {
        values_.push_back(constant(b));
      } else {
        node(b, depth);
      }
    }
    const int outputs = values_.empty() ? 0 : below(4);
    for (int i = 0; i < outputs; ++i) {
      Output o{.value = any_value()};
      if (below(3) == 0) {
        for (size_t d = 0; d < b.type(o.value).shape.size(); ++d) o.strides.push_back(size());
      }
      if (inputs > 0 && below(3) == 0) o.written_to = below(inputs);
      b.output(o);
    }
    return std::move(b).finish();
  }

 private:
  static inline const std::vector<std::string> kNames = {"",      "x",         "main", "L_x_",  "self.weight", "a b",
                                                         "\"q\"", "line\nend", "_",    "graph", "constant",    "1.5",
                                                         "f32",   "%",         "\\",   "é"};

  int below(int n) { return static_cast<int>(rng_() % static_cast<uint32_t>(n)); }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<size_t>(below(static_cast<int>(items.size())))];
  }
  std::string name() { return pick(kNames); }
  // What must not be empty: ops, attributes, symbols.
  std::string full_name() {
    const std::string n = name();
    return n.empty() ? "op" : n;
  }
  ValueId any_value() { return pick(values_); }

  Expr size() {
    const Expr s = Expr::symbol(below(2) == 0 ? "s0" : "batch");
    switch (below(6)) {
      case 0:
        return s;
      case 1:
        return 2 * s + below(5);
      case 2:
        return ceil_div(s, 16) * 16;
      case 3:
        return min(s, 128);
      default:
        return below(100);
    }
  }

  Layout layout(int rank) {
    Layout l;
    if (rank >= 2 && below(3) == 0) {
      for (int d = 0; d < rank; ++d) l.order.push_back(rank - 1 - d);
    }
    for (int i = below(3); i > 0 && rank > 0; --i) l.splits.push_back({.dim = below(rank), .block = 1 + below(32)});
    l.padding = static_cast<Padding>(below(3));
    return l;
  }

  TensorType type() {
    TensorType t;
    t.dtype = static_cast<DType>(below(kDTypeCount));
    for (int d = below(4); d > 0; --d) t.shape.push_back(size());
    if (below(4) == 0) t.layout = layout(t.rank());
    if (below(5) == 0) t.device = DeviceKind::cuda;
    return t;
  }

  double number() {
    static const std::vector<double> special = {0.0,    -0.0,  1.0,         0.1,       1e300,
                                                5e-324, -1e-5, 123456789.0, 1.0 / 0.0, -1.0 / 0.0};
    if (below(8) == 0) return std::numeric_limits<double>::quiet_NaN();
    if (below(8) == 0) return -std::numeric_limits<double>::quiet_NaN();
    if (below(2) == 0) return pick(special);
    const uint64_t bits = (uint64_t{rng_()} << 32) | rng_();
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  int64_t integer() {
    static const std::vector<int64_t> special = {0, 1, -1, INT64_MAX, INT64_MIN, 42};
    return pick(special);
  }

  Attribute attribute() {
    switch (below(9)) {
      case 0:
        return below(2) == 0;
      case 1:
        return integer();
      case 2:
        return number();
      case 3:
        return name();
      case 4:
        return list<int64_t>([&] { return integer(); });
      case 5:
        return list<double>([&] { return number(); });
      case 6:
        return static_cast<DType>(below(kDTypeCount));
      case 7:
        return list<Expr>([&] { return size(); });
      default:
        return layout(3);
    }
  }

  template <typename T, typename Make>
  std::vector<T> list(Make make) {
    std::vector<T> items;
    for (int i = below(4); i > 0; --i) items.push_back(make());
    return items;
  }

  ValueId constant(GraphBuilder& b) {
    TensorType t{.dtype = DType::f32, .shape = {below(5), 3}};
    const int64_t bytes = storage_elements(t).constant() * 4;
    return b.constant(t, {.digest = "d" + std::to_string(below(3)), .bytes = nullptr, .size = bytes}, name());
  }

  void node(GraphBuilder& b, int depth) {
    Node n;
    n.op = full_name();
    for (int i = below(4); i > 0; --i) n.operands.push_back(values_.empty() || below(5) == 0 ? kNoValue : any_value());
    for (int i = below(4); i > 0; --i) n.attributes.set(full_name(), attribute());
    for (int i = below(8) == 0 ? 1 + below(2) : 0; i > 0; --i) n.defines.push_back("u" + std::to_string(below(5)));
    if (below(3) == 0) n.location = {.source = name(), .op = name()};
    if (depth < 2 && below(4) == 0) {
      for (int i = 1 + below(2); i > 0; --i) {
        n.subgraphs.push_back(std::make_shared<const Graph>(RandomGraph(rng_()).make(depth + 1)));
      }
    }
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (int i = below(4); i > 0; --i) {
      types.push_back(type());
      names.push_back(name());
    }
    for (const ValueId id : b.add(std::move(n), types, names)) values_.push_back(id);
  }

  std::mt19937 rng_;
  std::vector<ValueId> values_;
};

}  // namespace litz::ir
