#include "codegen/cpp/conv.h"

#include <algorithm>

#include "codegen/cpp/block.h"
#include "codegen/cpp/conv_groups.h"
#include "codegen/cpp/conv_pack.h"
#include "codegen/cpp/conv_plain.h"
#include "codegen/cpp/conv_tiles.h"
#include "codegen/cpp/conv_weight.h"
#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/prelude.h"
#include "codegen/cpp/writer.h"
#include "schedule/templates.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::ConvTemplate;
using kernel_ir::Kernel;
using kernel_ir::Operand;

std::string str(int64_t value) { return std::to_string(value); }
int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t constant_of(const Expr& e) {
  if (!e.is_constant()) {
    throw UnsupportedError("conv-symbolic", "a convolution of size " + e.to_string() + " known only at run time",
                           "compile it for fixed sizes");
  }
  return e.constant();
}

constexpr int64_t kLineBytes = 64;
constexpr const char* kFetchAhead = "__builtin_prefetch(ahead, 0, 2); ahead += 16;";  // into the second-level cache

class ConvGenerator {
 public:
  ConvGenerator(const Kernel& kernel, const Target& target);
  LaunchSpec launch() const;
  void print(const std::string& entry, Writer& out) const;

 private:
  bool small_groups() const { return group_in_ < lanes_ && c_.groups > 1; }
  int64_t steps() const { return ceil_of(group_in_, tile_step_); }  // of one tap
  // Offset of a position of a tile in the input, from its first one.
  int64_t position_offset(const ConvTile& tile, int64_t position) const;

  void write_tile(Writer& out, size_t kind) const;
  void write_taps(Writer& out, const ConvTile& tile) const;
  void write_channels(Writer& out, const ConvTile& tile) const;
  // Long sums are made of shorter ones: adds the accumulators to the tile's sums and starts anew.
  void set_aside(Writer& out, const ConvTile& tile) const;
  bool long_sum() const;
  std::vector<int64_t> places_of(const ConvTile& tile) const;
  void write_epilogue(Writer& out) const;
  void write_block(Writer& out, BlockEmitter& block, const std::string& valid) const;
  void write_entry(const std::string& entry, Writer& out) const;
  void write_task(Writer& out) const;
  void write_place(Writer& out) const;
  void write_parts(Writer& out, const std::string& tile) const;
  void write_rows(Writer& out) const;
  void plan_pack();
  int64_t sums_bytes() const;
  std::string group_input(const std::string& base) const;
  void write_pack(Writer& out) const;
  RegisterTile tile(Writer* out) const { return {math_, lanes_, vectors_, out}; }
  GroupTile group_tile() const {
    return {.conv = c_, .lanes = lanes_, .image_step = image_step_, .row_step = row_step_, .column_step = column_step_};
  }
  std::string input_type() const { return small_groups() ? group_tile().memory_type() : tile(nullptr).left_type(); }
  std::string weight_type() const { return small_groups() ? group_tile().memory_type() : tile(nullptr).right_type(); }

  const Kernel& kernel_;
  const ConvTemplate& c_;
  const kernel_ir::Schedule& s_;
  int64_t batch_;
  int lanes_, vectors_, columns_;
  TileMath math_ = TileMath::f32;
  int64_t tile_step_ = 1;  // input channels in a step
  int64_t group_in_, group_out_;
  ConvTiles tiles_;
  // The weight of a panel is copied to scratch first, in packed form.
  bool packs_weight() const { return !c_.weight.strides.empty(); }
  // Tiles fetch the next panel's weight meanwhile, a line a step: "ahead".
  bool fetches_ahead() const { return packs_weight() && !small_groups() && lanes_ > 1; }
  int64_t panel_elements() const;
  PackWeight pack_weight() const {
    return {.conv = c_, .lanes = lanes_, .columns = columns_, .fetch = !fetches_ahead()};
  }
  bool packs_ = false;
  PackInput pack_;
  int64_t pack_rows_ = 0, pack_images_ = 0;  // the most that a task needs
  // The input as tiles see it, in elements.
  int64_t in_block_, image_step_, block_step_, row_step_, column_step_, channel_step_;
  int64_t panels_, panels_per_block_, panel_blocks_;
  // Where tiles start: rows of tiles (rows), tiles (flat), tiles x pixels (images); and how many of each make a task.
  int64_t places_, places_per_block_, place_blocks_, images_;
};

