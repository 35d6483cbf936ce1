// Statements of a phase as Triton.
#include "codegen/triton/phase.h"

#include <utility>

#include "ir/text.h"
#include "kernel_ir/walk.h"
#include "support/check.h"

namespace litz::codegen::triton {

using kernel_ir::BufferRole;
using kernel_ir::kNoRef;
using kernel_ir::Ref;

namespace {

constexpr Dims kBoth = 3;
constexpr int64_t kNarrow = int64_t{1} << 30;  // indices up to here are computed in 32 bits

std::string ref_name(Ref ref) { return "v" + std::to_string(ref); }

// An integer literal that fits 32 bits.
bool is_small(const Value& v) { return v.literal && v.dtype == DType::i64 && v.text.size() < 10; }

}  // namespace

std::string mask_name(const Axis& axis) { return axis.name + "mask"; }

PhaseEmitter::PhaseEmitter(const kernel_ir::Kernel& kernel, const Tiling& tiling,
                           const std::vector<std::string>& pointers, Helpers* helpers)
    : kernel_(kernel), tiling_(tiling), pointers_(pointers), helpers_(helpers) {
  for (const kernel_ir::Buffer& b : kernel.buffers) {
    Expr last;
    for (size_t d = 0; d < b.shape.size(); ++d) last = last + max(b.shape[d] - 1, 0) * b.strides[d];
    wide_ = wide_ || last.constant() >= kNarrow;
  }
  for (const auto* axes : {&tiling.outer, &tiling.inner}) {
    for (const Axis& a : *axes) wide_ = wide_ || a.size >= kNarrow;
  }
}

std::string PhaseEmitter::run(const kernel_ir::Loop& phase) {
  scopes_.emplace_back();
  if (tiling_.programs() == 0) return "    pass\n";
  outer_indices();
  const std::string indices = std::exchange(out_, "");
  block(phase.body);
  return indices + top_ + out_;
}

std::string PhaseEmitter::define(const std::string& name, const std::string& rhs) {
  for (const Scope& scope : scopes_) {
    if (const auto it = scope.find(rhs); it != scope.end()) return it->second;
  }
  scopes_.back().emplace(rhs, name);
  line(name + " = " + rhs);
  return name;
}

// The same for what is computed once, after the tile's indices.
std::string PhaseEmitter::define_at_top(const std::string& name, const std::string& rhs) {
  const auto [it, fresh] = scopes_.front().emplace(rhs, name);
  if (fresh) top_ += "    " + name + " = " + rhs + "\n";
  return it->second;
}

void PhaseEmitter::outer_indices() {
  const std::string program = wide_ ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
  if (tiling_.outer.size() == 1) {
    add_axis(tiling_.outer[0], 1);
    axis_lines(tiling_.outer[0], program + " * " + tiling_.outer[0].block + " + ", 0);
  } else {
    const Axis& y = tiling_.outer[0];
    const Axis& x = tiling_.outer[1];
    line("program = " + program);
    line("columns = tl.cdiv(" + std::to_string(x.size) + ", " + x.block + ")");
    add_axis(y, 1);
    axis_lines(y, "(program // columns) * " + y.block + " + ", 0);
    add_axis(x, 2);
    axis_lines(x, "(program % columns) * " + x.block + " + ", 1);
  }
  for (const auto& [loop, plan] : tiling_.loops) {
    if (plan.mode == LoopMode::whole) add_axis(tiling_.inner[plan.axis], 2);
  }
  for (const Axis& r : tiling_.inner) {
    if (bounds_.count(r.name) > 0) axis_lines(r, "", 1);
  }
}

// name = start + tl.arange(…), and its mask.
void PhaseEmitter::axis_lines(const Axis& axis, const std::string& start, size_t dim) {
  const std::string place = tiling_.rank() == 1 ? "" : dim == 0 ? "[:, None]" : "[None, :]";
  std::string lanes = "tl.arange(0, " + axis.block + ")" + place;
  if (wide_ && start.empty()) lanes += ".to(tl.int64)";
  line(axis.name + " = " + start + lanes);
  if (axis.masked()) line(mask_name(axis) + " = " + axis.name + " < " + std::to_string(axis.size));
}

void PhaseEmitter::add_axis(const Axis& axis, Dims dim) {
  symbol_dims_[axis.name] = dim;
  bounds_[axis.name] = {0, std::max<int64_t>(axis.size - 1, 0)};
  if (axis.ranges.size() == 1) {
    flat_.insert_or_assign(axis.ranges[0].name, Expr::symbol(axis.name));
    bounds_[axis.ranges[0].name] = bounds_[axis.name];
    symbol_dims_[axis.ranges[0].name] = dim;
    return;
  }
  Expr inner = 1;
  for (size_t i = axis.ranges.size(); i-- > 0;) {
    const kernel_ir::Range& r = axis.ranges[i];
    Expr position = floor_div(Expr::symbol(axis.name), inner);
    if (i > 0) position = mod(position, r.extent);
    flat_.insert_or_assign(r.name, position);
    bounds_[r.name] = {0, r.extent.constant() - 1};
    symbol_dims_[r.name] = dim;
    inner = inner * r.extent;
  }
}

void PhaseEmitter::block(const kernel_ir::Block& block) {
  for (const kernel_ir::Statement& s : block.statements) {
    std::visit([this](const auto& typed) { emit(typed); }, s);
  }
}

void PhaseEmitter::emit(const kernel_ir::Constant& s) {
  values_[s.result] = {.text = python_number(s.value, s.dtype), .dtype = s.dtype, .literal = true};
}

void PhaseEmitter::emit(const kernel_ir::Index& s) {
  const IndexText i = index(s.value);
  Value v{.text = i.text, .dtype = DType::i64, .dims = i.dims};
  if (!i.tensor) {
    v.text = define(ref_name(s.result), "tl.full([], 0, tl.int64) + " + i.text);
  } else if (i.fits) {
    v.narrow = true;
  } else {
    v.text = define(ref_name(s.result), i.text + ".to(tl.int64)");
  }
  values_[s.result] = v;
}

// Defined anew in each Python block that needs it: a name from inside a loop is not known after it.
Value PhaseEmitter::ready(Ref ref) {
  Value v = values_.at(ref);
  if (!v.narrow) return v;
  v.text = define(ref_name(ref), v.text + ".to(tl.int64)");
  v.narrow = false;
  return v;
}

// A literal stays one in values_: where a plain number will do, it reads better.
std::string PhaseEmitter::name(Ref ref) {
  const Value v = ready(ref);
  return v.literal ? define(ref_name(ref), typed_literal(v.text, v.dtype)) : v.text;
}

// Indices and constants are compared as they are: an index need not become i64 for that.
bool PhaseEmitter::narrow_comparison(const kernel_ir::Compute& s) {
  if (!ir::is_comparison(s.op)) return false;
  const Value& a = value(s.args[0]);
  const Value& b = value(s.args[1]);
  if (!(a.narrow && (b.narrow || is_small(b))) && !(is_small(a) && b.narrow)) return false;
  const std::string text = op_text(s.op, s.dtype, {a, b}, helpers_);
  values_[s.result] = {.text = define(ref_name(s.result), text), .dtype = s.dtype, .dims = a.dims | b.dims};
  return true;
}

void PhaseEmitter::emit(const kernel_ir::Compute& s) {
  if (narrow_comparison(s)) return;
  std::vector<Value> args;
  Dims dims = 0;
  bool tensor = false;  // an argument that may stand beside a literal
  for (size_t i = 0; i < s.args.size(); ++i) {
    const Value& known = value(s.args[i]);
    const bool cast_of_index = s.op == ir::ScalarOp::cast && known.narrow && is_floating(s.dtype);
    args.push_back(cast_of_index ? known : ready(s.args[i]));
    dims |= args.back().dims;
    const bool condition = s.op == ir::ScalarOp::select && i == 0;
    tensor = tensor || (!args.back().literal && !condition);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].literal) continue;
    const bool condition = s.op == ir::ScalarOp::select && i == 0;
    if (tensor && !condition && allows_literal(s.op, args[i].dtype)) continue;
    args[i].text = name(s.args[i]);
    args[i].literal = false;
    tensor = tensor || !condition;
  }
  const std::string text = op_text(s.op, s.dtype, args, helpers_);
  const bool same = args.size() == 1 && text == args[0].text;  // a cast to the dtype it has
  values_[s.result] = {.text = same ? text : define(ref_name(s.result), text), .dtype = s.dtype, .dims = dims};
}

