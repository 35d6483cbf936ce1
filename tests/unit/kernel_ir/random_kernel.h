// Random kernels that obey every rule of kernel.h: loop nests with reductions, masks, indirect and checked indices,
// local buffers and several phases. What they compute is defined for every input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernel_ir/kernel.h"

namespace litz::kernel_ir {

class RandomKernel {
 public:
  // `small`: few iterations, and loops no deeper than one inside the parallel one.
  explicit RandomKernel(uint32_t seed, bool small = false) : rng_(seed), small_(small) {}

  Kernel make() {
    kernel_ = {};
    kernel_.name = "k" + std::to_string(below(100));
    inputs();
    const int phases = 1 + below(2);
    for (int i = 0; i < phases; ++i) phase();
    for (Buffer& b : locals_) kernel_.buffers.push_back(b);
    move_locals_last();
    schedule();
    return std::move(kernel_);
  }

 private:
  struct Known {
    Ref ref;
    DType dtype;
  };
  // What may be used at a place: values, and ranges with constant extents.
  struct Scope {
    std::vector<Known> values;
    std::vector<Range> ranges;
  };
  static constexpr uint32_t kLocalBase = 1000;  // buffer numbers of local ones until all others are known

  int below(int n) { return static_cast<int>(rng_() % static_cast<uint32_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  DType compute_dtype_any() {
    static const DType all[] = {DType::f32, DType::f32, DType::f64, DType::i64, DType::i32, DType::u8, DType::boolean};
    return all[below(7)];
  }
  Ref fresh() { return kernel_.next_ref++; }

  void inputs() {
    static const DType all[] = {DType::f32, DType::bf16, DType::f16, DType::f64, DType::i64,
                                DType::i32, DType::i16,  DType::i8,  DType::u8,  DType::boolean};
    for (int i = 1 + below(3); i > 0; --i) {
      Buffer b;
      b.name = "in" + std::to_string(kernel_.buffers.size());
      b.dtype = all[below(10)];
      for (int d = below(4); d > 0; --d) b.shape.emplace_back(1 + below(9));
      b.strides = ir::contiguous_strides(b.shape);
      if (chance(4)) std::reverse(b.strides.begin(), b.strides.end());
      if (chance(4)) b.source = "arg " + b.name;
      if (b.strides != ir::contiguous_strides(b.shape)) fix_strides(b);
      kernel_.buffers.push_back(std::move(b));
    }
    kernel_.checks = {"gather: index out of range", "embedding: \"index\" out of range"};
    if (chance(3)) kernel_.source_ops = {"sin (model.py:3)", "a\nb"};
  }

  // Column-major: the first dimension is the fastest.
  static void fix_strides(Buffer& b) {
    Expr stride = 1;
    for (size_t d = 0; d < b.shape.size(); ++d) {
      b.strides[d] = stride;
      stride = stride * b.shape[d];
    }
  }

  std::vector<Range> ranges(const std::string& stem, int count) {
    std::vector<Range> made;
    for (int i = 0; i < count; ++i) {
      static const int extents[] = {1, 2, 3, 5, 8, 17, 33};
      made.push_back({stem + std::to_string(next_range_++), extents[below(small_ ? 5 : 7)]});
    }
    return made;
  }

  void phase() {
    Loop loop{.kind = RangeKind::parallel};
    loop.ranges = ranges("i", below(4));
    Scope scope;
    scope.ranges = loop.ranges;
    statements(loop.body, scope, /*depth=*/0);
    store_result(loop.body, scope, loop.ranges);
    kernel_.body.statements.push_back(std::move(loop));
  }

  void statements(Block& block, Scope& scope, int depth) {
    for (int i = 2 + below(6); i > 0; --i) {
      switch (below(depth < (small_ ? 1 : 2) ? 8 : 6)) {
        case 0:
          constant(block, scope);
          break;
        case 1:
          index(block, scope);
          break;
        case 2:
          load(block, scope);
          break;
        case 3:
          check(block, scope);
          break;
        case 6:
          reduction(block, scope, depth);
          break;
        case 7:
          local_row(block, scope);
          break;
        default:
          compute(block, scope);
          break;
      }
    }
  }

  void constant(Block& block, Scope& scope) {
    Constant c{.result = fresh(), .dtype = compute_dtype_any()};
    c.value = is_floating(c.dtype) ? ir::scalar_value(c.dtype, below(200) * 0.1 - 10.0)
                                   : ir::scalar_value(c.dtype, static_cast<int64_t>(below(200) - 100));
    scope.values.push_back({c.result, c.dtype});
    block.statements.push_back(c);
  }

  // An expression in [0, size), or anything if size is 0.
  Expr expression(const Scope& scope, int64_t size) {
    std::vector<Range> fit;
    for (const Range& r : scope.ranges) {
      if (size == 0 || r.extent.constant() <= size) fit.push_back(r);
    }
    if (fit.empty()) return size == 0 ? below(5) : below(static_cast<int>(size));
    const Range& r = fit[static_cast<size_t>(below(static_cast<int>(fit.size())))];
    const Expr i = Expr::symbol(r.name);
    if (size == 0) return chance(2) ? 3 * i + below(7) - 3 : floor_div(i, 2) + mod(i, 3);
    switch (below(5)) {
      case 0:
        return r.extent - 1 - i;
      case 1:
        return floor_div(i, 2);
      case 2:
        return i + (size - r.extent.constant());
      case 3:
        return mod(i + 1, r.extent);
      default:
        return i;
    }
  }

  void index(Block& block, Scope& scope) {
    Index s{.result = fresh(), .value = expression(scope, 0)};
    scope.values.push_back({s.result, DType::i64});
    block.statements.push_back(s);
  }

  void load(Block& block, Scope& scope) {
    Load l;
    l.buffer = static_cast<uint32_t>(below(static_cast<int>(input_count())));
    const Buffer& b = kernel_.buffers[l.buffer];
    for (const Expr& size : b.shape) {
      if (!checked_.empty() && chance(3)) {
        // A checked index of a size that fits.
        const auto& [ref, limit] = checked_[static_cast<size_t>(below(static_cast<int>(checked_.size())))];
        if (limit <= size.constant() && visible(scope, ref)) {
          l.index.push_back(ref_symbol(ref));
          continue;
        }
      }
      l.index.push_back(expression(scope, size.constant()));
    }
    l.dtype = b.dtype;
    if (const Ref mask = pick(scope, DType::boolean); mask != kNoRef && chance(2)) {
      l.mask = mask;
      l.otherwise = is_floating(l.dtype) ? ir::ScalarValue(-1.5) : ir::ScalarValue(int64_t{1});
    }
    l.result = fresh();
    scope.values.push_back({l.result, l.dtype});
    block.statements.push_back(l);
    if (is_half(l.dtype)) cast(block, scope, l.result, DType::f32);
  }

  void check(Block& block, Scope& scope) {
    const Ref value = pick(scope, DType::i64);
    if (value == kNoRef) return;
    const int64_t size = 1 + below(9);
    Check c{
        .result = fresh(), .value = value, .size = size, .wraps = chance(2), .check = static_cast<uint32_t>(below(2))};
    checked_.emplace_back(c.result, size);
    scope.values.push_back({c.result, DType::i64});
    block.statements.push_back(c);
  }

  static bool visible(const Scope& scope, Ref ref) {
    return std::any_of(scope.values.begin(), scope.values.end(), [&](const Known& k) { return k.ref == ref; });
  }

  Ref pick(const Scope& scope, DType dtype) {
    std::vector<Ref> fit;
    for (const Known& k : scope.values) {
      if (k.dtype == dtype) fit.push_back(k.ref);
    }
    return fit.empty() ? kNoRef : fit[static_cast<size_t>(below(static_cast<int>(fit.size())))];
  }

  Ref cast(Block& block, Scope& scope, Ref from, DType to) {
    Compute c{.result = fresh(), .dtype = to, .op = ir::ScalarOp::cast, .args = {from}};
    scope.values.push_back({c.result, to});
    block.statements.push_back(c);
    return c.result;
  }

  // A value of `dtype`, made if there is none.
  Ref need(Block& block, Scope& scope, DType dtype) {
    const Ref have = pick(scope, dtype);
    if (have != kNoRef) return have;
    if (is_half(dtype)) return cast(block, scope, need(block, scope, DType::f32), dtype);
    Constant c{.result = fresh(), .dtype = dtype};
    c.value = is_floating(dtype) ? ir::scalar_value(dtype, 0.5) : ir::scalar_value(dtype, int64_t{1});
    scope.values.push_back({c.result, dtype});
    block.statements.push_back(c);
    return c.result;
  }

  void compute(Block& block, Scope& scope) {
    using ir::ScalarOp;
    static const ScalarOp float_ops[] = {ScalarOp::add,   ScalarOp::sub,  ScalarOp::mul,  ScalarOp::min, ScalarOp::max,
                                         ScalarOp::neg,   ScalarOp::abs,  ScalarOp::sqrt, ScalarOp::exp, ScalarOp::sin,
                                         ScalarOp::floor, ScalarOp::tanh, ScalarOp::fma,  ScalarOp::div};
    static const ScalarOp integer_ops[] = {ScalarOp::add,  ScalarOp::sub,     ScalarOp::mul,     ScalarOp::div,
                                           ScalarOp::fmod, ScalarOp::bit_and, ScalarOp::bit_xor, ScalarOp::shl,
                                           ScalarOp::shr,  ScalarOp::max,     ScalarOp::min,     ScalarOp::bit_not,
                                           ScalarOp::neg};
    static const ScalarOp boolean_ops[] = {ScalarOp::bit_and, ScalarOp::bit_or, ScalarOp::bit_xor, ScalarOp::bit_not};
    Compute c{.dtype = compute_dtype_any()};
    const int kind = below(6);
    DType operand = c.dtype;
    if (kind == 0) {
      operand = compute_dtype_any();
      c.dtype = DType::boolean;
      c.op = static_cast<ScalarOp>(static_cast<int>(ScalarOp::eq) + below(6));
    } else if (kind == 1) {
      c.op = ScalarOp::select;
    } else if (kind == 2) {
      c.op = ScalarOp::cast;
      operand = compute_dtype_any();
      // A float out of an integer's range is each target's own affair: keep to what all agree on.
      if (is_floating(operand) && is_integral(c.dtype)) operand = DType::i32;
    } else if (c.dtype == DType::boolean) {
      c.op = boolean_ops[below(4)];
    } else {
      c.op = is_floating(c.dtype) ? float_ops[below(14)] : integer_ops[below(13)];
    }
    for (int i = 0; i < ir::scalar_op_arity(c.op); ++i) {
      const bool condition = c.op == ScalarOp::select && i == 0;
      c.args.push_back(need(block, scope, condition ? DType::boolean : operand));
    }
    c.result = fresh();
    scope.values.push_back({c.result, c.dtype});
    block.statements.push_back(c);
  }

  void reduction(Block& block, Scope& scope, int depth) {
    Loop loop{.kind = RangeKind::reduction, .ranges = ranges("r", 1 + below(2))};
    Scope inner = scope;
    inner.ranges.insert(inner.ranges.end(), loop.ranges.begin(), loop.ranges.end());
    statements(loop.body, inner, depth + 1);
    for (int i = 1 + below(2); i > 0; --i) {
      Reduction r;
      static const ir::ReduceOp ops[] = {ir::ReduceOp::sum, ir::ReduceOp::max,    ir::ReduceOp::min,
                                         ir::ReduceOp::any, ir::ReduceOp::argmax, ir::ReduceOp::argmin};
      r.op = ops[below(6)];
      r.dtype = r.op == ir::ReduceOp::any ? DType::boolean : chance(3) ? DType::i64 : DType::f32;
      r.input = need(loop.body, inner, r.dtype);
      const bool place = r.op == ir::ReduceOp::argmax || r.op == ir::ReduceOp::argmin;
      if (place) r.results.push_back(fresh());
      r.results.push_back(fresh());
      if (place) scope.values.push_back({r.results[0], DType::i64});
      scope.values.push_back({r.results.back(), r.dtype});
      loop.reductions.push_back(std::move(r));
    }
    block.statements.push_back(std::move(loop));
  }

  // Fills a private row in one loop and sums it up in another.
  void local_row(Block& block, Scope& scope) {
    const std::vector<Range> write = ranges("w", 1);
    std::vector<Range> read = ranges("q", 1);
    read[0].extent = write[0].extent;
    const auto number = static_cast<uint32_t>(kLocalBase + locals_.size());
    locals_.push_back({.name = "row" + std::to_string(locals_.size()),
                       .dtype = DType::f32,
                       .shape = {write[0].extent},
                       .strides = {1},
                       .role = BufferRole::local});
    Loop fill{.kind = RangeKind::serial, .ranges = write};
    Scope inner = scope;
    inner.ranges.push_back(write[0]);
    load(fill.body, inner);
    compute(fill.body, inner);
    const Ref value = need(fill.body, inner, DType::f32);
    fill.body.statements.push_back(Store{.buffer = number, .index = {Expr::symbol(write[0].name)}, .value = value});
    block.statements.push_back(std::move(fill));

    Loop sum{.kind = RangeKind::reduction, .ranges = read};
    const Ref element = fresh();
    sum.body.statements.push_back(
        Load{.result = element, .dtype = DType::f32, .buffer = number, .index = {Expr::symbol(read[0].name)}});
    const Ref total = fresh();
    sum.reductions.push_back({.op = ir::ReduceOp::sum, .dtype = DType::f32, .input = element, .results = {total}});
    scope.values.push_back({total, DType::f32});
    block.statements.push_back(std::move(sum));
  }

  void store_result(Block& block, Scope& scope, const std::vector<Range>& parallel) {
    for (int i = 1 + below(2); i > 0; --i) {
      Buffer b;
      b.name = "out" + std::to_string(kernel_.buffers.size());
      b.dtype = chance(4) ? DType::bf16 : compute_dtype_any();
      b.role = BufferRole::out;
      Store s{.buffer = static_cast<uint32_t>(kernel_.buffers.size())};
      for (const Range& r : parallel) {
        b.shape.push_back(r.extent);
        s.index.push_back(Expr::symbol(r.name));
      }
      b.strides = ir::contiguous_strides(b.shape);
      s.value = need(block, scope, b.dtype);
      if (const Ref mask = pick(scope, DType::boolean); mask != kNoRef && chance(4)) s.mask = mask;
      kernel_.buffers.push_back(std::move(b));
      block.statements.push_back(std::move(s));
    }
  }

  size_t input_count() const {
    size_t count = 0;
    while (count < kernel_.buffers.size() && kernel_.buffers[count].role == BufferRole::in) ++count;
    return count;
  }

  void renumber(Block& block, uint32_t first_local) {
    for (Statement& s : block.statements) {
      auto fix = [&](uint32_t& buffer) {
        if (buffer >= kLocalBase) buffer = buffer - kLocalBase + first_local;
      };
      if (Load* l = std::get_if<Load>(&s)) fix(l->buffer);
      if (Store* t = std::get_if<Store>(&s)) fix(t->buffer);
      if (Loop* l = std::get_if<Loop>(&s)) renumber(l->body, first_local);
    }
  }

  void move_locals_last() {
    renumber(kernel_.body, static_cast<uint32_t>(kernel_.buffers.size() - locals_.size()));
    locals_.clear();
  }

  void schedule() {
    Schedule& s = kernel_.schedule;
    const Loop& first = std::get<Loop>(kernel_.body.statements[0]);
    if (!first.ranges.empty() && chance(2)) s.vector_ranges = {first.ranges.back().name};
    if (chance(2)) s.vector_lanes = 1 << below(5);
    if (chance(3)) s.unroll = 1 + below(4);
    if (chance(3)) s.blocks = {128, 1 << below(6)};
    if (chance(4)) s.pack_lhs = true;
  }

  std::mt19937 rng_;
  bool small_ = false;
  Kernel kernel_;
  std::vector<Buffer> locals_;
  std::vector<std::pair<Ref, int64_t>> checked_;
  int next_range_ = 0;
};

}  // namespace litz::kernel_ir