ConvGenerator::ConvGenerator(const Kernel& kernel, const Target& target)
    : kernel_(kernel), c_(std::get<ConvTemplate>(kernel.templ->what)), s_(kernel.schedule) {
  batch_ = constant_of(c_.batch);
  lanes_ = target.vector_bytes() / 4;
  columns_ = static_cast<int>(c_.panel);
  LITZ_CHECK(columns_ % lanes_ == 0, "a panel is not made of whole vectors");
  LITZ_CHECK(c_.out_block == lanes_ || c_.out_block == columns_, "the output's block is neither a vector nor a panel");
  LITZ_CHECK(s_.tile_m > 0, "no schedule for a convolution");
  vectors_ = columns_ / lanes_;
  group_in_ = c_.in_channels / c_.groups;
  group_out_ = c_.out_channels / c_.groups;
  LITZ_CHECK(c_.groups == 1 || small_groups() ? true : group_out_ % columns_ == 0 && group_in_ % c_.in_block == 0,
             "a group does not end with a panel or block");
  LITZ_CHECK(
      !small_groups() || (group_in_ == group_out_ && lanes_ % group_in_ == 0 && c_.in_block == lanes_ && vectors_ == 1),
      "small groups do not fill a vector");
  if (c_.dtype == DType::bf16 && !small_groups()) {
    math_ = s_.dot && target.has_bf16_dot ? TileMath::bf16_dot : TileMath::bf16_widen;
    tile_step_ = 2;
  }
  tiles_ = ConvTiles::of(c_, std::max<int64_t>(batch_, 1), s_.tile_m, small_groups());

  in_block_ = c_.in_block;
  image_step_ = constant_of(c_.input.strides[0]);
  block_step_ = constant_of(c_.input.strides[1]);
  row_step_ = constant_of(c_.input.strides[2]);
  column_step_ = constant_of(c_.input.strides[3]);
  channel_step_ = constant_of(c_.input.strides[4]);

  panels_ = ceil_of(c_.out_channels, columns_);
  panels_per_block_ = std::clamp<int64_t>(s_.block_n / columns_, 1, panels_);
  panel_blocks_ = ceil_of(panels_, panels_per_block_);
  const bool by_image = tiles_.mode != ConvMode::images;
  images_ = by_image ? batch_ : 1;
  places_ = tiles_.mode == ConvMode::rows   ? tiles_.down.count
            : tiles_.mode == ConvMode::flat ? tiles_.across.count
                                            : tiles_.across.count * c_.out_h * c_.out_w;
  const int64_t positions = c_.out_h * c_.out_w * (by_image ? 1 : batch_);
  places_per_block_ = std::clamp<int64_t>(s_.block_m * places_ / std::max<int64_t>(positions, 1), 1, places_);
  place_blocks_ = ceil_of(places_, places_per_block_);
  plan_pack();
}

