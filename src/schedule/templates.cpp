#include "schedule/templates.h"

#include <algorithm>

#include "support/check.h"

namespace litz::schedule {
namespace {

using kernel_ir::AttentionTemplate;
using kernel_ir::ConvTemplate;
using kernel_ir::MatmulTemplate;
using kernel_ir::Schedule;

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t lanes_of(const Target& target) { return target.vector_bytes() / 4; }
int64_t value_or(const Expr& e, int64_t otherwise) { return e.is_constant() ? e.constant() : otherwise; }

// Vector registers that the compiler may use; scalar code counts on the sixteen of the baseline.
int64_t registers(const Target& target) { return target.isa == Isa::avx512 ? 32 : 16; }

// Rows of accumulators that fit beside the vectors of the right operand and one broadcast.
int64_t register_rows(int64_t vectors, bool widens, const Target& target) {
  const int64_t free = registers(target) - 1 - vectors * (widens ? 2 : 1);
  return std::clamp<int64_t>(free / vectors, 1, 28);
}

// Vectors side by side in a register tile. Two leave most rows, so that each vector that is read is used most often.
int64_t tile_vectors(const Target& target) { return target.isa == Isa::scalar ? 4 : 2; }

int64_t panel_for(int64_t columns, const Target& target) {
  const int64_t lanes = lanes_of(target);
  const int64_t wide = lanes * tile_vectors(target);
  // A narrow last panel would waste half of its lanes; with few panels that matters.
  const int64_t waste = ceil_of(columns, wide) * wide - columns;
  return waste >= lanes && waste * 8 > columns ? lanes : wide;
}

int64_t tasks_wanted(const Target& target) { return std::max(target.threads, 1) == 1 ? 1 : 4L * target.threads; }

// Several chunks more than that, so that threads end together.
int64_t grain_for(int64_t tasks, const Target& target) {
  return std::max<int64_t>(1, tasks / (4 * tasks_wanted(target)));
}

constexpr int64_t kMatrixUnitBlock = 512;  // values of k in a block, for the matrix unit

// Multiply-adds that are worth handing out.
constexpr int64_t kTaskWork = 1 << 18;

}  // namespace

MatmulPacking matmul_packing(int64_t n, int64_t /*k*/, DType dtype, const Target& target) {
  MatmulPacking packing{.panel = panel_for(n, target)};
  packing.layout.splits = {{0, packing.panel}};
  if (dtype == DType::bf16) packing.layout.splits.push_back({1, 2});
  packing.layout.padding = ir::Padding::zero;
  return packing;
}

namespace {

// Rows up to which packing a panel costs more than it gains: fewer where vectors of the operand cross cache lines,
// where the matrix unit computes with the panel, or where registers hold half as many sums.
int64_t few_rows(const MatmulTemplate& matmul, bool amx, const Target& target) {
  if (amx || target.isa != Isa::avx512) return 8;
  const Expr& step = matmul.rhs.strides.at(2);
  const bool whole_lines = step.is_constant() && step.constant() * dtype_size(matmul.dtype) % 64 == 0;
  return whole_lines ? 24 : 6;
}

// Whether a packed copy of the right operand is small enough to be kept for all tasks. Larger ones are packed a panel
// at a time.
constexpr double kMostSharedBytes = 32 << 20;

bool may_share_rhs(const MatmulTemplate& matmul, const Schedule& s) {
  const bool one = matmul.rhs.strides.at(0) == Expr(0);
  if (!matmul.k.is_constant() || !matmul.n.is_constant() || !(one || matmul.batch.is_constant())) return false;
  const auto elements = [](const Expr& e) { return static_cast<double>(e.constant()); };
  const double size = (one ? 1 : elements(matmul.batch)) * elements(matmul.k) * elements(matmul.n);
  return size * (s.dot || s.amx ? 2 : 4) <= kMostSharedBytes;
}

// Whether a bf16 right operand can be read as 32-bit pairs of k.
bool pairs_lie_together(const MatmulTemplate& matmul) {
  const auto even = [](const Expr& e) { return e.is_constant() && e.constant() % 2 == 0; };
  bool all =
      even(matmul.k) && even(matmul.rhs.strides.at(2)) && even(matmul.rhs.strides.at(0)) && even(matmul.rhs.offset);
  for (const kernel_ir::Operand& part : matmul.more_rhs) all = all && even(part.offset);
  return all;
}

}  // namespace

Schedule schedule_matmul(const MatmulTemplate& matmul, const Target& target) {
  constexpr int64_t kLarge = 4096;
  const int64_t m = std::max<int64_t>(1, value_or(matmul.m, kLarge));
  const int64_t n = std::max<int64_t>(1, value_or(matmul.n, kLarge));
  const int64_t k = std::max<int64_t>(1, value_or(matmul.k, kLarge));
  const int64_t batch = std::max<int64_t>(1, value_or(matmul.batch, 1));
  Schedule s;
  s.vector_lanes = lanes_of(target);
  s.tile_n = matmul.rhs_panel > 0 ? matmul.rhs_panel : panel_for(n, target);
  const bool k_contiguous = matmul.rhs_panel == 0 && matmul.rhs.strides.at(1) == Expr(1);
  const bool pairs =
      matmul.dtype == DType::bf16 && (matmul.rhs_panel > 0 || (k_contiguous && pairs_lie_together(matmul)));
  const bool suits_amx = pairs && target.has_amx && matmul.k.is_constant() && k % kMatrixUnitStep == 0;
  s.along_k = k_contiguous && m <= few_rows(matmul, suits_amx, target) && s.vector_lanes > 1;
  s.amx = suits_amx && !s.along_k;
  s.dot = pairs && target.prefers_bf16_dot && !s.amx && !s.along_k;
  const bool keeps_bf16 = s.dot || s.amx;
  const bool widens = matmul.dtype == DType::bf16 && matmul.rhs_panel > 0 && !keeps_bf16;
  s.tile_m = std::min(m, s.amx ? kMatrixUnitRows : register_rows(s.tile_n / s.vector_lanes, widens, target));

  // A block of rows stays in the second-level cache while panels pass by.
  const int64_t row_tiles = ceil_of(m, s.tile_m);
  // The matrix unit's sums go to their results in bf16: there a block is what stays in the first-level cache.
  const int64_t longest = s.amx ? kMatrixUnitBlock : kLongestSum, multiple = s.amx ? kMatrixUnitStep : 2;
  if (k > longest + longest / 2 && !s.along_k) {
    s.block_k = ceil_of(ceil_of(k, ceil_of(k, longest)), multiple) * multiple;
  }
  const int64_t block_k = s.block_k > 0 ? s.block_k : k;
  // The rows take a small part of that cache: their sums, as many panels wide, wait there too.
  constexpr int64_t kBlockPanels = 16, kMostRowBytes = 256 << 10;
  // Where panels are packed on the way they should serve many rows: these take more of it, and less is left for sums.
  const int64_t most_row_bytes = target.l2_bytes * 3 / 8;
  const bool plain = matmul.rhs_panel == 0 && !s.along_k;
  s.share_rhs = plain && m * block_k * 4 > most_row_bytes && may_share_rhs(matmul, s);
  const bool packs_right = plain && !s.share_rhs;
  const int64_t row_bytes_in_cache = packs_right ? most_row_bytes : std::min(target.l2_bytes * 3 / 16, kMostRowBytes);
  int64_t tiles = std::clamp<int64_t>(row_bytes_in_cache / (block_k * 4) / s.tile_m, 1, row_tiles);
  tiles = ceil_of(row_tiles, ceil_of(row_tiles, tiles));
  const int64_t panels = ceil_of(n, s.tile_n);
  int64_t block_panels = panels;
  if (s.block_k > 0) block_panels = std::min<int64_t>(panels, kBlockPanels);
  if (s.block_k > 0 && packs_right) {
    const int64_t fits = target.l2_bytes / 4 / (tiles * s.tile_m * s.tile_n * 4);
    block_panels = std::clamp<int64_t>(fits, 1, block_panels);
  }

  // Rows whose distance is a multiple of half a page fall into few cache sets. The matrix unit reads whole lines, and
  // each once for a panel: they need not stay.
  const int64_t row_bytes = value_or(matmul.lhs.strides.at(1), 0) * dtype_size(matmul.dtype);
  const bool shares_sets = !s.amx && row_bytes % 2048 == 0 && s.tile_m > 4 && k >= 64 && panels > 1 && !s.along_k;
  s.pack_lhs = shares_sets || !(matmul.lhs.strides.at(2) == Expr(1)) || (matmul.dtype != DType::f32 && !keeps_bf16);

  // Split until there is work for all threads. A copy of rows should serve several panels, a panel several row tiles.
  const auto tasks = [&] { return batch * ceil_of(row_tiles, tiles) * ceil_of(panels, block_panels); };
  const auto more = [&] {
    return tasks() < tasks_wanted(target) && tiles * s.tile_m * block_panels * s.tile_n * k > kTaskWork;
  };
  while (more() && block_panels > (s.pack_lhs ? 7 : 1)) block_panels = ceil_of(block_panels, 2);
  while (more() && tasks() < target.threads && tiles > 2) tiles = ceil_of(tiles, 2);
  while (more() && tasks() < 3L * target.threads && block_panels > 1) block_panels = ceil_of(block_panels, 2);
  while (more() && tasks() < target.threads && tiles > 1) tiles = ceil_of(tiles, 2);
  s.block_m = tiles * s.tile_m;
  s.block_n = block_panels * s.tile_n;
  s.grain = grain_for(tasks(), target);
  // A panel packed in scratch serves the row blocks that follow.
  s.columns_outer = packs_right && tiles < row_tiles;
  return s;
}

bool has_small_groups(const ConvTemplate& conv, int64_t block) {
  const int64_t in = conv.in_channels / conv.groups, out = conv.out_channels / conv.groups;
  return conv.groups > 1 && block > 1 && in == out && in < block && block % in == 0 && conv.in_channels % block == 0;
}

bool tiles_across_images(const ConvTemplate& conv) {
  return value_or(conv.batch, 1) >= 4 && conv.out_h * conv.out_w <= 16;
}

namespace {

// Of one direction.
std::vector<int64_t> used_taps(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  std::vector<int64_t> taps;
  for (int64_t tap = 0; tap < kernel; ++tap) {
    bool used = false;
    for (int64_t o = 0; o < out && !used; ++o) {
      const int64_t at = o * stride - pad + tap * dilation;
      used = at >= 0 && at < in;
    }
    if (used) taps.push_back(tap);
  }
  return taps;
}

}  // namespace

std::vector<int64_t> needed_taps(const ConvTemplate& c) {
  std::vector<int64_t> taps;
  for (int64_t h : used_taps(c.in_h, c.out_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h)) {
    for (int64_t w : used_taps(c.in_w, c.out_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w)) {
      taps.push_back(h * c.kernel_w + w);
    }
  }
  return taps;
}

ConvBlocking conv_blocking(const ConvTemplate& conv, const Target& target) {
  const int64_t lanes = lanes_of(target);
  const int64_t in = conv.in_channels / conv.groups, out = conv.out_channels / conv.groups;
  ConvBlocking blocking{.in_block = lanes, .out_block = lanes};
  blocking.weight = {.order = {0, 2, 3, 1}, .padding = ir::Padding::zero};
  if (has_small_groups(conv, lanes)) {
    blocking.panel = lanes;
    blocking.weight.splits = {{0, lanes}};
    return blocking;
  }
  const int64_t wide = lanes * tile_vectors(target);
  if (conv.groups == 1 && 2 * out >= lanes) {
    blocking.panel = panel_for(out, target);
    if (in % lanes != 0) blocking.in_block = 1;
    if (out % lanes != 0) blocking.out_block = 1;
  } else if (in % lanes == 0 && out % lanes == 0) {
    blocking.panel = out % wide == 0 ? wide : lanes;
  }
  if (blocking.panel == 1) {
    return {.weight = {.order = {0, 2, 3, 1}, .splits = {{0, 1}}}};
  }
  blocking.weight.splits = {{0, blocking.panel}};
  if (conv.dtype == DType::bf16) blocking.weight.splits.push_back({1, 2});
  return blocking;
}

namespace {

// Input that comes into cache for one output position.
int64_t position_bytes(const ConvTemplate& conv) {
  const int64_t rows = std::min(conv.stride_h, conv.kernel_h);
  return conv.in_channels / conv.groups * rows * conv.stride_w * dtype_size(conv.dtype);
}

// Plain operands: rows are output channels, columns are output columns.
Schedule schedule_plain_conv(const ConvTemplate& conv, const Target& target) {
  const int64_t batch = std::max<int64_t>(1, value_or(conv.batch, 1));
  const int64_t lanes = lanes_of(target);
  Schedule s;
  s.vector_lanes = lanes;
  const int64_t vectors = conv.out_w <= lanes ? 1 : tile_vectors(target);
  s.tile_n = lanes * vectors;
  s.tile_m = std::min(conv.out_channels / conv.groups, register_rows(vectors, false, target));
  int64_t rows = std::max<int64_t>(1, conv.out_h);
  const auto tasks = [&] { return batch * conv.groups * ceil_of(conv.out_h, rows); };
  const int64_t row_work =
      conv.out_w * (conv.out_channels / conv.groups) * (conv.in_channels / conv.groups) * conv.kernel_h * conv.kernel_w;
  while (tasks() < tasks_wanted(target) && rows > 1 && rows * row_work > kTaskWork) rows = ceil_of(rows, 2);
  s.block_m = rows * std::max<int64_t>(1, conv.out_w);
  s.grain = grain_for(tasks(), target);
  return s;
}

}  // namespace

Schedule schedule_conv(const ConvTemplate& conv, const Target& target) {
  if (conv.panel == 1) return schedule_plain_conv(conv, target);
  const int64_t lanes = lanes_of(target);
  const int64_t batch = std::max<int64_t>(1, value_or(conv.batch, 1));
  Schedule s;
  s.vector_lanes = lanes;
  s.tile_n = conv.panel;
  s.dot = conv.dtype == DType::bf16 && !has_small_groups(conv, lanes) && target.prefers_bf16_dot;
  const int64_t vectors = std::max<int64_t>(1, conv.panel / lanes);
  if (has_small_groups(conv, lanes)) {
    // Beside the sums: the weights of a kernel row, what is permuted, and how.
    s.tile_m = std::max<int64_t>(4, registers(target) - std::min<int64_t>(conv.kernel_w, 9) - 2);
  } else {
    s.tile_m = register_rows(vectors, conv.dtype == DType::bf16 && !s.dot, target);
  }
  const int64_t pixels = conv.out_h * conv.out_w;
  const int64_t in = conv.in_channels / conv.groups;
  const int64_t panels = ceil_of(conv.out_channels, conv.panel);
  const int64_t taps = conv.kernel_h * conv.kernel_w;
  const int64_t panel_bytes = taps * in * conv.panel * dtype_size(conv.dtype);
  const int64_t image_bytes = conv.in_channels * conv.in_h * conv.in_w * dtype_size(conv.dtype);
  // Images whose distance is a multiple of half a page fall into few cache sets.
  const int64_t image_step = value_or(conv.input.strides.at(0), 0) * dtype_size(conv.dtype);
  s.pack_lhs = tiles_across_images(conv) && image_step % 2048 == 0 && in >= 512 && panels >= 4;
  // What is larger stays in cache while the other passes by.
  s.columns_outer = panels * panel_bytes > image_bytes;
  // A task is at first one image, or what of it fits into half of the second-level cache, with all panels; or one panel
  // with one image; then halves of these.
  const bool across = tiles_across_images(conv);
  const int64_t images = across ? 1 : batch, positions = across ? batch * pixels : pixels;
  int64_t block = std::max<int64_t>(1, positions), block_panels = s.columns_outer ? (s.pack_lhs ? 4 : 1) : panels;
  // A thread that packs weights fetches those of the next panel meanwhile: they should be for itself.
  if (s.columns_outer && !conv.weight.strides.empty()) {
    block_panels = std::max(block_panels, panels / tasks_wanted(target));
  }
  if (!across && block * position_bytes(conv) > target.l2_bytes / 2) {
    s.columns_outer = false;
    block_panels = panels;
    const int64_t fits = std::max<int64_t>(1, target.l2_bytes * 3 / 8 / position_bytes(conv));
    block = ceil_of(block, ceil_of(block, fits));
  }
  const auto tasks = [&] { return images * ceil_of(positions, block) * ceil_of(panels, block_panels); };
  const auto work = [&] { return block * block_panels * conv.panel * taps * in; };
  while (tasks() < tasks_wanted(target) && block_panels > 1 && work() > kTaskWork)
    block_panels = ceil_of(block_panels, 2);
  while (tasks() < tasks_wanted(target) && block > s.tile_m && work() > kTaskWork) block = ceil_of(block, 2);
  s.block_m = block;
  s.block_n = block_panels * conv.panel;
  s.grain = grain_for(tasks(), target);
  return s;
}

Schedule schedule_attention(const AttentionTemplate& attention, const Target& target) {
  constexpr int64_t kLarge = 4096;
  const int64_t queries = std::max<int64_t>(1, value_or(attention.queries, kLarge));
  const int64_t keys = std::max<int64_t>(1, value_or(attention.keys, kLarge));
  const int64_t heads = std::max<int64_t>(1, value_or(attention.batch, 1) * value_or(attention.heads, 1));
  Schedule s;
  s.vector_lanes = lanes_of(target);
  s.tile_n = s.vector_lanes * tile_vectors(target);
  s.tile_m = std::min(queries, register_rows(tile_vectors(target), false, target));
  // Scores of a tile stay in the first-level cache.
  s.block_k = std::min(keys, std::max(s.tile_n, target.l1_bytes / 2 / (s.tile_m * 4) / s.tile_n * s.tile_n));
  // Keys are packed for each task: a block of queries should be long.
  int64_t tiles = ceil_of(std::min<int64_t>(queries, 256), s.tile_m);
  const auto tasks = [&] { return heads * ceil_of(ceil_of(queries, s.tile_m), tiles); };
  while (tasks() < 2L * target.threads && tiles > 2) tiles = ceil_of(tiles, 2);
  s.block_m = tiles * s.tile_m;
  s.grain = grain_for(tasks(), target);
  return s;
}

}  // namespace litz::schedule
