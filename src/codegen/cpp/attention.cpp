#include "codegen/cpp/attention.h"

#include <algorithm>
#include <cstdio>

#include "codegen/cpp/block.h"
#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/matmul_tile.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::AttentionTemplate;
using kernel_ir::Kernel;
using kernel_ir::Operand;

std::string str(int64_t value) { return std::to_string(value); }
int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return ceil_of(a, b) * b; }

std::string float_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%af", static_cast<double>(static_cast<float>(value)));
  return text;
}

int64_t constant_of(const Expr& e) {
  if (!e.is_constant()) {
    throw UnsupportedError("attention-symbolic", "attention of size " + e.to_string() + " known only at run time",
                           "compile it for fixed sizes");
  }
  return e.constant();
}

std::vector<int64_t> strides_of(const Operand& operand) {
  std::vector<int64_t> strides;
  for (const Expr& e : operand.strides) strides.push_back(constant_of(e));
  return strides;
}

class AttentionGenerator {
 public:
  AttentionGenerator(const Kernel& kernel, const Target& target);
  LaunchSpec launch() const;
  void print(const std::string& entry, Writer& out) const;

 private:
  bool single() const { return key_blocks_ == 1; }
  bool vector() const { return lanes_ > 1; }
  std::string vec() const { return vector() ? "f32v" : "f32"; }
  std::string unaligned() const { return vector() ? "f32u" : "f32m"; }
  std::string memory(DType dtype) const { return std::string(storage_type(dtype)) + "m"; }
  int64_t scratch_offset(int part) const;

  void write_score(Writer& out, int64_t rows) const;
  void write_value(Writer& out, int64_t rows, int vectors) const;
  void write_soften(Writer& out) const;
  void write_masked(Writer& out) const;
  void write_epilogue(Writer& out) const;
  void write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const;
  void write_entry(const std::string& entry, Writer& out) const;
  void write_task(Writer& out) const;
  void write_packs(Writer& out) const;
  void write_key_block(Writer& out) const;
  void write_tile(Writer& out) const;
  void write_by_size(Writer& out, const std::string& function, const std::string& suffix,
                     const std::string& arguments) const;
  PackLeft pack_queries() const;
  PackRight pack_keys() const;
  PackRight pack_values() const;

  const Kernel& kernel_;
  const AttentionTemplate& t_;
  int64_t batch_, heads_, queries_, keys_, dim_, value_dim_;
  std::vector<int64_t> q_, k_, v_, m_;  // strides
  int lanes_, vectors_, columns_;
  Tiling tiling_;
  int64_t tiles_per_block_, query_blocks_, block_rows_;
  int64_t block_keys_, key_blocks_;
  bool packs_queries_, packs_values_, resident_;
  int64_t query_step_, value_step_;
  int64_t padded_dim_;  // of values, in whole vectors
  enum Part { kScores, kResults, kMaxima, kSums, kKeys, kValues, kQueries, kParts };
  int64_t part_bytes_[kParts];
};

