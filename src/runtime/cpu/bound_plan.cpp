#include "runtime/cpu/bound_plan.h"

#include <algorithm>

#include "runtime/memory.h"
#include "support/check.h"

namespace litz::runtime {

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 48;

int64_t round_up(int64_t bytes) {
  return (bytes + int64_t{kAlignment} - 1) / int64_t{kAlignment} * int64_t{kAlignment};
}

class Binder {
 public:
  Binder(const Plan& plan, std::span<const std::shared_ptr<const LoadedKernel>> kernels,
         const std::map<std::string, int64_t>& symbols)
      : plan_(plan), kernels_(kernels), symbols_(symbols), numbering_(plan) {}

  std::shared_ptr<const BoundPlan> bind() {
    auto bound = std::make_shared<BoundPlan>();
    for (const TensorSpec& spec : plan_.inputs) bound->inputs.push_back(layout(spec));
    auto outputs = std::make_shared<std::vector<OutputLayout>>();
    for (const TensorSpec& spec : plan_.outputs) outputs->push_back(layout(spec));
    bound->outputs = std::move(outputs);
    for (const Expr& bytes : plan_.prepared_bytes) {
      bound->prepared_offsets.push_back(bound->prepared_bytes);
      prepared_sizes_.push_back(size(bytes));
      bound->prepared_bytes = check_size(bound->prepared_bytes + round_up(prepared_sizes_.back()));
    }
    bound->prepare = section(plan_.prepare, plan_.prepare_arena_bytes);
    bound->main = section(plan_.main, plan_.arena_bytes);
    return bound;
  }

 private:
  static int64_t check_size(int64_t bytes) {
    if (bytes < 0 || bytes > kMaxBytes) throw UserError("these input sizes need a buffer of an impossible size");
    return bytes;
  }

  int64_t evaluate(const Expr& e) const { return e.is_constant() ? e.constant() : e.evaluate(symbols_); }
  int64_t size(const Expr& e) const { return check_size(evaluate(e)); }

  OutputLayout layout(const TensorSpec& spec) const {
    OutputLayout out;
    TensorSpec constant = spec;
    out.dtype = spec.dtype;
    for (size_t i = 0; i < spec.shape.size(); ++i) {
      out.shape.push_back(size(spec.shape[i]));
      out.strides.push_back(size(spec.strides[i]));
      constant.shape[i] = out.shape[i];
      constant.strides[i] = out.strides[i];
    }
    out.bytes = check_size(extent_bytes(constant).value_or(-1));
    return out;
  }

  // Bytes of the arena, a constant or a prepared value; -1 for others.
  int64_t buffer_bytes(const Slot& slot) const {
    switch (slot.kind) {
      case Slot::Kind::constant:
        return plan_.constant_bytes[slot.index];
      case Slot::Kind::prepared:
        return prepared_sizes_[slot.index];
      case Slot::Kind::arena:
        return arena_bytes_;
      default:
        return -1;
    }
  }

  ArgRecipe place(const Slot& slot) const {
    const int64_t offset = size(slot.offset);
    const int64_t limit = buffer_bytes(slot);
    LITZ_CHECK(limit < 0 || offset + size(slot.bytes) <= limit, "a slot of plan " + plan_.name + " leaves its buffer");
    return {numbering_.of(slot), offset};
  }

  BoundKernel kernel(const KernelStep& step, BoundSection& out) {
    const KernelEntry& entry = plan_.kernels[step.kernel];
    BoundKernel k;
    k.function = kernels_[step.kernel]->entry();
    k.entry = step.kernel;
    k.first_arg = static_cast<uint32_t>(out.args.size());
    k.arg_count = static_cast<uint32_t>(step.args.size());
    for (const Slot& slot : step.args) out.args.push_back(place(slot));
    for (const Phase& p : entry.launch.phases) {
      k.phases.push_back({size(p.tasks), p.grain});
      k.parallel = k.parallel || k.phases.back().tasks > p.grain;
    }
    k.shared_scratch = entry.launch.shared_scratch_bytes > 0;
    k.may_fault = entry.launch.may_fault;
    out.max_args = std::max(out.max_args, k.arg_count);
    return k;
  }

  BoundForeign foreign(const ForeignStep& step) const {
    BoundForeign f;
    f.step = &step;
    for (size_t i = 0; i < step.args.size(); ++i) f.args.push_back({place(step.args[i]), layout(step.arg_specs[i])});
    for (const TensorSpec& spec : step.result_specs) f.results.push_back(layout(spec));
    return f;
  }

  BoundSection section(const std::vector<Step>& steps, const Expr& arena_bytes) {
    BoundSection out;
    arena_bytes_ = size(arena_bytes);
    int64_t shared_scratch = 0;
    for (const Step& step : steps) {
      if (const auto* k = std::get_if<KernelStep>(&step.what)) {
        const LaunchSpec& launch = plan_.kernels[k->kernel].launch;
        shared_scratch = std::max(shared_scratch, launch.shared_scratch_bytes);
        out.thread_scratch_bytes = std::max(out.thread_scratch_bytes, round_up(launch.thread_scratch_bytes));
        out.steps.push_back({BoundStep::Kind::kernel, static_cast<uint32_t>(out.kernels.size())});
        out.kernels.push_back(kernel(*k, out));
      } else if (const auto* c = std::get_if<CopyStep>(&step.what)) {
        out.steps.push_back({BoundStep::Kind::copy, static_cast<uint32_t>(out.copies.size())});
        out.copies.push_back({place(c->from), place(c->to), size(c->from.bytes)});
      } else {
        out.steps.push_back({BoundStep::Kind::foreign, static_cast<uint32_t>(out.foreign.size())});
        out.foreign.push_back(foreign(std::get<ForeignStep>(step.what)));
      }
    }
    out.shared_scratch_offset = round_up(arena_bytes_);
    out.thread_scratch_offset = out.shared_scratch_offset + round_up(shared_scratch);
    return out;
  }

  const Plan& plan_;
  std::span<const std::shared_ptr<const LoadedKernel>> kernels_;
  const std::map<std::string, int64_t>& symbols_;
  BaseNumbering numbering_;
  std::vector<int64_t> prepared_sizes_;
  int64_t arena_bytes_ = 0;
};

}  // namespace

BaseNumbering::BaseNumbering(const Plan& plan) {
  output = static_cast<uint32_t>(plan.inputs.size());
  constant = output + static_cast<uint32_t>(plan.outputs.size());
  prepared = constant + static_cast<uint32_t>(plan.constants.size());
  arena = prepared + static_cast<uint32_t>(plan.prepared_bytes.size());
  foreign = arena + 1;
  count = foreign + std::max(plan.foreign_results, plan.prepare_foreign_results);
}

uint32_t BaseNumbering::of(const Slot& slot) const {
  switch (slot.kind) {
    case Slot::Kind::input:
      return slot.index;
    case Slot::Kind::output:
      return output + slot.index;
    case Slot::Kind::constant:
      return constant + slot.index;
    case Slot::Kind::prepared:
      return prepared + slot.index;
    case Slot::Kind::arena:
      return arena;
    case Slot::Kind::foreign:
      break;
  }
  return foreign + slot.index;
}

std::shared_ptr<const BoundPlan> bind_plan(const Plan& plan,
                                           std::span<const std::shared_ptr<const LoadedKernel>> kernels,
                                           const std::map<std::string, int64_t>& symbols) {
  return Binder(plan, kernels, symbols).bind();
}

}  // namespace litz::runtime
