#include "codegen/cpp/matmul_few_rows.h"

#include <string>

#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/prelude.h"

namespace litz::codegen::cpp {
namespace {

constexpr int64_t kColumns = 4;  // side by side, so that what is read of a row serves several

std::string str(int64_t value) { return std::to_string(value); }
std::string sum(int64_t row, int64_t column) { return "c" + str(row) + "_" + str(column); }

// Sums that fit into registers beside the vectors of a step.
int64_t most_rows(int lanes) { return lanes == 16 ? 4 : 2; }

std::string function(int64_t rows, int64_t columns) { return "few_" + str(rows) + "x" + str(columns); }

}  // namespace

void FewRows::write_tile(Writer& out, int64_t tile_rows, int64_t tile_columns) const {
  const std::string type = std::string(storage_type(dtype)) + "m";
  out.open(std::string(RegisterTile::kFunction) + " " + function(tile_rows, tile_columns) + "(const f32m* a, const " +
           type + "* b, f32m* c) {");
  const auto each = [&](const auto& print) {
    for (int64_t i = 0; i < tile_rows; ++i) {
      for (int64_t j = 0; j < tile_columns; ++j) print(i, j);
    }
  };
  each([&](int64_t i, int64_t j) { out.line("f32v " + sum(i, j) + " = {};"); });
  const int64_t whole = k / lanes * lanes;
  out.line(RegisterTile::kLoop);
  out.open("for (i64 s = 0; s < " + str(whole) + "; s += " + str(lanes) + ") {");
  for (int64_t j = 0; j < tile_columns; ++j) {
    out.line("const f32v w" + str(j) + " = " + widened(dtype, true, "b + s + " + str(j * column_step)) + ";");
  }
  for (int64_t i = 0; i < tile_rows; ++i) {
    std::string text = "{ const f32v t = *(const f32u*)(a + s + " + str(i * row_step) + ");";
    for (int64_t j = 0; j < tile_columns; ++j) {
      text += " " + sum(i, j) + " = madd(t, w" + str(j) + ", " + sum(i, j) + ");";
    }
    out.line(text + " }");
  }
  out.close();
  each([&](int64_t i, int64_t j) { out.line("f32 r" + str(i) + "_" + str(j) + " = hsum_f32v(" + sum(i, j) + ");"); });
  if (whole < k) {
    out.line(RegisterTile::kLoop);
    out.open("for (i64 s = " + str(whole) + "; s < " + str(k) + "; ++s) {");
    each([&](int64_t i, int64_t j) {
      out.line("r" + str(i) + "_" + str(j) + " += a[s + " + str(i * row_step) + "] * " +
               widened(dtype, false, "b + s + " + str(j * column_step)) + ";");
    });
    out.close();
  }
  each([&](int64_t i, int64_t j) { out.line("c[" + str(i * columns + j) + "] = r" + str(i) + "_" + str(j) + ";"); });
  out.close();
}

// Column "j" and those beside it, all rows.
void FewRows::write_calls(Writer& out, int64_t tile_columns) const {
  const Tiling tiling(rows, most_rows(lanes));
  for (int64_t i = 0; i < tiling.count; ++i) {
    out.line(function(tiling.size(i), tile_columns) + "(a + " + str(tiling.start(i) * row_step) + ", b + j * " +
             str(column_step) + ", c + " + str(tiling.start(i) * columns) + " + j);");
  }
}

void FewRows::write(Writer& out) const {
  for (const int64_t tile_rows : Tiling(rows, most_rows(lanes)).sizes()) {
    write_tile(out, tile_rows, kColumns);
    write_tile(out, tile_rows, 1);
  }
  const std::string type = std::string(storage_type(dtype)) + "m";
  out.open("static void few_rows(const f32m* a, const " + type + "* b, i64 n, f32m* c) {");
  out.line("const i64 valid = n < " + str(columns) + " ? n : " + str(columns) + ";");
  out.line("i64 j = 0;");
  out.open("for (; j + " + str(kColumns) + " <= valid; j += " + str(kColumns) + ") {");
  write_calls(out, kColumns);
  out.close();
  out.open("for (; j < valid; ++j) {");
  write_calls(out, 1);
  out.close();
  out.close();
}

}  // namespace litz::codegen::cpp
