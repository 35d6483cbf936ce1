// The register tile of matrix product, convolution and attention: `rows` x `vectors` accumulators, fed by scalars of
// the left operand, each broadcast to all lanes, and vectors of the right one. This prints its statements, fully
// unrolled:
//
//   const f32v w0 = *(const f32u*)(b + 0), w1 = *(const f32u*)(b + 16);
//   { const f32v t = a[k + 0] - f32v{};    c0_0 = madd(t, w0, c0_0); c0_1 = madd(t, w1, c0_1); }
//   { const f32v t = a[k + 768] - f32v{};  c1_0 = madd(t, w0, c1_0); c1_1 = madd(t, w1, c1_1); }
//
// A *step* is one k, or a pair of them where the right operand holds pairs (bf16).
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/writer.h"
#include "litz/dtype.h"
#include "support/target.h"

namespace litz::codegen::cpp {

enum class TileMath : uint8_t {
  f32,         // both operands f32
  f16_widen,   // left f32, right f16
  bf16_widen,  // left f32, right pairs of bf16
  bf16_dot,    // both pairs of bf16: AVX-512 BF16 dot instructions
  bf16_amx,    // the same operands, for the matrix unit: see amx_tile.h; nothing here prints its statements
};

// Whether the left operand stays bf16, and pairs of k of both lie together.
constexpr bool keeps_bf16(TileMath math) { return math == TileMath::bf16_dot || math == TileMath::bf16_amx; }

class RegisterTile {
 public:
  RegisterTile(TileMath math, int lanes, int vectors, Writer* out)
      : math_(math), lanes_(lanes), vectors_(vectors), out_(out) {}

  // Definitions that the statements need. Goes in front of the functions.
  static std::string helpers(TileMath math, int lanes);
  // "static" and what else the functions that hold a tile are declared with.
  static constexpr const char* kFunction = "static __attribute__((noinline)) void";
  // In front of loops in such functions: their bodies are long already, and to find that out costs the compiler time.
  static constexpr const char* kLoop = "#pragma GCC unroll 1";

  int lanes() const { return lanes_; }
  int vectors() const { return vectors_; }
  int columns() const { return lanes_ * vectors_; }
  // Values of k in a step.
  int step_k() const {
    return math_ == TileMath::bf16_amx ? 32 : math_ == TileMath::bf16_widen || math_ == TileMath::bf16_dot ? 2 : 1;
  }
  // Elements of the right operand in a step.
  int step_elements() const { return step_k() * columns(); }
  const char* left_type() const { return keeps_bf16(math_) ? "u16m" : "f32m"; }
  const char* right_type() const { return math_ == TileMath::f32 ? "f32m" : "u16m"; }
  // The type of an accumulator, and of one in memory.
  std::string accumulator_type() const { return lanes_ > 1 ? "f32v" : "f32"; }
  std::string memory_type() const { return lanes_ > 1 ? "f32u" : "f32m"; }

  // Whether steps fetch what later ones need of the right operand.
  void set_prefetch(bool prefetch) { prefetch_ = prefetch; }

  // Declares the accumulators of `sets` independent sums, all zero.
  void zero(int rows, int sets = 1);
  // Declares them with the values at `from`, f32; row r is `places[r]` elements on.
  void load(const std::vector<int64_t>& places, const std::string& from);
  // Makes accumulators zero that are declared already.
  void clear(int rows);
  // Adds what lies there to the accumulators.
  void add(const std::vector<int64_t>& places, const std::string& from);
  // Adds the sets into the first.
  void combine(int rows, int sets);
  // Writes the accumulators to `to`, row r `places[r]` elements on.
  void store(const std::vector<int64_t>& places, const std::string& to);
  // One step for `rows` (positions of accumulators): row r reads left[index + offsets[r]], and the vectors are at
  // `right`, a pointer expression.
  void step(const std::vector<int>& rows, const std::vector<int64_t>& offsets, const std::string& left,
            const std::string& index, const std::string& right, int set = 0);

 private:
  std::string accumulator(int row, int vector, int set = 0) const;
  void multiply(const std::vector<int>& rows, const std::vector<int64_t>& offsets, const std::string& left,
                const std::string& index, int extra, int set);

  TileMath math_;
  int lanes_;
  int vectors_;
  Writer* out_;
  bool prefetch_ = false;
};

// 0, step, 2 * step, …
std::vector<int64_t> multiples(int64_t count, int64_t step);

// How `total` rows are cut into tiles of nearly equal size: tile i has `size(i)` rows from `start(i)` on; sizes differ
// by at most one, larger ones come first.
struct Tiling {
  int64_t total = 0;
  int64_t count = 0;
  Tiling() = default;
  Tiling(int64_t total_rows, int64_t largest);
  int64_t small() const { return total / count; }
  int64_t larger() const { return total % count; }  // how many tiles have small() + 1 rows
  int64_t start(int64_t i) const { return i * small() + (i < larger() ? i : larger()); }
  int64_t size(int64_t i) const { return small() + (i < larger() ? 1 : 0); }
  // The same as C++ text for a tile index `i`.
  std::string start_text(const std::string& i) const;
  std::string size_text(const std::string& i) const;
  // The sizes that occur, largest first.
  std::vector<int64_t> sizes() const;
};

}  // namespace litz::codegen::cpp