void ConvGenerator::plan_pack() {
  if (small_groups()) return;
  const bool pairs_lie_together = in_block_ % 2 == 0 && channel_step_ == 1 && group_in_ % 2 == 0;
  packs_ = s_.pack_lhs || math_ == TileMath::bf16_widen || (math_ == TileMath::bf16_dot && !pairs_lie_together);
  if (!packs_) return;
  pack_ = {.dtype = c_.dtype,
           .keep_bf16 = math_ == TileMath::bf16_dot,
           .lanes = lanes_,
           .channels = group_in_,
           .columns = c_.in_w,
           .from_block = in_block_,
           .from_block_step = block_step_,
           .from_row_step = row_step_,
           .from_column_step = column_step_,
           .from_channel_step = channel_step_};
  for (int64_t i = 0; i < place_blocks_; ++i) {
    const int64_t first = i * places_per_block_, last = std::min(first + places_per_block_, places_) - 1;
    const int64_t pixels = c_.out_h * c_.out_w;
    switch (tiles_.mode) {
      case ConvMode::rows: {
        const int64_t rows = tiles_.down.start(last) + tiles_.down.size(last) - tiles_.down.start(first);
        pack_rows_ = std::max(pack_rows_, (rows - 1) * c_.stride_h + (c_.kernel_h - 1) * c_.dilation_h + 1);
        break;
      }
      case ConvMode::flat:
        pack_rows_ = std::max(pack_rows_, (tiles_.across.start(last) + tiles_.across.size(last) - 1) / c_.out_w -
                                              tiles_.across.start(first) / c_.out_w + 1);
        break;
      case ConvMode::images:
        pack_rows_ = c_.in_h;
        pack_images_ = std::max(pack_images_, tiles_.across.start(last / pixels) + tiles_.across.size(last / pixels) -
                                                  tiles_.across.start(first / pixels));
        break;
    }
  }
  pack_rows_ = std::min(pack_rows_, c_.in_h);
  pack_images_ = std::max<int64_t>(pack_images_, 1);
  // Plain inputs become one block.
  if (in_block_ == 1) in_block_ = ceil_of(group_in_, 2) * 2;
  column_step_ = in_block_;
  row_step_ = column_step_ * c_.in_w;
  block_step_ = row_step_ * pack_rows_;
  channel_step_ = 1;
  // An odd number of cache lines, so that images do not share sets.
  image_step_ = (ceil_of(block_step_ * ceil_of(group_in_, in_block_), 16) | 1) * 16;
  pack_.block = in_block_;
  pack_.block_step = block_step_;
  pack_.row_step = row_step_;
}

int64_t ConvGenerator::sums_bytes() const { return ceil_of(tiles_.most_positions() * columns_ * 4, 64) * 64; }

LaunchSpec ConvGenerator::launch() const {
  LaunchSpec launch;
  launch.phases = {{.tasks = images_ * place_blocks_ * panel_blocks_, .grain = s_.grain}};
  launch.thread_scratch_bytes = sums_bytes();
  if (packs_weight()) launch.thread_scratch_bytes += ceil_of(panel_elements() * 4, 64) * 64;
  if (packs_) launch.thread_scratch_bytes += pack_images_ * image_step_ * 4;
  launch.may_fault = !kernel_.checks.empty();
  return launch;
}

int64_t ConvGenerator::panel_elements() const {
  const int64_t taps = c_.kernel_h * c_.kernel_w;
  if (small_groups()) return taps * group_in_ * lanes_;
  return taps * steps() * tile(nullptr).step_elements();
}

int64_t ConvGenerator::position_offset(const ConvTile& tile, int64_t position) const {
  if (tiles_.mode == ConvMode::images) return position * image_step_;
  return position / tile.width * c_.stride_h * row_step_ + position % tile.width * c_.stride_w * column_step_;
}

