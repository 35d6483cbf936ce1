#include "codegen/cpp/matmul.h"

#include <algorithm>

#include "codegen/cpp/amx_tile.h"
#include "codegen/cpp/block.h"
#include "codegen/cpp/matmul_few_rows.h"
#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/prelude.h"
#include "codegen/cpp/writer.h"
#include "schedule/templates.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::Kernel;
using kernel_ir::MatmulTemplate;
using kernel_ir::Operand;

std::string str(int64_t value) { return std::to_string(value); }
int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return ceil_of(a, b) * b; }

int64_t constant_of(const Expr& e) {
  if (!e.is_constant()) {
    throw UnsupportedError("matmul-symbolic", "a matrix product of size " + e.to_string() + " known only at run time",
                           "compile it for fixed sizes");
  }
  return e.constant();
}

class MatmulGenerator {
 public:
  MatmulGenerator(const Kernel& kernel, const Target& target);
  LaunchSpec launch() const;
  void print(const std::string& entry, Writer& out) const;

 private:
  TileMath choose_math(const Target& target) const;
  bool single_k() const { return k_blocks_ == 1; }
  RegisterTile tile(Writer* out) const { return {math_, lanes_, vectors_, out}; }
  PackLeft pack_left() const;
  PackRight pack_right() const;
  int64_t left_bytes() const { return keeps_bf16(math_) ? 2 : 4; }  // of an element, as the tiles see it
  bool plain_right() const { return t_.rhs_panel == 0; }
  // Whether a thread packs panels for itself, in its scratch.
  bool packs_right() const { return plain_right() && !s_.along_k && !s_.share_rhs; }
  // Whether a thread keeps all panels of a block for the row blocks that follow, or one at a time.
  bool keeps_panels() const { return single_k() && row_blocks_ > 1; }
  // Of one panel of `k` rows, in f32m.
  int64_t panel_elements(int64_t k) const { return ceil_of(k, keeps_bf16(math_) ? 2 : 1) * columns_; }
  // Right operands that differ, in scratch that all tasks share.
  int64_t shared_batch() const { return t_.rhs.strides[0] == Expr(0) ? 1 : batch_; }
  FewRows few_rows() const;
  std::string right_panel() const;
  std::string pack_right_call(const std::string& offset, const std::string& k, const std::string& to) const;
  int64_t sums_bytes() const;

  void write_tile(Writer& out, int64_t rows) const;
  void write_epilogue(Writer& out) const;
  void write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const;
  void write_entry(const std::string& entry, Writer& out) const;
  void write_task(Writer& out) const;
  void write_k_block(Writer& out) const;
  void write_tiles(Writer& out) const;
  void write_pack_right(Writer& out) const;
  void write_share_right(Writer& out) const;
  void write_few_rows(Writer& out) const;

  const Kernel& kernel_;
  const MatmulTemplate& t_;
  const kernel_ir::Schedule& s_;
  int64_t batch_, m_, n_, k_;
  TileMath math_;
  int lanes_, vectors_, columns_;
  Tiling tiling_;
  int64_t tiles_per_block_, row_blocks_, panels_, panels_per_block_, column_blocks_, block_rows_;
  int64_t block_k_, k_blocks_;
  bool packs_left_;
  int64_t left_step_;  // elements from one row of the left operand to the next, as the tiles see it
};

