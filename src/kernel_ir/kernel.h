// Kernel IR: what fusion produces, schedules annotate, and both code generators print.
//
// A kernel reads and writes buffers (physical dimensions only) under a nest of named ranges; its body is scalar SSA in
// the graph's dtypes. Statements of a block run in order for every point of the enclosing ranges. A value is visible in
// its own block and in the loops inside it. softmax(x) over rows is one kernel:
//
//   kernel @softmax(x: f32[8192,512] in, y: f32[8192,512] out) {
//     parallel i0 < 8192 {
//       %3 = loop r0 < 512 reduce(max f32 %2) { %2 = load x[i0, r0] : f32 }
//       %7 = loop r1 < 512 reduce(sum f32 %6) { %4 = load x[i0, r1] : f32  %5 = sub %4, %3 : f32  %6 = exp %5 : f32 }
//       loop r2 < 512 { … store y[i0, r2], %12 }
//     }
//   }
//
// The outermost statement list holds `parallel` loops only: each is one phase, with a barrier after it. Iterations of a
// parallel loop are independent: none reads what another of the same phase writes.
//
// Index expressions are integer expressions over range names and over i64 SSA values, written as the symbol "%12" (an
// indirect index). A load with a mask reads only where the mask holds and gives `otherwise` elsewhere.
//
// A template kernel (matrix product, convolution, attention) has no loops of its own: the generator supplies them and
// runs `epilogue` for each element of the result, with the accumulated value bound to `accumulator` and the element's
// place bound to the template's range names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/scalar.h"
#include "ir/types.h"
#include "symbolic/expr.h"

namespace litz::kernel_ir {

using Ref = uint32_t;  // a scalar SSA value, unique in its kernel
inline constexpr Ref kNoRef = UINT32_MAX;

// `local` is private to one iteration of the enclosing parallel loop and lives in thread scratch; it is no argument. A
// row that several inner loops need is kept in one.
enum class BufferRole : uint8_t { in, out, in_out, local };

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Expr> shape;    // physical
  std::vector<Expr> strides;  // in elements, one for each dimension
  BufferRole role = BufferRole::in;
  std::string source;  // the graph value, for people
  bool operator==(const Buffer&) const = default;
};

enum class RangeKind : uint8_t { parallel, serial, reduction };

struct Range {
  std::string name;  // unique in the kernel
  Expr extent;       // runs over [0, extent)
  bool operator==(const Range&) const = default;
};

struct Constant {
  Ref result = kNoRef;
  DType dtype = DType::f32;
  ir::ScalarValue value;  // one that `dtype` can hold: see ir::scalar_value
  bool operator==(const Constant&) const;
};

// An index expression as a value (iota, masks); always i64.
struct Index {
  Ref result = kNoRef;
  Expr value;
  bool operator==(const Index&) const = default;
};

struct Compute {
  Ref result = kNoRef;
  DType dtype = DType::f32;  // of the result
  ir::ScalarOp op = ir::ScalarOp::add;
  std::vector<Ref> args;
  bool operator==(const Compute&) const = default;
};

struct Load {
  Ref result = kNoRef;
  DType dtype = DType::f32;  // that of the buffer
  uint32_t buffer = 0;
  std::vector<Expr> index;
  Ref mask = kNoRef;  // boolean; kNoRef: always
  ir::ScalarValue otherwise = int64_t{0};
  bool operator==(const Load&) const;
};

struct Store {
  uint32_t buffer = 0;
  std::vector<Expr> index;
  Ref value = kNoRef;
  Ref mask = kNoRef;
  bool operator==(const Store&) const = default;
};

// Checks that 0 <= value < size, or that -size <= value < size where it `wraps`: then a negative value counts from the
// end. Gives the value in [0, size). On failure records a KernelFault with check number `check` + 1, and gives 0.
struct Check {
  Ref result = kNoRef;
  Ref value = kNoRef;  // i64
  Expr size;
  bool wraps = false;
  uint32_t check = 0;  // into Kernel::checks
  bool operator==(const Check&) const = default;
};

