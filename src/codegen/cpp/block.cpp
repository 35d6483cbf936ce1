#include "codegen/cpp/block.h"

#include <cmath>
#include <cstdio>

#include "codegen/cpp/access.h"
#include "codegen/cpp/compute.h"
#include "codegen/cpp/magnitude.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"
#include "support/half.h"

namespace litz::codegen::cpp {

using kernel_ir::Block;
using kernel_ir::Buffer;
using kernel_ir::BufferRole;
using kernel_ir::kNoRef;
using kernel_ir::Loop;
using kernel_ir::Ref;

namespace {

int64_t elements(const Buffer& buffer) {
  // One past the last element that a stride reaches.
  int64_t last = 0;
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    last += (buffer.shape[i].constant() - 1) * buffer.strides[i].constant();
  }
  return last + 1;
}

// Local buffers start on cache lines.
int64_t local_buffer_bytes(const Buffer& buffer, int copies) {
  return (elements(buffer) * copies * dtype_size(buffer.dtype) + 63) / 64 * 64;
}

std::string float_literal(double value, bool single) {
  const char* suffix = single ? "f" : "";
  if (std::isnan(value)) return std::string("__builtin_nan") + suffix + "(\"\")";
  if (std::isinf(value)) return std::string(value < 0 ? "-" : "") + "__builtin_inf" + suffix + "()";
  char text[64];
  std::snprintf(text, sizeof text, "%a%s", value, suffix);
  return text;
}

uint16_t half_bits(DType dtype, double value) {
  const auto single = static_cast<float>(value);
  return dtype == DType::bf16 ? f32_to_bf16(single) : f32_to_f16(single);
}

bool is_pure(const kernel_ir::Kernel& kernel, const kernel_ir::Statement& statement) {
  if (const auto* load = std::get_if<kernel_ir::Load>(&statement)) {
    return kernel.buffers[load->buffer].role == BufferRole::in;
  }
  return !std::holds_alternative<kernel_ir::Store>(statement) && !std::holds_alternative<Loop>(statement);
}

Ref result_of(const kernel_ir::Statement& statement) {
  return std::visit(
      [](const auto& s) -> Ref {
        if constexpr (requires { s.result; }) {
          return s.result;
        } else {
          return kNoRef;
        }
      },
      statement);
}

}  // namespace

std::string literal(DType dtype, const ir::ScalarValue& value) {
  const bool is_int = std::holds_alternative<int64_t>(value);
  if (dtype == DType::f32 || dtype == DType::f64 || is_half(dtype)) {
    const double number = is_int ? static_cast<double>(std::get<int64_t>(value)) : std::get<double>(value);
    if (is_half(dtype)) return std::to_string(half_bits(dtype, number));
    return float_literal(dtype == DType::f32 ? static_cast<double>(static_cast<float>(number)) : number,
                         dtype == DType::f32);
  }
  const int64_t number = is_int ? std::get<int64_t>(value) : static_cast<int64_t>(std::get<double>(value));
  if (dtype == DType::boolean) return number ? "true" : "false";
  if (dtype == DType::i64) return number == INT64_MIN ? "(-9223372036854775807L - 1)" : std::to_string(number) + "L";
  if (dtype == DType::i32) return number == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(number);
  return std::to_string(number);
}

BlockEmitter::BlockEmitter(const kernel_ir::Kernel& kernel, int lanes, Writer* out)
    : kernel_(kernel), lanes_(lanes), out_(out) {}

void BlockEmitter::declare_buffers() {
  int64_t offset = 0;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const Buffer& buffer = kernel_.buffers[i];
    const std::string type = std::string(storage_type(buffer.dtype)) + "m";
    const std::string name = "b" + std::to_string(i);
    out_->comment(name + ": " + buffer.name + (buffer.source.empty() ? "" : ", " + buffer.source));
    if (buffer.role == BufferRole::local) {
      out_->line(type + "* const " + name + " = (" + type + "*)((i8*)scratch + " + std::to_string(offset) + ");");
      offset += local_buffer_bytes(buffer, local_copies_);
      continue;
    }
    const std::string pointer = (buffer.role == BufferRole::in ? "const " : "") + type + "*";
    out_->line(pointer + " const " + name + " = (" + pointer + ")args[" + std::to_string(i) + "];");
  }
}