std::string PhaseEmitter::shape(Dims dims) const {
  if (tiling_.rank() == 1) return (dims & 1) != 0 ? "[" + tiling_.outer[0].block + "]" : "[1]";
  const Axis* second = tiling_.outer.size() == 2 ? &tiling_.outer[1] : inner_;
  const std::string columns = (dims & 2) != 0 && second != nullptr ? second->block : "1";
  return "[" + ((dims & 1) != 0 ? tiling_.outer[0].block : "1") + ", " + columns + "]";
}

std::string PhaseEmitter::spread(const std::string& text, Dims have, Dims want) const {
  if ((have & want) == want) return text;
  return "tl.broadcast_to(" + text + ", " + shape(want | have) + ")";
}

std::string PhaseEmitter::spread_index(const std::string& text, bool tensor, Dims have, Dims want) const {
  if (tensor || want == 0) return spread(text, have, want);
  const std::string dtype = wide_ ? ", tl.int64)" : ", tl.int32)";
  const bool number = text.find_first_not_of("0123456789") == std::string::npos;
  return "tl.full(" + shape(want) + ", " + (number ? text + dtype : "0" + dtype + " + " + text);
}

// Dimensions of the tile that run past the end of their axis.
Dims PhaseEmitter::masked_dims() const {
  Dims dims = 0;
  for (size_t i = 0; i < tiling_.outer.size(); ++i) {
    if (tiling_.outer[i].masked()) dims |= 1u << i;
  }
  if (inner_ != nullptr && inner_->masked()) dims |= 2;
  return dims;
}

