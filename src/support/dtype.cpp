#include "litz/dtype.h"

#include <array>

namespace litz {

namespace {

struct DTypeInfo {
  std::string_view name;
  int size;
};

// In the order of the enum.
constexpr std::array<DTypeInfo, kDTypeCount> kInfo = {{
    {"f64", 8},
    {"f32", 4},
    {"bf16", 2},
    {"f16", 2},
    {"i64", 8},
    {"i32", 4},
    {"i16", 2},
    {"i8", 1},
    {"u8", 1},
    {"bool", 1},
    {"token", 0},
}};

}  // namespace

int dtype_size(DType dtype) { return kInfo[static_cast<size_t>(dtype)].size; }
std::string_view dtype_name(DType dtype) { return kInfo[static_cast<size_t>(dtype)].name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (kInfo[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace litz
