#include "runtime/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/cpu/bound_plan.h"
#include "runtime/cpu/call_frame.h"
#include "runtime/cuda.h"
#include "runtime/frozen_guard.h"
#include "runtime/memory.h"
#include "support/check.h"
#include "support/target.h"

namespace litz::runtime {

namespace {

constexpr size_t kKeptBindings = 128;  // sizes worked out, for plans with symbols

std::string list_text(std::span<const int64_t> list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(list[i]);
  return out + "]";
}

// Where the value of a symbol comes from.
struct SymbolSource {
  std::string name;
  size_t input;
  size_t dimension;
  bool stride;
};

std::vector<SymbolSource> find_symbols(const Plan& plan) {
  std::map<std::string, SymbolSource> found;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    for (const bool stride : {false, true}) {
      const auto& list = stride ? plan.inputs[i].strides : plan.inputs[i].shape;
      for (size_t d = 0; d < list.size(); ++d) {
        if (auto name = list[d].symbol_name()) found.try_emplace(*name, SymbolSource{*name, i, d, stride});
      }
    }
  }
  std::vector<SymbolSource> out;
  for (auto& [name, source] : found) out.push_back(source);
  return out;
}

bool uses_symbols(const Plan& plan) {
  bool found = false;
  const auto look = [&](const Expr& e) { found = found || !e.is_constant(); };
  const auto look_slots = [&](const std::vector<Slot>& slots) {
    for (const Slot& s : slots) {
      look(s.offset);
      look(s.bytes);
    }
  };
  for (const Expr& e : plan.prepared_bytes) look(e);
  look(plan.prepare_arena_bytes);
  for (const Step& step : plan.prepare) {
    if (const auto* k = std::get_if<KernelStep>(&step.what)) {
      look_slots(k->args);
      for (const Phase& p : plan.kernels[k->kernel].launch.phases) look(p.tasks);
    } else if (const auto* c = std::get_if<CopyStep>(&step.what)) {
      look_slots({c->from, c->to});
    } else {
      look_slots(std::get<ForeignStep>(step.what).args);
    }
  }
  return found;
}

void check_parts(const ExecutableParts& parts) {
  const Plan& plan = parts.plan;
  const auto error = plan_error(plan);
  LITZ_CHECK(!error, *error);
  LITZ_CHECK(parts.kernels.size() == plan.kernels.size(), "kernels and the plan's kernels differ in number");
  for (const auto& k : parts.kernels) LITZ_CHECK(k != nullptr && k->entry() != nullptr, "a kernel is missing");
  LITZ_CHECK(parts.constants.size() == plan.constants.size(), "constants and the plan's constants differ in number");
  for (size_t i = 0; i < parts.constants.size(); ++i) {
    LITZ_CHECK(parts.constants[i].data != nullptr || plan.constant_bytes[i] == 0, "a constant is missing");
  }
  for (const auto* specs : {&plan.inputs, &plan.outputs}) {
    for (const TensorSpec& spec : *specs) {
      if (spec.device == DeviceKind::cuda) require_cuda("the program " + plan.name);
    }
  }
  for (const auto* steps : {&plan.prepare, &plan.main}) {
    for (const Step& step : *steps) {
      if (step.device != 0) require_cuda("the program " + plan.name);
    }
  }
}

[[noreturn]] void wrong_input(size_t i, const TensorView& got, const OutputLayout& wanted) {
  throw UserError("input " + std::to_string(i) + " is a " + std::string(dtype_name(got.dtype)) + " tensor of shape " +
                  list_text(got.shape) + " and strides " + list_text(got.strides) + "; the program was compiled for " +
                  std::string(dtype_name(wanted.dtype)) + ", shape " + list_text(wanted.shape) + " and strides " +
                  list_text(wanted.strides));
}

void check_input(size_t i, const TensorView& got, const OutputLayout& wanted) {
  bool same = got.dtype == wanted.dtype && got.strides.size() == got.shape.size() &&
              std::equal(got.shape.begin(), got.shape.end(), wanted.shape.begin(), wanted.shape.end());
  for (size_t d = 0; same && wanted.bytes > 0 && d < got.shape.size(); ++d) {
    same = got.shape[d] == 1 || got.strides[d] == wanted.strides[d];
  }
  if (!same) wrong_input(i, got, wanted);
  if (got.data == nullptr && wanted.bytes > 0) throw UserError("input " + std::to_string(i) + " has no memory");
}

// The prepared buffers and what they were made from. Never changed once it is shared.
struct Prepared {
  struct Source {
    const void* data;
    uint64_t version;
  };
  std::vector<Source> sources;  // of the frozen inputs, in order
  std::shared_ptr<const BoundPlan> bound;
  Block memory;
  int64_t bytes = 0;
  std::unique_ptr<FrozenGuard> guard;
};

}  // namespace

