// Op records: one record states an op once. Everything else (printer, parser checks, importers, docs, test cases,
// fusion) derives from it.
//
// To add an op: write its record in ops/<family>.cpp, list it in that file's `<family>_records()`, and add cases to
// tests/ops. A composite op needs `decompose` only. A pointwise op needs `body` only (shape and dtype have defaults).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/scalar.h"

namespace litz::ops {

using ir::Attributes;
using ir::TensorType;
using ir::ValueId;

class Builder;

enum class AttrKind : uint8_t { boolean, integer, number, text, integers, numbers, dtype, exprs, layout };

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool required = true;
};

enum class OperandKind : uint8_t { required, optional, variadic };  // variadic only last

struct OperandSpec {
  std::string_view name;
  OperandKind kind = OperandKind::required;
};

// What is known when types are inferred. `operands` has a null entry for an absent optional operand.
struct InferArgs {
  std::span<const TensorType* const> operands;
  const Attributes& attributes;
};

// How the compiler handles an op. An op of kind `composite` must decompose; `foreign` runs outside.
enum class OpKind : uint8_t {
  pointwise,   // body; operands broadcast
  view,        // map: moves no data by itself
  reduction,   // reduce
  gather,      // reads at computed indices; lowered by name in fusion
  matmul,      // a template
  convolution,
  attention,
  window,      // pooling; lowered by name in fusion
  generator,   // iota, full: no operands
  shuffle,     // cat, pad, layout changes: lowered by name in fusion
  composite,
  foreign,
};

struct ReduceSpec {
  ir::ReduceOp op;
};

struct OpRecord {
  std::string_view name;
  OpKind kind;
  std::vector<OperandSpec> operands;
  std::vector<AttrSpec> attributes;
  int results = 1;
  std::string_view doc;  // one line: formula, shapes

  // Result types. Throws UserError (with the op's name and what was expected) on bad arguments.
  // Pointwise ops may leave it empty: broadcast shape, promoted dtype.
  std::function<std::vector<TensorType>(const InferArgs&)> infer;
  // pointwise: the value of one element. Arguments arrive in compute dtype (f32 for f16 and bf16; otherwise the promoted
  // dtype); the result is cast to the result's dtype by the caller.
  std::function<ir::Scalar(ir::ScalarBuilder&, std::span<const ir::Scalar>, const Attributes&)> body;
  // pointwise: dtype in which `body` runs, given the operands; empty: compute_dtype of the promoted operand dtype.
  std::function<DType(const InferArgs&)> body_dtype;
  // view: the operand's index for a result's index.
  std::function<std::vector<Expr>(const std::vector<Expr>& index, const InferArgs&, const TensorType& result)> map;
  // reduction: over attribute "dims" (integers, non-negative, sorted), "keepdim".
  std::optional<ReduceSpec> reduce;
  // composite (or any op that may be taken apart): builds the same results from other ops.
  std::function<std::vector<ValueId>(Builder&, std::span<const ValueId>, const Attributes&)> decompose;

  // Overloads of ATen that importers map to this op by a plain rule: "aten.cos.default". Others are mapped in ops/aten.cpp.
  std::vector<std::string_view> aten;
  bool effect = false;       // ordered by tokens; never removed or duplicated
  bool commutative = false;
};

// All records, in a fixed order. Built once, on first use.
std::span<const OpRecord> all_records();
// Null if unknown.
const OpRecord* find_record(std::string_view name);
const OpRecord& record(std::string_view name);  // InternalError if unknown

// PyTorch's type promotion. A 0-d operand gives way to dimensioned ones of the same or a higher category.
DType promote(std::span<const TensorType* const> operands);
// NumPy broadcasting; UserError if shapes don't fit.
std::vector<Expr> broadcast_shapes(std::span<const TensorType* const> operands, std::string_view op);
std::vector<TensorType> infer_types(const OpRecord& record, const InferArgs& args);

// Builds nodes with inferred types. Checks operands and attributes against the record.
class Builder {
 public:
  explicit Builder(ir::GraphBuilder& graph) : graph_(graph) {}

  std::vector<ValueId> add_all(std::string_view op, std::vector<ValueId> operands, Attributes attributes = {});
  ValueId add(std::string_view op, std::vector<ValueId> operands, Attributes attributes = {});
  // A 0-d constant of `dtype` (op "full").
  ValueId scalar(DType dtype, double value);
  ValueId scalar_int(DType dtype, int64_t value);
  const TensorType& type(ValueId id) const { return graph_.type(id); }
  ir::GraphBuilder& graph() { return graph_; }
  // Location given to the nodes added from now on.
  void set_location(ir::Location location) { location_ = std::move(location); }

 private:
  ir::GraphBuilder& graph_;
  ir::Location location_;
};

// Checks a graph: SSA order, types equal to what the records infer (layouts apart), attributes as declared, effects and
// tokens, sub-graphs, symbols defined before use, the border. Throws InternalError.
void verify(const ir::Graph& graph);

}  // namespace litz::ops
