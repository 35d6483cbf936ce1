// Calls of PyTorch's ATen ops, as functional graphs bring them, to nodes of a Graph.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/record.h"
#include "support/result.h"

namespace litz::ops {

struct AtenTensor {
  ValueId id = ir::kNoValue;
};

// An argument: None, a Python number, a text, a dtype, a tensor or a list. In a list of tensors kNoValue is None. An
// empty list may have any element type. None also stands for the CPU device and the strided layout.
using AtenArg = std::variant<std::monostate, bool, int64_t, double, std::string, DType, AtenTensor, std::vector<bool>,
                             std::vector<int64_t>, std::vector<double>, std::vector<AtenTensor>>;

struct AtenCall {
  std::string name;           // with overload: "aten.add.Tensor"
  std::vector<AtenArg> args;  // all arguments of the schema in its order, keyword-only ones too, defaults filled in
  // For each result, whether the program reads it; empty: all are read. Some ops can be imported only if a result is
  // not read; a result that is not read may come back as kNoValue.
  std::vector<bool> used;
};

// Adds nodes for the call and gives its results: one for each tensor of the schema's returns, for a list of tensors one
// for each element. Failure: the reason why Litz does not compile this call; the caller makes a foreign node of it.
// (Nodes added before the reason was found stay behind, unused.)
Result<std::vector<ValueId>> import_aten(Builder& builder, const AtenCall& call);

// The dtype that a number has beside `tensor` as an operand of the record `op` ("true_div": div without rounding).
DType number_dtype(std::string_view op, const TensorType& tensor, const ir::ScalarValue& number, bool is_bool);

// All names that import_aten knows, sorted.
std::vector<std::string_view> aten_names();

}  // namespace litz::ops
