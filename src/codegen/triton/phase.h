// One phase of a kernel as the body of a Triton function.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/triton/helpers.h"
#include "codegen/triton/index_text.h"
#include "codegen/triton/tiling.h"
#include "codegen/triton/value.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::triton {

class PhaseEmitter {
 public:
  // `pointers`: the name of each buffer's argument.
  PhaseEmitter(const kernel_ir::Kernel& kernel, const Tiling& tiling, const std::vector<std::string>& pointers,
               Helpers* helpers);

  // The indented lines of the function's body. `phase` is the loop that `tiling` was chosen for.
  std::string run(const kernel_ir::Loop& phase);

 private:
  // Names defined in a Python block, by what they are defined as: equal right-hand sides are computed once.
  using Scope = std::map<std::string, std::string>;

  void line(const std::string& text) { out_ += std::string(indent_ * 4, ' ') + text + "\n"; }
  void open_scope() { ++indent_, scopes_.emplace_back(); }
  void close_scope() { --indent_, scopes_.pop_back(); }
  // A name for `rhs`: one that is known, or `name`, which is then defined.
  std::string define(const std::string& name, const std::string& rhs);
  std::string define_at_top(const std::string& name, const std::string& rhs);

  void outer_indices();
  void axis_lines(const Axis& axis, const std::string& start, size_t dim);
  void add_axis(const Axis& axis, Dims dim);

  void block(const kernel_ir::Block& block);
  void emit(const kernel_ir::Constant& s);
  void emit(const kernel_ir::Index& s);
  void emit(const kernel_ir::Compute& s);
  void emit(const kernel_ir::Load& s);
  void emit(const kernel_ir::Store& s);
  void emit(const kernel_ir::Check& s);
  void emit(const kernel_ir::Loop& s);
  bool narrow_comparison(const kernel_ir::Compute& s);

  void whole_loop(const kernel_ir::Loop& loop, const Axis& axis);
  void blocked_loop(const kernel_ir::Loop& loop, const Axis& axis);
  void sequential_loop(const kernel_ir::Loop& loop);
  void enter_inner(const kernel_ir::Loop& loop, const Axis& axis);
  void leave_inner();
  void start_accumulators(const kernel_ir::Loop& loop, Dims dims);
  void accumulate(const kernel_ir::Loop& loop, const std::string& mask, const std::string& position);
  void finish(const kernel_ir::Reduction& r, const std::string& value, const std::string& place);
  void results_are(const kernel_ir::Reduction& r, const std::string& value, const std::string& place, Dims dims);

  // Values as arguments.
  const Value& value(kernel_ir::Ref ref) const { return values_.at(ref); }
  Value ready(kernel_ir::Ref ref);                                          // computed, not narrow; may be a literal
  std::string name(kernel_ir::Ref ref);                                     // computed, no literal
  std::string spread(const std::string& text, Dims have, Dims want) const;  // broadcast where dims are missing
  std::string spread_index(const std::string& text, bool tensor, Dims have, Dims want) const;
  std::string shape(Dims dims) const;
  std::string mask(Dims dims, kernel_ir::Ref given);
  Dims masked_dims() const;
  std::string identity(const kernel_ir::Reduction& r) const;

  // Index expressions.
  struct IndexText {
    std::string text;
    Dims dims = 0;
    bool tensor = false;  // false: a Python number, or a loop's variable
    bool fits = true;     // known to fit the type that indices are computed in
  };
  IndexText index(const Expr& e);
  Dims dims_of(const Expr& e) const;
  Expr in_axes(const Expr& e) const;
  std::string symbol_text(const std::string& symbol);

  void before_load(uint32_t buffer, const std::string& offset);
  void before_store(uint32_t buffer, const std::string& offset);
  void barrier();

  const kernel_ir::Kernel& kernel_;
  const Tiling& tiling_;
  const std::vector<std::string>& pointers_;
  Helpers* helpers_;
  bool wide_ = false;  // indices are i64

  std::string top_;  // what follows the tile's indices
  std::string out_;
  size_t indent_ = 1;
  std::vector<Scope> scopes_;
  std::map<kernel_ir::Ref, Value> values_;
  std::map<std::string, Expr> renamed_;      // a loop's ranges to the ranges of its axis, or to a loop's variable
  std::map<std::string, Expr> flat_;         // ranges of axes in terms of the axes' indices
  std::map<std::string, Dims> symbol_dims_;  // of axes and their ranges
  BoundsMap bounds_;                         // of axes, their ranges and loops' variables
  const Axis* inner_ = nullptr;              // of the loop that is being emitted
  bool blocked_ = false;                     // it runs in blocks
  int site_ = 0;                             // changes with each loop that starts or ends
  // Where buffers that are written to were read and written since the last barrier: site and offset.
  std::map<uint32_t, std::set<std::string>> read_, written_;
};

// The name of an axis's mask.
std::string mask_name(const Axis& axis);

}  // namespace litz::codegen::triton
