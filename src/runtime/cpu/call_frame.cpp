#include "runtime/cpu/call_frame.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "support/check.h"

namespace litz::runtime {

namespace {

constexpr size_t kKeptFrames = 16;
constexpr size_t kKeptBytes = 1 << 20;  // larger memory goes back to the block pool after each call

std::byte* at(const CallFrame& frame, ArgRecipe place) {
  // Adding 0 to the null address of an empty tensor is allowed, and such a tensor has no other offset.
  return frame.bases[place.base] + place.offset;
}

[[noreturn]] void throw_fault(const KernelEntry& entry, const KernelFault& fault) {
  const auto check = static_cast<size_t>(fault.check - 1);
  const std::string where = check < entry.checks.size() ? entry.checks[check] : entry.name;
  throw IndexError(where + ": index " + std::to_string(fault.index) + " is out of bounds for a dimension of size " +
                   std::to_string(fault.size));
}

struct KernelContext {
  CpuKernel function;
  void* const* args;
  std::byte* scratch;
  int64_t scratch_bytes;
};

void run_kernel(const SectionCall& call, const BoundKernel& k, CallFrame& frame) {
  const BoundSection& s = call.section;
  void** args = frame.args.data();
  const ArgRecipe* recipes = s.args.data() + k.first_arg;
  for (uint32_t i = 0; i < k.arg_count; ++i) args[i] = at(frame, recipes[i]);
  std::byte* memory = frame.memory.data();
  args[k.arg_count] = k.shared_scratch ? memory + s.shared_scratch_offset : nullptr;
  args[k.arg_count + 1] = &frame.fault;
  std::byte* scratch = s.thread_scratch_bytes > 0 ? memory + s.thread_scratch_offset : nullptr;
  if (call.threads <= 1 || !k.parallel) {
    for (size_t p = 0; p < k.phases.size(); ++p) {
      if (k.phases[p].tasks > 0) k.function(args, static_cast<int64_t>(p), 0, k.phases[p].tasks, scratch);
    }
  } else {
    KernelContext context{k.function, args, scratch, s.thread_scratch_bytes};
    const auto run = [](void* c, int64_t phase, int64_t begin, int64_t end, int worker) {
      const auto& kernel = *static_cast<const KernelContext*>(c);
      kernel.function(kernel.args, phase, begin, end, kernel.scratch + kernel.scratch_bytes * worker);
    };
    ThreadPool::shared().run({run, &context, k.phases}, call.threads);
  }
  if (k.may_fault && frame.fault.check != 0) throw_fault(call.plan.kernels[k.entry], frame.fault);
}

bool same_layout(const OwnedTensor& t, const OutputLayout& wanted) {
  if (t.dtype != wanted.dtype || t.shape != wanted.shape || t.strides.size() != wanted.strides.size()) return false;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] > 1 && wanted.bytes > 0 && t.strides[i] != wanted.strides[i]) return false;
  }
  return t.data != nullptr || wanted.bytes == 0;
}

void run_foreign(const SectionCall& call, const BoundForeign& f, CallFrame& frame) {
  LITZ_CHECK(call.foreign != nullptr, "nothing runs the foreign step " + f.step->id);
  std::vector<TensorView> args;
  args.reserve(f.args.size());
  for (const BoundTensor& a : f.args) {
    args.push_back({at(frame, a.place), a.layout.dtype, a.layout.shape, a.layout.strides});
  }
  std::vector<OwnedTensor> results;
  call.foreign->run(*f.step, args, results);
  LITZ_CHECK(results.size() == f.results.size(), "foreign step " + f.step->id + " gave another number of results");
  for (size_t i = 0; i < results.size(); ++i) {
    LITZ_CHECK(same_layout(results[i], f.results[i]), "result " + std::to_string(i) + " of foreign step " + f.step->id +
                                                          " has another dtype, shape or strides");
    frame.bases[call.numbering.foreign + f.step->first_result + i] = static_cast<std::byte*>(results[i].data);
    frame.foreign.push_back(std::move(results[i]));
  }
}

void run_copy(const BoundCopy& copy, const CallFrame& frame) {
  if (copy.bytes > 0) std::memmove(at(frame, copy.to), at(frame, copy.from), static_cast<size_t>(copy.bytes));
}

void run_step(const SectionCall& call, const BoundStep& step, CallFrame& frame) {
  switch (step.kind) {
    case BoundStep::Kind::kernel:
      run_kernel(call, call.section.kernels[step.index], frame);
      break;
    case BoundStep::Kind::foreign:
      run_foreign(call, call.section.foreign[step.index], frame);
      break;
    case BoundStep::Kind::copy:
      run_copy(call.section.copies[step.index], frame);
      break;
  }
}

// Makes the frame fit; memory is kept if it is large enough.
void fit(const SectionCall& call, CallFrame& frame) {
  const auto bytes = static_cast<size_t>(call.section.memory_bytes(call.threads));
  if (bytes > frame.memory_bytes) {
    frame.memory = Block();
    frame.memory = Block(bytes);
    frame.memory_bytes = bytes;
  }
  frame.bases.resize(call.numbering.count);
  frame.bases[call.numbering.arena] = frame.memory.data();
  if (frame.args.size() < call.section.max_args + 2) frame.args.resize(call.section.max_args + 2);
  frame.fault = {};
}

struct ReleaseForeign {
  CallFrame& frame;
  ~ReleaseForeign() { frame.foreign.clear(); }
};

}  // namespace

void run_section(const SectionCall& call, CallFrame& frame) {
  fit(call, frame);
  const ReleaseForeign release{frame};
  if (call.times == nullptr) {
    for (const BoundStep& step : call.section.steps) run_step(call, step, frame);
    return;
  }
  for (size_t i = 0; i < call.section.steps.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    run_step(call, call.section.steps[i], frame);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    call.times->push_back({call.prepare, i, time.count()});
  }
}

std::unique_ptr<CallFrame> FrameList::take() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || free_.empty()) return std::make_unique<CallFrame>();
  auto frame = std::move(free_.back());
  free_.pop_back();
  return frame;
}

void FrameList::put(std::unique_ptr<CallFrame> frame) {
  if (frame->memory_bytes > kKeptBytes) {
    frame->memory = Block();
    frame->memory_bytes = 0;
  }
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && free_.size() < kKeptFrames) free_.push_back(std::move(frame));
}

}  // namespace litz::runtime