MatmulGenerator::MatmulGenerator(const Kernel& kernel, const Target& target)
    : kernel_(kernel), t_(std::get<MatmulTemplate>(kernel.templ->what)), s_(kernel.schedule) {
  batch_ = constant_of(t_.batch);
  m_ = constant_of(t_.m);
  n_ = constant_of(t_.n);
  k_ = constant_of(t_.k);
  for (const Operand* operand : {&t_.lhs, &t_.rhs}) {
    for (const Expr& stride : operand->strides) constant_of(stride);
  }
  for (const Operand& part : t_.more_rhs) {
    LITZ_CHECK(part.strides == t_.rhs.strides, "parts of the right operand differ in their strides");
  }
  math_ = choose_math(target);
  lanes_ = target.vector_bytes() / 4;
  columns_ = static_cast<int>(t_.rhs_panel > 0 ? t_.rhs_panel : s_.tile_n);
  LITZ_CHECK(columns_ > 0 && columns_ % lanes_ == 0, "a panel is not made of whole vectors");
  vectors_ = columns_ / lanes_;

  LITZ_CHECK(s_.tile_m > 0, "no schedule for a matrix product");
  LITZ_CHECK(!s_.share_rhs || (plain_right() && !s_.along_k), "a right operand is shared that nobody packs");
  tiling_ = Tiling(std::max<int64_t>(m_, 1), s_.tile_m);
  tiles_per_block_ = s_.block_m > 0 ? ceil_of(s_.block_m, tiling_.size(0)) : tiling_.count;
  tiles_per_block_ = std::min(tiles_per_block_, tiling_.count);
  row_blocks_ = ceil_of(tiling_.count, tiles_per_block_);
  block_rows_ = tiling_.start(tiles_per_block_);
  panels_ = ceil_of(n_, columns_);
  panels_per_block_ = std::max<int64_t>(1, s_.block_n > 0 ? s_.block_n / columns_ : panels_);
  column_blocks_ = ceil_of(panels_, panels_per_block_);
  block_k_ = s_.block_k > 0 ? round_up(std::min(s_.block_k, k_), 2) : k_;
  k_blocks_ = std::max<int64_t>(1, ceil_of(k_, std::max<int64_t>(block_k_, 1)));
  if (single_k()) block_k_ = k_;

  const bool as_is = (keeps_bf16(math_) ? k_ % 2 == 0 : t_.dtype == DType::f32) && t_.lhs.strides[2] == Expr(1);
  packs_left_ = s_.pack_lhs || !as_is;
  left_step_ = packs_left_ ? PackLeft::row_step(block_k_, left_bytes()) : t_.lhs.strides[1].constant();
}

TileMath MatmulGenerator::choose_math(const Target& target) const {
  if (s_.amx) {
    LITZ_CHECK(target.has_amx && t_.dtype == DType::bf16 && k_ % schedule::kMatrixUnitStep == 0 &&
                   s_.block_k % schedule::kMatrixUnitStep == 0 && !s_.along_k,
               "the schedule asks for a matrix unit that cannot serve");
    return TileMath::bf16_amx;
  }
  if (t_.dtype == DType::f32 || (plain_right() && !s_.dot)) return TileMath::f32;
  if (t_.dtype == DType::f16) return TileMath::f16_widen;
  LITZ_CHECK(t_.dtype == DType::bf16, "a matrix product of another dtype than f32, bf16 or f16");
  return s_.dot && target.has_bf16_dot ? TileMath::bf16_dot : TileMath::bf16_widen;
}

PackLeft MatmulGenerator::pack_left() const {
  return {.dtype = t_.dtype,
          .keep_bf16 = keeps_bf16(math_),
          .lanes = lanes_,
          .row_stride = t_.lhs.strides[1].constant(),
          .k_stride = t_.lhs.strides[2].constant(),
          .step = left_step_};
}

FewRows MatmulGenerator::few_rows() const {
  return {.dtype = t_.dtype,
          .lanes = lanes_,
          .rows = std::max<int64_t>(m_, 1),
          .k = k_,
          .row_step = left_step_,
          .column_step = t_.rhs.strides[2].constant(),
          .columns = columns_};
}

PackRight MatmulGenerator::pack_right() const {
  const bool pairs = keeps_bf16(math_);
  PackRight pack{.dtype = pairs ? DType::f32 : t_.dtype,
                 .lanes = lanes_,
                 .columns = columns_,
                 .k_stride = t_.rhs.strides[1].constant(),
                 .n_stride = t_.rhs.strides[2].constant()};
  if (pairs) {
    LITZ_CHECK(pack.k_stride == 1 && pack.n_stride % 2 == 0, "pairs of k lie apart");
    pack.n_stride /= 2;
  }
  if (s_.share_rhs || !keeps_panels()) pack.ahead = columns_ * pack.n_stride;
  return pack;
}

// Sums wait in scratch for the next block of k.
int64_t MatmulGenerator::sums_bytes() const {
  const int64_t rows = s_.along_k ? m_ : single_k() ? tiling_.size(0) : block_rows_ * panels_per_block_;
  return round_up(rows * columns_ * 4, 64);
}

