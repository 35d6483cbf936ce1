#include "codegen/cpp/conv_plain.h"

#include <algorithm>

#include "codegen/cpp/block.h"
#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::ConvTemplate;
using kernel_ir::Kernel;

std::string str(int64_t value) { return std::to_string(value); }
int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return ceil_of(a, b) * b; }

class PlainConvGenerator {
 public:
  PlainConvGenerator(const Kernel& kernel, const Target& target);
  LaunchSpec launch() const;
  void print(const std::string& entry, Writer& out) const;

 private:
  RegisterTile tile(Writer* out) const { return {TileMath::f32, lanes_, vectors_, out}; }
  int64_t taps() const { return c_.kernel_h * c_.kernel_w; }
  int64_t channel_size() const { return in_rows_ * row_size_; }  // elements of the copy for one input channel
  int64_t weight_size() const { return taps() * group_in_; }     // of one output channel
  std::string element(const std::string& pointer) const { return widened(c_.dtype, /*vector=*/false, pointer); }

  void write_tile(Writer& out, int64_t rows) const;
  void write_pack(Writer& out) const;
  void write_epilogue(Writer& out) const;
  void write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const;
  void write_task(Writer& out) const;
  void write_entry(const std::string& entry, Writer& out) const;

  const Kernel& kernel_;
  const ConvTemplate& c_;
  int64_t batch_, group_in_, group_out_;
  int lanes_, vectors_, columns_;
  Tiling tiling_;  // output channels of a group
  int64_t block_rows_, row_blocks_;
  int64_t in_rows_;           // input rows that a task needs
  int64_t phase_, row_size_;  // elements of a row: of one phase, of all
};

PlainConvGenerator::PlainConvGenerator(const Kernel& kernel, const Target& target)
    : kernel_(kernel), c_(std::get<ConvTemplate>(kernel.templ->what)) {
  const kernel_ir::Schedule& s = kernel.schedule;
  LITZ_CHECK(c_.in_block == 1 && c_.out_block == 1, "a panel of one channel belongs to plain operands");
  LITZ_CHECK(s.tile_m > 0 && s.tile_n > 0, "no schedule for a convolution");
  batch_ = c_.batch.constant();
  group_in_ = c_.in_channels / c_.groups;
  group_out_ = c_.out_channels / c_.groups;
  lanes_ = target.vector_bytes() / 4;
  columns_ = static_cast<int>(s.tile_n);
  vectors_ = columns_ / lanes_;
  tiling_ = Tiling(group_out_, s.tile_m);
  block_rows_ = std::clamp<int64_t>(s.block_m / std::max<int64_t>(c_.out_w, 1), 1, std::max<int64_t>(c_.out_h, 1));
  row_blocks_ = ceil_of(c_.out_h, block_rows_);
  in_rows_ = (block_rows_ - 1) * c_.stride_h + (c_.kernel_h - 1) * c_.dilation_h + 1;
  // The last tile reads whole vectors.
  phase_ = round_up(c_.out_w, columns_) + (c_.kernel_w - 1) * c_.dilation_w / c_.stride_w + 1;
  row_size_ = phase_ * c_.stride_w;
}

LaunchSpec PlainConvGenerator::launch() const {
  LaunchSpec launch;
  launch.phases = {{.tasks = batch_ * c_.groups * row_blocks_, .grain = kernel_.schedule.grain}};
  launch.thread_scratch_bytes = round_up(tiling_.size(0) * columns_ * 4, 64) +
                                round_up(group_in_ * channel_size() * 4, 64) +
                                round_up(tiling_.size(0) * weight_size() * 4, 64);
  launch.may_fault = !kernel_.checks.empty();
  return launch;
}