class Executable::Impl {
 public:
  explicit Impl(ExecutableParts parts)
      : parts_(std::move(parts)),
        numbering_(parts_.plan),
        symbols_(find_symbols(parts_.plan)),
        prepare_uses_symbols_(uses_symbols(parts_.plan)),
        threads_(parts_.threads > 0 ? parts_.threads : host_target().threads) {
    for (size_t i = 0; i < parts_.plan.frozen_inputs.size(); ++i) {
      if (parts_.plan.frozen_inputs[i]) frozen_.push_back(i);
    }
    if (symbols_.empty()) fixed_ = bind_plan(parts_.plan, parts_.kernels, {});
  }

  using BoundPtr = std::shared_ptr<const BoundPlan>;

  const Plan& plan() const { return parts_.plan; }

  BoundPtr bind(std::span<const TensorView> inputs) {
    check_count(inputs);
    if (fixed_) return fixed_;
    std::vector<int64_t> values;
    for (const SymbolSource& s : symbols_) {
      const auto list = s.stride ? inputs[s.input].strides : inputs[s.input].shape;
      if (s.dimension >= list.size()) {
        throw UserError("input " + std::to_string(s.input) + " has " + std::to_string(list.size()) +
                        " dimensions; the program was compiled for " +
                        std::to_string(plan().inputs[s.input].shape.size()));
      }
      values.push_back(list[s.dimension]);
    }
    std::lock_guard lock(bindings_mutex_);
    if (auto it = bindings_.find(values); it != bindings_.end()) return it->second;
    std::map<std::string, int64_t> named;
    for (size_t i = 0; i < symbols_.size(); ++i) named[symbols_[i].name] = values[i];
    auto bound = bind_plan(plan(), parts_.kernels, named);
    if (bindings_.size() >= kKeptBindings) bindings_.clear();
    bindings_[values] = bound;
    return bound;
  }

  void run(const BoundPtr& bound, std::span<const TensorView> inputs, std::span<void* const> outputs,
           const CallOptions& options) {
    check_count(inputs);
    LITZ_CHECK(outputs.size() == plan().outputs.size(), "wrong number of outputs");
    for (size_t i = 0; i < inputs.size(); ++i) check_input(i, inputs[i], bound->inputs[i]);
    const int threads = options.threads > 0 ? options.threads : threads_;
    std::shared_ptr<const Prepared> prepared = prepare(bound, inputs, threads, options.times);
    bool measure = false;
    if (prepared->guard) prepared = watch(bound, inputs, std::move(prepared), threads, &measure);
    const auto start = measure ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();

    auto frame = frames_.take();
    frame->bases.resize(numbering_.count);
    set_bases(*frame, inputs, *prepared, *bound);
    for (size_t i = 0; i < outputs.size(); ++i) {
      frame->bases[numbering_.output + i] = static_cast<std::byte*>(outputs[i]);
    }
    run_section({plan(), bound->main, numbering_, parts_.foreign.get(), threads, /*prepare=*/false, options.times},
                *frame);
    frames_.put(std::move(frame));
    arena_bytes_.store(bound->main.memory_bytes(threads), std::memory_order_relaxed);
    if (measure) {
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      budget_.record(time.count());
    }
  }

