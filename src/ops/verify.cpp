// The rules of ir/graph.h as code.
#include <set>

#include "ir/text.h"
#include "ops/infer.h"

namespace litz::ops {

namespace {

using ir::Graph;
using ir::Node;

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values().size()) {}

  void run() {
    check_inputs();
    for (const ir::Value& v : graph_.values()) {
      if (v.constant >= 0) check_constant(v);
    }
    for (size_t i = 0; i < graph_.nodes().size(); ++i) check_node(i);
    check_outputs();
  }

 private:
  [[noreturn]] void fault(const std::string& what) const {
    throw InternalError("graph '" + graph_.name() + "': " + what);
  }
  [[noreturn]] void fault(const Node& node, const std::string& what) const {
    const std::string name = node.results.empty() ? "" : "%" + graph_.value(node.results[0]).name + " = ";
    fault(name + node.op + ": " + what);
  }
  std::string name_of(ValueId id) const { return "%" + graph_.value(id).name; }
  bool exists(ValueId id) const { return id < graph_.values().size(); }

  void check_symbols(const std::vector<Expr>& exprs, const std::string& where) const {
    for (const Expr& e : exprs) {
      for (const std::string& s : e.symbols()) {
        if (!symbols_.contains(s))
          fault(where + " uses the symbol " + s + ", which no input and no earlier node defines");
      }
    }
  }

  void check_type(const TensorType& type, const std::string& where) const {
    check_symbols(type.shape, where);
    if (type.dtype == DType::token && type.rank() != 0) fault(where + " is a token with dimensions");
    for (const Expr& e : type.shape) {
      if (e.is_constant() && e.constant() < 0) fault(where + " has a negative size");
    }
    if (const auto problem = ir::layout_problem(type.layout, type.rank())) fault(where + ": " + *problem);
    if (type.layout.padding != ir::Padding::none) return;
    std::vector<int64_t> blocks(type.shape.size(), 1);
    for (const ir::Split& split : type.layout.splits) {
      blocks[split.dim] *= split.block;
      if (!(mod(type.shape[split.dim], Expr(blocks[split.dim])) == Expr(0))) {
        fault(where + " is padded, but its layout does not say what the padding holds");
      }
    }
  }

  void check_inputs() {
    for (const ir::Input& input : graph_.inputs()) {
      if (!exists(input.value)) fault("an input has no value");
      const ir::Value& v = graph_.value(input.value);
      if (v.node != -1 || v.constant != -1) fault("input " + name_of(input.value) + " is not an input value");
      if (defined_[input.value]) fault("input " + name_of(input.value) + " stands twice");
      defined_[input.value] = true;
      for (const Expr& e : v.type.shape) {
        if (const auto symbol = e.symbol_name()) symbols_.insert(*symbol);
      }
      for (const Expr& e : input.strides) {
        if (const auto symbol = e.symbol_name()) symbols_.insert(*symbol);
      }
    }
    for (const ir::Input& input : graph_.inputs()) {
      const TensorType& type = graph_.type(input.value);
      check_border(type, input.strides, "input " + name_of(input.value));
    }
  }

  void check_border(const TensorType& type, const std::vector<Expr>& strides, const std::string& where) const {
    check_type(type, where);
    if (!type.layout.splits.empty()) fault(where + " has a blocked layout");
    if (!strides.empty() && strides.size() != type.shape.size()) fault(where + " has strides of another rank");
    check_symbols(strides, where);
  }

  void check_constant(const ir::Value& v) {
    const std::string where = "constant %" + v.name;
    if (v.node != -1 || static_cast<size_t>(v.constant) >= graph_.constants().size()) fault(where + " has no data");
    check_type(v.type, where);
    const ir::ConstantData& data = graph_.constants()[v.constant];
    const Expr elements = ir::storage_elements(v.type);
    if (!elements.is_constant()) fault(where + " has a size that is not known");
    if (data.bytes != nullptr && data.size != elements.constant() * dtype_size(v.type.dtype)) {
      fault(where + " has " + std::to_string(data.size) + " bytes, but is " + ir::to_string(v.type));
    }
    defined_[&v - graph_.values().data()] = true;
  }

  void check_operands(const Node& node) {
    for (ValueId id : node.operands) {
      if (id == ir::kNoValue) continue;
      if (!exists(id)) fault(node, "an operand does not exist");
      if (!defined_[id]) fault(node, name_of(id) + " is used before it is defined");
    }
  }

