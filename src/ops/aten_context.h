// What the importers of ATen calls are written with: typed access to arguments, and nodes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/aten.h"
#include "ops/compose.h"

namespace litz::ops {

// Thrown by importers, caught by import_aten: why the call is not imported.
struct NotImported {
  std::string reason;
};

[[noreturn]] inline void not_imported(std::string reason) { throw NotImported{std::move(reason)}; }

// A Python number.
struct AtenNumber {
  ir::ScalarValue value;
  bool is_bool = false;

  double as_double() const;
  // The dtype of `tensor` combined with this number.
  DType result_with(const TensorType& tensor) const;
  // The dtype of a tensor made of this number alone.
  DType own_dtype() const;
};

class AtenContext {
 public:
  AtenContext(Builder& builder, const AtenCall& call) : b(builder), call_(call) {}

  Builder& b;

  size_t size() const { return call_.args.size(); }
  const AtenArg& arg(size_t i) const;  // None where the call has fewer arguments
  bool is_none(size_t i) const { return std::holds_alternative<std::monostate>(arg(i)); }
  bool is_tensor(size_t i) const { return std::holds_alternative<AtenTensor>(arg(i)); }
  bool is_number(size_t i) const;
  // Whether the program reads result `i`.
  bool is_used(size_t i) const { return i >= call_.used.size() || call_.used[i]; }
  const std::string& name() const { return call_.name; }

  ValueId tensor(size_t i) const;
  ValueId tensor_or_none(size_t i) const;
  const TensorType& type(size_t i) const { return b.type(tensor(i)); }
  std::vector<ValueId> tensors(size_t i) const;  // kNoValue for None
  AtenNumber number(size_t i) const;
  double real(size_t i) const { return number(i).as_double(); }
  int64_t integer(size_t i) const;
  int64_t integer_or(size_t i, int64_t otherwise) const { return is_none(i) ? otherwise : integer(i); }
  bool boolean(size_t i) const;
  bool boolean_or(size_t i, bool otherwise) const { return is_none(i) ? otherwise : boolean(i); }
  std::string text_or(size_t i, std::string otherwise) const;
  std::optional<DType> dtype(size_t i) const;
  std::vector<int64_t> integers(size_t i) const;  // a number is a list of one
  std::vector<Expr> sizes(size_t i) const;
  // A list of `count`; one entry stands for all.
  std::vector<int64_t> repeated(size_t i, size_t count) const;

  // A dimension with negatives wrapped; a 0-d tensor has dimensions 0 and -1 as if it were 1-d.
  int64_t dim(size_t i, int rank) const { return wrap_dim(integer(i), rank); }
  static int64_t wrap_dim(int64_t dim, int rank);
  // Dimensions sorted; None and an empty list are all of them. Empty for a 0-d tensor.
  std::vector<int64_t> dims(size_t i, int rank) const;

  // A 0-d constant.
  ValueId constant(const AtenNumber& number, DType dtype) const;
  ValueId full(const std::vector<Expr>& shape, const AtenNumber& number, DType dtype) const;

 private:
  const AtenCall& call_;
};

using AtenResults = std::vector<ValueId>;
using AtenImporter = std::function<AtenResults(AtenContext&)>;
// By name with overload.
using AtenTable = std::vector<std::pair<std::string, AtenImporter>>;

AtenTable aten_pointwise();
AtenTable aten_activations();
AtenTable aten_views();
AtenTable aten_generators();
AtenTable aten_reductions();
AtenTable aten_products();
AtenTable aten_norms();
AtenTable aten_pools();
AtenTable aten_resampling();
AtenTable aten_indexing();

}  // namespace litz::ops