  // The prepared buffers for these inputs; made if there are none.
  std::shared_ptr<const Prepared> prepare(const BoundPtr& bound, std::span<const TensorView> inputs, int threads,
                                          std::vector<StepTime>* times) {
    if (auto current = current_prepared(); current && fits(*current, bound, inputs)) return current;
    std::lock_guard lock(prepare_mutex_);
    auto current = current_prepared();
    if (current && fits(*current, bound, inputs)) return current;
    current.reset();
    auto fresh = make_prepared(bound, inputs, threads, times);
    std::lock_guard state_lock(prepared_mutex_);
    prepared_ = fresh;
    return fresh;
  }

  void refresh() {
    std::lock_guard lock(prepared_mutex_);
    prepared_.reset();
  }

  Memory memory() const {
    std::lock_guard lock(prepared_mutex_);
    return {arena_bytes_.load(std::memory_order_relaxed), prepared_ ? prepared_->bytes : 0};
  }

  int default_threads() const { return threads_; }

 private:
  void check_count(std::span<const TensorView> inputs) const {
    if (inputs.size() == plan().inputs.size()) return;
    throw UserError("the program takes " + std::to_string(plan().inputs.size()) + " inputs, got " +
                    std::to_string(inputs.size()));
  }

  std::shared_ptr<const Prepared> current_prepared() const {
    std::lock_guard lock(prepared_mutex_);
    return prepared_;
  }

  bool fits(const Prepared& p, const BoundPtr& bound, std::span<const TensorView> inputs) const {
    if (prepare_uses_symbols_ && p.bound != bound) return false;
    for (size_t i = 0; i < frozen_.size(); ++i) {
      const TensorView& input = inputs[frozen_[i]];
      if (p.sources[i].data != input.data || p.sources[i].version != input.version) return false;
    }
    return true;
  }

  void set_bases(CallFrame& frame, std::span<const TensorView> inputs, const Prepared& prepared,
                 const BoundPlan& bound) const {
    for (size_t i = 0; i < inputs.size(); ++i) frame.bases[i] = static_cast<std::byte*>(inputs[i].data);
    for (size_t i = 0; i < parts_.constants.size(); ++i) {
      // Kernels only read constants; the argument list has one type of pointer.
      frame.bases[numbering_.constant + i] =
          static_cast<std::byte*>(const_cast<void*>(parts_.constants[i].data));  // NOLINT
    }
    for (size_t i = 0; i < bound.prepared_offsets.size(); ++i) {
      frame.bases[numbering_.prepared + i] = prepared.memory.data() + bound.prepared_offsets[i];
    }
  }

  std::shared_ptr<const Prepared> make_prepared(const BoundPtr& bound, std::span<const TensorView> inputs, int threads,
                                                std::vector<StepTime>* times) {
    auto fresh = std::make_shared<Prepared>();
    fresh->bound = bound;
    fresh->bytes = bound->prepared_bytes;
    if (fresh->bytes > 0) fresh->memory = Block(static_cast<size_t>(fresh->bytes));
    for (size_t i : frozen_) {
      check_input(i, inputs[i], bound->inputs[i]);
      fresh->sources.push_back({inputs[i].data, inputs[i].version});
    }
    if (!plan().prepare.empty()) {
      CallFrame frame;
      frame.bases.resize(numbering_.count);
      set_bases(frame, inputs, *fresh, *bound);
      run_section({plan(), bound->prepare, numbering_, parts_.foreign.get(), threads, /*prepare=*/true, times}, frame);
      if (parts_.watch_frozen) fresh->guard = make_guard(*bound, inputs, threads);
    }
    return fresh;
  }

