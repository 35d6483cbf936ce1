#include "codegen/cpp/conv_pack.h"

#include <string>

#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/prelude.h"

namespace litz::codegen::cpp {
namespace {

std::string str(int64_t value) { return std::to_string(value); }

}  // namespace

void PackInput::write(Writer& out) const {
  const std::string from_type = std::string(storage_type(dtype)) + "m";
  const std::string to_type = keep_bf16 ? "u16" : "f32";
  const auto value = [&](bool vector, const std::string& pointer) {
    return keep_bf16 ? std::string(vector ? "*(const u16u*)(" : "*(") + pointer + ")" : widened(dtype, vector, pointer);
  };
  const int64_t blocks = (channels + block - 1) / block;
  const bool same = from_block == block && from_channel_step == 1 && from_column_step == block;
  out.open("static void pack_input(const " + from_type + "* from, i64 rows, " + to_type + "m* to) {");
  out.line("for (i64 cb = 0; cb < " + str(blocks) + "; ++cb)");
  out.open("for (i64 r = 0; r < rows; ++r) {");
  out.line(to_type + "m* const y = to + cb * " + str(block_step) + " + r * " + str(row_step) + ";");
  const int64_t last = channels - (blocks - 1) * block;
  if (same) {
    out.line("const " + from_type + "* const x = from + cb * " + str(from_block_step) + " + r * " + str(from_row_step) +
             ";");
    out.line("i64 i = 0;");
    if (lanes > 1) {
      out.line("for (; i + " + str(lanes) + " <= " + str(columns * block) + "; i += " + str(lanes) + ") *(" + to_type +
               "u*)(y + i) = " + value(true, "x + i") + ";");
    }
    out.line("for (; i < " + str(columns * block) + "; ++i) y[i] = " + value(false, "x + i") + ";");
    if (last < block) {
      out.line("if (cb == " + str(blocks - 1) + ")");
      out.line("  for (i64 j = 0; j < " + str(columns) + "; ++j)");
      out.line("    for (i64 c = " + str(last) + "; c < " + str(block) + "; ++c) y[j * " + str(block) + " + c] = 0;");
    }
  } else {
    out.line("for (i64 j = 0; j < " + str(columns) + "; ++j)");
    out.open("for (i64 c = 0; c < " + str(block) + "; ++c) {");
    out.line("const i64 channel = cb * " + str(block) + " + c;");
    const std::string place = "from + channel / " + str(from_block) + " * " + str(from_block_step) + " + channel % " +
                              str(from_block) + " * " + str(from_channel_step) + " + r * " + str(from_row_step) +
                              " + j * " + str(from_column_step);
    out.line("if (channel < " + str(channels) + ") y[j * " + str(block) + " + c] = " + value(false, place) + ";");
    out.line("else y[j * " + str(block) + " + c] = 0;");
    out.close();
  }
  out.close();
  out.close();
}

}  // namespace litz::codegen::cpp
