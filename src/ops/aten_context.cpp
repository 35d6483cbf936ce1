#include "ops/aten_context.h"

#include <algorithm>

namespace litz::ops {

double AtenNumber::as_double() const {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

DType AtenNumber::result_with(const TensorType& tensor) const {
  return is_bool ? tensor.dtype : result_type_with_scalar(tensor, value);
}

DType AtenNumber::own_dtype() const {
  if (is_bool) return DType::boolean;
  return std::holds_alternative<int64_t>(value) ? DType::i64 : DType::f32;
}

const AtenArg& AtenContext::arg(size_t i) const {
  static const AtenArg none;
  return i < call_.args.size() ? call_.args[i] : none;
}

bool AtenContext::is_number(size_t i) const {
  const AtenArg& a = arg(i);
  return std::holds_alternative<bool>(a) || std::holds_alternative<int64_t>(a) || std::holds_alternative<double>(a);
}

ValueId AtenContext::tensor(size_t i) const {
  const auto* t = std::get_if<AtenTensor>(&arg(i));
  if (t == nullptr || t->id == ir::kNoValue) not_imported("argument " + std::to_string(i) + " is not a tensor");
  return t->id;
}

ValueId AtenContext::tensor_or_none(size_t i) const { return is_none(i) ? ir::kNoValue : tensor(i); }

std::vector<ValueId> AtenContext::tensors(size_t i) const {
  std::vector<ValueId> out;
  if (const auto* list = std::get_if<std::vector<AtenTensor>>(&arg(i))) {
    for (const AtenTensor& t : *list) out.push_back(t.id);
    return out;
  }
  const auto* empty = std::get_if<std::vector<int64_t>>(&arg(i));
  if (empty == nullptr || !empty->empty()) not_imported("argument " + std::to_string(i) + " is not a list of tensors");
  return out;
}

AtenNumber AtenContext::number(size_t i) const {
  const AtenArg& a = arg(i);
  if (const auto* v = std::get_if<bool>(&a)) return {int64_t{*v}, /*is_bool=*/true};
  if (const auto* v = std::get_if<int64_t>(&a)) return {*v};
  if (const auto* v = std::get_if<double>(&a)) return {*v};
  not_imported("argument " + std::to_string(i) + " is not a number");
}

int64_t AtenContext::integer(size_t i) const {
  const AtenNumber n = number(i);
  const auto* v = std::get_if<int64_t>(&n.value);
  if (v == nullptr) not_imported("argument " + std::to_string(i) + " is not an integer");
  return *v;
}

bool AtenContext::boolean(size_t i) const {
  const auto* v = std::get_if<bool>(&arg(i));
  if (v == nullptr) not_imported("argument " + std::to_string(i) + " is not a boolean");
  return *v;
}

std::string AtenContext::text_or(size_t i, std::string otherwise) const {
  if (is_none(i)) return otherwise;
  const auto* v = std::get_if<std::string>(&arg(i));
  if (v == nullptr) not_imported("argument " + std::to_string(i) + " is not a text");
  return *v;
}

std::optional<DType> AtenContext::dtype(size_t i) const {
  if (is_none(i)) return std::nullopt;
  const auto* v = std::get_if<DType>(&arg(i));
  if (v == nullptr) not_imported("argument " + std::to_string(i) + " is not a dtype");
  return *v;
}

std::vector<int64_t> AtenContext::integers(size_t i) const {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&arg(i))) return *list;
  if (is_number(i)) return {integer(i)};
  const auto* list = std::get_if<std::vector<AtenTensor>>(&arg(i));
  if (list == nullptr || !list->empty()) not_imported("argument " + std::to_string(i) + " is not a list of integers");
  return {};
}

std::vector<Expr> AtenContext::sizes(size_t i) const {
  const std::vector<int64_t> values = integers(i);
  return {values.begin(), values.end()};
}

std::vector<int64_t> AtenContext::repeated(size_t i, size_t count) const {
  std::vector<int64_t> values = integers(i);
  if (values.size() == 1) values.assign(count, values[0]);
  if (values.size() != count) not_imported("argument " + std::to_string(i) + " has another number of entries");
  return values;
}

int64_t AtenContext::wrap_dim(int64_t dim, int rank) {
  const int64_t extent = std::max(rank, 1);
  if (dim < -extent || dim >= extent) not_imported("dimension " + std::to_string(dim) + " is out of range");
  return dim < 0 ? dim + extent : dim;
}

std::vector<int64_t> AtenContext::dims(size_t i, int rank) const {
  if (is_none(i)) return all_dims(rank);
  std::vector<int64_t> out;
  for (int64_t d : integers(i)) out.push_back(wrap_dim(d, rank));
  if (out.empty()) return all_dims(rank);
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) not_imported("a dimension stands twice");
  return rank == 0 ? std::vector<int64_t>{} : out;
}

ValueId AtenContext::full(const std::vector<Expr>& shape, const AtenNumber& number, DType dtype) const {
  constexpr int64_t kExact = int64_t{1} << 53;
  const auto* integer = std::get_if<int64_t>(&number.value);
  const bool wide = integer != nullptr && (*integer > kExact || *integer < -kExact);
  if (wide && !is_floating(dtype)) return expand(b, b.scalar_int(dtype, *integer), shape);
  return ops::full(b, shape, number.as_double(), dtype);
}

ValueId AtenContext::constant(const AtenNumber& number, DType dtype) const { return full({}, number, dtype); }

}  // namespace litz::ops