  void check_node(size_t index) {
    const Node& node = graph_.nodes()[index];
    const OpRecord* r = find_record(node.op);
    if (r == nullptr) fault(node, "no such op");
    check_operands(node);
    check_subgraphs(node);
    for (const std::string& symbol : node.defines) {
      if (!symbols_.insert(symbol).second) fault(node, "defines the symbol " + symbol + " again");
    }
    check_expressions(node);
    check_results(node, *r, index);
    check_effect(node, *r);
  }

  void check_expressions(const Node& node) const {
    for (const auto& [name, value] : node.attributes.items()) {
      if (const auto* exprs = std::get_if<std::vector<Expr>>(&value)) check_symbols(*exprs, node.op + "'s " + name);
    }
  }

  void check_subgraphs(const Node& node) const {
    const size_t wanted = node.op == "call" ? 1 : 0;
    if (node.op != "foreign" && node.subgraphs.size() != wanted) {
      fault(node, "has " + std::to_string(node.subgraphs.size()) + " sub-graphs");
    }
    for (const auto& graph : node.subgraphs) {
      if (graph == nullptr) fault(node, "has no sub-graph");
      verify(*graph);
    }
  }

  void check_results(const Node& node, const OpRecord& r, size_t index) {
    for (ValueId id : node.results) {
      if (!exists(id)) fault(node, "a result does not exist");
      const ir::Value& v = graph_.value(id);
      if (v.node != static_cast<int32_t>(index) || defined_[id]) fault(node, name_of(id) + " has another definition");
      check_type(v.type, name_of(id));
      defined_[id] = true;
    }
    if (node.op == "foreign") return;
    std::vector<TensorType> inferred;
    try {
      inferred = infer(node, r);
    } catch (const Error& e) {
      fault(node, e.what());
    }
    if (inferred.size() != node.results.size()) fault(node, "has another number of results");
    for (size_t i = 0; i < inferred.size(); ++i) {
      TensorType actual = graph_.type(node.results[i]);
      const bool layout_fits = node.op != "layout_convert" || actual.layout == inferred[i].layout;
      actual.layout = inferred[i].layout;
      if (actual == inferred[i] && layout_fits) continue;
      fault(node, name_of(node.results[i]) + " is " + ir::to_string(graph_.type(node.results[i])) + ", but should be " +
                      ir::to_string(inferred[i]));
    }
  }

  std::vector<TensorType> infer(const Node& node, const OpRecord& r) const {
    std::vector<const TensorType*> types;
    for (ValueId id : node.operands) types.push_back(id == ir::kNoValue ? nullptr : &graph_.type(id));
    const InferArgs args{.operands = types, .attributes = node.attributes, .subgraphs = node.subgraphs};
    return infer_types(r, args);
  }

  // An op with an effect takes one token and gives one; a token is taken once.
  void check_effect(const Node& node, const OpRecord& r) {
    int taken = 0;
    int given = 0;
    for (ValueId id : node.operands) {
      if (id == ir::kNoValue || graph_.type(id).dtype != DType::token) continue;
      ++taken;
      if (!taken_.insert(id).second) fault(node, "the token " + name_of(id) + " is taken twice");
    }
    for (ValueId id : node.results) given += graph_.type(id).dtype == DType::token ? 1 : 0;
    const bool effect = r.effect || attribute_or(node.attributes, "effect", false);
    if (effect && (taken != 1 || given != 1)) fault(node, "has an effect, so must take one token and give one");
    if (!effect && node.op != "call" && node.op != "token" && (taken != 0 || given != 0)) {
      fault(node, "has no effect, but takes or gives a token");
    }
  }

  void check_outputs() const {
    std::set<int32_t> written;
    for (const ir::Output& output : graph_.outputs()) {
      if (!exists(output.value) || !defined_[output.value]) fault("an output has no value");
      const TensorType& type = graph_.type(output.value);
      check_border(type, output.strides, "output " + name_of(output.value));
      if (output.written_to < 0) continue;
      if (static_cast<size_t>(output.written_to) >= graph_.inputs().size()) fault("an output is written to no input");
      if (!written.insert(output.written_to).second) fault("two outputs are written to one input");
      const TensorType& target = graph_.type(graph_.inputs()[output.written_to].value);
      if (target.dtype != type.dtype || !(target.shape == type.shape)) {
        fault("output " + name_of(output.value) + " is written to an input of another type");
      }
    }
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  std::set<std::string> symbols_;
  std::set<ValueId> taken_;
};

}  // namespace

void verify(const ir::Graph& graph) { Verifier(graph).run(); }

}  // namespace litz::ops
