// Text to Graph.
//
//   graph     := 'graph' '@' name '(' [input {',' input}] ')' '->' '(' [output {',' output}] ')' '{' {statement} '}'
//   input     := value ':' type ['strides' '(' exprs ')'] ['frozen']
//   output    := value ['strides' '(' exprs ')'] ['writes' value]
//   statement := value '=' 'constant' '(' 'digest' '=' quoted ',' 'bytes' '=' integer ')' ':' type
//              | [value {',' value} '='] name '(' [argument {',' argument}] ')' ['defines' '(' names ')']
//                [':' type {',' type}] ['{' {graph} '}'] [location]
//   argument  := value | '_' | name '=' attribute
//   attribute := 'true' | 'false' | integer | float | quoted | '[' numbers ']' | 'numbers' '[' ']' | '(' exprs ')'
//              | dtype | layout
//   value     := '%' name
//   type      := dtype '[' exprs ']' [layout] ['@' device]      (layout and device follow without a blank)
//   location  := '//' quoted [name]                             (any other comment is skipped)
#include <map>

#include "ir/graph.h"
#include "ir/text.h"

namespace litz::ir {

namespace {

constexpr int kMaxDepth = 32;            // of sub-graphs
constexpr size_t kMaxText = 256u << 20;  // bytes

class Parser {
 public:
  Parser(TextReader& in, int depth) : in_(in), depth_(depth) {}

  Graph parse() {
    if (depth_ > kMaxDepth) in_.fail("sub-graphs are nested too deeply");
    in_.expect("graph");
    in_.expect("@");
    builder_ = GraphBuilder(in_.name());
    in_.expect("(");
    while (!in_.accept(")")) {
      input();
      if (!in_.peek(")")) in_.expect(",");
    }
    in_.expect("->");
    in_.expect("(");
    while (!in_.accept(")")) {
      output();
      if (!in_.peek(")")) in_.expect(",");
    }
    in_.expect("{");
    while (!in_.accept("}")) statement();
    for (Pending& p : outputs_) finish_output(p);
    return std::move(builder_).finish();
  }

 private:
  struct Pending {
    size_t position;
    std::string name;
    std::vector<Expr> strides;
    std::optional<std::string> writes;
  };

  std::string value_name() {
    in_.expect("%");
    return in_.name();
  }

  ValueId lookup(size_t position, const std::string& name) {
    const auto it = ids_.find(name);
    if (it == ids_.end()) in_.fail_at(position, "value %" + name_text(name) + " is not defined before its use");
    return it->second;
  }

  void define(size_t position, const std::string& name, ValueId id) {
    if (!ids_.emplace(name, id).second) in_.fail_at(position, "value %" + name_text(name) + " is defined twice");
  }

  std::vector<Expr> strides(size_t position, size_t rank) {
    in_.expect("(");
    std::vector<Expr> strides = in_.expr_list(")");
    if (strides.size() != rank) {
      in_.fail_at(position, std::to_string(strides.size()) + " strides for " + std::to_string(rank) + " dimensions");
    }
    return strides;
  }

  void input() {
    const size_t position = in_.position();
    const std::string name = value_name();
    in_.expect(":");
    TensorType type = in_.type();
    std::vector<Expr> stride_list;
    if (in_.accept("strides")) stride_list = strides(position, type.shape.size());
    const bool frozen = in_.accept("frozen");
    if (ids_.count(name) > 0) in_.fail_at(position, "value %" + name_text(name) + " is defined twice");
    define(position, name, builder_.input(std::move(type), name, std::move(stride_list), frozen));
  }

  void output() {
    Pending p{.position = in_.position(), .name = value_name()};
    if (in_.accept("strides")) {
      in_.expect("(");
      p.strides = in_.expr_list(")");
    }
    if (in_.accept("writes")) p.writes = value_name();
    outputs_.push_back(std::move(p));
  }

