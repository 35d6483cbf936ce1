// Prints a block of scalar SSA as C++ statements, either for one element or with the iterations of one range as vector
// lanes. Loop nests and templates (matrix product, convolution, attention) use it for their bodies and epilogues.
//
// A template that computes a tile of `rows` x 2 vectors and runs its epilogue on it:
//
//   BlockEmitter block(kernel, lanes, &writer);
//   block.declare_buffers();                                   // "const f32m* const b0 = …" at the top of the function
//   block.bind_range("b", {.text = "b", .extent = batch});
//   for (int j = 0; j < 2; ++j) {
//     const auto columns = block.scope();                      // what is bound and printed from here ends with it
//     block.bind_range("n", {.text = "(n0 + " + std::to_string(j * lanes) + ")", .extent = n, .multiple_of = lanes});
//     block.vectorize("n");
//     block.set_valid_lanes(tail ? "(int)(n_end - n0 - …)" : "");  // only lanes below it touch memory
//     block.hoist(epilogue);                                   // prints what needs neither m nor the accumulator
//     for (int i = 0; i < rows; ++i) {
//       const auto row = block.scope();
//       block.bind_range("m", {.text = "(m0 + " + std::to_string(i) + ")", .extent = m});
//       block.bind(accumulator, {.text = "acc" + …, .dtype = DType::f32, .vector = true});
//       block.emit(epilogue);                                  // the rest
//     }
//   }
//
// Values keep their names inside the C++ block in which they were printed: a scope() must not outlive that block. Names
// of buffers are "b0", "b1", …; of values "v0", "v1", …, in order of printing. The helpers that the text calls come
// from prelude().
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::cpp {

// A value as generated code names it.
struct Value {
  std::string text;  // a C++ expression without effects: a variable or a literal
  DType dtype = DType::f32;
  bool vector = false;  // one element a lane; otherwise the same for all lanes
  // No element is larger in absolute value, NaN aside.
  double magnitude = std::numeric_limits<double>::infinity();
};

// Where a range stands.
struct RangeBinding {
  std::string text;         // a C++ expression of type long: the index, of lane 0 for the vectorised range
  Expr extent;              // the index lies in [0, extent)
  int64_t multiple_of = 1;  // a known divisor of `text`
};

// What is visible at a point of the generated code.
struct BlockState {
  std::map<std::string, RangeBinding> ranges;
  std::map<kernel_ir::Ref, Value> values;
  std::string vector_range;
  std::string valid_lanes;
};

class BlockEmitter {
 public:
  using LoopPrinter = std::function<void(const kernel_ir::Loop&)>;

  // `kernel` and `out` must outlive the emitter. `lanes` is 1 for scalar code. The kernel must have constant shapes and
  // strides.
  BlockEmitter(const kernel_ir::Kernel& kernel, int lanes, Writer* out);

  // One pointer for each buffer, from `args`. Local buffers take theirs from `scratch`.
  void declare_buffers();
  // Bytes of `scratch` that local buffers need.
  int64_t local_bytes() const;

  void bind_range(const std::string& name, RangeBinding binding);
  // Iterations of the bound range `name` become lanes; "" for scalar code.
  void vectorize(const std::string& name) { state_.vector_range = name; }
  // A C++ expression of type int: lanes from there on exist no more. "" for all.
  void set_valid_lanes(const std::string& text) { state_.valid_lanes = text; }
  void bind(kernel_ir::Ref ref, Value value) { state_.values[ref] = std::move(value); }
  const Value& value(kernel_ir::Ref ref) const;

  // Prints statements without effects whose operands and ranges are all bound, also those inside loops.
  void hoist(const kernel_ir::Block& block);
  // Prints the statements that are not bound yet, in order; loops through the loop printer. A Check that fails returns
  // from the function, which must give void and have `args` in scope.
  void emit(const kernel_ir::Block& block);
  void set_loop_printer(LoopPrinter printer) { loops_ = std::move(printer); }

  // Restores bindings when it goes.
  class Scope {
   public:
    explicit Scope(BlockEmitter* emitter) : emitter_(emitter), saved_(emitter->state_) {}
    ~Scope() { emitter_->state_ = std::move(saved_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BlockEmitter* emitter_;
    BlockState saved_;
  };
  [[nodiscard]] Scope scope() { return Scope(this); }

  // For those who print loops. With interleaved locals each lane has its own copy of a local buffer: the vectorised
  // range is a parallel one. `copies` of each local buffer, set before declare_buffers(): the lanes if any phase
  // interleaves them.
  void set_interleaved_locals(bool on) { interleaved_locals_ = on; }
  void set_local_copies(int copies) { local_copies_ = copies; }
  bool interleaved_locals() const { return interleaved_locals_; }
  int lanes() const { return lanes_; }
  const BlockState& state() const { return state_; }
  const kernel_ir::Kernel& kernel() const { return kernel_; }
  Writer& out() { return *out_; }
  // A new variable name: `prefix` and a number; `hint` names it in the readable copy.
  std::string fresh(std::string_view prefix, std::string_view hint = "");
  // Prints "const T name = text;" and gives the value.
  Value define(DType dtype, bool vector, const std::string& text, std::string_view hint = "");
  // A load that is contiguous along `range` and strided along the lanes: prints the load of a square of lanes x lanes
  // elements from the index where `range` is bound, and gives the value at `row` further on. Nothing for other loads.
  std::optional<Value> load_square(const kernel_ir::Load& load, const std::string& range, const std::string& row);
  // The same value with one element a lane, or as it is if it has that already.
  std::string broadcast(const Value& value) const;
  // An integer expression as C++ of type long; all ranges and values in it must be bound and the same for all lanes.
  std::string scalar_expr(const Expr& e) const;

 private:
  void emit(const kernel_ir::Statement& statement);
  void emit(const kernel_ir::Constant& s);
  void emit(const kernel_ir::Index& s);
  void emit(const kernel_ir::Compute& s);
  void emit(const kernel_ir::Load& s);
  void emit(const kernel_ir::Store& s);
  void emit(const kernel_ir::Check& s);
  bool ready(const Expr& e) const;
  bool ready(kernel_ir::Ref ref) const { return ref == kernel_ir::kNoRef || state_.values.contains(ref); }
  bool hoistable(const kernel_ir::Statement& statement) const;

  const kernel_ir::Kernel& kernel_;
  int lanes_;
  Writer* out_;
  BlockState state_;
  LoopPrinter loops_;
  bool interleaved_locals_ = false;
  int local_copies_ = 1;
  int next_name_ = 0;
};

// A literal of `dtype`, exact.
std::string literal(DType dtype, const ir::ScalarValue& value);

// Buffers of a kernel that are arguments: in `args`, shared scratch and the fault record follow them.
int64_t argument_count(const kernel_ir::Kernel& kernel);

}  // namespace litz::codegen::cpp