// The conditions under which an access of these dimensions takes place; empty: always.
std::string PhaseEmitter::mask(Dims dims, Ref given) {
  std::vector<std::string> parts;
  const Dims masked = masked_dims() & dims;
  for (size_t i = 0; i < tiling_.outer.size(); ++i) {
    if ((masked & (1u << i)) != 0) parts.push_back(mask_name(tiling_.outer[i]));
  }
  if (inner_ != nullptr && (masked & 2) != 0) parts.push_back(mask_name(*inner_));
  if (given != kNoRef) parts.push_back(name(given));
  return ir::join(parts, " & ");
}

void PhaseEmitter::emit(const kernel_ir::Load& s) {
  const kernel_ir::Buffer& buffer = kernel_.buffers[s.buffer];
  const IndexText offset = index(kernel_ir::linear_offset(buffer, s.index));
  Dims dims = offset.dims;
  if (s.mask != kNoRef) dims |= value(s.mask).dims;
  const std::string condition = mask(dims, s.mask);
  const bool scalar = dims == 0;
  std::string text = pointers_[s.buffer] + " + " +
                     (scalar ? offset.text : spread_index(offset.text, offset.tensor, offset.dims, dims));
  if (offset.text == "0" && scalar) text = pointers_[s.buffer];
  if (!condition.empty()) text += ", " + condition;
  if (s.mask != kNoRef) {
    const bool exact = s.dtype != DType::f64 && s.dtype != DType::i64;
    text += ", " +
            (exact ? python_number(s.otherwise, s.dtype) : typed_literal(python_number(s.otherwise, s.dtype), s.dtype));
  }
  before_load(s.buffer, std::to_string(site_) + ": " + offset.text);
  const std::string rhs = "tl.load(" + text + ")";
  Value v{.text = ref_name(s.result), .dtype = s.dtype, .dims = dims};
  if (buffer.role == BufferRole::in) {
    v.text = define(v.text, rhs);
  } else {
    line(v.text + " = " + rhs);
  }
  values_[s.result] = v;
}