// All steps of one tap: "x" points to the input of the first position, "v" to the weights.
void ConvGenerator::write_channels(Writer& out, const ConvTile& tile) const {
  RegisterTile registers = this->tile(&out);
  registers.set_prefetch(lanes_ > 1 && tile.positions() >= 4);
  std::vector<int> active;
  std::vector<int64_t> offsets;
  for (int64_t p = 0; p < tile.positions(); ++p) {
    active.push_back(static_cast<int>(p));
    offsets.push_back(position_offset(tile, p));
  }
  const int64_t blocks = ceil_of(group_in_, in_block_);
  const int64_t last = group_in_ - (blocks - 1) * in_block_;  // channels in the last block
  const std::string step = str(registers.step_elements());
  const int64_t blocks_in_sum = std::max<int64_t>(1, schedule::kLongestSum / in_block_);
  const auto cut_long_sum = [&] {
    if (!long_sum() || blocks <= blocks_in_sum) return;
    out.open("if ((cb + 1) % " + str(blocks_in_sum) + " == 0) {");
    set_aside(out, tile);
    out.close();
  };
  if (in_block_ == 1) {
    out.line(RegisterTile::kLoop);
    out.open("for (i64 cb = 0; cb < " + str(blocks) + "; ++cb, x += " + str(block_step_) + ", v += " + step + ") {");
    registers.step(active, offsets, "x", "0", "v");
    if (fetches_ahead()) out.line(kFetchAhead);
    cut_long_sum();
    out.close();
    return;
  }
  if (blocks > 1) out.line(RegisterTile::kLoop);
  if (blocks > 1) out.open("for (i64 cb = 0; cb < " + str(blocks) + "; ++cb, x += " + str(block_step_) + ") {");
  LITZ_CHECK(blocks == 1 || last == in_block_, "the last of several input blocks is not full");
  out.line(RegisterTile::kLoop);
  out.open("for (i64 ci = 0; ci < " + str(ceil_of(last, tile_step_)) + "; ++ci, v += " + step + ") {");
  const int64_t scale = channel_step_ * tile_step_;
  registers.step(active, offsets, "x", scale == 1 ? "ci" : "ci * " + str(scale), "v");
  if (fetches_ahead()) out.line(kFetchAhead);
  out.close();
  cut_long_sum();
  if (blocks > 1) out.close();
}

std::vector<int64_t> ConvGenerator::places_of(const ConvTile& tile) const {
  std::vector<int64_t> places;
  for (int64_t p = 0; p < tile.positions(); ++p) {
    places.push_back((p / tile.width * tile.row_width + p % tile.width) * columns_);
  }
  return places;
}

bool ConvGenerator::long_sum() const {
  return !small_groups() && c_.kernel_h * c_.kernel_w * group_in_ > schedule::kLongestSum + schedule::kLongestSum / 2;
}

void ConvGenerator::set_aside(Writer& out, const ConvTile& tile) const {
  RegisterTile registers = this->tile(&out);
  const std::vector<int64_t> places = places_of(tile);
  registers.add(places, "c");
  registers.store(places, "c");
  registers.clear(static_cast<int>(tile.positions()));
}

void ConvGenerator::write_taps(Writer& out, const ConvTile& tile) const {
  const RegisterTile registers = this->tile(&out);
  out.line(RegisterTile::kLoop);
  out.open("for (i64 kh = kh0; kh < kh1; ++kh) {");
  out.line(RegisterTile::kLoop);
  out.open("for (i64 kw = kw0; kw < kw1; ++kw) {");
  out.line("const " + input_type() + "* x = in + (o + kh * " + str(c_.dilation_h * row_step_) + " + kw * " +
           str(c_.dilation_w * column_step_) + ");");
  out.line("const " + weight_type() + "* v = w + (kh * " + str(c_.kernel_w) + " + kw) * " +
           str(steps() * registers.step_elements()) + ";");
  write_channels(out, tile);
  out.close();
  // Rows of taps over few channels: a sum for each row.
  if (long_sum() && group_in_ <= schedule::kLongestSum) set_aside(out, tile);
  out.close();
}

void ConvGenerator::write_tile(Writer& out, size_t kind) const {
  const ConvTile& tile = tiles_.kinds[kind];
  RegisterTile registers = this->tile(&out);
  const std::vector<int64_t> places = places_of(tile);
  out.comment(str(tile.positions()) + " positions, " + str(columns_) +
              " output channels: taps [kh0, kh1) x [kw0, kw1)");
  out.open(std::string(RegisterTile::kFunction) + " tile_" + str(static_cast<int64_t>(kind)) + "(const " +
           input_type() + "* in, i64 o, const " + weight_type() + "* w, f32m* c, i64 kh0, i64 kh1, i64 kw0, i64 kw1" +
           (fetches_ahead() ? ", const f32m* ahead" : "") + ") {");
  // Parts of a tile add to what is there.
  registers.zero(static_cast<int>(tile.positions()));
  if (tiles_.whole() && long_sum()) registers.store(places, "c");
  if (small_groups()) {
    group_tile().write(out, tile, tiles_.mode);
  } else {
    write_taps(out, tile);
  }
  if (!tiles_.whole() || long_sum()) registers.add(places, "c");
  registers.store(places, "c");
  out.close();
}