AttentionGenerator::AttentionGenerator(const Kernel& kernel, const Target& target)
    : kernel_(kernel), t_(std::get<AttentionTemplate>(kernel.templ->what)) {
  const kernel_ir::Schedule& s = kernel.schedule;
  batch_ = constant_of(t_.batch), heads_ = constant_of(t_.heads);
  queries_ = constant_of(t_.queries), keys_ = constant_of(t_.keys);
  dim_ = t_.head_dim, value_dim_ = t_.value_dim;
  q_ = strides_of(t_.query), k_ = strides_of(t_.key), v_ = strides_of(t_.value);
  if (t_.mask) m_ = strides_of(*t_.mask);
  LITZ_CHECK(t_.dtype == DType::f32 || is_half(t_.dtype), "attention of another dtype than f32, bf16 or f16");

  lanes_ = target.vector_bytes() / 4;
  columns_ = static_cast<int>(s.tile_n);
  LITZ_CHECK(s.tile_m > 0 && columns_ > 0 && columns_ % lanes_ == 0, "no schedule for attention");
  vectors_ = columns_ / lanes_;
  tiling_ = Tiling(std::max<int64_t>(queries_, 1), s.tile_m);
  tiles_per_block_ = std::clamp<int64_t>(ceil_of(s.block_m, tiling_.size(0)), 1, tiling_.count);
  query_blocks_ = ceil_of(tiling_.count, tiles_per_block_);
  block_rows_ = tiling_.start(tiles_per_block_);
  block_keys_ = round_up(std::clamp<int64_t>(s.block_k, 1, std::max<int64_t>(keys_, 1)), columns_);
  key_blocks_ = std::max<int64_t>(1, ceil_of(keys_, block_keys_));

  padded_dim_ = round_up(value_dim_, lanes_);
  packs_queries_ = t_.dtype != DType::f32 || q_[3] != 1;
  packs_values_ = t_.dtype != DType::f32 || v_[3] != 1 || value_dim_ % lanes_ != 0;
  query_step_ = packs_queries_ ? PackLeft::row_step(dim_, 4) : q_[2];
  value_step_ = packs_values_ ? padded_dim_ : v_[2];
  // Packed keys and values stay for the tasks of the same head.
  resident_ = round_up(keys_, block_keys_) * (dim_ + (packs_values_ ? padded_dim_ : 0)) * 4 <= target.l2_bytes / 2;

  const int64_t kept = resident_ ? key_blocks_ * block_keys_ : block_keys_;
  part_bytes_[kScores] = tiling_.size(0) * block_keys_ * 4;
  part_bytes_[kResults] = block_rows_ * padded_dim_ * 4;
  part_bytes_[kMaxima] = part_bytes_[kSums] = block_rows_ * 4;
  part_bytes_[kKeys] = kept * dim_ * 4;
  part_bytes_[kValues] = packs_values_ ? kept * padded_dim_ * 4 : 0;
  part_bytes_[kQueries] = packs_queries_ ? block_rows_ * query_step_ * 4 : 0;
}

int64_t AttentionGenerator::scratch_offset(int part) const {
  int64_t offset = 0;
  for (int i = 0; i < part; ++i) offset += round_up(part_bytes_[i], 64);
  return offset;
}

LaunchSpec AttentionGenerator::launch() const {
  LaunchSpec launch;
  const bool empty = queries_ == 0 || value_dim_ == 0;
  launch.phases = {{.tasks = empty ? 0 : batch_ * heads_ * query_blocks_, .grain = kernel_.schedule.grain}};
  launch.thread_scratch_bytes = scratch_offset(kParts);
  launch.may_fault = !kernel_.checks.empty();
  return launch;
}

PackLeft AttentionGenerator::pack_queries() const {
  return {.dtype = t_.dtype, .lanes = lanes_, .row_stride = q_[2], .k_stride = q_[3], .step = query_step_};
}

PackRight AttentionGenerator::pack_keys() const {
  return {.name = "pack_keys",
          .dtype = t_.dtype,
          .lanes = lanes_,
          .columns = columns_,
          .k_stride = k_[3],
          .n_stride = k_[2]};
}

PackRight AttentionGenerator::pack_values() const {
  return {.name = "pack_values",
          .dtype = t_.dtype,
          .lanes = lanes_,
          .columns = padded_dim_,
          .k_stride = v_[2],
          .n_stride = v_[3]};
}

// Scores of a tile of queries with one panel of keys.
void AttentionGenerator::write_score(Writer& out, int64_t rows) const {
  RegisterTile tile(TileMath::f32, lanes_, vectors_, &out);
  std::vector<int> all;
  for (int r = 0; r < rows; ++r) all.push_back(r);
  const std::vector<int64_t> offsets = multiples(rows, query_step_);
  out.open(std::string(RegisterTile::kFunction) + " score_" + str(rows) + "(const f32m* a, const f32m* b, f32m* c) {");
  tile.zero(static_cast<int>(rows));
  out.line(RegisterTile::kLoop);
  out.open("for (i64 s = 0; s < " + str(dim_) + "; ++s) {");
  tile.step(all, offsets, "a", "s", "b + s * " + str(columns_));
  out.close();
  tile.store(multiples(rows, block_keys_), "c");
  out.close();
}

