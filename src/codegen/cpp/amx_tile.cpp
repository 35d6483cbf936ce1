#include "codegen/cpp/amx_tile.h"

#include <string>

#include "codegen/cpp/matmul_tile.h"
#include "schedule/templates.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

constexpr int64_t kSide = 16;  // rows of a register, and 32-bit columns
constexpr int64_t kStep = schedule::kMatrixUnitStep;

std::string str(int64_t value) { return std::to_string(value); }

// Registers: 0 to 3 for sums (2 * i + j), 4 + i for rows, 6 + j for columns.
std::string sum(int64_t i, int64_t j) { return str(2 * i + j); }

// "configure" says how many rows the registers have; the unit's state is given back before the kernel ends, or the
// system would save it whenever the thread is interrupted.
constexpr const char* kHelpers = R"code(#define MATRIX_UNIT __attribute__((noinline, target("amx-tile,amx-bf16")))
#if defined(__clang__)
#define tile_load(t, p, step) __builtin_ia32_tileloadd64(t, p, step)
#define tile_store(t, p, step) __builtin_ia32_tilestored64(t, p, step)
#define tile_zero(t) __builtin_ia32_tilezero(t)
#define tile_dot(c, a, b) __builtin_ia32_tdpbf16ps(c, a, b)
#define tile_config(p) __builtin_ia32_tile_loadconfig(p)
#define tile_release() __builtin_ia32_tilerelease()
#else
#define tile_load(t, p, step) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #t : : "r"(p), "r"((i64)(step)) : "memory")
#define tile_store(t, p, step) \
  asm volatile("tilestored %%tmm" #t ", (%0,%1,1)" : : "r"(p), "r"((i64)(step)) : "memory")
#define tile_zero(t) asm volatile("tilezero %%tmm" #t : :)
#define tile_dot(c, a, b) asm volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c : :)
#define tile_config(p) asm volatile("ldtilecfg (%0)" : : "r"(p) : "memory")
#define tile_release() asm volatile("tilerelease" : :)
#endif
static MATRIX_UNIT void configure(i64 rows) {
  u8m c[64] = {1};
  const i64 upper = rows < 16 ? rows : 16, lower = rows - upper;
  const i64 of_register[8] = {upper, upper, lower, lower, upper, lower, 16, 16};
  for (i64 i = 0; i < 8; ++i) {
    c[16 + 2 * i] = of_register[i] > 0 ? 64 : 0;
    c[48 + i] = (u8)of_register[i];
  }
  tile_config(c);
}
static MATRIX_UNIT void release() { tile_release(); }
)code";

}  // namespace

const char* AmxTile::helpers() { return kHelpers; }

void AmxTile::write(Writer& out, int64_t rows) const {
  LITZ_CHECK(rows > 0 && rows <= schedule::kMatrixUnitRows && (columns == kSide || columns == 2 * kSide),
             "no such tile of the matrix unit");
  const int64_t down = rows > kSide ? 2 : 1, across = columns / kSide;
  const auto each_sum = [&](const auto& print) {
    for (int64_t i = 0; i < down; ++i) {
      for (int64_t j = 0; j < across; ++j) {
        print(sum(i, j), "c + " + str(i * kSide * columns + j * kSide) + ", " + str(columns * 4));
      }
    }
  };
  out.open("static MATRIX_UNIT void tile_" + str(rows) + "(const u16m* a, const u16m* b, f32m* c, i64 steps" +
           (may_add ? ", bool adds" : "") + ") {");
  if (may_add) {
    out.open("if (adds) {");
    each_sum([&](const std::string& name, const std::string& place) {
      out.line("tile_load(" + name + ", " + place + ");");
    });
    out.close();
    out.open("else {");
  }
  each_sum([&](const std::string& name, const std::string& /*place*/) { out.line("tile_zero(" + name + ");"); });
  if (may_add) out.close();
  out.line(RegisterTile::kLoop);
  out.open("for (i64 s = 0; s < steps; ++s) {");
  for (int64_t i = 0; i < down; ++i) {
    out.line("tile_load(" + str(4 + i) + ", a + s * " + str(kStep) + " + " + str(i * kSide * left_step) + ", " +
             str(left_step * 2) + ");");
    for (int64_t j = 0; j < across; ++j) {
      if (i == 0) {
        out.line("tile_load(" + str(6 + j) + ", b + s * " + str(kStep * columns) + " + " + str(j * kSide * 2) + ", " +
                 str(columns * 4) + ");");
      }
      out.line("tile_dot(" + sum(i, j) + ", " + str(4 + i) + ", " + str(6 + j) + ");");
    }
  }
  out.close();
  each_sum(
      [&](const std::string& name, const std::string& place) { out.line("tile_store(" + name + ", " + place + ");"); });
  out.close();
}

}  // namespace litz::codegen::cpp