void PhaseEmitter::emit(const kernel_ir::Store& s) {
  const IndexText offset = index(kernel_ir::linear_offset(kernel_.buffers[s.buffer], s.index));
  const std::string stored = name(s.value);
  Dims dims = offset.dims | value(s.value).dims | masked_dims();
  if (s.mask != kNoRef) dims |= value(s.mask).dims;
  const std::string condition = mask(dims, s.mask);
  std::string text = pointers_[s.buffer];
  if (dims != 0 || offset.text != "0") text += " + " + spread_index(offset.text, offset.tensor, offset.dims, dims);
  text += ", " + stored;
  if (!condition.empty()) text += ", " + condition;
  before_store(s.buffer, std::to_string(site_) + ": " + offset.text);
  line("tl.store(" + text + ")");
}

void PhaseEmitter::emit(const kernel_ir::Check& s) {
  const Value index_value = ready(s.value);
  const Dims dims = index_value.dims;
  // Something must have a shape for the first fault to be looked for.
  const std::string checked = dims == 0 ? "tl.broadcast_to(" + name(s.value) + ", " + shape(0) + ")" : name(s.value);
  std::string live = mask(dims, kNoRef);
  if (live.empty()) live = "tl.full(" + shape(0) + ", True, tl.int1)";
  const std::string size = index(s.size).text;
  const std::string rhs = helpers_->use("_check") + "(" + checked + ", " + (s.wraps ? "-(" + size + ")" : "0") + ", " +
                          size + ", " + live + ", fault, " + std::to_string(s.check + 1) + ")";
  values_[s.result] = {.text = define(ref_name(s.result), rhs), .dtype = DType::i64, .dims = dims};
}

void PhaseEmitter::before_load(uint32_t buffer, const std::string& offset) {
  if (kernel_.buffers[buffer].role == BufferRole::in) return;
  const auto& written = written_[buffer];
  if (!written.empty() && !(written.size() == 1 && written.count(offset) == 1)) barrier();
  read_[buffer].insert(offset);
}

void PhaseEmitter::before_store(uint32_t buffer, const std::string& offset) {
  for (const auto* seen : {&read_[buffer], &written_[buffer]}) {
    if (!seen->empty() && !(seen->size() == 1 && seen->count(offset) == 1)) {
      barrier();
      break;
    }
  }
  written_[buffer].insert(offset);
}

void PhaseEmitter::barrier() {
  line("tl.debug_barrier()");
  read_.clear();
  written_.clear();
}

// ---- index expressions

Dims PhaseEmitter::dims_of(const Expr& e) const {
  Dims dims = 0;
  for (const std::string& s : e.symbols()) {
    if (const auto ref = kernel_ir::symbol_ref(s)) {
      dims |= value(*ref).dims;
    } else if (const auto it = symbol_dims_.find(s); it != symbol_dims_.end()) {
      dims |= it->second;
    }
  }
  return dims;
}

// In terms of the tile's indices if that is linear in them, otherwise in terms of ranges.
Expr PhaseEmitter::in_axes(const Expr& e) const {
  const Expr ranges = simplify(e, bounds_);
  const Expr flat = simplify(ranges.substitute(flat_), bounds_);
  Expr rest = flat;
  for (const std::string& s : flat.symbols()) {
    const auto linear = as_linear(rest, s);
    if (!linear) return ranges;
    rest = linear->rest;
  }
  return flat;
}

std::string PhaseEmitter::symbol_text(const std::string& symbol) {
  if (const auto ref = kernel_ir::symbol_ref(symbol)) return name(*ref);
  const auto it = flat_.find(symbol);
  if (it == flat_.end()) return symbol;
  if (const auto axis = it->second.symbol_name()) return *axis;
  // Ranges that share an axis are computed from its index where they are first needed.
  IndexPrinter printer([](const std::string& name) { return name; }, bounds_, helpers_);
  std::string position = printer.text(it->second);
  if (position.starts_with("(")) position = position.substr(1, position.size() - 2);
  const bool in_block = inner_ != nullptr && blocked_ && (symbol_dims_.at(symbol) & 2) != 0;
  return in_block ? define(symbol, position) : define_at_top(symbol, position);
}