void ConvGenerator::write_block(Writer& out, BlockEmitter& block, const std::string& valid) const {
  const auto channels = block.scope();
  if (c_.out_block == lanes_) {
    block.bind_range("co", {.text = "co", .extent = ceil_of(c_.out_channels, lanes_)});
    block.bind_range("ci", {.text = "0", .extent = lanes_, .multiple_of = lanes_});
  } else {
    block.bind_range("co", {.text = "p", .extent = panels_});
    block.bind_range(
        "ci", {.text = "(co - p * " + str(vectors_) + ") * " + str(lanes_), .extent = columns_, .multiple_of = lanes_});
  }
  if (lanes_ > 1) block.vectorize("ci");
  block.set_valid_lanes(valid);
  block.hoist(kernel_.templ->epilogue);
  const bool several_rows = tiles_.several_rows;
  if (several_rows) out.line("for (i64 y = 0; y < rows; ++y)");
  out.open("for (i64 x = 0; x < width; ++x) {");
  {
    const auto position = block.scope();
    switch (tiles_.mode) {
      case ConvMode::rows:
        out.line(std::string("const i64 oh = oh0") + (several_rows ? " + y" : "") + ", ow = ow0 + x;");
        break;
      case ConvMode::flat:
        out.line("const i64 oh = (ow0 + x) / " + str(c_.out_w) + ", ow = (ow0 + x) % " + str(c_.out_w) + ";");
        break;
      case ConvMode::images:
        out.line("const i64 b = image + x, oh = oh0, ow = ow0;");
        break;
    }
    block.bind_range("b", {.text = "b", .extent = batch_});
    block.bind_range("oh", {.text = "oh", .extent = c_.out_h});
    block.bind_range("ow", {.text = "ow", .extent = c_.out_w});
    const RegisterTile registers = this->tile(&out);
    out.line("const " + registers.accumulator_type() + " sum = *(const " + registers.memory_type() + "*)(c + " +
             (several_rows ? "(y * width + x)" : "x") + " * " + str(columns_) + " + (co - p * " + str(vectors_) +
             ") * " + str(lanes_) + ");");
    block.bind(kernel_.templ->accumulator, {.text = "sum", .dtype = DType::f32, .vector = lanes_ > 1});
    block.emit(kernel_.templ->epilogue);
  }
  out.close();
}

void ConvGenerator::write_epilogue(Writer& out) const {
  BlockEmitter block(kernel_, lanes_, &out);
  const bool images = tiles_.mode == ConvMode::images;
  out.open(std::string("static void epilogue(void* const* args, i64 ") + (images ? "image" : "b") +
           ", i64 p, i64 oh0, i64 ow0, i64 rows, i64 width, const f32m* c) {");
  block.declare_buffers();
  out.open("for (i64 co = p * " + str(vectors_) + "; co < (p + 1) * " + str(vectors_) + "; ++co) {");
  const int64_t whole = c_.out_channels / lanes_;
  if (c_.out_channels % columns_ == 0) {
    write_block(out, block, "");
  } else {
    out.open("if (co < " + str(whole) + ") {");
    write_block(out, block, "");
    out.close();
    if (c_.out_channels % lanes_ != 0) {
      out.open("else if (co == " + str(whole) + ") {");
      write_block(out, block, str(c_.out_channels % lanes_));
      out.close();
    }
  }
  out.close();
  out.close();
}