LaunchSpec MatmulGenerator::launch() const {
  LaunchSpec launch;
  const bool empty = batch_ == 0 || m_ == 0 || n_ == 0;
  launch.phases = {{.tasks = empty ? 0 : batch_ * row_blocks_ * column_blocks_, .grain = s_.grain}};
  if (s_.share_rhs) {
    // Several panels that lie side by side: each fetches the next.
    const int64_t tasks = empty ? 0 : shared_batch() * panels_;
    launch.phases.insert(launch.phases.begin(), Phase{.tasks = tasks, .grain = std::max<int64_t>(1, tasks / 16)});
    launch.shared_scratch_bytes = shared_batch() * panels_ * panel_elements(k_) * 4;
  }
  launch.thread_scratch_bytes = sums_bytes();
  if (packs_left_) launch.thread_scratch_bytes += round_up(block_rows_ * left_step_ * left_bytes(), 64);
  if (packs_right()) {
    launch.thread_scratch_bytes +=
        round_up(panel_elements(block_k_) * (keeps_panels() ? panels_per_block_ : 1) * 4, 64);
  }
  launch.may_fault = !kernel_.checks.empty();
  return launch;
}

void MatmulGenerator::write_tile(Writer& out, int64_t rows) const {
  if (math_ == TileMath::bf16_amx) {
    AmxTile{.left_step = left_step_, .columns = columns_, .may_add = !single_k()}.write(out, rows);
    return;
  }
  RegisterTile tile = this->tile(&out);
  std::vector<int> all;
  for (int i = 0; i < rows; ++i) all.push_back(i);
  const std::vector<int64_t> offsets = multiples(rows, left_step_), places = multiples(rows, columns_);
  const int r = static_cast<int>(rows);
  // Few sums would wait for each other: several of each, over different k.
  const int sets = r * vectors_ >= 8 ? 1 : std::min(4, 8 / (r * vectors_));
  out.open(std::string(RegisterTile::kFunction) + " tile_" + str(rows) + "(const " + tile.left_type() + "* a, const " +
           tile.right_type() + "* b, f32m* c" + (single_k() ? "" : ", i64 steps, bool adds") + ") {");
  const std::string steps = single_k() ? str(ceil_of(k_, tile.step_k())) : "steps";
  const std::string scale = tile.step_k() == 1 ? "" : " * 2";
  tile.zero(r, sets);
  tile.set_prefetch(lanes_ > 1 && rows >= 4 && !packs_right());
  out.line("i64 s = 0;");
  if (sets > 1) {
    out.line(RegisterTile::kLoop);
    out.open("for (; s + " + str(sets) + " <= " + steps + "; s += " + str(sets) + ") {");
    for (int set = 0; set < sets; ++set) {
      const std::string at = "(s + " + str(set) + ")";
      tile.step(all, offsets, "a", at + scale, "b + " + at + " * " + str(tile.step_elements()), set);
    }
    out.close();
  }
  out.line(RegisterTile::kLoop);
  out.open("for (; s < " + steps + "; ++s) {");
  tile.step(all, offsets, "a", "s" + scale, "b + s * " + str(tile.step_elements()));
  out.close();
  tile.combine(r, sets);
  // A block of k is summed by itself, then added: long sums stay exact longer.
  if (!single_k()) {
    out.open("if (adds) {");
    tile.add(places, "c");
    out.close();
  }
  tile.store(places, "c");
  out.close();
}

void MatmulGenerator::write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const {
  const auto columns = block.scope();
  block.bind_range("n", {.text = "n", .extent = n_, .multiple_of = lanes_});
  if (lanes_ > 1) block.vectorize("n");
  block.set_valid_lanes(valid);
  block.hoist(kernel_.templ->epilogue);
  out.open("for (i64 i = 0; i < rows; ++i) {");
  {
    const auto row = block.scope();
    out.line("const i64 m = m0 + i;");
    block.bind_range("m", {.text = "m", .extent = m_});
    const RegisterTile tile = this->tile(&out);
    out.line("const " + tile.accumulator_type() + " sum = *(const " + tile.memory_type() + "*)(c + i * " +
             str(columns_) + " + (n - n0));");
    block.bind(kernel_.templ->accumulator, {.text = "sum", .dtype = DType::f32, .vector = lanes_ > 1});
    block.emit(kernel_.templ->epilogue);
  }
  out.close();
}