PhaseEmitter::IndexText PhaseEmitter::index(const Expr& e) {
  const Expr here = in_axes(e.substitute(renamed_));
  IndexPrinter printer([this](const std::string& s) { return symbol_text(s); }, bounds_, helpers_);
  IndexText out;
  out.text = printer.text(here);
  out.dims = dims_of(here);
  bool refs = false;
  for (const std::string& s : here.symbols()) {
    refs = refs || kernel_ir::symbol_ref(s).has_value();
    out.tensor = out.tensor || refs || symbol_dims_.count(s) > 0;
  }
  const auto bounds = bounds_of(here, bounds_);
  out.fits = bounds && bounds->low > -kNarrow && bounds->high < kNarrow;
  // A product that leaves 32 bits before it is an index: made of i64 from the start.
  if (!refs && !out.fits && !wide_ && out.tensor) {
    IndexPrinter wide([this](const std::string& s) { return symbol_text(s) + ".to(tl.int64)"; }, bounds_, helpers_);
    out.text = wide.text(here);
  }
  return out;
}

// ---- loops

void PhaseEmitter::emit(const kernel_ir::Loop& s) {
  const LoopPlan& plan = tiling_.loops.at(&s);
  ++site_;
  if (plan.mode == LoopMode::sequential) {
    sequential_loop(s);
  } else if (plan.mode == LoopMode::whole) {
    whole_loop(s, tiling_.inner[plan.axis]);
  } else {
    blocked_loop(s, tiling_.inner[plan.axis]);
  }
  ++site_;
}

void PhaseEmitter::enter_inner(const kernel_ir::Loop& loop, const Axis& axis) {
  add_axis(axis, 2);
  for (size_t i = 0; i < loop.ranges.size(); ++i) {
    renamed_.insert_or_assign(loop.ranges[i].name, Expr::symbol(axis.ranges[i].name));
  }
  inner_ = &axis;
}

void PhaseEmitter::leave_inner() {
  inner_ = nullptr;
  blocked_ = false;
}

std::string PhaseEmitter::identity(const kernel_ir::Reduction& r) const {
  return python_number(ir::reduce_identity(r.op, r.dtype), r.dtype);
}

void PhaseEmitter::results_are(const kernel_ir::Reduction& r, const std::string& value, const std::string& place,
                               Dims dims) {
  if (r.results.size() == 2) values_[r.results[0]] = {.text = place, .dtype = DType::i64, .dims = dims};
  values_[r.results.back()] = {.text = value, .dtype = r.dtype, .dims = dims};
}

// Reduces a tile along its second dimension.
void PhaseEmitter::finish(const kernel_ir::Reduction& r, const std::string& value, const std::string& place) {
  const std::string result = ref_name(r.results.back());
  if (r.results.size() == 2) {
    const std::string index = ref_name(r.results[0]);
    line(result + ", " + index + " = tl.reduce((" + value + ", " + place + "), 1, " + combine_function(r.op, helpers_) +
         ", keep_dims=True)");
    results_are(r, result, index, 1);
    return;
  }
  const bool plain_sum = r.op == ir::ReduceOp::sum && dtype_size(r.dtype) >= 4;
  const std::string rhs = plain_sum
                              ? "tl.sum(" + value + ", 1, keep_dims=True)"
                              : "tl.reduce(" + value + ", 1, " + combine_function(r.op, helpers_) + ", keep_dims=True)";
  results_are(r, define(result, rhs), "", 1);
}

void PhaseEmitter::whole_loop(const kernel_ir::Loop& loop, const Axis& axis) {
  enter_inner(loop, axis);
  block(loop.body);
  for (const kernel_ir::Reduction& r : loop.reductions) {
    const std::string input = name(r.input);
    std::string tile = spread(input, value(r.input).dims, kBoth);
    std::string place;
    if (axis.masked()) {
      const std::string masked = "tl.where(" + mask_name(axis) + ", " + input + ", " + identity(r) + ")";
      tile = spread(masked, value(r.input).dims | 2, kBoth);
    }
    if (r.results.size() == 2) {
      place = "tl.broadcast_to(" + axis.name + ".to(tl.int64), " + shape(kBoth) + ")";
      if (axis.masked()) place = "tl.where(" + mask_name(axis) + ", " + place + ", " + std::to_string(axis.size) + ")";
    }
    finish(r, tile, place);
  }
  leave_inner();
}

