// Builds the scalar SSA of one kernel: scopes, buffers, loads; each value once.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fusion/resolve.h"
#include "kernel_ir/kernel.h"

namespace litz::fusion {

// A stack of blocks under construction: 0 is the body of the parallel loop (or the epilogue), deeper ones are loops
// inside. An instruction goes to the outermost scope in which its operands are known, so that what does not change in
// a loop is computed before it.
class Body final : public ir::ScalarBuilder {
 public:
  Body(const ir::Graph& graph, const Views& views, kernel_ir::Kernel* kernel, BoundsMap bounds);

  using ir::ScalarBuilder::select;
  ir::Scalar constant(DType dtype, ir::ScalarValue value) override;
  ir::Scalar emit(ir::ScalarOp op, DType dtype, std::span<const ir::Scalar> args) override;

  // The i64 value of an index expression.
  ir::Scalar index_value(const Expr& e);
  // An index expression that stands for the i64 value `s`.
  Expr as_expr(ir::Scalar s) const { return kernel_ir::ref_symbol(s.id); }
  // Loads the element of a graph value (buffered, seen through views) at a logical index.
  ir::Scalar load(ir::ValueId value, const Index& index);
  // The same where `mask` holds, `otherwise` elsewhere.
  ir::Scalar masked_load(ir::ValueId value, const Index& index, ir::Scalar mask, ir::ScalarValue otherwise);
  // A bounds check: see kernel_ir::Check.
  ir::Scalar check(ir::Scalar index, const Expr& size, bool wraps, const std::string& what);
  void store(ir::ValueId value, const Index& index, ir::Scalar scalar);

  // Buffers that are private to an iteration.
  uint32_t local_buffer(DType dtype, std::vector<Expr> shape, const std::string& name);
  ir::Scalar load_buffer(uint32_t buffer, std::vector<Expr> index);
  void store_buffer(uint32_t buffer, std::vector<Expr> index, ir::Scalar scalar);

  // Opens a loop; its ranges are known inside. `close` appends it to the scope around and gives the reductions'
  // results.
  void open(kernel_ir::RangeKind kind, std::vector<kernel_ir::Range> ranges);
  uint32_t reduce(ir::ReduceOp op, DType dtype, ir::Scalar input);  // in the loop that is open; gives its number
  std::vector<std::vector<ir::Scalar>> close();

  // A value given from outside (a template's accumulator).
  ir::Scalar given(DType dtype);
  // A range name that is not taken.
  std::string fresh_range(const std::string& stem);

  kernel_ir::Block take();  // the outermost block; ends the building
  size_t depth() const { return scopes_.size() - 1; }
  // The depth at which a value lives; 0: outermost.
  size_t depth_of(ir::Scalar s) const { return ref_depth_.at(s.id); }
  const BoundsMap& bounds() const { return bounds_; }
  const std::vector<ir::ValueId>& arguments() const { return arguments_; }
  uint32_t buffer_of(ir::ValueId value);

 private:
  struct Scope {
    kernel_ir::Loop loop;
    std::map<std::string, kernel_ir::Ref> known;  // instruction text → value, for reuse
  };

  kernel_ir::Ref new_ref(DType dtype, size_t depth);
  size_t depth_of(const Expr& e) const;
  size_t depth_of(const std::vector<Expr>& index) const;
  ir::Scalar load_at(uint32_t buffer, std::vector<Expr> index, const ir::Scalar* mask, ir::ScalarValue otherwise);
  std::pair<uint32_t, std::vector<Expr>> place(ir::ValueId value, const Index& index);

  const ir::Graph& graph_;
  const Views& views_;
  kernel_ir::Kernel* kernel_;
  BoundsMap bounds_;
  std::vector<Scope> scopes_;
  std::vector<size_t> ref_depth_;
  std::vector<DType> ref_dtype_;
  std::map<std::string, size_t> range_depth_;
  std::map<ir::ValueId, uint32_t> buffers_;
  std::vector<ir::ValueId> arguments_;
  std::vector<kernel_ir::Buffer> locals_;
};

}  // namespace litz::fusion