// Adds weights [rows][n] times `vectors` vectors of values to the results.
void AttentionGenerator::write_value(Writer& out, int64_t rows, int vectors) const {
  RegisterTile tile(TileMath::f32, lanes_, vectors, &out);
  std::vector<int> all;
  for (int r = 0; r < rows; ++r) all.push_back(r);
  const std::vector<int64_t> offsets = multiples(rows, block_keys_);
  out.open(std::string(RegisterTile::kFunction) + " value_" + str(rows) + "_" + str(vectors) +
           "(const f32m* a, const f32m* b, f32m* c, i64 n) {");
  if (single()) {
    tile.zero(static_cast<int>(rows));
  } else {
    tile.load(multiples(rows, padded_dim_), "c");
  }
  out.line(RegisterTile::kLoop);
  out.open("for (i64 s = 0; s < n; ++s) {");
  tile.step(all, offsets, "a", "s", "b + s * " + str(value_step_));
  out.close();
  tile.store(multiples(rows, padded_dim_), "c");
  out.close();
}

// Scales and masks the scores x of one row; the rest of the last panel becomes -inf.
void AttentionGenerator::write_masked(Writer& out) const {
  const std::string scale = float_text(t_.scale);
  const bool boolean = t_.mask && t_.mask_dtype == DType::boolean;
  out.line("i64 j = 0;");
  if (vector() && (!t_.mask || m_[3] == 1)) {
    out.open("for (; j + " + str(lanes_) + " <= n; j += " + str(lanes_) + ") {");
    out.line("f32v x = *(const f32u*)(s + j) * " + scale + ";");
    if (boolean) {
      out.line("x = __builtin_convertvector(*(const u8u*)(mask + j), i32v) != 0 ? x : splat_f32v(-__builtin_inff());");
    } else if (t_.mask) {
      out.line("x = x + " + widened(t_.mask_dtype, true, "mask + j") + ";");
    }
    out.line("*(f32u*)(s + j) = x;");
    out.close();
  }
  out.open("for (; j < n; ++j) {");
  out.line("f32 x = s[j] * " + scale + ";");
  if (t_.mask) {
    const std::string place = "mask + j * " + str(m_[3]);
    if (boolean) {
      out.line("if (!*(" + place + ")) x = -__builtin_inff();");
    } else {
      out.line("x = x + " + widened(t_.mask_dtype, false, place) + ";");
    }
  }
  out.line("s[j] = x;");
  out.close();
  out.line("for (; j < whole; ++j) s[j] = -__builtin_inff();");
}

