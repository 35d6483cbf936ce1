// Element types of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "litz/export.h"

namespace litz {

// `token` has no storage: it orders effects and never reaches a kernel.
enum class DType : uint8_t { f64, f32, bf16, f16, i64, i32, i16, i8, u8, boolean, token };

inline constexpr int kDTypeCount = 11;

// Bytes of one element; 0 for a token.
LITZ_API int dtype_size(DType dtype);
// The name used in IR text: "f32", "bool", …
LITZ_API std::string_view dtype_name(DType dtype);
LITZ_API std::optional<DType> parse_dtype(std::string_view name);

constexpr bool is_floating(DType d) { return d <= DType::f16; }
constexpr bool is_integral(DType d) { return d >= DType::i64 && d <= DType::boolean; }  // bool included
constexpr bool is_half(DType d) { return d == DType::bf16 || d == DType::f16; }
// The dtype in which eager computes an op on `d`: f32 for f16 and bf16, otherwise `d` itself.
constexpr DType compute_dtype(DType d) { return is_half(d) ? DType::f32 : d; }

}  // namespace litz