// The calls for the parts of a tile: `tile` is its index in ConvTiles::parts, as C++. Uses o, kh0, kh1, kw0 and kw1.
void ConvGenerator::write_parts(Writer& out, const std::string& tile) const {
  const auto call = [&](size_t kind, const std::string& arguments) {
    return "tile_" + str(static_cast<int64_t>(kind)) + "(in, " + arguments + (fetches_ahead() ? ", ahead);" : ");");
  };
  if (!tiles_.whole()) {
    const RegisterTile registers = this->tile(&out);
    out.line("for (i64 z = 0; z < " + str(tiles_.most_positions() * columns_) + "; z += " + str(lanes_) + ") *(" +
             registers.memory_type() + "*)(sums + z) = " + registers.accumulator_type() + "{};");
  }
  const bool by_image = tiles_.mode == ConvMode::images;
  if (!tiles_.has_tables()) {
    out.line(call(0, "o, w, sums, kh0, kh1, " + (by_image ? "kw0, kw1" : "0, " + str(tiles_.parts[0][0].kw1))));
    return;
  }
  out.open("for (i64 s = first_part[" + tile + "]; s < first_part[" + tile + " + 1]; ++s) {");
  out.line("const i16* const part = parts + s * 7;");
  const std::string arguments =
      "o + part[0] * " + str(c_.stride_h * row_step_) + " + part[1] * " + str(c_.stride_w * column_step_) +
      ", w, sums + (part[0] * " + str(tiles_.across.size(0)) + " + part[1]) * " + str(columns_) +
      (tiles_.several_rows ? ", part[2], part[3]" : ", kh0, kh1") + (by_image ? ", kw0, kw1" : ", part[4], part[5]");
  if (tiles_.kinds.size() == 1) {
    out.line(call(0, arguments));
  } else {
    out.open("switch (part[6]) {");
    for (size_t kind = 0; kind < tiles_.kinds.size(); ++kind) {
      out.line("case " + str(static_cast<int64_t>(kind)) + ": " + call(kind, arguments) + " break;");
    }
    out.close();
  }
  out.close();
}

// The tiles "j" of the output rows "i".
void ConvGenerator::write_rows(Writer& out) const {
  const std::string row = str(row_step_);
  out.line("const i64 oh = " + tiles_.down.start_text("i") + ", h = oh * " + str(c_.stride_h) + " - " + str(c_.pad_h) +
           ";");
  const std::string top = std::string(packs_ ? "(h - row0)" : "h") + " * " + row;
  if (tiles_.several_rows) {
    out.line("const i64 o = " + top + " - " + str(c_.pad_w * column_step_) + ";");
    write_parts(out, "i");
    out.line("epilogue(args, b, p, oh, 0, " + tiles_.down.size_text("i") + ", " + str(c_.out_w) + ", sums);");
    return;
  }
  write_tap_range(out, "kh", "h", c_.in_h, c_.kernel_h, c_.dilation_h);
  out.open("for (i64 j = 0; j < " + str(tiles_.across.count) + "; ++j) {");
  out.line("const i64 ow = " + tiles_.across.start_text("j") + ", o = " + top + " + (ow * " + str(c_.stride_w) + " - " +
           str(c_.pad_w) + ") * " + str(column_step_) + ";");
  write_parts(out, "j");
  out.line("epilogue(args, b, p, oh, ow, 1, " + tiles_.across.size_text("j") + ", sums);");
  out.close();
}

// The tiles of one place.
void ConvGenerator::write_place(Writer& out) const {
  const std::string pixel_step = str(c_.stride_w * column_step_);
  switch (tiles_.mode) {
    case ConvMode::rows:
      write_rows(out);
      break;
    case ConvMode::flat:
      out.line("const i64 j = i, pixel = " + tiles_.across.start_text("i") + ", o = pixel * " + pixel_step +
               (packs_ ? " - row0 * " + str(row_step_) : "") + ";");
      out.line("const i64 kh0 = 0, kh1 = 1;");
      write_parts(out, "j");
      out.line("epilogue(args, b, p, 0, pixel, 1, " + tiles_.across.size_text("i") + ", sums);");
      break;
    case ConvMode::images:
      out.line("const i64 j = i / " + str(c_.out_h * c_.out_w) + ", oh = i / " + str(c_.out_w) + " % " + str(c_.out_h) +
               ", ow = i % " + str(c_.out_w) + ";");
      out.line("const i64 h = oh * " + str(c_.stride_h) + " - " + str(c_.pad_h) + ", x = ow * " + str(c_.stride_w) +
               " - " + str(c_.pad_w) + ";");
      write_tap_range(out, "kh", "h", c_.in_h, c_.kernel_h, c_.dilation_h);
      write_tap_range(out, "kw", "x", c_.in_w, c_.kernel_w, c_.dilation_w);
      out.line("const i64 image = " + tiles_.across.start_text("j") +
               ", o = " + (packs_ ? "(image - image0)" : "image") + " * " + str(image_step_) + " + h * " +
               str(row_step_) + " + x * " + str(column_step_) + ";");
      write_parts(out, "j");
      out.line("epilogue(args, image, p, oh, ow, 1, " + tiles_.across.size_text("j") + ", sums);");
      break;
  }
}

