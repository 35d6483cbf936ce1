#include "codegen/cpp/matmul_tile.h"

#include "codegen/cpp/amx_tile.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

constexpr int kLine = 64;
constexpr int kPrefetchBytes = 4096;

std::string str(int64_t value) { return std::to_string(value); }

// Macros: inlining thousands of calls costs the compiler time.
constexpr const char* kMaddVector = R"(#if defined(__clang__)
#define madd(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif defined(__AVX512F__)
#define madd(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4)
#else
#define madd(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#endif
)";

constexpr const char* kMaddScalar = R"(#define madd(a, b, c) ((a) * (b) + (c))
)";

// The low and the high half of each 32-bit lane, as f32.
constexpr const char* kPairsVector = R"(static inline f32v pair_lo(u32v x) { return (f32v)(x << 16); }
static inline f32v pair_hi(u32v x) { return (f32v)(x & 0xffff0000u); }
)";
constexpr const char* kPairsScalar = R"(static inline f32 pair_lo(u32 x) { return __builtin_bit_cast(f32, x << 16); }
static inline f32 pair_hi(u32 x) { return __builtin_bit_cast(f32, x & 0xffff0000u); }
)";

constexpr const char* kDot = R"(static inline f32v dot(f32v c, u32v a, u32v b) {
#if defined(__clang__)
  typedef __bf16 pairs __attribute__((vector_size(sizeof(u32v))));
  return __builtin_ia32_dpbf16ps_512(c, (pairs)a, (pairs)b);
#else
#if __GNUC__ >= 13
  typedef __bf16 pairs __attribute__((vector_size(sizeof(u32v))));
#else
  typedef short pairs __attribute__((vector_size(sizeof(u32v))));
#endif
  return __builtin_ia32_dpbf16ps_v16sf(c, (pairs)a, (pairs)b);
#endif
}
)";

}  // namespace

std::string RegisterTile::helpers(TileMath math, int lanes) {
  const bool vector = lanes > 1;
  switch (math) {
    case TileMath::f32:
    case TileMath::f16_widen:
      return vector ? kMaddVector : kMaddScalar;
    case TileMath::bf16_widen:
      return vector ? std::string(kMaddVector) + kPairsVector : std::string(kMaddScalar) + kPairsScalar;
    case TileMath::bf16_dot:
      LITZ_CHECK(lanes == 16, "dot instructions need AVX-512");
      return kDot;
    case TileMath::bf16_amx:
      LITZ_CHECK(lanes == 16, "the matrix unit comes with AVX-512");
      return AmxTile::helpers();
  }
  return "";
}

std::string RegisterTile::accumulator(int row, int vector, int set) const {
  return "c" + str(row) + "_" + str(vector) + (set == 0 ? "" : "_" + str(set));
}

void RegisterTile::zero(int rows, int sets) {
  for (int s = 0; s < sets; ++s) {
    for (int r = 0; r < rows; ++r) {
      std::string names;
      for (int v = 0; v < vectors_; ++v) names += (v ? ", " : "") + accumulator(r, v, s) + " = {}";
      out_->line(accumulator_type() + " " + names + ";");
    }
  }
}

void RegisterTile::load(const std::vector<int64_t>& places, const std::string& from) {
  for (int r = 0; r < static_cast<int>(places.size()); ++r) {
    std::string names;
    for (int v = 0; v < vectors_; ++v) {
      names += (v ? ", " : "") + accumulator(r, v) + " = *(const " + memory_type() + "*)(" + from + " + " +
               str(places[static_cast<size_t>(r)] + int64_t{v} * lanes_) + ")";
    }
    out_->line(accumulator_type() + " " + names + ";");
  }
}

void RegisterTile::clear(int rows) {
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors_; ++v) out_->line(accumulator(r, v) + " = " + accumulator_type() + "{};");
  }
}

void RegisterTile::add(const std::vector<int64_t>& places, const std::string& from) {
  for (int r = 0; r < static_cast<int>(places.size()); ++r) {
    for (int v = 0; v < vectors_; ++v) {
      out_->line(accumulator(r, v) + " += *(const " + memory_type() + "*)(" + from + " + " +
                 str(places[static_cast<size_t>(r)] + int64_t{v} * lanes_) + ");");
    }
  }
}

void RegisterTile::combine(int rows, int sets) {
  for (int s = 1; s < sets; ++s) {
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors_; ++v) out_->line(accumulator(r, v) + " += " + accumulator(r, v, s) + ";");
    }
  }
}

void RegisterTile::store(const std::vector<int64_t>& places, const std::string& to) {
  for (int r = 0; r < static_cast<int>(places.size()); ++r) {
    for (int v = 0; v < vectors_; ++v) {
      out_->line("*(" + memory_type() + "*)(" + to + " + " + str(places[static_cast<size_t>(r)] + int64_t{v} * lanes_) +
                 ") = " + accumulator(r, v) + ";");
    }
  }
}

