#include "codegen/cpp/reduce.h"

#include "codegen/cpp/compute.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"

namespace litz::codegen::cpp {

using ir::ReduceOp;
using kernel_ir::Reduction;

namespace {

ir::ScalarOp combining_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return ir::ScalarOp::add;
    case ReduceOp::prod:
      return ir::ScalarOp::mul;
    case ReduceOp::max:
      return ir::ScalarOp::max;
    case ReduceOp::min:
      return ir::ScalarOp::min;
    case ReduceOp::any:
      return ir::ScalarOp::bit_or;
    case ReduceOp::all:
      return ir::ScalarOp::bit_and;
    case ReduceOp::argmax:
    case ReduceOp::argmin:
      break;
  }
  LITZ_CHECK(false, "argmax and argmin are no single operation");
  return ir::ScalarOp::add;
}

// What a reduction of booleans comes to.
bool is_any(ReduceOp op) { return op == ReduceOp::any || op == ReduceOp::max || op == ReduceOp::sum; }

std::string_view order_name(ReduceOp op) { return op == ReduceOp::argmax ? "more" : "less"; }

}  // namespace

Accumulators::Accumulators(BlockEmitter* block, const kernel_ir::Loop& loop, Form form)
    : block_(block), loop_(loop), form_(form) {
  int64_t total = 1;
  for (const kernel_ir::Range& range : loop.ranges) total *= range.extent.constant();
  wide_index_ = total > INT32_MAX;
  if (has_arg()) form_.copies = 1;
}

bool Accumulators::is_arg(const Reduction& r) const { return r.op == ReduceOp::argmax || r.op == ReduceOp::argmin; }

bool Accumulators::has_arg() const {
  for (const Reduction& r : loop_.reductions) {
    if (is_arg(r)) return true;
  }
  return false;
}

bool Accumulators::has_float_sum() const {
  for (const Reduction& r : loop_.reductions) {
    if (r.op == ReduceOp::sum && is_floating(r.dtype)) return true;
  }
  return false;
}

std::string Accumulators::index_type() const {
  return std::string(wide_index_ ? "i64" : "i32") + (form_.vector ? "v" : "");
}

std::string Accumulators::element(const std::string& name, const std::string& copy) const {
  return form_.copies > 1 ? name + "[" + copy + "]" : name;
}

int Accumulators::open_level() {
  std::vector<Names> level;
  for (const Reduction& r : loop_.reductions) {
    if (is_half(r.dtype)) {
      throw UnsupportedError("cpp-half-reduction", "a reduction in " + std::string(dtype_name(r.dtype)),
                             "accumulate in f32");
    }
    Names names = {block_->fresh("a", ir::reduce_op_name(r.op)), ""};
    const Value identity = {literal(r.dtype, ir::reduce_identity(r.op, r.dtype)), r.dtype, false};
    const std::string start = form_.vector ? block_->broadcast(identity) : identity.text;
    std::string line = register_type(r.dtype, form_.vector) + " " + names.value;
    if (form_.copies > 1) {
      line += "[" + std::to_string(form_.copies) + "] = {";
      for (int i = 0; i < form_.copies; ++i) line += (i ? ", " : "") + start;
      block_->out().line(line + "};");
    } else {
      block_->out().line(line + " = " + start + ";");
    }
    if (is_arg(r)) {
      // No position can be higher: "none yet".
      names.index = block_->fresh("a", "at");
      const std::string none = wide_index_ ? "0x7fffffffffffffffL" : "0x7fffffff";
      block_->out().line(
          index_type() + " " + names.index + " = " +
          (form_.vector ? "splat_" + std::string(wide_index_ ? "i64" : "i32") + "v(" + none + ")" : none) + ";");
    }
    level.push_back(std::move(names));
  }
  levels_.push_back(std::move(level));
  return static_cast<int>(levels_.size()) - 1;
}

std::string Accumulators::combine(const Reduction& r, const std::string& a, const std::string& b) const {
  const kernel_ir::Compute op = {.dtype = r.dtype, .op = combining_op(r.op)};
  return compute_text(*block_, op, {{a, r.dtype, form_.vector}, {b, r.dtype, form_.vector}}, form_.vector);
}

void Accumulators::update(int level, const std::string& copy, const std::string& position,
                          const std::string& valid_lanes) {
  for (size_t i = 0; i < loop_.reductions.size(); ++i) {
    const Reduction& r = loop_.reductions[i];
    const Names& names = levels_[level][i];
    const Value& input = block_->value(r.input);
    if (is_arg(r)) {
      update_arg(r, names, input, position, valid_lanes);
      continue;
    }
    std::string text = form_.vector ? block_->broadcast(input) : input.text;
    const std::string target = element(names.value, copy);
    if (!valid_lanes.empty()) {
      const Value identity = {literal(r.dtype, ir::reduce_identity(r.op, r.dtype)), r.dtype, false};
      kernel_ir::Compute select = {.dtype = r.dtype, .op = ir::ScalarOp::select};
      text =
          "(" +
          compute_text(*block_, select,
                       {{"belowv(" + valid_lanes + ")", DType::boolean, true}, {text, r.dtype, true}, identity}, true) +
          ")";
    }
    block_->out().line(target + " = " + combine(r, target, text) + ";");
  }
}