void PlainConvGenerator::write_tile(Writer& out, int64_t rows) const {
  RegisterTile registers = tile(&out);
  std::vector<int> all;
  for (int r = 0; r < rows; ++r) all.push_back(r);
  const std::vector<int64_t> offsets = multiples(rows, weight_size());
  out.open(std::string(RegisterTile::kFunction) + " tile_" + str(rows) + "(const f32m* a, const f32m* x, f32m* c) {");
  registers.zero(static_cast<int>(rows));
  out.open("for (i64 kh = 0; kh < " + str(c_.kernel_h) + "; ++kh) {");
  out.open("for (i64 kw = 0; kw < " + str(c_.kernel_w) + "; ++kw) {");
  out.line("const i64 column = kw * " + str(c_.dilation_w) + ";");
  out.line("const f32m* y = x + kh * " + str(c_.dilation_h * row_size_) + " + column % " + str(c_.stride_w) + " * " +
           str(phase_) + " + column / " + str(c_.stride_w) + ";");
  out.line(RegisterTile::kLoop);
  out.open("for (i64 i = 0; i < " + str(group_in_) + "; ++i, ++a, y += " + str(channel_size()) + ") {");
  registers.step(all, offsets, "a", "0", "y");
  out.close();
  out.close();
  out.close();
  registers.store(multiples(rows, columns_), "c");
  out.close();
}

// One group of one image, input rows from `row` on, with the padding as zeros.
void PlainConvGenerator::write_pack(Writer& out) const {
  const std::string type = std::string(storage_type(c_.dtype)) + "m";
  out.open("static void pack_input(const " + type + "* from, i64 row, f32m* to) {");
  out.line("for (i64 i = 0; i < " + str(group_in_) + "; ++i)");
  out.open("for (i64 r = 0; r < " + str(in_rows_) + "; ++r) {");
  out.line("f32m* const y = to + i * " + str(channel_size()) + " + r * " + str(row_size_) + ";");
  out.line("for (i64 j = 0; j < " + str(row_size_) + "; ++j) y[j] = 0;");
  out.line("const i64 ih = row + r;");
  out.line("if (ih < 0 || ih >= " + str(c_.in_h) + ") continue;");
  out.line("const " + type + "* const x = from + i * " + str(c_.input.strides[1].constant()) + " + ih * " +
           str(c_.input.strides[2].constant()) + ";");
  // Columns beyond the last that a tap can see have no place.
  const int64_t last = std::min(c_.in_w, row_size_ - c_.pad_w);
  const std::string value = element("x + j * " + str(c_.input.strides[3].constant()));
  out.open("for (i64 j = 0; j < " + str(last) + "; ++j) {");
  out.line("const i64 column = j + " + str(c_.pad_w) + ";");
  out.line("y[column % " + str(c_.stride_w) + " * " + str(phase_) + " + column / " + str(c_.stride_w) + "] = " + value +
           ";");
  out.close();
  out.close();
  out.close();
  out.open("static void pack_weight(const " + type + "* from, i64 n, f32m* to) {");
  out.line("for (i64 i = 0; i < n; ++i) to[i] = " + element("from + i") + ";");
  out.close();
}

void PlainConvGenerator::write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const {
  const auto scope = block.scope();
  block.bind_range("ow", {.text = "ow", .extent = c_.out_w, .multiple_of = lanes_});
  if (lanes_ > 1) block.vectorize("ow");
  block.set_valid_lanes(valid);
  block.hoist(kernel_.templ->epilogue);
  out.open("for (i64 i = 0; i < rows; ++i) {");
  {
    const auto channel = block.scope();
    out.line("const i64 co = co0 + i;");
    block.bind_range("co", {.text = "co", .extent = c_.out_channels});
    const RegisterTile registers = tile(&out);
    out.line("const " + registers.accumulator_type() + " sum = *(const " + registers.memory_type() + "*)(c + i * " +
             str(columns_) + " + (ow - ow0));");
    block.bind(kernel_.templ->accumulator, {.text = "sum", .dtype = DType::f32, .vector = lanes_ > 1});
    block.emit(kernel_.templ->epilogue);
  }
  out.close();
}

void PlainConvGenerator::write_epilogue(Writer& out) const {
  BlockEmitter block(kernel_, lanes_, &out);
  out.open("static void epilogue(void* const* args, i64 b, i64 co0, i64 rows, i64 oh, i64 ow0, const f32m* c) {");
  block.declare_buffers();
  block.bind_range("b", {.text = "b", .extent = batch_});
  block.bind_range("oh", {.text = "oh", .extent = c_.out_h});
  block.bind_range("ci", {.text = "0", .extent = 1});
  out.open("for (i64 ow = ow0; ow < ow0 + " + str(columns_) + "; ow += " + str(lanes_) + ") {");
  out.open("if (ow + " + str(lanes_) + " <= " + str(c_.out_w) + ") {");
  write_columns(out, block, "");
  out.close();
  if (c_.out_w % lanes_ != 0) {
    out.open("else if (ow < " + str(c_.out_w) + ") {");
    write_columns(out, block, "(int)(" + str(c_.out_w) + " - ow)");
    out.close();
  }
  out.close();
  out.close();
}