void MatmulGenerator::write_epilogue(Writer& out) const {
  BlockEmitter block(kernel_, lanes_, &out);
  out.open("static void epilogue(void* const* args, i64 b, i64 m0, i64 rows, i64 n0, const f32m* c) {");
  block.declare_buffers();
  block.bind_range("b", {.text = "b", .extent = batch_});
  out.open("for (i64 n = n0; n < n0 + " + str(columns_) + "; n += " + str(lanes_) + ") {");
  if (n_ % columns_ == 0) {
    write_columns(out, block, "");
  } else {
    out.open("if (n + " + str(lanes_) + " <= " + str(n_) + ") {");
    write_columns(out, block, "");
    out.close();
    if (n_ % lanes_ != 0) {
      out.open("else if (n < " + str(n_) + ") {");
      write_columns(out, block, "(int)(" + str(n_) + " - n)");
      out.close();
    }
  }
  out.close();
  out.close();
}

// The first element of panel "p" of a right operand that is not packed, for k = 0.
std::string MatmulGenerator::right_panel() const {
  const std::string step = str(columns_ * t_.rhs.strides[2].constant());
  std::string text;
  int64_t begin = 0;
  for (size_t i = 0; i <= t_.more_rhs.size(); ++i) {
    const std::string name = i == 0 ? "right" : "right" + str(static_cast<int64_t>(i));
    const std::string at = begin == 0 ? name + " + p * " + step : name + " + (p - " + str(begin) + ") * " + step;
    if (i == t_.more_rhs.size()) return text.empty() ? at : "(" + text + at + ")";
    LITZ_CHECK(t_.rhs_starts[i] % columns_ == 0, "a part of the right operand begins within a panel");
    begin = t_.rhs_starts[i] / columns_;
    text += "p < " + str(begin) + " ? " + at + " : ";
  }
  return text;
}

// Packs `k` rows of panel "p", the first of them `offset` on.
std::string MatmulGenerator::pack_right_call(const std::string& offset, const std::string& k,
                                             const std::string& to) const {
  const std::string from = right_panel() + " + b * " + str(t_.rhs.strides[0].constant()) + offset;
  return "pack_right(" + (keeps_bf16(math_) ? "(const f32m*)(" + from + ")" : from) + ", " + k + ", " + str(n_) +
         " - p * " + str(columns_) + ", " + to + ");";
}

// A phase: all panels into scratch that all tasks share.
void MatmulGenerator::write_share_right(Writer& out) const {
  const int64_t steps = ceil_of(k_, keeps_bf16(math_) ? 2 : 1);
  out.line("f32m* const shared = (f32m*)args[" + str(argument_count(kernel_)) + "];");
  out.open("if (phase == 0) {");
  out.open("for (i64 task = begin; task < end; ++task) {");
  out.line("const i64 b = task / " + str(panels_) + ", p = task % " + str(panels_) + ";");
  out.line(pack_right_call("", str(steps), "shared + task * " + str(panel_elements(k_))));
  out.close();
  out.line("return;");
  out.close();
}

// Panel "p" as the register tile reads it: "w".
void MatmulGenerator::write_pack_right(Writer& out) const {
  const RegisterTile tile = this->tile(&out);
  const std::string place = keeps_panels() ? "panels + (p - p0) * " + str(panel_elements(block_k_)) : "panels";
  out.line("f32m* const packed = " + place + ";");
  const std::string call =
      pack_right_call(" + k0 * " + str(t_.rhs.strides[1].constant()), keeps_bf16(math_) ? "kc / 2" : "kc", "packed");
  out.line(keeps_panels() ? "if (packed_right != (b * " + str(column_blocks_) + " + nb)) " + call : call);
  out.line("const " + std::string(tile.right_type()) + "* const w = (const " + tile.right_type() + "*)packed;");
}

