// The rules of kernel.h as code.
#include <algorithm>
#include <map>

#include "kernel_ir/kernel.h"
#include "kernel_ir/walk.h"
#include "support/check.h"

namespace litz::kernel_ir {

namespace {

using ir::ReduceOp;
using ir::ScalarOp;

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

// What dtypes the result of an op may have; comparisons are judged by their operands.
bool supports(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::bit_not:
      return is_integral(dtype);
    case ScalarOp::shl:
    case ScalarOp::shr:
      return is_integral(dtype) && dtype != DType::boolean;
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
    case ScalarOp::fmod:
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::sign:
      return !is_half(dtype) && dtype != DType::boolean;
    case ScalarOp::min:
    case ScalarOp::max:
      return !is_half(dtype);
    default:
      return dtype == DType::f32 || dtype == DType::f64;
  }
}

bool supports(ReduceOp op, DType dtype) {
  if (op == ReduceOp::any || op == ReduceOp::all) return dtype == DType::boolean;
  return !is_half(dtype) && dtype != DType::boolean;
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), values_(kernel.next_ref) {}

  void run() {
    buffers();
    if (kernel_.templ) {
      require(kernel_.body.statements.empty(), "a template kernel has no loops of its own");
      templ(*kernel_.templ);
    } else {
      require(!kernel_.body.statements.empty(), "a kernel without loops");
      for (const Statement& s : kernel_.body.statements) phase(s);
    }
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      const bool writable = b.role == BufferRole::out || b.role == BufferRole::in_out;
      require(!writable || ever_stored_[i], "buffer '" + b.name + "' is never written");
    }
    schedule();
  }

 private:
  struct Scalar {
    DType dtype = DType::f32;
    bool defined = false;
    bool visible = false;
  };

  [[noreturn]] void bad(const std::string& what) const {
    std::string message = "kernel @" + kernel_.name + ": " + what;
    if (at_ != nullptr) message += ", in: " + statement_text(kernel_, *at_);
    throw InternalError(message);
  }
  void require(bool condition, const std::string& what) const {
    if (!condition) bad(what);
  }

  void buffers() {
    std::set<std::string> names;
    bool local = false;
    for (const Buffer& b : kernel_.buffers) {
      require(!b.name.empty(), "a buffer without a name");
      require(names.insert(b.name).second, "two buffers have the name '" + b.name + "'");
      require(b.dtype != DType::token, "buffer '" + b.name + "' holds tokens");
      require(b.shape.size() == b.strides.size(), "buffer '" + b.name + "' has strides of another rank than its shape");
      require(b.role == BufferRole::local || !local, "buffer '" + b.name + "' stands after a local one");
      local = b.role == BufferRole::local;
      for (const auto* list : {&b.shape, &b.strides}) {
        for (const Expr& e : *list) {
          require(refs_of(e).empty(), "the shape of buffer '" + b.name + "' depends on a scalar value");
          require(list == &b.strides || !e.is_constant() || e.constant() >= 0,
                  "buffer '" + b.name + "' has a negative size");
          const std::set<std::string> symbols = e.symbols();
          sizes_.insert(symbols.begin(), symbols.end());
        }
      }
    }
    stored_.assign(kernel_.buffers.size(), false);
    ever_stored_ = stored_;
  }

  void phase(const Statement& s) {
    at_ = &s;
    const Loop* loop = std::get_if<Loop>(&s);
    require(loop != nullptr && loop->kind == RangeKind::parallel, "the outermost statements are parallel loops");
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      if (kernel_.buffers[i].role == BufferRole::local) stored_[i] = false;
    }
    statement(s);
  }

  void block(const Block& b) {
    std::vector<Ref> mine;
    for (const Statement& s : b.statements) {
      statement(s);
      for (const Ref ref : results_of(s)) mine.push_back(ref);
    }
    // Reductions read the body's values: the caller hides them.
    hidden_later_.insert(hidden_later_.end(), mine.begin(), mine.end());
  }

  void statement(const Statement& s) {
    at_ = &s;
    std::visit([this](const auto& typed) { check(typed); }, s);
    at_ = &s;
  }

  void define(Ref ref, DType dtype) {
    require(ref < values_.size(), "%" + std::to_string(ref) + " is not below the kernel's next_ref");
    require(!values_[ref].defined, "%" + std::to_string(ref) + " is defined twice");
    require(dtype != DType::token, "a scalar value is a token");
    values_[ref] = {.dtype = dtype, .defined = true, .visible = true};
  }

  DType use(Ref ref) const {
    require(ref != kNoRef, "an operand is missing");
    require(ref < values_.size() && values_[ref].visible, "%" + std::to_string(ref) + " is not defined here");
    return values_[ref].dtype;
  }

  void use_as(Ref ref, DType dtype, const char* what) const {
    const DType have = use(ref);
    require(have == dtype, std::string(what) + " is " + name_of(have) + ", expected " + name_of(dtype));
  }

  // Index expressions may name ranges in scope, visible i64 values and the symbols of the buffers' shapes.
  void expression(const Expr& e) const {
    for (const std::string& s : e.symbols()) {
      if (const auto ref = symbol_ref(s)) {
        use_as(*ref, DType::i64, "a value in an index");
      } else {
        require(ranges_.count(s) > 0 || sizes_.count(s) > 0, "'" + s + "' is no range here and no size of a buffer");
      }
    }
  }

  void size_expression(const Expr& e) const {
    for (const std::string& s : e.symbols()) require(sizes_.count(s) > 0, "'" + s + "' is no size of a buffer");
  }

  void scalar_value(DType dtype, const ir::ScalarValue& value) const {
    const bool floating = std::holds_alternative<double>(value);
    require(floating == is_floating(dtype), "a constant of another kind than its dtype");
    const ir::ScalarValue rounded =
        floating ? ir::scalar_value(dtype, std::get<double>(value)) : ir::scalar_value(dtype, std::get<int64_t>(value));
    const bool nan = floating && std::get<double>(value) != std::get<double>(value);
    require(nan || ir::same_value(rounded, value),
            name_of(dtype) + " cannot hold the constant (ir::scalar_value rounds)");
  }

  void check(const Constant& s) {
    scalar_value(s.dtype, s.value);
    define(s.result, s.dtype);
  }

  void check(const Index& s) {
    expression(s.value);
    define(s.result, DType::i64);
  }

  void check(const Compute& s) {
    const int arity = ir::scalar_op_arity(s.op);
    require(static_cast<int>(s.args.size()) == arity, "the op takes " + std::to_string(arity) + " operands");
    std::vector<DType> args;
    for (const Ref arg : s.args) args.push_back(use(arg));
    if (s.op == ScalarOp::cast) {
    } else if (s.op == ScalarOp::bitcast) {
      require(dtype_size(args[0]) == dtype_size(s.dtype), "bitcast between dtypes of different sizes");
      require((args[0] == DType::boolean) == (s.dtype == DType::boolean), "bitcast of a boolean");
    } else if (s.op == ScalarOp::select) {
      require(args[0] == DType::boolean, "the condition is " + name_of(args[0]) + ", expected bool");
      require(args[1] == s.dtype && args[2] == s.dtype, "select of other dtypes than its result's");
    } else if (ir::is_comparison(s.op)) {
      require(s.dtype == DType::boolean, "a comparison gives bool");
      require(args[0] == args[1], "comparison of " + name_of(args[0]) + " and " + name_of(args[1]));
      require(!is_half(args[0]), "f16 and bf16 carry no arithmetic: cast to f32");
    } else {
      for (const DType arg : args) {
        require(arg == s.dtype, "an operand is " + name_of(arg) + ", the result " + name_of(s.dtype));
      }
      require(supports(s.op, s.dtype), "the op is not defined on " + name_of(s.dtype));
    }
    define(s.result, s.dtype);
  }

  const Buffer& access(uint32_t buffer, const std::vector<Expr>& index, Ref mask) const {
    require(buffer < kernel_.buffers.size(), "no buffer " + std::to_string(buffer));
    const Buffer& b = kernel_.buffers[buffer];
    require(index.size() == b.shape.size(), "buffer '" + b.name + "' has " + std::to_string(b.shape.size()) +
                                                " dimensions, the index has " + std::to_string(index.size()));
    for (const Expr& e : index) expression(e);
    if (mask != kNoRef) {
      use_as(mask, DType::boolean, "the mask");
    } else if (!dead_ && !unsure_) {
      for (size_t i = 0; i < index.size(); ++i) in_bounds(index[i], b.shape[i]);
    }
    return b;
  }

  // Affine indices of constant ranges are checked exactly; others are the producer's word.
  void in_bounds(const Expr& e, const Expr& size) const {
    if (!size.is_constant()) return;
    int64_t low = 0, high = 0;
    Expr rest = e;
    for (const std::string& s : e.symbols()) {
      const auto range = ranges_.find(s);
      const auto linear = as_linear(rest, s);
      if (range == ranges_.end() || !range->second.is_constant() || !linear || !linear->coefficient.is_constant())
        return;
      const auto bounds = bounds_of(linear->coefficient * Expr::symbol(s), {{s, {0, range->second.constant() - 1}}});
      if (!bounds) return;
      if (__builtin_add_overflow(low, bounds->low, &low) || __builtin_add_overflow(high, bounds->high, &high)) return;
      rest = linear->rest;
    }
    if (!rest.is_constant()) return;
    if (__builtin_add_overflow(low, rest.constant(), &low) || __builtin_add_overflow(high, rest.constant(), &high))
      return;
    require(low >= 0 && high < size.constant(), "index " + e.to_string() + " runs from " + std::to_string(low) +
                                                    " to " + std::to_string(high) + " in a dimension of " +
                                                    size.to_string());
  }

  void check(const Load& s) {
    const Buffer& b = access(s.buffer, s.index, s.mask);
    require(s.dtype == b.dtype, "a load of " + name_of(s.dtype) + " from a buffer of " + name_of(b.dtype));
    const bool input = b.role == BufferRole::in || b.role == BufferRole::in_out;
    require(input || stored_[s.buffer], "buffer '" + b.name + "' is read before it is written");
    if (!ir::same_value(s.otherwise, int64_t{0})) scalar_value(s.dtype, s.otherwise);
    define(s.result, s.dtype);
  }

  void check(const Store& s) {
    const Buffer& b = access(s.buffer, s.index, s.mask);
    require(b.role != BufferRole::in, "a store to the input '" + b.name + "'");
    use_as(s.value, b.dtype, "the stored value");
    if (b.role != BufferRole::local && s.mask == kNoRef) distinct_places(s);
    stored_[s.buffer] = true;
    ever_stored_[s.buffer] = true;
  }

  // Iterations of a parallel loop write to different places: each of its ranges takes part in the index.
  void distinct_places(const Store& s) const {
    std::set<std::string> names;
    for (const Expr& e : s.index) {
      if (!refs_of(e).empty()) return;
      const std::set<std::string> symbols = e.symbols();
      names.insert(symbols.begin(), symbols.end());
    }
    for (const std::string& range : parallel_) {
      const Expr& extent = ranges_.at(range);
      const bool single = extent.is_constant() && extent.constant() <= 1;
      require(single || names.count(range) > 0, "iterations of the parallel range '" + range + "' write to one place");
    }
  }

  void check(const Check& s) {
    use_as(s.value, DType::i64, "the checked index");
    size_expression(s.size);
    require(s.check < kernel_.checks.size(), "no check " + std::to_string(s.check));
    define(s.result, DType::i64);
  }

  void enter(const std::vector<Range>& ranges) {
    for (const Range& r : ranges) {
      require(!r.name.empty() && r.name[0] != '%', "a range needs a name");
      require(sizes_.count(r.name) == 0, "range '" + r.name + "' has the name of a size");
      require(range_names_.insert(r.name).second, "two ranges have the name '" + r.name + "'");
      size_expression(r.extent);
      require(!r.extent.is_constant() || r.extent.constant() >= 0, "range '" + r.name + "' has a negative extent");
    }
    for (const Range& r : ranges) ranges_.emplace(r.name, r.extent);
  }

  void leave(const std::vector<Range>& ranges) {
    for (const Range& r : ranges) ranges_.erase(r.name);
  }

  void check(const Loop& loop) {
    const bool outermost = depth_ == 0 && !kernel_.templ;
    require((loop.kind == RangeKind::parallel) == outermost, "parallel loops are outermost, and only they");
    require(loop.kind == RangeKind::reduction || loop.reductions.empty(), "a loop that reduces is of kind reduction");
    enter(loop.ranges);
    if (loop.kind == RangeKind::parallel) {
      for (const Range& r : loop.ranges) parallel_.push_back(r.name);
    }
    const bool was_dead = dead_;
    for (const Range& r : loop.ranges) dead_ = dead_ || r.extent == Expr(0);
    std::vector<Ref> outer_hidden = std::move(hidden_later_);
    hidden_later_.clear();
    const Statement* here = at_;
    ++depth_;
    block(loop.body);
    --depth_;
    at_ = here;
    for (const Reduction& r : loop.reductions) reduction_input(r);
    for (const Ref ref : hidden_later_) values_[ref].visible = false;
    hidden_later_ = std::move(outer_hidden);
    for (const Reduction& r : loop.reductions) reduction_results(r);
    leave(loop.ranges);
    if (loop.kind == RangeKind::parallel) parallel_.clear();
    dead_ = was_dead;
  }

  void reduction_input(const Reduction& r) const {
    use_as(r.input, r.dtype, "a reduction's input");
    require(supports(r.op, r.dtype), std::string(ir::reduce_op_name(r.op)) + " is not defined on " + name_of(r.dtype));
  }

  void reduction_results(const Reduction& r) {
    const bool place = r.op == ReduceOp::argmax || r.op == ReduceOp::argmin;
    require(r.results.size() == (place ? 2u : 1u), "a reduction has the wrong number of results");
    if (place) define(r.results[0], DType::i64);
    define(r.results.back(), r.dtype);
  }

  void operand(const Operand& o, DType dtype, size_t strides, const char* name) const {
    const std::string what = "operand '" + std::string(name) + "'";
    require(o.buffer < kernel_.buffers.size(), what + " has no buffer " + std::to_string(o.buffer));
    const Buffer& b = kernel_.buffers[o.buffer];
    require(b.role == BufferRole::in || b.role == BufferRole::in_out, what + " is not read from an input");
    require(b.dtype == dtype, what + " is " + name_of(b.dtype) + ", expected " + name_of(dtype));
    require(o.strides.size() == strides,
            what + " has " + std::to_string(o.strides.size()) + " strides, expected " + std::to_string(strides));
    size_expression(o.offset);
    for (const Expr& e : o.strides) size_expression(e);
  }

  void check_template(const MatmulTemplate& t) const {
    require(t.dtype == DType::f32 || is_half(t.dtype), "a matrix product of " + name_of(t.dtype));
    for (const Expr* e : {&t.batch, &t.m, &t.n, &t.k}) size_expression(*e);
    operand(t.lhs, t.dtype, 3, "lhs");
    operand(t.rhs, t.dtype, t.rhs_panel > 0 ? t.rhs.strides.size() : 3, "rhs");
    require(t.rhs_panel >= 0, "rhs_panel is negative");
    require(t.rhs_panel == 0 || t.batch == Expr(1), "a packed rhs has batch 1");
    require(t.more_rhs.size() == t.rhs_starts.size(), "each part of rhs after the first has a first column");
    require(t.more_rhs.empty() || (t.rhs_panel == 0 && t.batch == Expr(1)), "parts of rhs are plain, and batch is 1");
    for (const Operand& o : t.more_rhs) operand(o, t.dtype, 3, "more_rhs");
    int64_t last = 0;
    for (const int64_t start : t.rhs_starts) {
      require(start > last, "parts of rhs begin in order");
      last = start;
    }
  }

  void check_template(const ConvTemplate& t) const {
    require(t.dtype == DType::f32 || t.dtype == DType::bf16, "a convolution of " + name_of(t.dtype));
    for (const int64_t positive : {t.groups, t.in_channels, t.out_channels, t.kernel_h, t.kernel_w, t.stride_h,
                                   t.stride_w, t.dilation_h, t.dilation_w, t.in_block, t.out_block}) {
      require(positive > 0, "a size of the convolution is not positive");
    }
    require(t.in_channels % t.groups == 0 && t.out_channels % t.groups == 0, "channels do not divide into groups");
    for (const int64_t size : {t.in_h, t.in_w, t.out_h, t.out_w, t.pad_h, t.pad_w}) {
      require(size >= 0, "a size of the convolution is negative");
    }
    size_expression(t.batch);
    operand(t.input, t.dtype, 5, "input");
    operand(t.weight, t.dtype, t.weight.strides.empty() ? 0 : 4, "weight");
    require(t.weight.strides.empty() || t.dtype == DType::f32, "a weight that is not packed is f32");
  }

  void check_template(const AttentionTemplate& t) const {
    require(t.dtype == DType::f32 || is_half(t.dtype), "attention of " + name_of(t.dtype));
    for (const Expr* e : {&t.batch, &t.heads, &t.queries, &t.keys}) size_expression(*e);
    require(t.head_dim > 0 && t.value_dim > 0 && t.head_group > 0, "a size of the attention is not positive");
    operand(t.query, t.dtype, 4, "query");
    operand(t.key, t.dtype, 4, "key");
    operand(t.value, t.dtype, 4, "value");
    if (t.mask) operand(*t.mask, t.mask_dtype, 4, "mask");
  }

  void templ(const Template& t) {
    std::visit([this](const auto& what) { check_template(what); }, t.what);
    const std::vector<Range> ranges = template_ranges(t);
    enter(ranges);
    for (const Range& r : ranges) parallel_.push_back(r.name);
    for (const Range& r : ranges) dead_ = dead_ || r.extent == Expr(0);
    // The last block of channels of a convolution may run past the tensor: the generator masks it.
    const ConvTemplate* conv = std::get_if<ConvTemplate>(&t.what);
    unsure_ = conv != nullptr && conv->out_channels % conv->out_block != 0;
    define(t.accumulator, DType::f32);
    ++depth_;
    block(t.epilogue);
    --depth_;
    at_ = nullptr;
    leave(ranges);
  }

  void schedule() {
    at_ = nullptr;
    const Schedule& s = kernel_.schedule;
    for (const auto* list : {&s.vector_ranges, &s.tile_ranges}) {
      for (const std::string& name : *list) {
        require(range_names_.count(name) > 0, "the schedule names a range '" + name + "' that the kernel lacks");
      }
    }
    for (const int64_t positive : {s.vector_lanes, s.unroll, s.grain, s.task_block, s.num_warps, s.num_stages}) {
      require(positive > 0, "a number of the schedule is not positive");
    }
    for (const int64_t size : {s.task_ranges, s.tile_m, s.tile_n, s.block_m, s.block_n, s.block_k}) {
      require(size >= 0, "a number of the schedule is negative");
    }
    for (const int64_t block : s.blocks) require(block > 0, "a block of the schedule is not positive");
  }

  const Kernel& kernel_;
  std::vector<Scalar> values_;
  std::set<std::string> sizes_;         // symbols of the buffers' shapes and strides
  std::set<std::string> range_names_;   // all so far
  std::map<std::string, Expr> ranges_;  // those in scope
  std::vector<std::string> parallel_;   // parallel ranges in scope
  std::vector<Ref> hidden_later_;       // values of the block being left
  std::vector<bool> stored_, ever_stored_;
  int depth_ = 0;
  bool dead_ = false;    // inside a range of extent 0
  bool unsure_ = false;  // bounds cannot be judged
  const Statement* at_ = nullptr;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace litz::kernel_ir
