#include "codegen/triton/helpers.h"

#include <array>

#include "support/check.h"

namespace litz::codegen::triton {

namespace {

struct Helper {
  std::string_view name;
  std::string_view calls;  // another helper that this one needs
  std::string_view text;   // after "@triton.jit"
};

constexpr auto kHelpers = std::to_array<Helper>({
    {"_floor_mod", "", R"(def _floor_mod(a, b):
    r = a % b
    return tl.where(r < 0, r + b, r)
)"},
    {"_floor_div", "_floor_mod", R"(def _floor_div(a, b):
    return (a - _floor_mod(a, b)) // b
)"},
    // Integer division: by zero gives 0, the minimum by -1 wraps.
    {"_div", "", R"(def _div(a, b):
    trap = (b == 0) | (b == -1)
    q = a // tl.where(trap, b * 0 + 1, b)
    return tl.where(b == 0, a * 0, tl.where(trap, 0 - a, q))
)"},
    {"_rem", "", R"(def _rem(a, b):
    trap = (b == 0) | (b == -1)
    return tl.where(trap, a * 0, a % tl.where(trap, b * 0 + 1, b))
)"},
    {"_udiv", "", R"(def _udiv(a, b):
    return tl.where(b == 0, a * 0, a // tl.where(b == 0, b * 0 + 1, b))
)"},
    {"_urem", "", R"(def _urem(a, b):
    return tl.where(b == 0, a * 0, a % tl.where(b == 0, b * 0 + 1, b))
)"},
    // A shift by the width or more gives 0, shifting a negative number right -1.
    {"_shl", "", R"(def _shl(a, b, width: tl.constexpr):
    fits = (b >= 0) & (b < width)
    return tl.where(fits, a << tl.where(fits, b, b * 0), a * 0)
)"},
    {"_shr", "", R"(def _shr(a, b, width: tl.constexpr):
    fits = (b >= 0) & (b < width)
    return tl.where(fits, a >> tl.where(fits, b, b * 0), tl.where(a < 0, a * 0 - 1, a * 0))
)"},
    {"_maximum", "", R"(def _maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
)"},
    {"_minimum", "", R"(def _minimum(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
)"},
    {"_add", "", R"(def _add(a, b):
    return a + b
)"},
    {"_mul", "", R"(def _mul(a, b):
    return a * b
)"},
    {"_or", "", R"(def _or(a, b):
    return a | b
)"},
    {"_and", "", R"(def _and(a, b):
    return a & b
)"},
    // The larger value with its place; NaN is the largest; of equals the first.
    {"_argmax", "", R"(def _argmax(a, i, b, j):
    same = (a == b) | ((a != a) & (b != b))
    first = (a > b) | ((a != a) & (b == b)) | (same & (i <= j))
    return tl.where(first, a, b), tl.where(first, i, j)
)"},
    {"_argmin", "", R"(def _argmin(a, i, b, j):
    same = (a == b) | ((a != a) & (b != b))
    first = (a < b) | ((a != a) & (b == b)) | (same & (i <= j))
    return tl.where(first, a, b), tl.where(first, i, j)
)"},
    // Wraps an index in [lowest, size) to [0, size). The first one that is out of bounds where `live` is recorded as
    // (number, index, size); fault[3] takes the writes of lanes that have nothing to say.
    {"_check", "", R"(def _check(index, lowest, size, live, fault, number):
    good = (index >= lowest) & (index < size)
    bad = live & (good == 0)
    if tl.max(bad.to(tl.int32)) > 0:
        zero = index * 0
        seen = tl.atomic_cas(fault + tl.where(bad, zero, zero + 3), zero, zero + number)
        first = bad & (seen == 0)
        tl.store(fault + 1 + zero, index, first)
        tl.store(fault + 2 + zero, zero + size, first)
    return tl.where(good, tl.where(index < 0, index + size, index), index * 0)
)"},
});

const Helper& find(std::string_view name) {
  for (const Helper& h : kHelpers) {
    if (h.name == name) return h;
  }
  LITZ_CHECK(false, "no helper " + std::string(name));
  return kHelpers[0];
}

}  // namespace

std::string Helpers::use(std::string_view name) {
  const Helper& helper = find(name);
  if (!helper.calls.empty()) use(helper.calls);
  used_.emplace(name);
  return std::string(name);
}

std::string Helpers::device(std::string_view name) {
  libdevice_ = true;
  return "libdevice." + std::string(name);
}

std::string Helpers::text() const {
  std::string out = "import triton\nimport triton.language as tl\n";
  if (libdevice_) out += "from triton.language.extra import libdevice\n";
  for (const Helper& h : kHelpers) {
    if (used_.count(h.name) > 0) out += "\n\n@triton.jit\n" + std::string(h.text);
  }
  return out;
}

}  // namespace litz::codegen::triton
