// Graph to text. parse.cpp states the grammar.
#include "ir/graph.h"
#include "ir/text.h"

namespace litz::ir {

std::string to_string(const Attribute& attribute) {
  struct Text {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return float_text(v); }
    std::string operator()(const std::string& v) const { return quote(v); }
    std::string operator()(const std::vector<int64_t>& v) const {
      std::vector<std::string> parts;
      for (const int64_t i : v) parts.push_back(std::to_string(i));
      return "[" + join(parts, ", ") + "]";
    }
    std::string operator()(const std::vector<double>& v) const {
      std::vector<std::string> parts;
      for (const double d : v) parts.push_back(float_text(d));
      return v.empty() ? "numbers[]" : "[" + join(parts, ", ") + "]";
    }
    std::string operator()(DType v) const { return std::string(dtype_name(v)); }
    std::string operator()(const std::vector<Expr>& v) const { return "(" + expr_list(v) + ")"; }
    std::string operator()(const Layout& v) const { return layout_text(v); }
  };
  return std::visit(Text{}, attribute);
}

namespace {

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string print(const std::string& indent) {
    out_ = indent + "graph @" + name_text(graph_.name()) + header(indent) + " {\n";
    for (ValueId id = 0; id < graph_.values().size(); ++id) {
      if (graph_.value(id).constant >= 0) constant(id, indent);
    }
    for (const Node& n : graph_.nodes()) node(n, indent);
    out_ += indent + "}\n";
    return std::move(out_);
  }

 private:
  // Longer headers have a line for each input.
  static constexpr size_t kWidth = 110;

  std::string value(ValueId id) const { return id == kNoValue ? "_" : "%" + name_text(graph_.value(id).name); }

  std::string input_text(const Input& input) const {
    std::string out = value(input.value) + ": " + to_string(graph_.type(input.value));
    if (!input.strides.empty()) out += " strides(" + expr_list(input.strides) + ")";
    if (input.frozen) out += " frozen";
    return out;
  }

  std::string output_text(const Output& output) const {
    std::string out = value(output.value);
    if (!output.strides.empty()) out += " strides(" + expr_list(output.strides) + ")";
    if (output.written_to >= 0)
      out += " writes " + value(graph_.inputs().at(static_cast<size_t>(output.written_to)).value);
    return out;
  }

  std::string header(const std::string& indent) const {
    std::vector<std::string> inputs, outputs;
    for (const Input& i : graph_.inputs()) inputs.push_back(input_text(i));
    for (const Output& o : graph_.outputs()) outputs.push_back(output_text(o));
    std::string text = "(" + join(inputs, ", ") + ") -> (" + join(outputs, ", ") + ")";
    if (indent.size() + graph_.name().size() + text.size() <= kWidth) return text;
    const std::string line = "\n" + indent + "    ";
    return "(" + line + join(inputs, "," + line) + ")" + line + "-> (" + join(outputs, ", ") + ")";
  }

  void constant(ValueId id, const std::string& indent) {
    const ConstantData& data = graph_.constants().at(static_cast<size_t>(graph_.value(id).constant));
    out_ += indent + "  " + value(id) + " = constant(digest=" + quote(data.digest) +
            ", bytes=" + std::to_string(data.size) + ") : " + to_string(graph_.type(id)) + "\n";
  }

  void node(const Node& node, const std::string& indent) {
    std::vector<std::string> results, types, args;
    for (const ValueId id : node.results) {
      results.push_back(value(id));
      types.push_back(to_string(graph_.type(id)));
    }
    for (const ValueId id : node.operands) args.push_back(value(id));
    for (const auto& [name, attribute] : node.attributes.items()) {
      args.push_back(attribute_name(name) + "=" + to_string(attribute));
    }
    out_ += indent + "  ";
    if (!results.empty()) out_ += join(results, ", ") + " = ";
    out_ += node.op == "constant" ? quote(node.op) : name_text(node.op);
    out_ += "(" + join(args, ", ") + ")";
    if (!node.defines.empty()) {
      std::vector<std::string> symbols;
      for (const std::string& s : node.defines) symbols.push_back(name_text(s));
      out_ += " defines(" + join(symbols, ", ") + ")";
    }
    if (!types.empty()) out_ += " : " + join(types, ", ");
    if (!node.subgraphs.empty()) {
      out_ += " {\n";
      for (const auto& g : node.subgraphs) out_ += Printer(*g).print(indent + "    ");
      out_ += indent + "  }";
    }
    out_ += location(node.location) + "\n";
  }

  // "_" alone would read as an absent operand.
  static std::string attribute_name(const std::string& name) { return name == "_" ? quote(name) : name_text(name); }

  static std::string location(const Location& location) {
    if (location.source.empty() && location.op.empty()) return "";
    std::string out = "  // " + quote(location.source);
    if (!location.op.empty()) out += " " + name_text(location.op);
    return out;
  }

  const Graph& graph_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph) { return Printer(graph).print(""); }

}  // namespace litz::ir