void Accumulators::update_arg(const Reduction& r, const Names& names, const Value& input, const std::string& position,
                              const std::string& valid_lanes) {
  Writer& out = block_->out();
  const std::string tag(helper_tag(r.dtype));
  const std::string mask = block_->fresh("m");
  const std::string text = form_.vector ? block_->broadcast(input) : input.text;
  const std::string better =
      std::string(order_name(r.op)) + "_" + tag + (form_.vector ? "v(" : "(") + text + ", " + names.value + ")";
  if (!form_.vector) {
    out.line("const bool " + mask + " = " + better + ";");
    out.line(names.value + " = " + mask + " ? " + text + " : " + names.value + ";");
    out.line(names.index + " = " + mask + " ? (" + index_type() + ")(" + position + ") : " + names.index + ";");
    return;
  }
  out.line("const i32v " + mask + " = " + better + (valid_lanes.empty() ? "" : " & belowv(" + valid_lanes + ")") + ";");
  const std::string width = wide_index_ ? "i64" : "i32";
  std::string at = "splat_" + width + "v((" + width + ")(" + position + "))";
  if (form_.combine_lanes) at = at + " + iota_" + width + "v()";
  out.line(names.value + " = sel_" + tag + "v(" + mask + ", " + text + ", " + names.value + ");");
  out.line(names.index + " = sel_" + width + "v(" + mask + ", " + at + ", " + names.index + ");");
}

void Accumulators::flush(int from, int to) {
  for (size_t i = 0; i < loop_.reductions.size(); ++i) {
    const Reduction& r = loop_.reductions[i];
    for (int c = 0; c < form_.copies; ++c) {
      const std::string copy = std::to_string(c);
      const std::string target = element(levels_[to][i].value, copy);
      block_->out().line(target + " = " + combine(r, target, element(levels_[from][i].value, copy)) + ";");
    }
  }
}

void Accumulators::finish(int level) {
  for (size_t i = 0; i < loop_.reductions.size(); ++i) {
    const Reduction& r = loop_.reductions[i];
    const Names& names = levels_[level][i];
    if (is_arg(r)) {
      finish_arg(r, names);
      continue;
    }
    for (int half = form_.copies / 2; half > 0; half /= 2) {
      for (int c = 0; c < half; ++c) {
        const std::string target = element(names.value, std::to_string(c));
        block_->out().line(target + " = " + combine(r, target, element(names.value, std::to_string(c + half))) + ";");
      }
    }
    std::string text = element(names.value, "0");
    if (form_.vector && form_.combine_lanes) {
      if (r.dtype == DType::boolean) {
        text = is_any(r.op) ? "anyv(" + text + ")" : "!anyv(~" + text + ")";
      } else {
        text = "h" + std::string(ir::reduce_op_name(r.op)) + "_" + std::string(helper_tag(r.dtype)) + "v(" + text + ")";
      }
    }
    const bool vector = form_.vector && !form_.combine_lanes;
    block_->bind(r.results.at(0), block_->define(r.dtype, vector, text, ir::reduce_op_name(r.op)));
  }
}

void Accumulators::finish_arg(const Reduction& r, const Names& names) {
  Writer& out = block_->out();
  const std::string none = wide_index_ ? "0x7fffffffffffffffL" : "0x7fffffff";
  std::string value = names.value, index = names.index;
  if (form_.vector && form_.combine_lanes) {
    value = block_->fresh("v", ir::reduce_op_name(r.op));
    out.line(register_type(r.dtype, false) + " " + value + ";");
    const std::string helper = "harg" + std::string(order_name(r.op)) + "_" + std::string(helper_tag(r.dtype)) + "_" +
                               (wide_index_ ? "i64v" : "i32v");
    index =
        block_->define(DType::i64, false, helper + "(" + names.value + ", " + names.index + ", &" + value + ")").text;
  }
  const bool vector = form_.vector && !form_.combine_lanes;
  // Nothing was better than the identity: all are equal to it, the first wins.
  std::string text;
  if (vector) {
    const std::string wide = wide_index_ ? index : "cast_i32_i64v(" + index + ")";
    text = "sel_i64v(" + index + " == " + none + ", i64v{}, " + wide + ")";
    if (wide_index_) {
      text = "sel_i64v(__builtin_convertvector(" + index + " == " + none + ", i32v), i64v{}, " + wide + ")";
    }
  } else {
    text = index + " == " + none + " ? 0 : " + index;
  }
  block_->bind(r.results.at(0), block_->define(DType::i64, vector, text, "at"));
  if (r.results.size() > 1) block_->bind(r.results[1], {value, r.dtype, vector});
}

}  // namespace litz::codegen::cpp