void PlainConvGenerator::write_task(Writer& out) const {
  out.line("const i64 rb = task % " + str(row_blocks_) + ", g = task / " + str(row_blocks_) + " % " + str(c_.groups) +
           ", b = task / " + str(row_blocks_ * c_.groups) + ";");
  out.line("const i64 oh0 = rb * " + str(block_rows_) + ", oh1 = oh0 + " + str(block_rows_) + " < " + str(c_.out_h) +
           " ? oh0 + " + str(block_rows_) + " : " + str(c_.out_h) + ";");
  out.line("pack_input(input + b * " + str(c_.input.strides[0].constant()) + " + g * " +
           str(group_in_ * c_.input.strides[1].constant()) + ", oh0 * " + str(c_.stride_h) + " - " + str(c_.pad_h) +
           ", copy);");
  out.open("for (i64 t = 0; t < " + str(tiling_.count) + "; ++t) {");
  out.line("const i64 first = " + tiling_.start_text("t") + ", size = " + tiling_.size_text("t") + ", co = g * " +
           str(group_out_) + " + first;");
  out.line("pack_weight(weight + co * " + str(weight_size()) + ", size * " + str(weight_size()) + ", weights);");
  out.line("for (i64 oh = oh0; oh < oh1; ++oh)");
  out.open("for (i64 ow = 0; ow < " + str(c_.out_w) + "; ow += " + str(columns_) + ") {");
  const std::string call = "(weights, copy + (oh - oh0) * " + str(c_.stride_h * row_size_) + " + ow, sums);";
  const std::vector<int64_t> sizes = tiling_.sizes();
  if (sizes.size() == 1) {
    out.line("tile_" + str(sizes[0]) + call);
  } else {
    out.line("if (t < " + str(tiling_.larger()) + ") tile_" + str(sizes[0]) + call);
    out.line("else tile_" + str(sizes[1]) + call);
  }
  out.line("epilogue(args, b, co, size, oh, ow, sums);");
  out.close();
  out.close();
}

void PlainConvGenerator::write_entry(const std::string& entry, Writer& out) const {
  out.open("extern \"C\" void " + entry + "(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {");
  const std::string type = std::string(storage_type(c_.dtype)) + "m";
  const auto operand = [&](const char* name, const kernel_ir::Operand& o) {
    out.line("const " + type + "* const " + name + " = (const " + type + "*)args[" + str(o.buffer) + "] + " +
             str(o.offset.constant()) + ";");
  };
  operand("input", c_.input);
  operand("weight", c_.weight);
  const int64_t sums = round_up(tiling_.size(0) * columns_ * 4, 64);
  out.line("f32m* const sums = (f32m*)scratch;");
  out.line("f32m* const copy = (f32m*)((u8m*)scratch + " + str(sums) + ");");
  out.line("f32m* const weights = (f32m*)((u8m*)scratch + " + str(sums + round_up(group_in_ * channel_size() * 4, 64)) +
           ");");
  out.open("for (i64 task = begin; task < end; ++task) {");
  write_task(out);
  out.close();
  out.close();
}

void PlainConvGenerator::print(const std::string& entry, Writer& out) const {
  out.line(RegisterTile::helpers(TileMath::f32, lanes_));
  for (const int64_t rows : tiling_.sizes()) write_tile(out, rows);
  write_pack(out);
  write_epilogue(out);
  write_entry(entry, out);
}

}  // namespace

LaunchSpec print_plain_conv(const Kernel& kernel, const Target& target, const std::string& entry, Writer* out) {
  const PlainConvGenerator generator(kernel, target);
  generator.print(entry, *out);
  return generator.launch();
}

}  // namespace litz::codegen::cpp
