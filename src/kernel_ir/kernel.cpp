#include "kernel_ir/kernel.h"

#include <charconv>

#include "support/check.h"

namespace litz::kernel_ir {

bool Block::operator==(const Block&) const = default;

bool Constant::operator==(const Constant& other) const {
  return result == other.result && dtype == other.dtype && ir::same_value(value, other.value);
}

bool Load::operator==(const Load& other) const {
  return result == other.result && dtype == other.dtype && buffer == other.buffer && index == other.index &&
         mask == other.mask && ir::same_value(otherwise, other.otherwise);
}

Expr linear_offset(const Buffer& buffer, const std::vector<Expr>& index) {
  LITZ_CHECK(index.size() == buffer.strides.size(), "an index of another rank than buffer '" + buffer.name + "'");
  Expr offset;
  for (size_t i = 0; i < index.size(); ++i) offset = offset + index[i] * buffer.strides[i];
  return offset;
}

Expr ref_symbol(Ref ref) { return Expr::symbol("%" + std::to_string(ref)); }

std::optional<Ref> symbol_ref(std::string_view symbol) {
  if (symbol.size() < 2 || symbol[0] != '%') return std::nullopt;
  const std::string_view digits = symbol.substr(1);
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  Ref ref = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), ref);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size() || ref == kNoRef) return std::nullopt;
  return ref;
}

}  // namespace litz::kernel_ir
