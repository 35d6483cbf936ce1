#include "ops/infer.h"

namespace litz::ops {

namespace {

// In the order of the record, integers turned into numbers where a number is declared.
Attributes ordered(const OpRecord& record, const Attributes& attributes) {
  Attributes out;
  for (const AttrSpec& spec : record.attributes) {
    const ir::Attribute* a = attributes.find(spec.name);
    if (a == nullptr) continue;
    const auto* integer = std::get_if<int64_t>(a);
    if (spec.kind == AttrKind::number && integer != nullptr) {
      out.set(spec.name, static_cast<double>(*integer));
    } else {
      out.set(spec.name, *a);
    }
  }
  for (const auto& [name, value] : attributes.items()) {
    if (!out.has(name)) out.set(name, value);  // unknown: reported by infer_types
  }
  return out;
}

}  // namespace

std::vector<ValueId> Builder::add_all(std::string_view op, std::vector<ValueId> operands,
                                      const Attributes& attributes) {
  const OpRecord& r = record(op);
  LITZ_CHECK(r.results >= 0, std::string(op) + " is not built by name: use Builder::call or Builder::foreign");
  // Absent optional operands at the end are not written.
  while (!operands.empty() && operands.back() == ir::kNoValue) operands.pop_back();
  ir::Node node{.op = std::string(op), .operands = std::move(operands), .attributes = ordered(r, attributes)};
  node.location = location_;
  std::vector<TensorType> copies;  // `graph_` may move its values when it grows
  copies.reserve(node.operands.size());
  std::vector<const TensorType*> types;
  for (ValueId id : node.operands) {
    if (id == ir::kNoValue) {
      types.push_back(nullptr);
    } else {
      copies.push_back(graph_.type(id));
      types.push_back(&copies.back());
    }
  }
  const auto results = infer_types(r, InferArgs{.operands = types, .attributes = node.attributes});
  LITZ_CHECK(static_cast<int>(results.size()) == r.results, std::string(op) + " infers another number of results");
  return graph_.add(std::move(node), results);
}

ValueId Builder::add(std::string_view op, std::vector<ValueId> operands, const Attributes& attributes) {
  const std::vector<ValueId> results = add_all(op, std::move(operands), attributes);
  LITZ_CHECK(results.size() == 1, std::string(op) + " has several results");
  return results.front();
}

ValueId Builder::scalar(DType dtype, double value) {
  return add("full", {}, {{"shape", std::vector<Expr>{}}, {"value", value}, {"dtype", dtype}});
}

ValueId Builder::scalar_int(DType dtype, int64_t value) {
  if (is_floating(dtype)) return scalar(dtype, static_cast<double>(value));
  Attributes attributes{{"shape", std::vector<Expr>{}}, {"value", static_cast<double>(value)}, {"dtype", dtype}};
  constexpr int64_t kExact = int64_t{1} << 53;
  if (value > kExact || value < -kExact) {
    attributes.set("int_value", value);
  }
  return add("full", {}, attributes);
}

std::vector<ValueId> Builder::call(std::shared_ptr<const ir::Graph> graph, std::vector<ValueId> operands) {
  std::vector<TensorType> copies;
  for (ValueId id : operands) copies.push_back(graph_.type(id));
  std::vector<const TensorType*> types;
  for (const TensorType& t : copies) types.push_back(&t);
  ir::Node node{.op = "call", .operands = std::move(operands), .subgraphs = {std::move(graph)}};
  node.location = location_;
  const InferArgs args{.operands = types, .attributes = node.attributes, .subgraphs = node.subgraphs};
  const auto results = infer_types(record("call"), args);
  return graph_.add(std::move(node), results);
}

std::vector<ValueId> Builder::foreign(std::string target, std::string payload, std::vector<ValueId> operands,
                                      const std::vector<TensorType>& results) {
  ir::Node node{.op = "foreign",
                .operands = std::move(operands),
                .attributes = {{"target", std::move(target)}, {"payload", std::move(payload)}}};
  node.location = location_;
  return graph_.add(std::move(node), results);
}

}  // namespace litz::ops
