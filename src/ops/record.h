// Op records: one record states an op once. Everything else (printer, parser checks, importers, docs, test cases,
// fusion) derives from it.
//
// To add an op: write its record in ops/<family>.cpp, list it in that file's `<family>_records()`, and add cases to
// tests/ops. A composite op needs `decompose` only. A pointwise op needs `body` only (shape and dtype have defaults).
#pragma once

#include <functional>
#include <memory>
#include <optional>
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
  bool keep_dtype =
      false;  // pointwise: takes no part in promotion and reaches `body` in its own dtype (where's condition)
};

// What is known when types are inferred. `operands` has a null entry for an absent optional operand.
struct InferArgs {
  std::span<const TensorType* const> operands;
  const Attributes& attributes;
  std::span<const std::shared_ptr<const ir::Graph>> subgraphs = {};
};

// How the compiler handles an op. An op of kind `composite` must decompose; `foreign` runs outside.
enum class OpKind : uint8_t {
  pointwise,  // body; operands broadcast
  view,       // map: moves no data by itself
  reduction,  // reduce
  gather,     // reads at computed indices; lowered by name in fusion
  matmul,     // a template
  convolution,
  attention,
  window,     // pooling; lowered by name in fusion
  generator,  // iota, full: no operands
  shuffle,    // cat, pad, layout changes: lowered by name in fusion
  scan,       // cumsum: each element depends on those before it along a dimension
  scatter,    // writes at computed indices, into a copy of its first operand
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
  int results = 1;       // -1: any number
  std::string_view doc;  // one line: formula, shapes

  // Result types. Throws UserError (with the op's name and what was expected) on bad arguments.
  // Pointwise ops may leave it empty: broadcast shape, promoted dtype.
  std::function<std::vector<TensorType>(const InferArgs&)> infer;
  // pointwise: the value of one element. Arguments arrive in `body_dtype` but for operands marked keep_dtype; the
  // result is cast to the result's dtype by the caller. Call it through `apply_body`, which does both.
  std::function<ir::Scalar(ir::ScalarBuilder&, std::span<const ir::Scalar>, const Attributes&)> body;
  // pointwise: dtype in which `body` runs, given the operands; empty: compute_dtype of the promoted operand dtype.
  std::function<DType(const InferArgs&)> body_dtype;
  // view: the operand's index for a result's index.
  std::function<std::vector<Expr>(const std::vector<Expr>& index, const InferArgs&, const TensorType& result)> map;
  // reduction: over attribute "dims" (integers, non-negative, sorted), "keepdim".
  std::optional<ReduceSpec> reduce;
  // composite (or any op that may be taken apart): builds the same results from other ops.
  std::function<std::vector<ValueId>(Builder&, std::span<const ValueId>, const Attributes&)> decompose;

  // Overloads of ATen that importers map to this op by a plain rule: "aten.cos.default". Others are mapped in
  // ops/aten.cpp.
  std::vector<std::string_view> aten;
  bool effect = false;  // ordered by tokens; never removed or duplicated
  bool commutative = false;
};

// All records, in a fixed order. Built once, on first use.
std::span<const OpRecord> all_records();
// Null if unknown.
const OpRecord* find_record(std::string_view name);
const OpRecord& record(std::string_view name);  // InternalError if unknown

// PyTorch's type promotion. A 0-d operand gives way to dimensioned ones of the same or a higher category. Null entries
// are skipped.
DType promote(std::span<const TensorType* const> operands);
DType promote_types(DType a, DType b);
// The dtype in which PyTorch combines a tensor with a Python number: a number changes the dtype only if it is of a
// higher category (a float with integers gives f32, an integer with booleans i64). Frontends convert numbers to it.
DType result_type_with_scalar(const TensorType& tensor, const ir::ScalarValue& number);
// NumPy broadcasting; UserError if shapes don't fit.
std::vector<Expr> broadcast_shapes(std::span<const TensorType* const> operands, std::string_view op);
// Checks operands and attributes against the record, then infers. UserError on bad operands, InternalError on
// attributes that the record does not declare.
std::vector<TensorType> infer_types(const OpRecord& record, const InferArgs& args);

// The dtype in which a pointwise op's body runs.
DType body_dtype(const OpRecord& record, const InferArgs& args);
// One element of a pointwise op: casts `args` (each in its operand's dtype) to the body's dtype, runs the body and
// casts to `result`. The interpreter and fusion both build elements with it.
ir::Scalar apply_body(const OpRecord& record, ir::ScalarBuilder& builder, std::span<const ir::Scalar> args,
                      const InferArgs& infer, DType result);

// Builds nodes with inferred types. Checks operands and attributes against the record.
class Builder {
 public:
  explicit Builder(ir::GraphBuilder& graph) : graph_(graph) {}

  std::vector<ValueId> add_all(std::string_view op, std::vector<ValueId> operands, const Attributes& attributes = {});
  ValueId add(std::string_view op, std::vector<ValueId> operands, const Attributes& attributes = {});
  // A 0-d constant of `dtype` (op "full").
  ValueId scalar(DType dtype, double value);
  ValueId scalar_int(DType dtype, int64_t value);
  // Runs `graph` on the operands (op "call"); its results are the outputs of `graph`.
  std::vector<ValueId> call(std::shared_ptr<const ir::Graph> graph, std::vector<ValueId> operands);
  // An op that Litz does not compile (op "foreign"): `target` names it, `payload` is for whoever runs it.
  std::vector<ValueId> foreign(std::string target, std::string payload, std::vector<ValueId> operands,
                               const std::vector<TensorType>& results);
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