int64_t BlockEmitter::local_bytes() const {
  int64_t bytes = 0;
  for (const Buffer& buffer : kernel_.buffers) {
    if (buffer.role == BufferRole::local) bytes += local_buffer_bytes(buffer, local_copies_);
  }
  return bytes;
}

void BlockEmitter::bind_range(const std::string& name, RangeBinding binding) {
  state_.ranges.insert_or_assign(name, std::move(binding));
}

const Value& BlockEmitter::value(Ref ref) const {
  const auto it = state_.values.find(ref);
  LITZ_CHECK(it != state_.values.end(), "%" + std::to_string(ref) + " is not bound");
  return it->second;
}

std::string BlockEmitter::fresh(std::string_view prefix, std::string_view hint) {
  std::string name = std::string(prefix) + std::to_string(next_name_++);
  if (out_->readable() && !hint.empty()) name += "_" + identifier(hint);
  return name;
}

Value BlockEmitter::define(DType dtype, bool vector, const std::string& text, std::string_view hint) {
  const std::string name = fresh("v", hint);
  out_->line("const " + register_type(dtype, vector) + " " + name + " = " + text + ";");
  return {name, dtype, vector};
}

std::string BlockEmitter::broadcast(const Value& value) const {
  if (value.vector) return value.text;
  return "splat_" + std::string(helper_tag(value.dtype, /*in_registers=*/true)) + "v(" + value.text + ")";
}

std::string BlockEmitter::scalar_expr(const Expr& e) const {
  const Value value = AccessPrinter(*this).index_value(e);
  LITZ_CHECK(!value.vector, e.to_string() + " differs from lane to lane");
  return value.text;
}

bool BlockEmitter::ready(const Expr& e) const {
  for (const std::string& symbol : e.symbols()) {
    const auto ref = kernel_ir::symbol_ref(symbol);
    if (ref ? !ready(*ref) : !state_.ranges.contains(symbol)) return false;
  }
  return true;
}

bool BlockEmitter::hoistable(const kernel_ir::Statement& statement) const {
  if (!is_pure(kernel_, statement) || state_.values.contains(result_of(statement))) return false;
  if (const auto* s = std::get_if<kernel_ir::Index>(&statement)) return ready(s->value);
  if (const auto* s = std::get_if<kernel_ir::Check>(&statement)) return ready(s->value);
  if (const auto* s = std::get_if<kernel_ir::Compute>(&statement)) {
    for (const Ref arg : s->args) {
      if (!ready(arg)) return false;
    }
  }
  if (const auto* s = std::get_if<kernel_ir::Load>(&statement)) {
    for (const Expr& e : s->index) {
      if (!ready(e)) return false;
    }
    return ready(s->mask);
  }
  return true;
}

void BlockEmitter::hoist(const Block& block) {
  for (const kernel_ir::Statement& statement : block.statements) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      // A load in a loop that never runs may not be a valid one.
      bool runs = true;
      for (const kernel_ir::Range& range : loop->ranges) runs = runs && !(range.extent == Expr(0));
      if (runs) hoist(loop->body);
    } else if (hoistable(statement)) {
      emit(statement);
    }
  }
}

void BlockEmitter::emit(const Block& block) {
  for (const kernel_ir::Statement& statement : block.statements) {
    if (!state_.values.contains(result_of(statement))) emit(statement);
  }
}

void BlockEmitter::emit(const kernel_ir::Statement& statement) {
  std::visit(
      [&](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Loop>) {
          LITZ_CHECK(loops_, "a loop where none is expected");
          loops_(s);
        } else {
          emit(s);
        }
      },
      statement);
}