// One accumulator of a loop. argmax and argmin have two results: the value's index (i64), then the value.
struct Reduction {
  ir::ReduceOp op = ir::ReduceOp::sum;
  DType dtype = DType::f32;  // of the accumulator
  Ref input = kNoRef;        // from the loop's body, already of `dtype`
  std::vector<Ref> results;  // visible after the loop
  bool operator==(const Reduction&) const = default;
};

struct Loop;

// std::vector of an incomplete Loop: Block is completed below.
struct Block {
  std::vector<std::variant<Constant, Index, Compute, Load, Store, Check, Loop>> statements;
  bool operator==(const Block&) const;
};

// A perfect nest over `ranges`, slowest first.
struct Loop {
  RangeKind kind = RangeKind::serial;
  std::vector<Range> ranges;
  Block body;
  std::vector<Reduction> reductions;  // kind == reduction
  bool operator==(const Loop&) const = default;
};

using Statement = std::variant<Constant, Index, Compute, Load, Store, Check, Loop>;

// A strided view of a buffer used as an operand of a template. Strides in elements.
struct Operand {
  uint32_t buffer = 0;
  Expr offset = 0;
  std::vector<Expr> strides;  // meaning stated by the template
  bool operator==(const Operand&) const = default;
};

// out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], f32 accumulation for f32, bf16 and f16.
// Epilogue ranges: "b" (absent from the epilogue if batch is 1), "m", "n".
struct MatmulTemplate {
  Expr batch = 1, m, n, k;
  DType dtype = DType::f32;  // of lhs and rhs
  Operand lhs;               // strides for b, m, k
  // rhs_panel > 0: rhs is packed, physical [ceil(n / panel), k, panel], padding zero, batch 1.
  // bf16: physical [ceil(n / panel), ceil(k / 2), panel, 2]: pairs of k lie together, for dot instructions.
  int64_t rhs_panel = 0;
  Operand rhs;  // rhs_panel == 0: strides for b, k, n
  // Operands whose columns follow those of rhs, with strides as rhs has them; rhs_starts[i] is the first column of
  // more_rhs[i]. Only where rhs is not packed and batch is 1.
  std::vector<Operand> more_rhs;
  std::vector<int64_t> rhs_starts;
  bool operator==(const MatmulTemplate&) const = default;
};

// 2-d convolution, groups included, f32 or bf16, f32 accumulation. Epilogue ranges: "b" (image), "co" (outer block of
// output channels), "oh", "ow", "ci" (channel within the block): channel = co * out_block + ci.
struct ConvTemplate {
  Expr batch = 1;
  int64_t groups = 1;
  int64_t in_channels = 0, out_channels = 0;  // of the whole, not of a group
  int64_t in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0, dilation_h = 1, dilation_w = 1;
  DType dtype = DType::f32;
  int64_t in_block = 1;    // channels in the inner block of the input; 1: plain
  Operand input;           // strides for image, outer channel block, h, w, inner channel
  int64_t out_block = 16;  // channels in the inner block of the output: a vector; a panel if the output is plain
  // Output channels that lie together in the packed weight, whole vectors; with groups it divides the
  // channels of a group, or holds whole groups. Weight W[O, I / groups, kernel_h, kernel_w] in the layout
  // {0,2,3,1|0:panel}: physical [ceil(O / panel), kernel_h, kernel_w, I / groups, panel], padding zero. bf16 whose
  // groups are not smaller than a panel: {0,2,3,1|0:panel,1:2}, pairs of input channels lie together.
  int64_t panel = 16;
  // No strides: packed like that, contiguous. Strides for o, i, kernel_h, kernel_w: as it is, f32; packed by the
  // kernel.
  Operand weight;
  bool operator==(const ConvTemplate&) const = default;
};