void PhaseEmitter::start_accumulators(const kernel_ir::Loop& loop, Dims dims) {
  for (const kernel_ir::Reduction& r : loop.reductions) {
    const std::string acc = "acc" + std::to_string(r.results.back());
    line(acc + " = tl.full(" + shape(dims) + ", " + identity(r) + ", " + std::string(triton_dtype(r.dtype)) + ")");
    if (r.results.size() == 2)
      line(acc + "_at = tl.full(" + shape(dims) + ", " + std::to_string(INT64_MAX) + ", tl.int64)");
  }
}

// Combines this iteration's values into the accumulators. `position` is the iteration's number, an i64.
void PhaseEmitter::accumulate(const kernel_ir::Loop& loop, const std::string& mask, const std::string& position) {
  for (const kernel_ir::Reduction& r : loop.reductions) {
    const std::string acc = "acc" + std::to_string(r.results.back());
    const std::string input = name(r.input);
    if (r.results.size() == 2) {
      const std::string value = mask.empty() ? input : "tl.where(" + mask + ", " + input + ", " + identity(r) + ")";
      line(acc + ", " + acc + "_at = " + combine_function(r.op, helpers_) + "(" + acc + ", " + acc + "_at, " + value +
           ", " + position + ")");
      continue;
    }
    const std::string combined = combine_text(r.op, acc, input, helpers_);
    line(acc + " = " + (mask.empty() ? combined : "tl.where(" + mask + ", " + combined + ", " + acc + ")"));
  }
}

void PhaseEmitter::blocked_loop(const kernel_ir::Loop& loop, const Axis& axis) {
  enter_inner(loop, axis);
  blocked_ = true;
  start_accumulators(loop, kBoth);
  const std::string start = axis.name + "_start";
  line("for " + start + " in range(0, " + std::to_string(axis.size) + ", " + axis.block + "):");
  open_scope();
  axis_lines(axis, start + " + ", 1);
  block(loop.body);
  accumulate(loop, axis.masked() ? mask_name(axis) : "", axis.name + ".to(tl.int64)");
  close_scope();
  for (const kernel_ir::Reduction& r : loop.reductions) {
    const std::string acc = "acc" + std::to_string(r.results.back());
    finish(r, acc, acc + "_at");
  }
  leave_inner();
}

void PhaseEmitter::sequential_loop(const kernel_ir::Loop& loop) {
  const Dims dims = tiling_.outer.size() == 2 ? kBoth : 1;
  start_accumulators(loop, dims);
  int64_t size = 1;
  Expr number;
  const size_t depth = indent_;
  for (const kernel_ir::Range& r : loop.ranges) size *= r.extent.constant();
  for (const kernel_ir::Range& r : loop.ranges) {
    bounds_[r.name] = {0, std::max<int64_t>(r.extent.constant() - 1, 0)};
    const bool unroll = size <= 16;
    line("for " + r.name + " in " + (unroll ? "tl.static_range(" : "range(") + r.extent.to_string() + "):");
    open_scope();
    number = number * r.extent + Expr::symbol(r.name);
  }
  const auto read = read_, written = written_;
  const size_t begin = out_.size();
  block(loop.body);
  accumulate(loop, "", "tl.full([], 0, tl.int64) + " + index(number).text);
  if (loop.body.statements.empty() && loop.reductions.empty()) line("pass");
  // What one iteration writes the next one may read.
  if (written_ != written) out_.insert(begin, std::string(indent_ * 4, ' ') + "tl.debug_barrier()\n");
  while (indent_ > depth) close_scope();
  for (const kernel_ir::Reduction& r : loop.reductions) {
    const std::string acc = "acc" + std::to_string(r.results.back());
    results_are(r, acc, acc + "_at", dims);
  }
}

}  // namespace litz::codegen::triton
