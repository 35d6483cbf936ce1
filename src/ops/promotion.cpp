// PyTorch's type promotion.
#include <optional>

#include "ops/infer.h"

namespace litz::ops {

namespace {

int category(DType d) { return is_floating(d) ? 2 : d == DType::boolean ? 0 : 1; }

std::optional<DType> join(std::optional<DType> a, std::optional<DType> b) {
  if (!a) return b;
  if (!b) return a;
  return promote_types(*a, *b);
}

// `strong` decides unless `weak` is of a higher category.
std::optional<DType> combine(std::optional<DType> strong, std::optional<DType> weak) {
  if (!strong || !weak) return join(strong, weak);
  return category(*weak) > category(*strong) ? promote_types(*strong, *weak) : *strong;
}

}  // namespace

DType promote_types(DType a, DType b) {
  LITZ_CHECK(a != DType::token && b != DType::token, "tokens have no arithmetic");
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (is_floating(a)) {
    if (is_half(a) && is_half(b)) return DType::f32;  // bf16 with f16
    return dtype_size(a) > dtype_size(b) ? a : b;
  }
  if (dtype_size(a) != dtype_size(b)) return dtype_size(a) > dtype_size(b) ? a : b;
  return DType::i16;  // u8 with i8
}

DType promote(std::span<const TensorType* const> operands) {
  std::optional<DType> dimensioned;
  std::optional<DType> zero_dim;
  for (const TensorType* t : operands) {
    if (t == nullptr) continue;
    std::optional<DType>& group = t->rank() > 0 ? dimensioned : zero_dim;
    group = join(group, t->dtype);
  }
  const auto result = combine(dimensioned, zero_dim);
  LITZ_CHECK(result.has_value(), "no operand to promote");
  return *result;
}

DType result_type_with_scalar(const TensorType& tensor, const ir::ScalarValue& number) {
  const bool is_integer = std::holds_alternative<int64_t>(number);
  return *combine(tensor.dtype, is_integer ? DType::i64 : DType::f32);
}

}  // namespace litz::ops
