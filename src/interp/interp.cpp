#include "interp/interp.h"

#include <algorithm>

#include "interp/kernels.h"
#include "interp/scalar.h"
#include "ops/record.h"

namespace litz::interp {

namespace {

using ir::TensorType;
using Operands = std::vector<const Tensor*>;
using Results = std::vector<Tensor>;
using Symbols = std::map<std::string, int64_t>;

TensorType type_of(const Tensor& t) {
  TensorType type{.dtype = t.dtype()};
  for (int64_t size : t.shape()) type.shape.emplace_back(size);
  return type;
}

std::vector<TensorType> infer(const ops::OpRecord& record, const Operands& operands, const ir::Attributes& attributes) {
  std::vector<TensorType> types;
  types.reserve(operands.size());
  std::vector<const TensorType*> pointers;
  for (const Tensor* t : operands) {
    types.push_back(t == nullptr ? TensorType{} : type_of(*t));
    pointers.push_back(t == nullptr ? nullptr : &types.back());
  }
  return ops::infer_types(record, {.operands = pointers, .attributes = attributes});
}

// The element of `t`, broadcast, at `index`.
int64_t broadcast_offset(const Tensor& t, const Index& index) {
  int64_t offset = 0;
  const size_t skipped = index.size() - t.shape().size();
  for (size_t d = 0; d < t.shape().size(); ++d) {
    offset = offset * t.shape()[d] + (t.shape()[d] == 1 ? 0 : index[skipped + d]);
  }
  return offset;
}

Results run_pointwise(const ops::OpRecord& record, const Operands& operands, const ir::Attributes& attributes,
                      const TensorType& type) {
  ScalarProgram program;
  std::vector<ir::Scalar> arguments;
  std::vector<TensorType> types;
  types.reserve(operands.size());
  std::vector<const TensorType*> pointers;
  for (const Tensor* t : operands) {
    arguments.push_back(program.argument(t->dtype()));
    types.push_back(type_of(*t));
    pointers.push_back(&types.back());
  }
  const ir::Scalar result =
      ops::apply_body(record, program, arguments, {.operands = pointers, .attributes = attributes}, type.dtype);
  std::vector<int64_t> shape;
  for (const Expr& e : type.shape) shape.push_back(e.constant());
  Tensor out(type.dtype, shape);
  std::vector<ir::ScalarValue> values(operands.size());
  for_each_index(shape, [&](const Index& index, int64_t i) {
    for (size_t k = 0; k < operands.size(); ++k) values[k] = operands[k]->get(broadcast_offset(*operands[k], index));
    out.set(i, program.run(values, result));
  });
  return {out};
}

Results run_decomposed(const ops::OpRecord& record, const Operands& operands, const ir::Attributes& attributes) {
  LITZ_CHECK(record.decompose, std::string(record.name) + " has neither a kernel nor a decomposition");
  ir::GraphBuilder graph{std::string(record.name)};
  ops::Builder builder(graph);
  std::vector<ir::ValueId> values;
  Results inputs;
  for (const Tensor* t : operands) {
    if (t != nullptr) inputs.push_back(*t);
    values.push_back(t == nullptr ? ir::kNoValue : graph.input(type_of(*t), "x" + std::to_string(inputs.size())));
  }
  for (ir::ValueId id : record.decompose(builder, values, attributes)) graph.output({.value = id});
  return run(std::move(graph).finish(), std::move(inputs));
}

// The attributes with sizes evaluated.
ir::Attributes concrete(const ir::Attributes& attributes, const Symbols& symbols) {
  ir::Attributes out;
  for (const auto& [name, value] : attributes.items()) {
    if (const auto* exprs = std::get_if<std::vector<Expr>>(&value)) {
      std::vector<Expr> sizes;
      for (const Expr& e : *exprs) sizes.emplace_back(e.evaluate(symbols));
      out.set(name, std::move(sizes));
    } else {
      out.set(name, value);
    }
  }
  return out;
}

class Runner {
 public:
  Runner(const ir::Graph& graph, const ForeignHandler& foreign)
      : graph_(graph), foreign_(foreign), values_(graph.values().size()), uses_(graph.values().size()) {}

  Results run(Results inputs) {
    bind_inputs(std::move(inputs));
    count_uses();
    for (const ir::Node& node : graph_.nodes()) run_node(node);
    Results out;
    for (const ir::Output& output : graph_.outputs()) out.push_back(value(output.value));
    return out;
  }

