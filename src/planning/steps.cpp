#include "planning/steps.h"

#include <algorithm>

#include "planning/memory.h"

namespace litz::planning {
namespace {

class Planner {
 public:
  Planner(const ir::Graph& graph, const std::vector<Call>& calls, const std::map<ir::ValueId, Slot>& fixed)
      : graph_(graph), calls_(calls), slots_(fixed) {}

  Steps run() {
    place_values();
    for (const Call& call : calls_) {
      if (const auto* kernel = std::get_if<KernelCall>(&call)) {
        KernelStep step;
        step.kernel = kernel->kernel;
        for (ir::ValueId v : kernel->arguments) step.args.push_back(slots_.at(v));
        steps_.steps.push_back({std::move(step), 0, 0, kernel->label});
      } else {
        foreign(std::get<ForeignCall>(call));
      }
    }
    return std::move(steps_);
  }

 private:
  const ir::Node& node_of(const ForeignCall& call) const { return graph_.nodes()[call.node]; }

  // Lifetimes of what kernels write and nothing fixes; results of foreign calls get numbers.
  void place_values() {
    std::map<ir::ValueId, Lifetime> lifetimes;
    std::vector<ir::ValueId> order;
    auto touch = [&](ir::ValueId v, size_t step) {
      if (v == ir::kNoValue || slots_.contains(v)) return;
      auto [it, added] = lifetimes.try_emplace(v, Lifetime{buffer_bytes(graph_.type(v)), step, step});
      if (added) order.push_back(v);
      it->second.last = step;
    };
    for (size_t s = 0; s < calls_.size(); ++s) {
      if (const auto* kernel = std::get_if<KernelCall>(&calls_[s])) {
        for (ir::ValueId v : kernel->arguments) touch(v, s);
        continue;
      }
      const ir::Node& node = node_of(std::get<ForeignCall>(calls_[s]));
      for (ir::ValueId v : node.operands) touch(v, s);
      for (ir::ValueId v : node.results) foreign_result(v);
    }
    std::vector<Lifetime> in_order;
    for (ir::ValueId v : order) in_order.push_back(lifetimes.at(v));
    const Placement placement = place(in_order);
    for (size_t i = 0; i < order.size(); ++i) {
      slots_[order[i]] = Slot{Slot::Kind::arena, 0, placement.offsets[i], in_order[i].bytes};
    }
    steps_.arena_bytes = placement.bytes;
  }

  void foreign_result(ir::ValueId v) {
    const Slot slot{Slot::Kind::foreign, steps_.foreign_results++, 0, buffer_bytes(graph_.type(v))};
    auto [it, added] = slots_.try_emplace(v, slot);
    // A result that lies elsewhere (an output) is copied there after the call.
    if (!added) moved_[v] = {slot, it->second};
  }

  void foreign(const ForeignCall& call) {
    const ir::Node& node = node_of(call);
    ForeignStep step;
    step.id = call.id;
    step.attributes = call.attributes;
    step.first_result = foreign_so_far_;
    for (ir::ValueId v : node.operands) {
      if (v == ir::kNoValue) continue;
      step.args.push_back(slots_.at(v));
      step.arg_specs.push_back(spec_of(graph_, v));
    }
    for (ir::ValueId v : node.results) step.result_specs.push_back(spec_of(graph_, v));
    foreign_so_far_ += static_cast<uint32_t>(node.results.size());
    steps_.steps.push_back({std::move(step), 0, 0, call.label});
    for (ir::ValueId v : node.results) {
      auto it = moved_.find(v);
      if (it != moved_.end()) steps_.steps.push_back({CopyStep{it->second.first, it->second.second}, 0, 0, call.label});
    }
  }

  const ir::Graph& graph_;
  const std::vector<Call>& calls_;
  std::map<ir::ValueId, Slot> slots_;
  std::map<ir::ValueId, std::pair<Slot, Slot>> moved_;
  uint32_t foreign_so_far_ = 0;
  Steps steps_;
};

}  // namespace

int64_t buffer_bytes(const ir::TensorType& type) {
  const Expr elements = ir::storage_elements(type);
  LITZ_CHECK(elements.is_constant(), "the size of " + ir::to_string(type) + " is not known");
  return elements.constant() * dtype_size(type.dtype);
}

TensorSpec spec_of(const ir::Graph& graph, ir::ValueId value) {
  const ir::TensorType& type = graph.type(value);
  TensorSpec spec{type.dtype, type.shape, ir::contiguous_strides(type.shape), type.device};
  for (const ir::Input& input : graph.inputs()) {
    if (input.value == value && !input.strides.empty()) spec.strides = input.strides;
  }
  for (const ir::Output& output : graph.outputs()) {
    if (output.value == value && !output.strides.empty()) spec.strides = output.strides;
  }
  return spec;
}

Steps plan_steps(const ir::Graph& graph, const std::vector<Call>& calls, const std::map<ir::ValueId, Slot>& fixed) {
  return Planner(graph, calls, fixed).run();
}

}  // namespace litz::planning