void RegisterTile::multiply(const std::vector<int>& rows, const std::vector<int64_t>& offsets, const std::string& left,
                            const std::string& index, int extra, int set) {
  const bool vector = lanes_ > 1;
  for (const int r : rows) {
    const int64_t offset = offsets[static_cast<size_t>(r)] + extra;
    const std::string place = index + (offset != 0 ? " + " + str(offset) : "");
    std::string text = "{ const ";
    if (math_ == TileMath::bf16_dot) {
      text += "u32v t = *(const u32m*)(" + left + " + " + place + ") - u32v{};";
    } else {
      const std::string element = left + "[" + place + "]";
      text += accumulator_type() + " t = " + element + (vector ? " - f32v{};" : ";");
    }
    for (int v = 0; v < vectors_; ++v) {
      const std::string c = accumulator(r, v, set);
      const std::string w = "w" + str(v);
      text += " " + c + " = " +
              (math_ == TileMath::bf16_dot ? "dot(" + c + ", t, " + w + ");" : "madd(t, " + w + ", " + c + ");");
    }
    out_->line(text + " }");
  }
}

void RegisterTile::step(const std::vector<int>& rows, const std::vector<int64_t>& offsets, const std::string& left,
                        const std::string& index, const std::string& right, int set) {
  const bool vector = lanes_ > 1;
  out_->open("{");
  const int bytes = step_elements() * (math_ == TileMath::f32 ? 4 : 2);
  // Weights often come from afar, in one long stream.
  if (prefetch_) {
    for (int at = 0; at < bytes; at += kLine) {
      out_->line("__builtin_prefetch((const i8*)(" + right + ") + " + str(kPrefetchBytes + at) + ");");
    }
  }
  const auto declare = [&](const std::string& type, const std::string& name, auto text) {
    for (int v = 0; v < vectors_; ++v) {
      const std::string at = "(" + right + " + " + str(int64_t{v} * lanes_ * step_k()) + ")";
      out_->line("const " + type + " " + name + str(v) + " = " + text(at, v) + ";");
    }
  };
  switch (math_) {
    case TileMath::f32:
      declare(accumulator_type(), "w",
              [&](const std::string& at, int /*v*/) { return "*(const " + memory_type() + "*)" + at; });
      multiply(rows, offsets, left, index, 0, set);
      break;
    case TileMath::f16_widen:
      declare(accumulator_type(), "w", [&](const std::string& at, int /*v*/) {
        return std::string(vector ? "cast_f16_f32v(*(const u16u*)" : "cast_f16_f32(*(const u16m*)") + at + ")";
      });
      multiply(rows, offsets, left, index, 0, set);
      break;
    case TileMath::bf16_dot:
      declare("u32v", "w", [&](const std::string& at, int /*v*/) { return "*(const u32u*)" + at; });
      multiply(rows, offsets, left, index, 0, set);
      break;
    case TileMath::bf16_amx:
      throw InternalError("a step of the matrix unit is printed by AmxTile");
    case TileMath::bf16_widen:
      declare(vector ? "u32v" : "u32", "q", [&](const std::string& at, int /*v*/) {
        return std::string(vector ? "*(const u32u*)" : "*(const u32m*)") + at;
      });
      for (int half = 0; half < 2; ++half) {
        out_->open("{");
        declare(accumulator_type(), "w", [&](const std::string& /*at*/, int v) {
          return std::string(half == 0 ? "pair_lo" : "pair_hi") + "(q" + str(v) + ")";
        });
        multiply(rows, offsets, left, index, half, set);
        out_->close();
      }
      break;
  }
  out_->close();
}

std::vector<int64_t> multiples(int64_t count, int64_t step) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i * step);
  return values;
}

Tiling::Tiling(int64_t total_rows, int64_t largest) : total(total_rows), count((total_rows + largest - 1) / largest) {
  LITZ_CHECK(total_rows > 0 && largest > 0, "nothing to tile");
}

std::string Tiling::start_text(const std::string& i) const {
  const std::string base = "(" + i + ") * " + str(small());
  if (larger() == 0) return base;
  return base + " + ((" + i + ") < " + str(larger()) + " ? (" + i + ") : " + str(larger()) + ")";
}

std::string Tiling::size_text(const std::string& i) const {
  if (larger() == 0) return str(small());
  return str(small()) + " + ((" + i + ") < " + str(larger()) + ")";
}

std::vector<int64_t> Tiling::sizes() const {
  if (larger() == 0) return {small()};
  return {small() + 1, small()};
}

}  // namespace litz::codegen::cpp