// All rows of each panel, read as they lie.
void MatmulGenerator::write_few_rows(Writer& out) const {
  out.open("for (i64 p = p0; p < p1; ++p) {");
  const std::string left = packs_left_ ? "rows" : "left + b * " + str(t_.lhs.strides[0].constant());
  out.line("few_rows(" + left + ", " + right_panel() + " + b * " + str(t_.rhs.strides[0].constant()) + ", " + str(n_) +
           " - p * " + str(columns_) + ", sums);");
  out.line("epilogue(args, b, 0, " + str(m_) + ", p * " + str(columns_) + ", sums);");
  out.close();
}

// One panel and block of k, all row tiles.
void MatmulGenerator::write_tiles(Writer& out) const {
  const RegisterTile tile = this->tile(&out);
  const int64_t depth = round_up(k_, tile.step_k());  // of a packed panel
  if (!packs_right()) {
    const std::string type = "const " + std::string(tile.right_type()) + "*";
    const bool batched = s_.share_rhs && shared_batch() > 1;
    const std::string panel = batched ? "(b * " + str(panels_) + " + p)" : "p";
    out.line(type + " const w = " + (s_.share_rhs ? "(" + type + ")shared" : "right") + " + (" + panel + " * " +
             str(depth) + " + k0) * " + str(columns_) + ";");
  } else {
    write_pack_right(out);
  }
  out.open("for (i64 i = t0; i < t1; ++i) {");
  out.line("const i64 m = " + tiling_.start_text("i") + ";");
  if (packs_left_) {
    out.line("const " + std::string(tile.left_type()) + "* const a = rows + (m - m0) * " + str(left_step_) + ";");
  } else {
    out.line("const " + std::string(tile.left_type()) + "* const a = left + b * " + str(t_.lhs.strides[0].constant()) +
             " + m * " + str(left_step_) + " + k0;");
  }
  const bool fixed_steps = single_k() && math_ != TileMath::bf16_amx;
  const std::string steps = fixed_steps ? "" : ", (kc + " + str(tile.step_k() - 1) + ") / " + str(tile.step_k());
  out.line("f32m* const c = sums" +
           (single_k() ? "" : " + ((p - p0) * " + str(block_rows_) + " + (m - m0)) * " + str(columns_)) + ";");
  const std::vector<int64_t> sizes = tiling_.sizes();
  const std::string call = "(a, w, c" + steps + (single_k() ? "" : ", k0 > 0") + ");";
  if (math_ == TileMath::bf16_amx) {
    out.line("if (configured != " + tiling_.size_text("i") + ") configure(configured = " + tiling_.size_text("i") +
             ");");
  }
  if (sizes.size() == 1) {
    out.line("tile_" + str(sizes[0]) + call);
  } else {
    out.line("if (i < " + str(tiling_.larger()) + ") tile_" + str(sizes[0]) + call);
    out.line("else tile_" + str(sizes[1]) + call);
  }
  out.line((single_k() ? "" : "if (k0 + kc == " + str(k_) + ") ") + std::string("epilogue(args, b, m, ") +
           tiling_.size_text("i") + ", p * " + str(columns_) + ", c);");
  out.close();
}

void MatmulGenerator::write_k_block(Writer& out) const {
  if (packs_left_) {
    const std::string call = "pack_left(left + b * " + str(t_.lhs.strides[0].constant()) + " + m0 * " +
                             str(t_.lhs.strides[1].constant()) + " + k0 * " + str(t_.lhs.strides[2].constant()) + ", " +
                             tiling_.start_text("t1") + " - m0, kc, rows);";
    if (single_k()) {
      out.line("if (packed_left != (b * " + str(row_blocks_) + " + mb)) " + call);
      out.line("packed_left = b * " + str(row_blocks_) + " + mb;");
    } else {
      out.line(call);
    }
  }
  if (s_.along_k) {
    write_few_rows(out);
    return;
  }
  out.open("for (i64 p = p0; p < p1; ++p) {");
  write_tiles(out);
  out.close();
  if (packs_right() && keeps_panels()) out.line("packed_right = b * " + str(column_blocks_) + " + nb;");
}

