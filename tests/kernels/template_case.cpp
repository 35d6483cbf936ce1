#include "tests/kernels/template_case.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "codegen/cpp/generate.h"
#include "kernel_cache/compiler.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "support/half.h"

namespace litz::tests {

using ir::ScalarOp;
using kernel_ir::BufferRole;
using kernel_ir::Compute;
using kernel_ir::Constant;
using kernel_ir::Load;
using kernel_ir::Ref;
using kernel_ir::Store;

Guarded::Guarded(DType dtype, int64_t elements, bool start) : dtype_(dtype), elements_(elements) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t used = static_cast<size_t>(elements * dtype_size(dtype));
  const size_t middle = (used + page - 1) / page * page;
  bytes_ = middle + 2 * page;
  pages_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::runtime_error("no memory");
  auto* first = static_cast<char*>(pages_) + page;
  if (middle > 0) mprotect(first, middle, PROT_READ | PROT_WRITE);
  data_ = start ? first : first + middle - used;
}

Guarded::~Guarded() { munmap(pages_, bytes_); }

double Guarded::get(int64_t i) const {
  switch (dtype_) {
    case DType::f32:
      return static_cast<const float*>(data_)[i];
    case DType::bf16:
      return bf16_to_f32(static_cast<const uint16_t*>(data_)[i]);
    case DType::f16:
      return f16_to_f32(static_cast<const uint16_t*>(data_)[i]);
    default:
      return static_cast<const uint8_t*>(data_)[i];
  }
}

void Guarded::set(int64_t i, double value) {
  const auto single = static_cast<float>(value);
  switch (dtype_) {
    case DType::f32:
      static_cast<float*>(data_)[i] = single;
      break;
    case DType::bf16:
      static_cast<uint16_t*>(data_)[i] = f32_to_bf16(single);
      break;
    case DType::f16:
      static_cast<uint16_t*>(data_)[i] = f32_to_f16(single);
      break;
    default:
      static_cast<uint8_t*>(data_)[i] = value != 0;
      break;
  }
}

void Guarded::randomize(int seed) {
  uint64_t state = static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15u + 12345;
  for (int64_t i = 0; i < elements_; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double unit = static_cast<double>(state >> 40) / (1 << 24);
    set(i, dtype_ == DType::boolean ? (unit < 0.7) : 2 * unit - 1);
  }
}

void Guarded::fill(double value) {
  for (int64_t i = 0; i < elements_; ++i) set(i, value);
}

const char* name_of(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::store:
      return "store";
    case EpilogueKind::bias_relu:
      return "bias_relu";
    case EpilogueKind::bias_residual_relu:
      return "bias_residual_relu";
    case EpilogueKind::gelu:
      return "gelu";
    case EpilogueKind::store_bf16:
      return "store_bf16";
  }
  return "";
}

uint32_t TemplateCase::add(const std::string& name, DType dtype, const std::vector<int64_t>& shape, BufferRole role) {
  kernel_ir::Buffer buffer{.name = name, .dtype = dtype, .role = role};
  int64_t elements = 1;
  for (const int64_t size : shape) {
    buffer.shape.emplace_back(size);
    elements *= size;
  }
  buffer.strides = ir::contiguous_strides(buffer.shape);
  kernel.buffers.push_back(buffer);
  const auto index = static_cast<uint32_t>(data_.size());
  data_.push_back(std::make_unique<Guarded>(dtype, elements, /*start=*/index % 2 == 1));
  data_.back()->randomize(static_cast<int>(index) + 1);
  return index;
}

