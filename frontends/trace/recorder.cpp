#include "frontends/trace/recorder.h"

#include <algorithm>
#include <map>

namespace litz::trace {

namespace {

std::vector<Expr> to_exprs(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

std::vector<int64_t> constants(const std::vector<Expr>& values) {
  std::vector<int64_t> out;
  for (const Expr& e : values) out.push_back(e.constant());
  return out;
}

}  // namespace

Value Recorder::root(ir::ValueId id) const { return {id, id, row_major(constants(builder_.type(id).shape))}; }

Value Recorder::input(DType dtype, const Strided& window, const std::string& name, bool frozen) {
  std::vector<Expr> strides;
  if (!is_row_major(window.shape, window.strides)) strides = to_exprs(window.strides);
  ir::TensorType type{.dtype = dtype, .shape = to_exprs(window.shape)};
  const ir::ValueId id = graph_.input(std::move(type), name, std::move(strides), frozen);
  return {id, id, window};
}

std::vector<Value> Recorder::call(const ops::AtenCall& call, const ir::Location& location) {
  builder_.set_location(location);
  const size_t known = graph_.peek().values().size();
  auto ids = ops::import_aten(builder_, call);
  if (!ids) throw UserError(ids.error());
  std::vector<Value> out;
  for (ir::ValueId id : *ids) {
    if (id == ir::kNoValue) {
      out.emplace_back();
      continue;
    }
    // An importer may give an operand back; a result is a tensor of its own.
    out.push_back(root(id < known ? builder_.add("identity", {id}) : id));
  }
  return out;
}

Value Recorder::view(std::string_view op, const ir::Attributes& attributes, const Value& x,
                     const ir::Location& location) {
  builder_.set_location(location);
  const ir::ValueId id = builder_.add(op, {x.id}, attributes);
  if (op != "reshape") return {id, x.root, view_of(op, attributes, x.window)};
  const auto window = reshaped(x.window, constants(attributes.get<std::vector<Expr>>("shape")));
  return window ? Value{id, x.root, *window} : root(id);
}

Recorded Recorder::finish(std::span<const Value> results) && {
  std::map<ir::ValueId, uint32_t> inputs;
  for (const ir::Input& input : graph_.peek().inputs())
    inputs.emplace(input.value, static_cast<uint32_t>(inputs.size()));
  std::map<ir::ValueId, int> uses;
  for (const Value& v : results) ++uses[v.root];
  std::map<ir::ValueId, uint32_t> outputs;
  const auto output = [&](ir::ValueId id) {
    const auto [it, added] = outputs.emplace(id, static_cast<uint32_t>(outputs.size()));
    if (added) graph_.output({.value = id});
    return it->second;
  };
  Recorded out;
  for (const Value& v : results) {
    if (const auto it = inputs.find(v.root); it != inputs.end()) {
      out.results.push_back({/*is_input=*/true, it->second, v.window});
      continue;
    }
    const bool whole =
        is_dense(v.window) && element_count(v.window.shape) == builder_.type(v.root).elements().constant();
    if (whole || uses[v.root] > 1) {
      out.results.push_back({/*is_input=*/false, output(v.root), v.window});
    } else {
      out.results.push_back({/*is_input=*/false, output(v.id), row_major(v.window.shape)});
    }
  }
  out.graph = std::move(graph_).finish();
  return out;
}

}  // namespace litz::trace
