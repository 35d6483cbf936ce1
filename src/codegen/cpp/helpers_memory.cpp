// Vectors from and to memory where they are not whole and contiguous: fewer lanes, a mask, a stride, any offsets.
// Nothing is read or written where a lane is off. Offsets and strides are in elements.
#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {
namespace {

struct Family {
  std::string_view name;
  std::string_view text;
};

constexpr Family kPlain[] = {
    {"iota_i64", R"(static inline i64v iota_i64v() { return i64v{$I}; }
)"},
    {"iota_i32", R"(static inline i32v iota_i32v() { return i32v{$I}; }
)"},
    {"below", R"(static inline i32v belowv(int n) { return iota_i32v() < n; }
)"},
    {"splat_b1", R"(static inline i32v splat_b1v(bool x) { return i32v{} - (i32)x; }
)"},
};

// $S is the tag, $T the type of an element in memory, $M the signed integer of its width.
constexpr Family kTyped[] = {
    {"splat", R"(static inline $Tv splat_$Sv($T x) { return x - $Tv{}; }
)"},
    {"ldp", R"(static inline $Tv ldp_$Sv(const $Tm* p, int n) {
#if __has_builtin(__builtin_masked_load)
  return ($Tv)__builtin_masked_load(__builtin_convertvector(belowv(n), b1x), (const $T*)p, ($Tx)$Tv{});
#else
  $Tv r = {};
  for (int l = 0; l < n; ++l) r[l] = p[l];
  return r;
#endif
}
)"},
    {"ldm", R"(static inline $Tv ldm_$Sv(const $Tm* p, i32v m, $Tv o) {
#if __has_builtin(__builtin_masked_load)
  return ($Tv)__builtin_masked_load(__builtin_convertvector(m, b1x), (const $T*)p, ($Tx)o);
#else
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l)
    if (m[l]) o[l] = p[l];
  return o;
#endif
}
)"},
    {"lds", R"(static inline $Tv lds_$Sv(const $Tm* p, i64 s) {
  $Tv r;
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) r[l] = p[l * s];
  return r;
}
)"},
    {"ldsp", R"(static inline $Tv ldsp_$Sv(const $Tm* p, i64 s, int n) {
  $Tv r = {};
  for (int l = 0; l < n; ++l) r[l] = p[l * s];
  return r;
}
)"},
    {"ldg", R"(static inline $Tv ldg_$Sv(const $Tm* p, i64v o) {
  $Tv r;
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) r[l] = p[o[l]];
  return r;
}
)"},
    {"ldgm", R"(static inline $Tv ldgm_$Sv(const $Tm* p, i64v o, i32v m, $Tv r) {
#if __has_builtin(__builtin_masked_gather)
  return ($Tv)__builtin_masked_gather(__builtin_convertvector(m, b1x), (i64x)o, (const $T*)p, ($Tx)r);
#else
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l)
    if (m[l]) r[l] = p[o[l]];
  return r;
#endif
}
)"},
    // Clang 22 makes a masked store of one narrow lane a store of 32 bits: narrow elements go one by one.
    // A square of elements: row l is lane l of the vectors. Halves of pairs of rows are exchanged, then quarters, …
    {"ldt", R"(static inline void ldt_$Sv(const $Tm* p, i64 s, $Tv* t) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) t[l] = *(const $Tu*)(p + l * s);
$E}
)"},
    {"stp", R"(static inline void stp_$Sv($Tm* p, $Tv v, int n) {
  if (sizeof($T) < 4) {
    for (int l = 0; l < n; ++l) p[l] = v[l];
    return;
  }
#if __has_builtin(__builtin_masked_store)
  __builtin_masked_store(__builtin_convertvector(belowv(n), b1x), ($Tx)v, ($T*)p);
#else
  for (int l = 0; l < n; ++l) p[l] = v[l];
#endif
}
)"},
    {"stm", R"(static inline void stm_$Sv($Tm* p, $Tv v, i32v m) {
#if __has_builtin(__builtin_masked_store)
  __builtin_masked_store(__builtin_convertvector(m, b1x), ($Tx)v, ($T*)p);
#else
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l)
    if (m[l]) p[l] = v[l];
#endif
}
)"},
    {"sts", R"(static inline void sts_$Sv($Tm* p, i64 s, $Tv v) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) p[l * s] = v[l];
}
)"},
    {"stsp", R"(static inline void stsp_$Sv($Tm* p, i64 s, $Tv v, int n) {
  for (int l = 0; l < n; ++l) p[l * s] = v[l];
}
)"},
    {"stg", R"(static inline void stg_$Sv($Tm* p, i64v o, $Tv v) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l) p[o[l]] = v[l];
}
)"},
    {"stgm", R"(static inline void stgm_$Sv($Tm* p, i64v o, $Tv v, i32v m) {
#pragma GCC unroll $W
  for (int l = 0; l < $W; ++l)
    if (m[l]) p[o[l]] = v[l];
}
)"},
};

// The exchange of blocks of `size` elements between rows `size` apart.
std::string exchange(int lanes, int size) {
  std::string first, second;
  for (int l = 0; l < lanes; ++l) {
    const bool high = l & size;
    const char* comma = l ? ", " : "";
    first += comma + std::to_string(high ? l - size + lanes : l);
    second += comma + std::to_string(high ? l + lanes : l + size);
  }
  return replace_all(R"(#pragma GCC unroll $L
  for (int l = 0; l < $L; ++l) {
    if (l & $N) continue;
    const $Tv a = t[l], b = t[l + $N];
    t[l] = __builtin_shufflevector(a, b, $A);
    t[l + $N] = __builtin_shufflevector(a, b, $B);
  }
)",
                     {{"$L", std::to_string(lanes)}, {"$N", std::to_string(size)}, {"$A", first}, {"$B", second}});
}

}  // namespace

std::optional<std::string> memory_helper(std::string_view name, Form form) {
  const bool vector = form.vector;
  if (!vector) return std::nullopt;
  for (const Family& family : kPlain) {
    if (name == family.name) return replace_all(std::string(family.text), {{"$I", rotation(form.lanes, 0)}});
  }
  const size_t split = name.find('_');
  if (split == std::string_view::npos) return std::nullopt;
  const Tag* tag = find_tag(name.substr(split + 1));
  if (!tag || tag->name == "b1") return std::nullopt;
  for (const Family& family : kTyped) {
    if (name.substr(0, split) == family.name) {
      std::string text(family.text);
      if (family.name == "ldt") {
        std::string steps;
        for (int size = form.lanes / 2; size > 0; size /= 2) steps += exchange(form.lanes, size);
        text = replace_all(text, {{"$E", steps}});
      }
      return replace_all(std::move(text), {{"$S", tag->name}, {"$T", tag->type}});
    }
  }
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