void ConvGenerator::write_task(Writer& out) const {
  const std::string places = str(place_blocks_), images = str(images_), panels = str(panel_blocks_);
  if (s_.columns_outer) {
    out.line("const i64 ib = task % " + places + ", b = task / " + places + " % " + images + ", pb = task / " +
             str(place_blocks_ * images_) + ";");
  } else {
    out.line("const i64 pb = task % " + panels + ", ib = task / " + panels + " % " + places + ", b = task / " +
             str(place_blocks_ * panel_blocks_) + ";");
  }
  const auto range = [&](const char* first, const char* last, const char* block, int64_t size, int64_t total) {
    out.line("const i64 " + std::string(first) + " = " + block + " * " + str(size) + ", " + last + " = " + first +
             " + " + str(size) + " < " + str(total) + " ? " + first + " + " + str(size) + " : " + str(total) + ";");
  };
  range("i0", "i1", "ib", places_per_block_, places_);
  range("p0", "p1", "pb", panels_per_block_, panels_);
  out.open("for (i64 p = p0; p < p1; ++p) {");
  if (packs_) {
    write_pack(out);
  } else {
    out.line("const " + input_type() + "* const in = " +
             group_input("input + b * " + str(tiles_.mode == ConvMode::images ? 0 : image_step_)) + ";");
  }
  if (packs_weight()) {
    out.open("if (packed_panel != p) {");
    out.line("packed_panel = p;");
    pack_weight().write_calls(out);
    out.close();
  } else {
    out.line("const " + weight_type() + "* const w = weight + p * " + str(panel_elements()) + ";");
  }
  out.open("for (i64 i = i0; i < i1; ++i) {");
  if (fetches_ahead()) {
    // The first tiles fetch the next panel; the others what is near anyway.
    const int64_t steps = c_.kernel_h * c_.kernel_w * group_in_, tiles = ceil_of(int64_t{4} * columns_, kLineBytes);
    out.line("const f32m* const ahead = i - i0 < " + str(tiles) + " ? weight + (p + 1) * " +
             str(columns_ * constant_of(c_.weight.strides[0])) + " + (i - i0) * " + str(steps * kLineBytes / 4) +
             " : w;");
  }
  write_place(out);
  out.close();
  out.close();
}

// The input of the first channel that panel "p" needs.
std::string ConvGenerator::group_input(const std::string& base) const {
  const int64_t block_step = constant_of(c_.input.strides[1]);
  if (small_groups()) return base + " + p * " + str(block_step);
  if (c_.groups == 1) return base;
  return base + " + p / " + str(group_out_ / columns_) + " * " + str(group_in_ / c_.in_block * block_step);
}