 private:
  void bind_inputs(Results inputs) {
    if (inputs.size() != graph_.inputs().size()) {
      throw UserError("graph '" + graph_.name() + "' takes " + std::to_string(graph_.inputs().size()) +
                      " inputs, but got " + std::to_string(inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) bind_symbols(graph_.type(graph_.inputs()[i].value), inputs[i]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ir::ValueId id = graph_.inputs()[i].value;
      check(id, inputs[i]);
      values_[id] = std::move(inputs[i]);
    }
  }

  // A size that is one unknown symbol gets the value found.
  void bind_symbols(const TensorType& type, const Tensor& t) {
    for (size_t d = 0; d < type.shape.size() && d < t.shape().size(); ++d) {
      if (const auto name = type.shape[d].symbol_name()) symbols_.emplace(*name, t.shape()[d]);
    }
  }

  void check(ir::ValueId id, const Tensor& t) const {
    const ir::Value& v = graph_.value(id);
    bool fits = t.dtype() == v.type.dtype && t.rank() == v.type.rank();
    for (int d = 0; fits && d < t.rank(); ++d) fits = v.type.shape[d].evaluate(symbols_) == t.shape()[d];
    if (!fits) {
      throw UserError("%" + v.name + " must be " + ir::to_string(v.type) + ", but is " + ir::to_string(type_of(t)));
    }
  }

  void count_uses() {
    for (const ir::Node& node : graph_.nodes()) {
      for (ir::ValueId id : node.operands) {
        if (id != ir::kNoValue) ++uses_[id];
      }
    }
    for (const ir::Output& output : graph_.outputs()) ++uses_[output.value];
  }

  const Tensor& value(ir::ValueId id) {
    const ir::Value& v = graph_.value(id);
    if (v.constant >= 0 && !values_[id]) values_[id] = constant(v);
    LITZ_CHECK(values_[id].has_value(), "%" + v.name + " has no value yet");
    return *values_[id];
  }

  Tensor constant(const ir::Value& v) const {
    const ir::ConstantData& data = graph_.constants().at(v.constant);
    if (data.bytes == nullptr) {
      throw UnsupportedError("interp-constant", "constant %" + v.name + " is known by its digest only",
                             "run the program that the text was printed from");
    }
    std::vector<int64_t> shape;
    for (const Expr& e : v.type.shape) shape.push_back(e.constant());
    Tensor t(v.type.dtype, std::move(shape));
    LITZ_CHECK(v.type.layout.is_default(), "constants are stored plain");
    LITZ_CHECK(data.size == t.bytes(), "constant %" + v.name + " has another size than its type");
    const auto* bytes = static_cast<const std::byte*>(data.bytes.get());
    std::copy(bytes, bytes + data.size, t.data());
    return t;
  }

  void run_node(const ir::Node& node) {
    Operands operands;
    for (ir::ValueId id : node.operands) operands.push_back(id == ir::kNoValue ? nullptr : &value(id));
    Results results = results_of(node, operands);
    LITZ_CHECK(results.size() == node.results.size(), node.op + " gave another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      if (!node.defines.empty()) bind_symbols(graph_.type(node.results[i]), results[i]);
      check(node.results[i], results[i]);
      if (uses_[node.results[i]] > 0) values_[node.results[i]] = std::move(results[i]);
    }
    for (ir::ValueId id : node.operands) {
      if (id != ir::kNoValue && --uses_[id] == 0) values_[id].reset();
    }
  }

  Results results_of(const ir::Node& node, const Operands& operands) {
    if (node.op == "call") {
      Results inputs;
      for (const Tensor* t : operands) inputs.push_back(*t);
      return interp::run(*node.subgraphs.at(0), std::move(inputs), foreign_);
    }
    if (node.op != "foreign") return apply(node.op, operands, concrete(node.attributes, symbols_));
    if (foreign_) return foreign_(node, operands);
    throw UnsupportedError("interp-foreign", "the interpreter has no " + node.attributes.get<std::string>("target"),
                           "pass a handler for foreign ops");
  }

  const ir::Graph& graph_;
  const ForeignHandler& foreign_;
  std::vector<std::optional<Tensor>> values_;
  std::vector<int> uses_;
  Symbols symbols_;
};

}  // namespace

Results run(const ir::Graph& graph, Results inputs, const ForeignHandler& foreign) {
  return Runner(graph, foreign).run(std::move(inputs));
}

Results apply(std::string_view op, const Operands& operands, const ir::Attributes& attributes) {
  const ops::OpRecord& record = ops::record(op);
  const std::vector<TensorType> types = infer(record, operands, attributes);
  if (record.kind == ops::OpKind::pointwise) return run_pointwise(record, operands, attributes, types[0]);
  if (const Kernel kernel = find_kernel(op)) {
    return kernel({.op = op, .operands = operands, .attributes = attributes, .types = types});
  }
  return run_decomposed(record, operands, attributes);
}

Results apply_decomposed(std::string_view op, const Operands& operands, const ir::Attributes& attributes) {
  const ops::OpRecord& record = ops::record(op);
  infer(record, operands, attributes);
  return run_decomposed(record, operands, attributes);
}

}  // namespace litz::interp