  void finish_output(Pending& p) {
    Output output{.value = lookup(p.position, p.name), .strides = std::move(p.strides)};
    const size_t rank = builder_.type(output.value).shape.size();
    if (!output.strides.empty() && output.strides.size() != rank) {
      in_.fail_at(p.position,
                  std::to_string(output.strides.size()) + " strides for " + std::to_string(rank) + " dimensions");
    }
    if (p.writes) {
      const ValueId target = lookup(p.position, *p.writes);
      const auto& inputs = builder_.peek().inputs();
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].value == target) output.written_to = static_cast<int32_t>(i);
      }
      if (output.written_to < 0) in_.fail_at(p.position, "%" + name_text(*p.writes) + " is not an input");
    }
    builder_.output(std::move(output));
  }

  void statement() {
    const size_t position = in_.position();
    std::vector<std::string> names;
    if (in_.peek("%")) {
      do {
        names.push_back(value_name());
      } while (in_.accept(","));
      in_.expect("=");
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (ids_.count(names[i]) > 0 || std::count(names.begin(), names.end(), names[i]) > 1) {
        in_.fail_at(position, "value %" + name_text(names[i]) + " is defined twice");
      }
    }
    if (names.size() == 1 && in_.accept("constant")) {
      constant(position, names[0]);
    } else {
      node(position, names);
    }
  }

  void constant(size_t position, const std::string& name) {
    ConstantData data;
    in_.expect("(");
    in_.expect("digest");
    in_.expect("=");
    data.digest = in_.quoted();
    in_.expect(",");
    in_.expect("bytes");
    in_.expect("=");
    data.size = in_.integer();
    in_.expect(")");
    in_.expect(":");
    const TensorType type = in_.type();
    const Expr bytes = storage_elements(type) * dtype_size(type.dtype);
    if (!bytes.is_constant()) in_.fail_at(position, "the size of a constant must be known");
    if (bytes.constant() != data.size) {
      in_.fail_at(position, "a constant of " + to_string(type) + " has " + bytes.to_string() + " bytes, not " +
                                std::to_string(data.size));
    }
    define(position, name, builder_.constant(type, std::move(data), name));
  }

  void node(size_t position, const std::vector<std::string>& names) {
    Node node;
    node.op = in_.name();
    in_.expect("(");
    while (!in_.accept(")")) {
      argument(node);
      if (!in_.peek(")")) in_.expect(",");
    }
    if (in_.accept("defines")) {
      in_.expect("(");
      do {
        node.defines.push_back(in_.name());
      } while (in_.accept(","));
      in_.expect(")");
    }
    std::vector<TensorType> types;
    if (!names.empty()) {
      in_.expect(":");
      do {
        types.push_back(in_.type());
      } while (in_.accept(","));
    }
    if (types.size() != names.size()) {
      in_.fail_at(position, std::to_string(names.size()) + " results, but " + std::to_string(types.size()) + " types");
    }
    if (in_.accept("{")) {
      do {
        node.subgraphs.push_back(std::make_shared<const Graph>(Parser(in_, depth_ + 1).parse()));
      } while (!in_.accept("}"));
    }
    if (const auto comment = in_.trailing_comment()) node.location = location(*comment);
    const std::vector<ValueId> results = builder_.add(std::move(node), types, names);
    for (size_t i = 0; i < names.size(); ++i) define(position, names[i], results[i]);
  }

  void argument(Node& node) {
    const size_t position = in_.position();
    if (in_.peek("%")) {
      if (!node.attributes.items().empty()) in_.fail("operands stand before attributes");
      const std::string name = value_name();
      node.operands.push_back(lookup(position, name));
      return;
    }
    if (in_.accept("_")) {
      if (!node.attributes.items().empty()) in_.fail_at(position, "operands stand before attributes");
      node.operands.push_back(kNoValue);
      return;
    }
    const std::string name = in_.name();
    in_.expect("=");
    if (node.attributes.has(name)) in_.fail_at(position, "attribute '" + name + "' is given twice");
    node.attributes.set(name, attribute());
  }

  Attribute attribute() {
    if (in_.accept("true")) return true;
    if (in_.accept("false")) return false;
    if (in_.accept("numbers")) {
      in_.expect("[");
      in_.expect("]");
      return std::vector<double>();
    }
    if (in_.peek_quoted()) return in_.quoted();
    if (in_.peek_number()) {
      if (in_.number_is_float()) return in_.floating();
      return in_.integer();
    }
    if (in_.accept("[")) return number_list();
    if (in_.accept("(")) return in_.expr_list(")");
    if (in_.peek("{")) return normalized(in_.layout());
    const auto dtype = in_.accept_dtype();
    if (!dtype)
      in_.fail("expected an attribute's value (a number, true, false, a quoted text, a list, a dtype, a layout)");
    return *dtype;
  }

  // Floats if any of the numbers is one.
  Attribute number_list() {
    std::vector<int64_t> integers;
    std::vector<double> floats;
    bool any_float = false;
    while (!in_.accept("]")) {
      if (in_.peek_number() && in_.number_is_float()) {
        any_float = true;
        floats.push_back(in_.floating());
      } else {
        integers.push_back(in_.integer());
        floats.push_back(static_cast<double>(integers.back()));
      }
      if (!in_.peek("]")) in_.expect(",");
    }
    if (any_float) return floats;
    return integers;
  }

  // What a trailing comment says of the source, if it is written as print writes it.
  static Location location(const std::string& comment) {
    TextReader reader(comment);
    Location location;
    try {
      if (!reader.peek_quoted()) return {};
      location.source = reader.quoted();
      if (!reader.at_end()) location.op = reader.name();
      return reader.at_end() ? location : Location{};
    } catch (const ParseError&) {
      return {};
    }
  }

  TextReader& in_;
  int depth_;
  GraphBuilder builder_;
  std::map<std::string, ValueId> ids_;
  std::vector<Pending> outputs_;
};

}  // namespace

Result<Graph> parse_graph(std::string_view text) {
  if (text.size() > kMaxText) return Failure{"the text is larger than " + std::to_string(kMaxText >> 20) + " MiB"};
  try {
    TextReader reader(text);
    Graph graph = Parser(reader, 0).parse();
    if (!reader.at_end()) reader.fail("expected the end of the text after the graph");
    return graph;
  } catch (const Error& e) {
    return Failure{e.what()};
  }
}

}  // namespace litz::ir