// out[b, h, q, d] = softmax(scale * query · key + mask) · value, with an online softmax. Epilogue ranges "b", "h", "q",
// "d".
struct AttentionTemplate {
  Expr batch = 1, heads = 1, queries, keys;
  int64_t head_dim = 0, value_dim = 0;
  int64_t head_group = 1;  // query heads that share one key/value head
  DType dtype = DType::f32;
  double scale = 1;
  bool causal = false;
  Operand query, key, value;      // strides for b, h, position, d
  std::optional<Operand> mask;    // strides for b, h, q, k (0: broadcast)
  DType mask_dtype = DType::f32;  // boolean: true takes part; floats: added
  bool operator==(const AttentionTemplate&) const = default;
};

struct Template {
  std::variant<MatmulTemplate, ConvTemplate, AttentionTemplate> what;
  Ref accumulator = kNoRef;  // f32 in `epilogue`
  Block epilogue;
  bool operator==(const Template&) const = default;
};

// How a kernel shall be generated: plain data, chosen by the schedule layer, obeyed by codegen. Defaults are legal.
struct Schedule {
  // Loop nests: the ranges whose iterations become vector lanes, at most one on the way from the outermost loop to any
  // statement (softmax over rows: "r0", "r1", "r2"); lanes of f32 in one vector; how many vectors are in flight.
  std::vector<std::string> vector_ranges;
  // Parallel ranges taken in blocks of vector_lanes iterations, with the vectorised range's loop around each block:
  // what is contiguous along them and not along the lanes is loaded as a square and transposed in registers.
  std::vector<std::string> tile_ranges;
  int64_t vector_lanes = 1;
  int64_t unroll = 1;
  int64_t grain = 1;        // tasks handed out at a time
  int64_t task_ranges = 0;  // how many leading parallel ranges are flattened into tasks; 0: all but a vector range
  int64_t task_block = 1;   // iterations of the vector range (or of the last task range) that form one task
  // Templates.
  int64_t tile_m = 0, tile_n = 0;                 // register tile: rows, columns
  int64_t block_m = 0, block_n = 0, block_k = 0;  // cache blocks
  bool pack_lhs = false;
  bool along_k = false;  // matrix product: vectors of the register tile lie along k; few rows, k is contiguous
  bool columns_outer =
      false;               // tasks that share columns (output channels) follow each other, not those that share rows
  bool share_rhs = false;  // matrix product: the right operand is packed once, in a phase of its own, for all tasks
  bool dot = false;        // bf16: dot instructions; otherwise f32 arithmetic
  bool amx = false;        // bf16 matrix product: the CPU's matrix unit
  // Triton.
  int64_t num_warps = 4, num_stages = 1;
  std::vector<int64_t> blocks;  // XBLOCK, YBLOCK, RBLOCK…
  bool operator==(const Schedule&) const = default;
};

struct Kernel {
  std::string name;
  std::vector<Buffer> buffers;  // in the order of the arguments; local ones last
  Block body;                   // parallel loops; empty for a template
  std::optional<Template> templ;
  Schedule schedule;
  std::vector<std::string> checks;  // what Check statements say when they fail
  // For people; not part of the canonical form.
  std::vector<std::string> source_ops;  // "sin (model.py:3)"
  std::vector<std::string> notes;       // reasons for and against each fusion

  Ref next_ref = 0;  // refs below this are taken
  bool operator==(const Kernel&) const = default;
};

// Text form, with the schedule. parse(print(k)) == k but for notes.
std::string print(const Kernel& kernel);
Result<Kernel> parse_kernel(std::string_view text);
// One statement as `print` writes it; of a loop its first line.
std::string statement_text(const Kernel& kernel, const Statement& statement);
// Throws InternalError: a use before its definition, wrong dtypes or arities, an unknown range, an index whose rank is
// not the buffer's, stores to inputs, nested parallel loops, …
void verify(const Kernel& kernel);

// The offset of an access, in elements: sum of index times stride.
Expr linear_offset(const Buffer& buffer, const std::vector<Expr>& index);
// The symbol by which an index expression refers to an i64 SSA value, and back.
Expr ref_symbol(Ref ref);
std::optional<Ref> symbol_ref(std::string_view symbol);

}  // namespace litz::kernel_ir