void TemplateCase::finish(kernel_ir::Template what, EpilogueKind kind, const std::vector<int64_t>& result_shape,
                          const std::vector<Expr>& place, int64_t channels, const Expr& channel) {
  kind_ = kind;
  kernel.name = "case";
  what.accumulator = 0;
  Ref next = 1, last = 0;
  auto& statements = what.epilogue.statements;
  const auto compute = [&](ScalarOp op, std::vector<Ref> args, DType dtype = DType::f32) {
    statements.push_back(Compute{.result = next, .dtype = dtype, .op = op, .args = std::move(args)});
    return next++;
  };
  const auto number = [&](double value) {
    statements.push_back(
        Constant{.result = next, .dtype = DType::f32, .value = static_cast<double>(static_cast<float>(value))});
    return next++;
  };
  const auto load = [&](uint32_t buffer, const std::vector<Expr>& index) {
    statements.push_back(Load{.result = next, .dtype = DType::f32, .buffer = buffer, .index = index});
    return next++;
  };
  const bool biased = kind == EpilogueKind::bias_relu || kind == EpilogueKind::bias_residual_relu;
  if (biased) {
    bias_ = add("bias", DType::f32, {channels});
    last = compute(ScalarOp::add, {last, load(bias_, {channel})});
  }
  if (kind == EpilogueKind::bias_residual_relu) {
    residual_ = add("residual", DType::f32, result_shape);
    last = compute(ScalarOp::add, {last, load(residual_, place)});
  }
  if (biased) last = compute(ScalarOp::max, {last, number(0)});
  if (kind == EpilogueKind::gelu) {
    const Ref inner = compute(ScalarOp::erf, {compute(ScalarOp::mul, {last, number(0.70710678118654757)})});
    const Ref half = compute(ScalarOp::mul, {last, number(0.5)});
    last = compute(ScalarOp::mul, {half, compute(ScalarOp::add, {inner, number(1)})});
  }
  const DType dtype = kind == EpilogueKind::store_bf16 ? DType::bf16 : DType::f32;
  if (dtype != DType::f32) last = compute(ScalarOp::cast, {last}, dtype);
  result_ = add("result", dtype, result_shape, BufferRole::out);
  data_[result_]->fill(NAN);
  statements.push_back(Store{.buffer = result_, .index = place, .value = last});
  kernel.templ = std::move(what);
  kernel.next_ref = next;
}

void TemplateCase::run(const Target& target) {
  kernel_ir::verify(kernel);
  const codegen::Generated generated = codegen::cpp::generate(kernel, target, Options{});
  auto binary = kernel_cache::compile(generated.source, target);
  if (!binary) throw std::runtime_error(binary.error() + "\n" + generated.source.text);
  auto code = runtime::LoadedKernel::load(*binary, "case");
  if (!code) throw std::runtime_error(code.error());
  KernelFault fault;
  std::vector<void*> buffers;
  for (const auto& data : data_) buffers.push_back(data->data());
  // Scratch holds what is left over from other kernels.
  const runtime::Block scratch(static_cast<size_t>(generated.launch.thread_scratch_bytes + 64));
  const runtime::Block shared(static_cast<size_t>(generated.launch.shared_scratch_bytes + 64));
  std::memset(scratch.data(), 0xff, scratch.size());
  std::memset(shared.data(), 0xff, shared.size());
  buffers.push_back(generated.launch.shared_scratch_bytes > 0 ? shared.data() : nullptr);
  buffers.push_back(&fault);
  // Tasks two at a time, the last first: nothing may depend on their order.
  for (size_t phase = 0; phase < generated.launch.phases.size(); ++phase) {
    for (int64_t end = generated.launch.phases[phase].tasks.constant(); end > 0; end -= 2) {
      (*code)->entry()(buffers.data(), static_cast<int64_t>(phase), std::max<int64_t>(end - 2, 0), end, scratch.data());
    }
  }
  EXPECT_EQ(fault.check, 0);
}

double TemplateCase::expected(double x, int64_t place, int64_t channel) const {
  switch (kind_) {
    case EpilogueKind::bias_relu:
      return std::max(0.0, x + data_[bias_]->get(channel));
    case EpilogueKind::bias_residual_relu:
      return std::max(0.0, x + data_[bias_]->get(channel) + data_[residual_]->get(place));
    case EpilogueKind::gelu:
      return 0.5 * x * (1 + std::erf(x * 0.70710678118654757));
    default:
      return x;
  }
}

std::vector<Target> targets() {
  const Target host = host_target();
  std::vector<Target> all;
  const auto add = [&](Isa isa, const char* cpu) {
    if (isa <= host.isa) all.push_back({.isa = isa, .cpu = cpu, .threads = 2});
  };
  add(Isa::avx512, "x86-64-v4");
  add(Isa::avx2, "x86-64-v3");
  add(Isa::scalar, "");
  if (host.has_bf16_dot) {
    Target dots = all.front();
    dots.features = {"+avx512bf16"};
    dots.has_bf16_dot = dots.prefers_bf16_dot = true;
    all.insert(all.begin(), dots);
  }
  if (host.has_amx) {
    Target amx{.isa = Isa::avx512, .cpu = "x86-64-v4", .threads = 2};
    amx.has_amx = true;
    all.insert(all.begin(), amx);
  }
  return all;
}

std::string name_of(const Target& target) {
  switch (target.isa) {
    case Isa::avx512:
      return target.has_amx ? "avx512_amx" : target.has_bf16_dot ? "avx512_bf16" : "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::scalar:
      break;
  }
  return "scalar";
}

}  // namespace litz::tests