  // Watches the inputs that prepare reads: a write into another is seen by the next call as it is.
  std::unique_ptr<FrozenGuard> make_guard(const BoundPlan& bound, std::span<const TensorView> inputs,
                                          int threads) const {
    std::vector<bool> read(inputs.size(), false);
    const auto mark = [&](const Slot& slot) {
      if (slot.kind == Slot::Kind::input) read[slot.index] = true;
    };
    for (const Step& step : plan().prepare) {
      if (const auto* k = std::get_if<KernelStep>(&step.what)) {
        std::for_each(k->args.begin(), k->args.end(), mark);
      } else if (const auto* c = std::get_if<CopyStep>(&step.what)) {
        mark(c->from);
      } else {
        const auto& args = std::get<ForeignStep>(step.what).args;
        std::for_each(args.begin(), args.end(), mark);
      }
    }
    std::vector<FrozenGuard::Region> regions;
    for (size_t i : frozen_) {
      if (read[i]) regions.push_back({i, inputs[i].data, bound.inputs[i].bytes});
    }
    if (regions.empty()) return nullptr;
    return std::make_unique<FrozenGuard>(std::move(regions), threads);
  }

  // Checks a part of the frozen inputs; prepares again if one was changed.
  std::shared_ptr<const Prepared> watch(const BoundPtr& bound, std::span<const TensorView> inputs,
                                        std::shared_ptr<const Prepared> prepared, int threads, bool* measure) {
    const int64_t slices = budget_.next(prepared->guard->slice_nanoseconds(), measure);
    const auto changed = prepared->guard->check_next(slices);
    if (!changed) return prepared;
    {
      std::lock_guard lock(prepared_mutex_);
      if (prepared_ == prepared) prepared_.reset();
    }
    if (parts_.on_frozen_change) parts_.on_frozen_change(*changed);
    return prepare(bound, inputs, threads, /*times=*/nullptr);
  }

  const ExecutableParts parts_;
  const BaseNumbering numbering_;
  const std::vector<SymbolSource> symbols_;
  const bool prepare_uses_symbols_;
  const int threads_;
  std::vector<size_t> frozen_;

  BoundPtr fixed_;  // of a plan without symbols
  std::mutex bindings_mutex_;
  std::map<std::vector<int64_t>, BoundPtr> bindings_;

  std::mutex prepare_mutex_;  // held while preparing
  mutable std::mutex prepared_mutex_;
  std::shared_ptr<const Prepared> prepared_;

  FrameList frames_;
  GuardBudget budget_;
  std::atomic<int64_t> arena_bytes_{0};
};

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::~Executable() = default;

std::shared_ptr<Executable> Executable::create(ExecutableParts parts) {
  check_parts(parts);
  return std::shared_ptr<Executable>(new Executable(std::make_unique<Impl>(std::move(parts))));
}

const Plan& Executable::plan() const { return impl_->plan(); }

std::vector<OwnedTensor> Executable::run(std::span<const TensorView> inputs, const CallOptions& options) {
  const auto bound = impl_->bind(inputs);
  std::vector<OwnedTensor> outputs;
  std::vector<void*> pointers;
  outputs.reserve(bound->outputs->size());
  for (const OutputLayout& layout : *bound->outputs) {
    OwnedTensor t{nullptr, layout.dtype, layout.shape, layout.strides, nullptr};
    t.owner = shared_block(static_cast<size_t>(layout.bytes));
    t.data = t.owner.get();
    pointers.push_back(t.data);
    outputs.push_back(std::move(t));
  }
  impl_->run(bound, inputs, pointers, options);
  return outputs;
}

void Executable::run_into(std::span<const TensorView> inputs, std::span<void* const> outputs,
                          const CallOptions& options) {
  const auto bound = impl_->bind(inputs);
  impl_->run(bound, inputs, outputs, options);
}

std::shared_ptr<const std::vector<OutputLayout>> Executable::output_layouts(std::span<const TensorView> inputs) {
  return impl_->bind(inputs)->outputs;
}

void Executable::prepare(std::span<const TensorView> inputs, const CallOptions& options) {
  const auto bound = impl_->bind(inputs);
  impl_->prepare(bound, inputs, options.threads > 0 ? options.threads : impl_->default_threads(), options.times);
}

void Executable::refresh() { impl_->refresh(); }

Executable::Memory Executable::memory() const { return impl_->memory(); }

}  // namespace litz::runtime