// Scores of `rows` rows become weights. `n`: keys of the block that row 0 sees, `whole`: the same in whole vectors for
// all rows; with a causal mask each row sees one key more.
void AttentionGenerator::write_soften(Writer& out) const {
  const std::string l = str(lanes_);
  const std::string mask = t_.mask ? ", const " + memory(t_.mask_dtype) + "* mask" : "";
  out.open(
      "static void soften(f32m* s, i64 rows, i64 seen, i64 most, i64 whole, f32m* maxima, f32m* sums, f32m* results" +
      mask + ") {");
  out.open("for (i64 r = 0; r < rows; ++r, s += " + str(block_keys_) + ", results += " + str(padded_dim_) +
           (t_.mask ? ", mask += " + str(m_[2]) : "") + ") {");
  if (t_.causal) {
    out.line("const i64 n = seen + r < 0 ? 0 : seen + r < most ? seen + r : most;");
  } else {
    out.line("const i64 n = most;");
  }
  write_masked(out);
  out.line(vec() + " top = *(const " + unaligned() + "*)s;");
  out.line("for (i64 i = " + l + "; i < whole; i += " + l + ") top = max_f32" + (vector() ? "v" : "") +
           "(top, *(const " + unaligned() + "*)(s + i));");
  out.line(std::string("f32 m = ") + (vector() ? "hmax_f32v(top)" : "top") + ";");
  if (!single()) out.line("m = max_f32(m, maxima[r]);");
  // Nothing seen yet: any finite value does.
  out.line("const f32 base = m == -__builtin_inff() ? 0 : m;");
  out.line(vec() + " total = {};");
  out.open("for (i64 i = 0; i < whole; i += " + l + ") {");
  // Weights below exp(-80) are zero: subnormal numbers are slow, and masked keys are many.
  const std::string v = vector() ? "v" : "";
  out.line("const " + vec() + " x = *(const " + unaligned() + "*)(s + i) - base;");
  out.line("const " + vec() + " e = x < -80.0f ? " + vec() + "{} : exp_middle_f32" + v + "(x);");
  out.line("*(" + unaligned() + "*)(s + i) = e;");
  out.line("total = total + e;");
  out.close();
  const std::string total = vector() ? "hsum_f32v(total)" : "total";
  if (single()) {
    out.line("sums[r] = " + total + ";");
  } else {
    out.line("const f32 shrink = exp_f32(maxima[r] - base);");
    out.line("maxima[r] = m;");
    out.line("sums[r] = sums[r] * shrink + " + total + ";");
    out.line("if (shrink != 1)");
    out.line("  for (i64 i = 0; i < " + str(padded_dim_) + "; i += " + l + ") *(" + unaligned() +
             "*)(results + i) = *(const " + unaligned() + "*)(results + i) * shrink;");
  }
  out.close();
  out.close();
}

void AttentionGenerator::write_columns(Writer& out, BlockEmitter& block, const std::string& valid) const {
  const auto columns = block.scope();
  block.bind_range("d", {.text = "d", .extent = value_dim_, .multiple_of = lanes_});
  if (vector()) block.vectorize("d");
  block.set_valid_lanes(valid);
  block.hoist(kernel_.templ->epilogue);
  out.open("for (i64 i = 0; i < rows; ++i) {");
  {
    const auto row = block.scope();
    out.line("const i64 q = q0 + i;");
    block.bind_range("q", {.text = "q", .extent = queries_});
    out.line("const f32 scale = sums[i] == 0 ? 0 : 1 / sums[i];");
    out.line("const " + vec() + " sum = *(const " + unaligned() + "*)(results + i * " + str(padded_dim_) +
             " + d) * scale;");
    block.bind(kernel_.templ->accumulator, {.text = "sum", .dtype = DType::f32, .vector = vector()});
    block.emit(kernel_.templ->epilogue);
  }
  out.close();
}

void AttentionGenerator::write_epilogue(Writer& out) const {
  BlockEmitter block(kernel_, lanes_, &out);
  out.open(
      "static void epilogue(void* const* args, i64 b, i64 h, i64 q0, i64 rows, const f32m* results, const f32m* sums) "
      "{");
  block.declare_buffers();
  block.bind_range("b", {.text = "b", .extent = batch_});
  block.bind_range("h", {.text = "h", .extent = heads_});
  const int64_t whole = value_dim_ / lanes_ * lanes_;
  out.open("for (i64 d = 0; d < " + str(whole) + "; d += " + str(lanes_) + ") {");
  write_columns(out, block, "");
  out.close();
  if (whole < value_dim_) {
    out.open("{");
    out.line("const i64 d = " + str(whole) + ";");
    write_columns(out, block, str(value_dim_ - whole));
    out.close();
  }
  out.close();
}

