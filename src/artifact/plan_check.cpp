// What a plan must satisfy; runs on every plan that is read.
#include <set>

#include "artifact/plan.h"

namespace litz {

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 48;
constexpr size_t kMaxRank = 64;

class Checker {
 public:
  explicit Checker(const Plan& plan) : plan_(plan) {}

  // Throws a UserError that says what is wrong.
  void run() {
    require(plan_.frozen_inputs.size() == plan_.inputs.size(), "frozen_inputs and inputs differ in length");
    require(plan_.constants.size() == plan_.constant_bytes.size(), "constants and constant_bytes differ in length");
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      bind_symbols(plan_.inputs[i]);
    }
    for (size_t i = 0; i < plan_.inputs.size(); ++i) check_spec(plan_.inputs[i], "inputs[" + std::to_string(i) + "]");
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      check_spec(plan_.outputs[i], "outputs[" + std::to_string(i) + "]");
    }
    for (int64_t bytes : plan_.constant_bytes) check_size(bytes, "constant_bytes");
    for (const Expr& bytes : plan_.prepared_bytes) check_size(bytes, "prepared_bytes");
    check_size(plan_.arena_bytes, "arena_bytes");
    check_size(plan_.prepare_arena_bytes, "prepare_arena_bytes");
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      check_launch(plan_.kernels[i].launch, "kernels[" + std::to_string(i) + "]");
    }
    check_steps(plan_.prepare, /*prepare=*/true);
    check_steps(plan_.main, /*prepare=*/false);
  }

 private:
  static void require(bool condition, const std::string& message) {
    if (!condition) throw UserError("bad plan: " + message);
  }

  void bind_symbols(const TensorSpec& spec) {
    for (const auto* list : {&spec.shape, &spec.strides}) {
      for (const Expr& e : *list) {
        if (auto name = e.symbol_name()) symbols_.insert(*name);
      }
    }
  }

  void check_symbols(const Expr& e, const std::string& where) {
    if (e.is_constant()) return;
    for (const std::string& s : e.symbols()) require(symbols_.contains(s), where + ": no input binds symbol " + s);
  }

  void check_size(const Expr& e, const std::string& where) {
    check_symbols(e, where);
    if (e.is_constant()) {
      require(e.constant() >= 0, where + " is negative");
      require(e.constant() <= kMaxBytes, where + " is too large");
    }
  }

  void check_spec(const TensorSpec& spec, const std::string& where) {
    require(spec.shape.size() == spec.strides.size(), where + ": shape and strides differ in length");
    require(spec.shape.size() <= kMaxRank, where + " has too many dimensions");
    require(spec.dtype != DType::token, where + " is a token");
    bool constant = true;
    for (const auto* list : {&spec.shape, &spec.strides}) {
      for (const Expr& e : *list) {
        check_size(e, where);
        constant = constant && e.is_constant();
      }
    }
    if (constant) {
      auto bytes = extent_bytes(spec);
      require(bytes && *bytes <= kMaxBytes, where + " is too large");
    }
  }

  void check_launch(const LaunchSpec& launch, const std::string& where) {
    require(!launch.phases.empty(), where + " has no phase");
    for (const Phase& p : launch.phases) {
      check_size(p.tasks, where + ".tasks");
      require(p.grain >= 1, where + ".grain is not positive");
    }
    check_size(launch.thread_scratch_bytes, where + ".thread_scratch_bytes");
    check_size(launch.shared_scratch_bytes, where + ".shared_scratch_bytes");
  }

  // Size of what the slot points into; nothing if it is not a constant.
  std::optional<int64_t> buffer_size(const Slot& slot, bool prepare) {
    const Expr* size = nullptr;
    switch (slot.kind) {
      case Slot::Kind::input:
        return extent_bytes(plan_.inputs[slot.index]);
      case Slot::Kind::output:
        return extent_bytes(plan_.outputs[slot.index]);
      case Slot::Kind::constant:
        return plan_.constant_bytes[slot.index];
      case Slot::Kind::prepared:
        size = &plan_.prepared_bytes[slot.index];
        break;
      case Slot::Kind::arena:
        size = prepare ? &plan_.prepare_arena_bytes : &plan_.arena_bytes;
        break;
      case Slot::Kind::foreign:
        return std::nullopt;
    }
    if (!size->is_constant()) return std::nullopt;
    return size->constant();
  }

  void check_slot_index(const Slot& slot, bool prepare, const std::string& where) {
    switch (slot.kind) {
      case Slot::Kind::input:
        require(slot.index < plan_.inputs.size(), where + ": no such input");
        require(!prepare || plan_.frozen_inputs[slot.index], where + ": prepare reads an input that is not frozen");
        break;
      case Slot::Kind::output:
        require(!prepare, where + ": prepare writes an output");
        require(slot.index < plan_.outputs.size(), where + ": no such output");
        break;
      case Slot::Kind::constant:
        require(slot.index < plan_.constants.size(), where + ": no such constant");
        break;
      case Slot::Kind::prepared:
        require(slot.index < plan_.prepared_bytes.size(), where + ": no such prepared buffer");
        break;
      case Slot::Kind::arena:
        require(slot.index == 0, where + ": there is one arena");
        break;
      case Slot::Kind::foreign:
        require(made_.contains(slot.index), where + ": a foreign result that no earlier step makes");
        break;
    }
  }

  void check_slot(const Slot& slot, bool prepare, const std::string& where) {
    check_slot_index(slot, prepare, where);
    check_size(slot.offset, where + ".offset");
    check_size(slot.bytes, where + ".bytes");
    if (!slot.offset.is_constant() || !slot.bytes.is_constant()) return;
    // The extent of inputs and outputs is the kernel's affair: padding and expanded strides make `bytes` differ from
    // it.
    if (slot.kind == Slot::Kind::input || slot.kind == Slot::Kind::output) return;
    if (auto size = buffer_size(slot, prepare)) {
      require(slot.offset.constant() + slot.bytes.constant() <= *size, where + " reaches beyond its buffer");
    }
  }

  void check_copy(const CopyStep& step, bool prepare, const std::string& where) {
    check_slot(step.from, prepare, where + ".from");
    check_slot(step.to, prepare, where + ".to");
    require(step.to.kind != Slot::Kind::constant && step.to.kind != Slot::Kind::foreign, where + " writes a constant");
    for (const Slot* slot : {&step.from, &step.to}) {
      auto size = buffer_size(*slot, prepare);
      if (!size || !slot->offset.is_constant() || !step.from.bytes.is_constant()) continue;
      require(slot->offset.constant() + step.from.bytes.constant() <= *size, where + " reaches beyond its buffer");
    }
  }

  void check_foreign(const ForeignStep& step, bool prepare, const std::string& where) {
    require(step.args.size() == step.arg_specs.size(), where + ": args and arg_specs differ in length");
    for (size_t i = 0; i < step.args.size(); ++i) {
      check_slot(step.args[i], prepare, where + ".args[" + std::to_string(i) + "]");
      check_spec(step.arg_specs[i], where + ".arg_specs[" + std::to_string(i) + "]");
    }
    for (const TensorSpec& spec : step.result_specs) check_spec(spec, where + ".result_specs");
    const uint64_t end = uint64_t{step.first_result} + step.result_specs.size();
    require(end <= (prepare ? plan_.prepare_foreign_results : plan_.foreign_results), where + ": result out of range");
    for (uint64_t i = step.first_result; i < end; ++i) {
      require(made_.insert(static_cast<uint32_t>(i)).second, where + ": a foreign result is made twice");
    }
  }

  void check_steps(const std::vector<Step>& steps, bool prepare) {
    made_.clear();
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::string where = (prepare ? "prepare[" : "main[") + std::to_string(i) + "]";
      if (const auto* kernel = std::get_if<KernelStep>(&steps[i].what)) {
        require(kernel->kernel < plan_.kernels.size(), where + ": no such kernel");
        for (size_t a = 0; a < kernel->args.size(); ++a) {
          check_slot(kernel->args[a], prepare, where + ".args[" + std::to_string(a) + "]");
        }
      } else if (const auto* copy = std::get_if<CopyStep>(&steps[i].what)) {
        check_copy(*copy, prepare, where);
      } else {
        check_foreign(std::get<ForeignStep>(steps[i].what), prepare, where);
      }
    }
  }

  const Plan& plan_;
  std::set<std::string> symbols_;
  std::set<uint32_t> made_;
};

}  // namespace

std::optional<std::string> plan_error(const Plan& plan) {
  try {
    Checker(plan).run();
    return std::nullopt;
  } catch (const UserError& e) {
    return e.what();
  }
}

std::optional<int64_t> extent_bytes(const TensorSpec& spec) {
  int64_t last = 0;
  bool empty = false;
  for (size_t i = 0; i < spec.shape.size(); ++i) {
    if (!spec.shape[i].is_constant() || !spec.strides[i].is_constant()) return std::nullopt;
    const int64_t size = spec.shape[i].constant();
    int64_t reach = 0;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(size - 1, spec.strides[i].constant(), &reach) ||
               __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  int64_t bytes = 0;
  if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, dtype_size(spec.dtype), &bytes)) {
    return std::nullopt;
  }
  return empty ? 0 : bytes;
}

}  // namespace litz