// Fills "in" unless it holds what this task and group need.
void ConvGenerator::write_pack(Writer& out) const {
  const int64_t image_step = constant_of(c_.input.strides[0]), row_step = constant_of(c_.input.strides[2]);
  const int64_t pixels = c_.out_h * c_.out_w;
  switch (tiles_.mode) {
    case ConvMode::rows:
      out.line("const i64 first = " + tiles_.down.start_text("i0") + " * " + str(c_.stride_h) + " - " + str(c_.pad_h) +
               ", row0 = first < 0 ? 0 : first;");
      out.line("const i64 last = (" + tiles_.down.start_text("i1") + " - 1) * " + str(c_.stride_h) + " + " +
               str((c_.kernel_h - 1) * c_.dilation_h - c_.pad_h + 1) + ";");
      out.line("const i64 row1 = last < " + str(c_.in_h) + " ? last : " + str(c_.in_h) + ";");
      break;
    case ConvMode::flat:
      out.line("const i64 row0 = (" + tiles_.across.start_text("i0") + ") / " + str(c_.out_w) + ", row1 = (" +
               tiles_.across.start_text("i1") + " - 1) / " + str(c_.out_w) + " + 1;");
      break;
    case ConvMode::images:
      out.line("const i64 image0 = " + tiles_.across.start_text("(i0 / " + str(pixels) + ")") +
               ", image1 = " + tiles_.across.start_text("((i1 - 1) / " + str(pixels) + " + 1)") + ";");
      break;
  }
  const int64_t panels_per_group = c_.groups == 1 ? panels_ : group_out_ / columns_;
  out.open("if (packed_images != b * " + str(place_blocks_) + " + ib || packed_group != p / " + str(panels_per_group) +
           ") {");
  out.line("packed_images = b * " + str(place_blocks_) + " + ib, packed_group = p / " + str(panels_per_group) + ";");
  if (tiles_.mode == ConvMode::images) {
    out.line("for (i64 n = image0; n < image1; ++n) pack_input(" + group_input("input + n * " + str(image_step)) +
             ", " + str(c_.in_h) + ", in + (n - image0) * " + str(image_step_) + ");");
  } else {
    out.line("if (row0 < row1) pack_input(" +
             group_input("input + b * " + str(image_step) + " + row0 * " + str(row_step)) + ", row1 - row0, in);");
  }
  out.close();
}

void ConvGenerator::write_entry(const std::string& entry, Writer& out) const {
  out.open("extern \"C\" void " + entry + "(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {");
  const std::string type = std::string(storage_type(c_.dtype)) + "m";
  const auto operand = [&](const char* name, const Operand& o) {
    out.line("const " + type + "* const " + name + " = (const " + type + "*)args[" + str(o.buffer) + "] + " +
             str(constant_of(o.offset)) + ";");
  };
  operand("input", c_.input);
  operand("weight", c_.weight);
  out.line("f32m* const sums = (f32m*)scratch;");
  int64_t offset = sums_bytes();
  if (packs_weight()) {
    out.line("f32m* const w = (f32m*)((u8m*)scratch + " + str(offset) + ");");
    out.line("i64 packed_panel = -1;");
    offset += ceil_of(panel_elements() * 4, 64) * 64;
  }
  if (packs_) {
    out.line(input_type() + "* const in = (" + input_type() + "*)((u8m*)scratch + " + str(offset) + ");");
    out.line("i64 packed_images = -1, packed_group = -1;");
  }
  out.open("for (i64 task = begin; task < end; ++task) {");
  write_task(out);
  out.close();
  out.close();
}

void ConvGenerator::print(const std::string& entry, Writer& out) const {
  out.line(RegisterTile::helpers(math_, lanes_) + (small_groups() ? GroupTile::helpers(lanes_) : ""));
  for (size_t kind = 0; kind < tiles_.kinds.size(); ++kind) write_tile(out, kind);
  if (packs_) pack_.write(out);
  if (packs_weight()) pack_weight().write(out);
  write_epilogue(out);
  tiles_.write_tables(out);
  write_entry(entry, out);
}

}  // namespace

LaunchSpec print_conv(const Kernel& kernel, const Target& target, const std::string& entry, Writer* out) {
  if (std::get<ConvTemplate>(kernel.templ->what).panel == 1) return print_plain_conv(kernel, target, entry, out);
  const ConvGenerator generator(kernel, target);
  generator.print(entry, *out);
  return generator.launch();
}

}  // namespace litz::codegen::cpp