// Calls function_<rows><suffix> for the tile "t".
void AttentionGenerator::write_by_size(Writer& out, const std::string& function, const std::string& suffix,
                                       const std::string& arguments) const {
  const std::vector<int64_t> sizes = tiling_.sizes();
  const auto call = [&](int64_t rows) { return function + "_" + str(rows) + suffix + "(" + arguments + ");"; };
  if (sizes.size() == 1) {
    out.line(call(sizes[0]));
  } else {
    out.line("if (t < " + str(tiling_.larger()) + ") " + call(sizes[0]) + " else " + call(sizes[1]));
  }
}

void AttentionGenerator::write_tile(Writer& out) const {
  out.open("for (i64 t = t0; t < t1; ++t) {");
  out.line("const i64 q = " + tiling_.start_text("t") + ", i = q - q0, size = " + tiling_.size_text("t") + ";");
  // Keys that the last row of the tile sees, and those in whole panels.
  if (t_.causal) {
    out.line("const i64 last = q + size - k0, most = last < n ? last : n;");
    out.line("if (most <= 0) continue;");
  } else {
    out.line("const i64 most = n;");
  }
  out.line("const i64 whole = (most + " + str(lanes_ - 1) + ") / " + str(lanes_) + " * " + str(lanes_) + ";");
  const std::string query = packs_queries_ ? "rows + i * " + str(query_step_) : "query + i * " + str(query_step_);
  out.open("for (i64 p = 0; p < most; p += " + str(columns_) + ") {");
  write_by_size(out, "score", "", query + ", panels + p * " + str(dim_) + ", scores + p");
  out.close();
  out.line("f32m* const c = results + i * " + str(padded_dim_) + ";");
  out.line("soften(scores, size, q - k0 + 1, most, whole, maxima + i, sums + i, c" +
           (t_.mask ? ", mask + q * " + str(m_[2]) + " + k0 * " + str(m_[3]) : "") + ");");
  const int64_t wide = padded_dim_ / columns_ * columns_;
  if (wide > 0) {
    out.open("for (i64 d = 0; d < " + str(wide) + "; d += " + str(columns_) + ") {");
    write_by_size(out, "value", "_" + str(vectors_), "scores, weights + d, c + d, most");
    out.close();
  }
  if (wide < padded_dim_) {
    write_by_size(out, "value", "_" + str((padded_dim_ - wide) / lanes_),
                  "scores, weights + " + str(wide) + ", c + " + str(wide) + ", most");
  }
  out.close();
}

// Keys and values of a block of "n" keys from "k0" on, in scratch.
void AttentionGenerator::write_packs(Writer& out) const {
  out.open("for (i64 p = 0; p < n; p += " + str(columns_) + ") {");
  out.line("pack_keys(key + (k0 + p) * " + str(k_[2]) + ", " + str(dim_) + ", n - p, panels + p * " + str(dim_) + ");");
  out.close();
  if (packs_values_) {
    out.line("pack_values(value + k0 * " + str(v_[2]) + ", n, " + str(value_dim_) + ", (f32m*)weights);");
  }
}

void AttentionGenerator::write_key_block(Writer& out) const {
  out.line("const i64 n = " + str(keys_) + " - k0 < " + str(block_keys_) + " ? " + str(keys_) +
           " - k0 : " + str(block_keys_) + ";");
  const std::string place = resident_ ? " + k0" : " + 0";
  out.line("f32m* const panels = keys" + place + " * " + str(dim_) + ";");
  if (packs_values_) {
    out.line("const f32m* const weights = values" + place + " * " + str(padded_dim_) + ";");
  } else {
    out.line("const f32m* const weights = value + k0 * " + str(v_[2]) + ";");
  }
  if (!resident_) write_packs(out);
}

