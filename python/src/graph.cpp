#include "ir/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>

#include "litz/error.h"
#include "ops/record.h"
#include "python/src/aten.h"
#include "python/src/bindings.h"
#include "python/src/exchange.h"
#include "support/sha256.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

using Extents = std::vector<int64_t>;
// dtype name and shape of a foreign op's result.
using ForeignType = std::pair<std::string, Extents>;

DType parse_or_throw(const std::string& name) {
  std::optional<DType> dtype = parse_dtype(name);
  if (!dtype) throw UserError("there is no dtype " + name);
  return *dtype;
}

std::vector<Expr> exprs(const Extents& values) { return {values.begin(), values.end()}; }

Extents extents(const std::vector<Expr>& values) {
  Extents out;
  for (const Expr& e : values) out.push_back(e.constant());
  return out;
}

// Builds a graph from a frontend in Python.
class PythonGraphBuilder {
 public:
  PythonGraphBuilder(const std::string& name, std::shared_ptr<const TensorApi> tensors)
      : graph_(name), builder_(graph_), tensors_(std::move(tensors)) {}

  PythonValue input(const std::string& dtype, const Extents& shape, const Extents& strides, const std::string& name,
                    bool frozen) {
    ir::TensorType type{.dtype = parse_or_throw(dtype), .shape = exprs(shape)};
    return {graph_.input(std::move(type), name, exprs(strides), frozen)};
  }

  PythonValue constant(nb::handle tensor, const std::string& name) {
    dlpack::Tensor view = tensors_->view(tensor.ptr());
    ir::TensorType type{.dtype = dtype_of(view.dtype)};
    int64_t bytes = dtype_size(type.dtype);
    for (int i = 0; i < view.ndim; ++i) {
      type.shape.emplace_back(view.shape[i]);
      bytes *= view.shape[i];
    }
    auto copy = std::make_shared<std::string>(static_cast<const char*>(view.data), static_cast<size_t>(bytes));
    ir::ConstantData data{.digest = sha256_hex(*copy), .size = bytes};
    data.bytes = std::shared_ptr<const void>(copy, copy->data());
    return {graph_.constant(std::move(type), std::move(data), name)};
  }

  // The results of an ATen op; None for results that the op records leave out. A text: why they do not take it.
  nb::object aten(const std::string& op, const nb::list& arguments, const std::vector<bool>& used,
                  const std::string& source) {
    builder_.set_location({.source = source, .op = op});
    return import_aten(builder_, op, arguments, used);
  }

  std::vector<PythonValue> foreign(const std::string& op, const std::string& key,
                                   const std::vector<PythonValue>& operands, const std::vector<ForeignType>& types,
                                   const std::string& source) {
    builder_.set_location({.source = source, .op = op});
    std::vector<ir::ValueId> ids;
    for (PythonValue v : operands) ids.push_back(v.id);
    std::vector<ir::TensorType> results;
    for (const auto& [dtype, shape] : types) {
      results.push_back({.dtype = parse_or_throw(dtype), .shape = exprs(shape)});
    }
    std::vector<PythonValue> out;
    for (ir::ValueId id : builder_.foreign(op, key, std::move(ids), results)) out.push_back({id});
    return out;
  }

  std::pair<std::string, Extents> type(PythonValue value) const {
    const ir::TensorType& type = graph_.type(value.id);
    return {std::string(dtype_name(type.dtype)), extents(type.shape)};
  }

  // The number of the output.
  size_t output(PythonValue value, const Extents& strides) {
    graph_.output({.value = value.id, .strides = exprs(strides)});
    return graph_.peek().outputs().size() - 1;
  }

  std::shared_ptr<const ir::Graph> finish() { return std::make_shared<const ir::Graph>(std::move(graph_).finish()); }

 private:
  ir::GraphBuilder graph_;
  ops::Builder builder_;
  std::shared_ptr<const TensorApi> tensors_;
};

nb::dict border_dict(const ir::Graph& graph, ir::ValueId value, const std::vector<Expr>& strides) {
  const ir::TensorType& type = graph.type(value);
  nb::dict out;
  out["name"] = graph.value(value).name;
  out["dtype"] = std::string(dtype_name(type.dtype));
  out["shape"] = extents(type.shape);
  out["strides"] = extents(strides.empty() ? ir::contiguous_strides(type.shape) : strides);
  return out;
}

nb::list inputs_of(const ir::Graph& graph) {
  nb::list out;
  for (const ir::Input& input : graph.inputs()) out.append(border_dict(graph, input.value, input.strides));
  return out;
}

nb::list outputs_of(const ir::Graph& graph) {
  nb::list out;
  for (const ir::Output& output : graph.outputs()) out.append(border_dict(graph, output.value, output.strides));
  return out;
}

nb::list nodes_of(const ir::Graph& graph) {
  nb::list out;
  for (const ir::Node& node : graph.nodes()) out.append(nb::str(node.op.c_str()));
  return out;
}

}  // namespace

void bind_graph(nb::module_& m) {
  bind_exchange(m);
  nb::class_<PythonDType>(m, "DType", "A dtype as an argument of GraphBuilder.aten.")
      .def("__init__",
           [](PythonDType* self, const std::string& name) { new (self) PythonDType{parse_or_throw(name)}; });
  [[maybe_unused]] const nb::class_<PythonValue> value(m, "Value", "A value of a graph under construction.");

  nb::class_<ir::Graph>(m, "Graph", nb::dynamic_attr(), "A tensor program in functional SSA. str() gives its text.")
      .def_prop_ro("name", &ir::Graph::name)
      .def_prop_ro("inputs", &inputs_of, "For each input: name, dtype, shape, strides.")
      .def_prop_ro("outputs", &outputs_of, "For each output: name, dtype, shape, strides.")
      .def_prop_ro("ops", &nodes_of, "The op of each node, in order.")
      .def("__str__", [](const ir::Graph& graph) { return ir::print(graph); })
      .def("__repr__", [](const ir::Graph& graph) { return ir::print(graph); });

  nb::class_<PythonGraphBuilder>(m, "GraphBuilder", "Builds a graph, node by node.")
      .def(nb::init<const std::string&, std::shared_ptr<const TensorApi>>(), nb::arg("name"), nb::arg("tensors"))
      .def("input", &PythonGraphBuilder::input, nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"), nb::arg("name"),
           nb::arg("frozen"))
      .def("constant", &PythonGraphBuilder::constant, nb::arg("tensor"), nb::arg("name"))
      .def("aten", &PythonGraphBuilder::aten, nb::arg("op"), nb::arg("arguments"), nb::arg("used"), nb::arg("source"))
      .def("foreign", &PythonGraphBuilder::foreign, nb::arg("op"), nb::arg("key"), nb::arg("operands"),
           nb::arg("types"), nb::arg("source"))
      .def("type", &PythonGraphBuilder::type, nb::arg("value"))
      .def("output", &PythonGraphBuilder::output, nb::arg("value"), nb::arg("strides"))
      .def("finish", &PythonGraphBuilder::finish);
}

}  // namespace litz::python