void BlockEmitter::emit(const kernel_ir::Constant& s) {
  bind(s.result, {literal(s.dtype, s.value), s.dtype, false, largest_magnitude(s)});
}

void BlockEmitter::emit(const kernel_ir::Index& s) {
  const Value value = AccessPrinter(*this).index_value(s.value);
  bind(s.result, define(DType::i64, value.vector, value.text, "index"));
}

void BlockEmitter::emit(const kernel_ir::Compute& s) {
  std::vector<Value> args;
  bool vector = false;
  for (const Ref ref : s.args) {
    args.push_back(value(ref));
    vector = vector || args.back().vector;
  }
  Value result = define(s.dtype, vector, compute_text(*this, s, args, vector), ir::scalar_op_name(s.op));
  result.magnitude = largest_magnitude(s, args);
  bind(s.result, std::move(result));
}

void BlockEmitter::emit(const kernel_ir::Load& s) {
  const Value loaded = AccessPrinter(*this).load(s);
  bind(s.result, define(loaded.dtype, loaded.vector, loaded.text, kernel_.buffers[s.buffer].name));
}

std::optional<Value> BlockEmitter::load_square(const kernel_ir::Load& load, const std::string& range,
                                               const std::string& row) {
  const auto access = AccessPrinter(*this).square(load, range);
  if (!access) return std::nullopt;
  const std::string type(storage_type(load.dtype));
  const std::string name = fresh("v", kernel_.buffers[load.buffer].name);
  out_->line(type + "v " + name + "[" + std::to_string(lanes_) + "];");
  out_->line("ldt_" + type + "v(b" + std::to_string(load.buffer) + " + " + access->offset + ", " +
             std::to_string(access->stride) + ", " + name + ");");
  return Value{name + "[" + row + "]", load.dtype, true};
}

void BlockEmitter::emit(const kernel_ir::Store& s) { out_->line(AccessPrinter(*this).store(s)); }

void BlockEmitter::emit(const kernel_ir::Check& s) {
  const Value& index = value(s.value);
  const std::string size = scalar_expr(s.size);
  const std::string fault =
      "fault(args[" + std::to_string(argument_count(kernel_) + 1) + "], " + std::to_string(s.check + 1);
  if (!s.wraps) {
    // As unsigned numbers, negative ones are too large.
    const std::string& n = state_.valid_lanes;
    const std::string lane = index.vector ? "[l]" : "";
    if (index.vector) out_->line("for (int l = 0; l < " + (n.empty() ? std::to_string(lanes_) : n) + "; ++l)");
    out_->line((index.vector ? "  if ((u64)" : "if ((u64)") + index.text + lane + " >= " + size + ") return " + fault +
               ", " + index.text + lane + ", " + size + ");");
    bind(s.result, index);
    return;
  }
  const std::string name = fresh("v", "checked");
  if (!index.vector) {
    out_->line("const i64 " + name + " = " + index.text + " < 0 ? " + index.text + " + " + size + " : " + index.text +
               ";");
    out_->line("if ((u64)" + name + " >= " + size + ") return " + fault + ", " + index.text + ", " + size + ");");
  } else {
    const std::string& n = state_.valid_lanes;
    out_->line("const i64v " + name + " = " + index.text + " + ((" + index.text + " < 0) & " + size + ");");
    out_->line("for (int l = 0; l < " + (n.empty() ? std::to_string(lanes_) : n) + "; ++l)");
    out_->line("  if ((u64)" + name + "[l] >= " + size + ") return " + fault + ", " + index.text + "[l], " + size +
               ");");
  }
  bind(s.result, {name, DType::i64, index.vector});
}

int64_t argument_count(const kernel_ir::Kernel& kernel) {
  int64_t count = 0;
  for (const Buffer& buffer : kernel.buffers) count += buffer.role != BufferRole::local;
  return count;
}

}  // namespace litz::codegen::cpp