void AttentionGenerator::write_task(Writer& out) const {
  out.line("const i64 qb = task % " + str(query_blocks_) + ", h = task / " + str(query_blocks_) + " % " + str(heads_) +
           ", b = task / " + str(query_blocks_ * heads_) + ", kh = h / " + str(t_.head_group) + ";");
  out.line("const i64 t0 = qb * " + str(tiles_per_block_) + ", t1 = t0 + " + str(tiles_per_block_) + " < " +
           str(tiling_.count) + " ? t0 + " + str(tiles_per_block_) + " : " + str(tiling_.count) + ";");
  out.line("const i64 q0 = " + tiling_.start_text("t0") + ", q1 = " + tiling_.start_text("t1") + ";");
  const auto pointer = [&](const char* name, const Operand& o, const std::vector<int64_t>& strides, DType dtype,
                           const std::string& head) {
    const std::string type = memory(dtype);
    out.line("const " + type + "* const " + name + " = (const " + type + "*)args[" + str(o.buffer) + "] + " +
             str(constant_of(o.offset)) + " + b * " + str(strides[0]) + " + " + head + " * " + str(strides[1]) +
             (std::string(name) == "query" ? " + q0 * " + str(strides[2]) : "") + ";");
  };
  pointer("query", t_.query, q_, t_.dtype, "h");
  pointer("key", t_.key, k_, t_.dtype, "kh");
  pointer("value", t_.value, v_, t_.dtype, "kh");
  if (t_.mask) pointer("mask", *t_.mask, m_, t_.mask_dtype, "h");
  if (packs_queries_) out.line("pack_left(query, q1 - q0, " + str(dim_) + ", rows);");
  if (resident_) {
    out.open("if (packed != b * " + str(heads_) + " + kh) {");
    out.line("packed = b * " + str(heads_) + " + kh;");
    out.open("for (i64 k0 = 0; k0 < " + str(keys_) + "; k0 += " + str(block_keys_) + ") {");
    write_key_block(out);
    write_packs(out);
    out.close();
    out.close();
  }
  if (!single() || t_.causal || keys_ == 0) {
    out.line("for (i64 i = 0; i < q1 - q0; ++i) maxima[i] = -__builtin_inff(), sums[i] = 0;");
    out.line("for (i64 i = 0; i < (q1 - q0) * " + str(padded_dim_) + "; ++i) results[i] = 0;");
  }
  out.line("const i64 end_key = " + (t_.causal ? "q1 < " + str(keys_) + " ? q1 : " + str(keys_) : str(keys_)) + ";");
  out.open("for (i64 k0 = 0; k0 < end_key; k0 += " + str(block_keys_) + ") {");
  write_key_block(out);
  write_tile(out);
  out.close();
  out.line("epilogue(args, b, h, q0, q1 - q0, results, sums);");
}

void AttentionGenerator::write_entry(const std::string& entry, Writer& out) const {
  out.open("extern \"C\" void " + entry + "(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {");
  const char* const names[kParts] = {"scores", "results", "maxima", "sums", "keys", "values", "rows"};
  for (int i = 0; i < kParts; ++i) {
    if (part_bytes_[i] == 0) continue;
    out.line("f32m* const " + std::string(names[i]) + " = (f32m*)((u8m*)scratch + " + str(scratch_offset(i)) + ");");
  }
  if (resident_) out.line("i64 packed = -1;");
  out.open("for (i64 task = begin; task < end; ++task) {");
  write_task(out);
  out.close();
  out.close();
}

void AttentionGenerator::print(const std::string& entry, Writer& out) const {
  out.line(RegisterTile::helpers(TileMath::f32, lanes_));
  const int64_t rest = padded_dim_ % columns_ / lanes_;
  for (const int64_t rows : tiling_.sizes()) {
    write_score(out, rows);
    if (padded_dim_ >= columns_) write_value(out, rows, vectors_);
    if (rest > 0) write_value(out, rows, static_cast<int>(rest));
  }
  if (packs_queries_) pack_queries().write(out);
  pack_keys().write(out);
  if (packs_values_) pack_values().write(out);
  write_soften(out);
  write_epilogue(out);
  write_entry(entry, out);
}

}  // namespace

LaunchSpec print_attention(const Kernel& kernel, const Target& target, const std::string& entry, Writer* out) {
  const AttentionGenerator generator(kernel, target);
  generator.print(entry, *out);
  return generator.launch();
}

}  // namespace litz::codegen::cpp
