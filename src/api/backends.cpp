// Back ends that the user registers: a plan whose one step calls the user's function.
#include "litz/backends.h"

#include <utility>

#include "api/options.h"
#include "api/state.h"
#include "driver/driver.h"
#include "runtime/executable.h"
#include "support/check.h"

namespace litz {

namespace api {

struct GraphState {
  ir::Graph graph;
};

}  // namespace api

namespace {

using api::list_text;
using api::TensorState;

std::vector<int64_t> constants(const std::vector<Expr>& values) {
  std::vector<int64_t> out;
  for (const Expr& e : values) out.push_back(e.constant());
  return out;
}

TensorSpec spec_of(const ir::TensorType& type, const std::vector<Expr>& strides) {
  return {type.dtype, type.shape, strides.empty() ? ir::contiguous_strides(type.shape) : strides, type.device};
}

int64_t bytes_of(const TensorSpec& spec) {
  const auto bytes = extent_bytes(spec);
  LITZ_CHECK(bytes.has_value(), "sizes of a traced program are known");
  return *bytes;
}

// Reads as the runtime hands it over, for the time of a call.
Tensor borrowed(const runtime::TensorView& view) {
  auto storage = std::make_shared<api::Storage>(std::shared_ptr<void>());
  storage->read_only = true;
  auto layout =
      api::make_layout(view.dtype, {view.shape.begin(), view.shape.end()}, {view.strides.begin(), view.strides.end()});
  return api::make_real(std::move(layout), std::move(storage), static_cast<std::byte*>(view.data));
}

runtime::OwnedTensor owned(const Tensor& tensor) {
  const TensorState& state = *api::Access::get(tensor);
  return {state.data, state.layout->dtype, state.layout->shape, state.layout->strides,
          std::make_shared<Tensor>(tensor)};
}

class BackendRunner final : public runtime::ForeignRunner {
 public:
  BackendRunner(std::string name, GraphFunction function) : name_(std::move(name)), function_(std::move(function)) {}

  void run(const ForeignStep& step, std::span<const runtime::TensorView> args,
           std::vector<runtime::OwnedTensor>& results) override {
    std::vector<Tensor> tensors;
    for (const runtime::TensorView& view : args) tensors.push_back(borrowed(view));
    const std::vector<Tensor> outputs = function_(tensors);
    if (outputs.size() != step.result_specs.size()) {
      throw UserError(said() + " gave " + std::to_string(outputs.size()) + " results; the graph has " +
                      std::to_string(step.result_specs.size()));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorSpec& wanted = step.result_specs[i];
      const api::TensorLayout& layout = *api::real_state(outputs[i], name_.c_str()).layout;
      if (layout.dtype != wanted.dtype || layout.shape != constants(wanted.shape)) {
        throw UserError(said() + " gave " + type_text(layout) + " as result " + std::to_string(i) +
                        "; the graph's output is " + std::string(dtype_name(wanted.dtype)) +
                        list_text(constants(wanted.shape)));
      }
      results.push_back(owned(outputs[i].contiguous()));
    }
  }

 private:
  std::string said() const { return "the back end '" + name_ + "'"; }

  const std::string name_;
  const GraphFunction function_;
};

// All inputs to one foreign step, its results to the outputs.
Plan plan_of(const ir::Graph& graph, const std::string& backend) {
  Plan plan;
  plan.name = graph.name();
  ForeignStep call{.id = "backend:" + backend};
  for (const ir::Input& input : graph.inputs()) {
    const TensorSpec spec = spec_of(graph.type(input.value), input.strides);
    const auto index = static_cast<uint32_t>(plan.inputs.size());
    call.args.push_back({Slot::Kind::input, index, 0, bytes_of(spec)});
    call.arg_specs.push_back(spec);
    plan.inputs.push_back(spec);
    plan.frozen_inputs.push_back(false);
  }
  std::vector<Step> copies;
  for (const ir::Output& output : graph.outputs()) {
    const TensorSpec spec = spec_of(graph.type(output.value), output.strides);
    const auto index = static_cast<uint32_t>(plan.outputs.size());
    const Slot from{Slot::Kind::foreign, index, 0, bytes_of(spec)};
    const Slot to{Slot::Kind::output, index, 0, bytes_of(spec)};
    copies.push_back({.what = CopyStep{from, to}, .label = "result " + std::to_string(index)});
    call.result_specs.push_back(spec);
    plan.outputs.push_back(spec);
  }
  plan.foreign_results = static_cast<uint32_t>(plan.outputs.size());
  plan.main.push_back({.what = std::move(call), .label = backend});
  plan.main.insert(plan.main.end(), copies.begin(), copies.end());
  return plan;
}

std::shared_ptr<driver::Compiled> compile_with(const std::string& name, const Backend& backend, const ir::Graph& graph,
                                               const Options& options) {
  const Graph view(std::make_shared<api::GraphState>(api::GraphState{graph}));
  GraphFunction function = backend(view, api::from_options(options));
  if (!function) throw UserError("the back end '" + name + "' gave no function for the graph " + graph.name());
  auto out = std::make_shared<driver::Compiled>();
  out->report.graph = graph.name();
  runtime::ExecutableParts parts;
  parts.plan = plan_of(graph, name);
  parts.foreign = std::make_shared<BackendRunner>(name, std::move(function));
  parts.threads = static_cast<int>(options.threads);
  out->executable = runtime::Executable::create(std::move(parts));
  return out;
}

}  // namespace

std::vector<Graph::Value> Graph::inputs() const {
  const ir::Graph& graph = state_->graph;
  std::vector<Value> out;
  for (const ir::Input& input : graph.inputs()) {
    const ir::Value& value = graph.value(input.value);
    out.push_back({value.name, value.type.dtype, constants(value.type.shape), input.frozen});
  }
  return out;
}

std::vector<Graph::Value> Graph::outputs() const {
  const ir::Graph& graph = state_->graph;
  std::vector<Value> out;
  for (const ir::Output& output : graph.outputs()) {
    const ir::Value& value = graph.value(output.value);
    out.push_back({value.name, value.type.dtype, constants(value.type.shape), false});
  }
  return out;
}

std::string Graph::text() const { return ir::print(state_->graph); }

GraphFunction Graph::compile(const CompileOptions& options) const {
  const auto compiled = driver::compile(state_->graph, api::to_options(options));
  return [compiled](const std::vector<Tensor>& arguments) {
    std::vector<runtime::TensorView> views;
    for (const Tensor& argument : arguments) views.push_back(view_of(api::real_state(argument, "argument")));
    std::vector<Tensor> out;
    std::vector<void*> pointers;
    for (const runtime::OutputLayout& layout : *compiled->executable->output_layouts(views)) {
      out.push_back(api::make_empty(layout.dtype, layout.shape));
      pointers.push_back(out.back().raw_data());
    }
    compiled->executable->run_into(views, pointers);
    return out;
  };
}

void register_backend(const std::string& name, Backend backend) {
  if (!backend) throw UserError("register_backend: no function was given for '" + name + "'");
  driver::register_backend(name, [name, backend = std::move(backend)](const ir::Graph& graph, const Options& options,
                                                                      const std::shared_ptr<runtime::ForeignRunner>&) {
    return compile_with(name, backend, graph, options);
  });
}

std::vector<std::string> list_backends() { return driver::list_backends(); }

}  // namespace litz