void MatmulGenerator::write_task(Writer& out) const {
  const int64_t inner = s_.columns_outer ? row_blocks_ : column_blocks_;
  const int64_t outer = s_.columns_outer ? column_blocks_ : row_blocks_;
  const std::string in = "task % " + str(inner), mid = "task / " + str(inner) + " % " + str(outer);
  out.line("const i64 nb = " + (s_.columns_outer ? mid : in) + ", mb = " + (s_.columns_outer ? in : mid) +
           ", b = task / " + str(inner * outer) + ";");
  out.line("const i64 t0 = mb * " + str(tiles_per_block_) + ", t1 = t0 + " + str(tiles_per_block_) + " < " +
           str(tiling_.count) + " ? t0 + " + str(tiles_per_block_) + " : " + str(tiling_.count) + ";");
  out.line("const i64 p0 = nb * " + str(panels_per_block_) + ", p1 = p0 + " + str(panels_per_block_) + " < " +
           str(panels_) + " ? p0 + " + str(panels_per_block_) + " : " + str(panels_) + ";");
  if (packs_left_ || !single_k()) out.line("const i64 m0 = " + tiling_.start_text("t0") + ";");
  if (single_k()) {
    out.line("const i64 k0 = 0, kc = " + str(k_) + ";");
    write_k_block(out);
    return;
  }
  out.open("for (i64 k0 = 0; k0 < " + str(k_) + "; k0 += " + str(block_k_) + ") {");
  out.line("const i64 kc = k0 + " + str(block_k_) + " < " + str(k_) + " ? " + str(block_k_) + " : " + str(k_) +
           " - k0;");
  write_k_block(out);
  out.close();
}

void MatmulGenerator::write_entry(const std::string& entry, Writer& out) const {
  const RegisterTile tile = this->tile(&out);
  out.open("extern \"C\" void " + entry + "(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {");
  const auto operand = [&](const char* name, const Operand& o, const std::string& type) {
    out.line("const " + type + "* const " + name + " = (const " + type + "*)args[" + str(o.buffer) + "] + " +
             str(constant_of(o.offset)) + ";");
  };
  operand("left", t_.lhs, std::string(storage_type(t_.dtype)) + "m");
  operand("right", t_.rhs, std::string(storage_type(t_.dtype)) + "m");
  for (size_t i = 0; i < t_.more_rhs.size(); ++i) {
    operand(("right" + str(static_cast<int64_t>(i) + 1)).c_str(), t_.more_rhs[i],
            std::string(storage_type(t_.dtype)) + "m");
  }
  int64_t offset = sums_bytes();
  out.line("f32m* const sums = (f32m*)scratch;");
  if (packs_left_) {
    const std::string type = tile.left_type();
    out.line(type + "* const rows = (" + type + "*)((u8m*)scratch + " + str(offset) + ");");
    offset += round_up(block_rows_ * left_step_ * left_bytes(), 64);
    if (single_k()) out.line("i64 packed_left = -1;");
  }
  if (s_.share_rhs) write_share_right(out);
  if (packs_right()) {
    out.line("f32m* const panels = (f32m*)((u8m*)scratch + " + str(offset) + ");");
    if (keeps_panels()) out.line("i64 packed_right = -1;");
  }
  if (math_ == TileMath::bf16_amx) out.line("i64 configured = 0;");
  out.open("for (i64 task = begin; task < end; ++task) {");
  write_task(out);
  out.close();
  if (math_ == TileMath::bf16_amx) out.line("release();");
  out.close();
}

void MatmulGenerator::print(const std::string& entry, Writer& out) const {
  out.line(RegisterTile::helpers(math_, lanes_));
  if (packs_left_) pack_left().write(out);
  if (s_.along_k) {
    few_rows().write(out);
  } else {
    for (const int64_t rows : tiling_.sizes()) write_tile(out, rows);
    if (plain_right()) pack_right().write(out);
  }
  write_epilogue(out);
  write_entry(entry, out);
}

}  // namespace

LaunchSpec print_matmul(const Kernel& kernel, const Target& target, const std::string& entry, Writer* out) {
  const MatmulGenerator generator(kernel, target);
  generator.print(entry, *out);
  return generator.launch();
}

}  // namespace litz::codegen::cpp
