#include "codegen/cpp/matmul_pack.h"

#include <string>

#include "codegen/cpp/prelude.h"

namespace litz::codegen::cpp {
namespace {

std::string str(int64_t value) { return std::to_string(value); }

}  // namespace

std::string widened(DType dtype, bool vector, const std::string& pointer) {
  const std::string type(storage_type(dtype));
  const std::string loaded = "*(const " + type + (vector ? "u" : "m") + "*)(" + pointer + ")";
  if (dtype == DType::f32) return loaded;
  return "cast_" + std::string(dtype_name(dtype)) + "_f32" + (vector ? "v" : "") + "(" + loaded + ")";
}

int64_t PackLeft::row_step(int64_t k, int64_t bytes) {
  const int64_t of_line = 64 / bytes;
  const int64_t lines = (k + 1 + of_line - 1) / of_line;
  return (lines | 1) * of_line;
}

void PackLeft::write(Writer& out) const {
  const std::string from_type = std::string(storage_type(dtype)) + "m";
  const std::string to_type = keep_bf16 ? "u16" : "f32";
  const DType source = keep_bf16 ? DType::f32 : dtype;  // f32: no conversion
  const auto element = [&](const std::string& pointer) {
    return keep_bf16 ? "*(" + pointer + ")" : widened(source, false, pointer);
  };
  const auto vector = [&](const std::string& pointer) {
    return keep_bf16 ? "*(const u16u*)(" + pointer + ")" : widened(source, true, pointer);
  };
  out.open("static void pack_left(const " + from_type + "* from, i64 rows, i64 k, " + to_type + "m* to) {");
  if (k_stride != 1 && row_stride < k_stride) {
    // Rows are closer than values of k: read along them.
    out.open("for (i64 i = 0; i < k; ++i) {");
    out.line("for (i64 r = 0; r < rows; ++r) to[r * " + str(step) +
             " + i] = " + element("from + r * " + str(row_stride) + " + i * " + str(k_stride)) + ";");
    out.close();
    out.line("for (i64 r = 0; r < rows; ++r) to[r * " + str(step) + " + k] = 0;");
  } else {
    out.open("for (i64 r = 0; r < rows; ++r) {");
    out.line("const " + from_type + "* const x = from + r * " + str(row_stride) + ";");
    out.line(to_type + "m* const y = to + r * " + str(step) + ";");
    out.line("i64 i = 0;");
    if (k_stride == 1 && lanes > 1) {
      // Rows often lie pages apart, where no hardware looks ahead.
      out.open("for (; i + " + str(lanes) + " <= k; i += " + str(lanes) + ") {");
      out.line("__builtin_prefetch(x + i + " + str(2 * row_stride) + ");");
      out.line("*(" + to_type + "u*)(y + i) = " + vector("x + i") + ";");
      out.close();
    }
    out.line("for (; i < k; ++i) y[i] = " + element("x + i * " + str(k_stride)) + ";");
    out.line("y[k] = 0;");
    out.close();
  }
  out.close();
}

// Rows of the operand are rows of the panel.
void PackRight::write_rows(Writer& out) const {
  out.open("for (i64 i = 0; i < k; ++i) {");
  out.line("const " + std::string(storage_type(dtype)) + "m* const x = from + i * " + str(k_stride) + ";");
  out.line("f32m* const y = to + i * " + str(columns) + ";");
  out.line("i64 j = 0;");
  if (lanes > 1) {
    out.line("for (; j + " + str(lanes) + " <= valid; j += " + str(lanes) +
             ") *(f32u*)(y + j) = " + widened(dtype, true, "x + j") + ";");
  }
  out.line("for (; j < valid; ++j) y[j] = " + widened(dtype, false, "x + j") + ";");
  out.line("for (; j < " + str(columns) + "; ++j) y[j] = 0;");
  out.close();
}

// Squares of lanes x lanes elements are turned in registers: in the step for distance d, rows r and r + d exchange
// those elements whose places differ in that bit.
void PackRight::write_transposed(Writer& out) const {
  const auto row = [](int r) { return "r" + std::to_string(r); };
  for (int r = 0; r < lanes; ++r) {
    out.line("f32v " + row(r) + " = " + widened(dtype, true, "x + " + str(r * n_stride)) + ";");
  }
  out.line("f32v t;");
  for (int d = 1; d < lanes; d *= 2) {
    std::string low, high;
    for (int l = 0; l < lanes; ++l) {
      low += ", " + str((l & d) ? lanes + l - d : l);
      high += ", " + str((l & d) ? lanes + l : l + d);
    }
    for (int r = 0; r < lanes; ++r) {
      if (r & d) continue;
      const std::string a = row(r), b = row(r + d);
      out.line("t = __builtin_shufflevector(" + a + ", " + b + low + ");");
      out.line(b + " = __builtin_shufflevector(" + a + ", " + b + high + ");");
      out.line(a + " = t;");
    }
  }
  for (int r = 0; r < lanes; ++r) {
    const std::string at = taps == 1 ? "y + " + str(r * columns) : "to + j + " + place("(k0 + " + str(r) + ")");
    out.line("*(f32u*)(" + at + ") = " + row(r) + ";");
  }
}

// Where row `k` of the panel begins.
std::string PackRight::place(const std::string& k) const {
  if (taps == 1) return k + " * " + str(columns);
  return "(" + k + " % " + str(taps) + " * " + str(channels) + " + " + k + " / " + str(taps) + ") * " + str(columns);
}

void PackRight::write(Writer& out) const {
  const std::string from_type = std::string(storage_type(dtype)) + "m";
  out.open("static void " + std::string(name) + "(const " + from_type + "* from, i64 k, i64 n, f32m* to) {");
  out.line("const i64 valid = n < " + str(columns) + " ? n : " + str(columns) + ";");
  if (n_stride == 1 && taps == 1) {
    write_rows(out);
    out.close();
    return;
  }
  const std::string copy = "to[" + place("i") + " + j] = " +
                           widened(dtype, false, "from + i * " + str(k_stride) + " + j * " + str(n_stride)) + ";";
  out.comment("columns before this one are copied");
  out.line("i64 first = 0;");
  if (k_stride == 1 && lanes > 1) {
    // The last squares begin earlier and copy some elements again, so that there is no rest.
    const std::string l = str(lanes);
    out.open("if (k >= " + l + " && valid >= " + l + ") {");
    out.open("for (; first < valid; first += " + l + ") {");
    out.line("const i64 j = first + " + l + " <= valid ? first : valid - " + l + ";");
    out.open("for (i64 s = 0; s < k; s += " + l + ") {");
    out.line("const i64 k0 = s + " + l + " <= k ? s : k - " + l + ";");
    out.line("const " + from_type + "* const x = from + j * " + str(n_stride) + " + k0;");
    if (taps == 1) out.line("f32m* const y = to + k0 * " + str(columns) + " + j;");
    if (ahead > 0) {
      out.comment("the same of the next panel comes nearer meanwhile");
      for (int r = 0; r < lanes; ++r) out.line("__builtin_prefetch(x + " + str(r * n_stride + ahead) + ", 0, 2);");
    }
    write_transposed(out);
    out.close();
    out.close();
    out.close();
  }
  out.line("for (i64 j = first; j < valid; ++j)");
  out.line("  for (i64 i = 0; i < k; ++i) " + copy);
  out.line("for (i64 j = valid; j < " + str(columns) + "; ++j)");
  out.line("  for (i64 i = 0; i < k; ++i) to[i * " + str(columns) + " + j] = 0;");
  out.close();
}

}  // namespace litz::codegen::cpp
