// Attention: BERT-base's, long sequences, causal ones, one query.
#include "benchmarks/kernel_bench.h"
#include "schedule/templates.h"

namespace litz::bench {
namespace {

struct Shape {
  const char* name;
  int64_t batch, heads, queries, keys, dim;
  bool causal;
};
constexpr Shape kShapes[] = {{"b1 h12 128 x 128 d64", 1, 12, 128, 128, 64, false},
                             {"b8 h12 128 x 128 d64", 8, 12, 128, 128, 64, false},
                             {"b1 h12 512 x 512 d64", 1, 12, 512, 512, 64, false},
                             {"b1 h8 2048 x 2048 d64", 1, 8, 2048, 2048, 64, false},
                             {"b1 h8 2048 x 2048 d128 causal", 1, 8, 2048, 2048, 128, true},
                             {"b1 h32 1 x 2048 d128", 1, 32, 1, 2048, 128, false}};

// Operands as projections leave them: [batch, position, head, d].
kernel_ir::Kernel attention(const Shape& s, DType dtype, const Target& target) {
  kernel_ir::Kernel kernel{.name = "attention"};
  kernel.buffers = {
      buffer("q", dtype, {s.batch, s.queries, s.heads, s.dim}), buffer("k", dtype, {s.batch, s.keys, s.heads, s.dim}),
      buffer("v", dtype, {s.batch, s.keys, s.heads, s.dim}), buffer("mask", DType::f32, {s.batch, s.keys}),
      buffer("y", DType::f32, {s.batch, s.queries, s.heads, s.dim}, kernel_ir::BufferRole::out)};
  kernel_ir::AttentionTemplate t{.batch = s.batch,
                                 .heads = s.heads,
                                 .queries = s.queries,
                                 .keys = s.keys,
                                 .head_dim = s.dim,
                                 .value_dim = s.dim,
                                 .dtype = dtype,
                                 .scale = 0.125,
                                 .causal = s.causal};
  const int64_t row = s.heads * s.dim;
  t.query = {0, 0, {s.queries * row, s.dim, row, 1}};
  t.key = {1, 0, {s.keys * row, s.dim, row, 1}};
  t.value = {2, 0, {s.keys * row, s.dim, row, 1}};
  t.mask = kernel_ir::Operand{3, 0, {s.keys, 0, 0, 1}};
  const auto symbol = [](const char* name) { return Expr::symbol(name); };
  kernel.templ = kernel_ir::Template{.what = t, .accumulator = 0};
  kernel.templ->epilogue.statements = {
      kernel_ir::Store{.buffer = 4, .index = {symbol("b"), symbol("q"), symbol("h"), symbol("d")}, .value = 0}};
  kernel.next_ref = 1;
  kernel.schedule = schedule::schedule_attention(t, target);
  return kernel;
}

}  // namespace
}  // namespace litz::bench

int main(int argc, char** argv) {
  using namespace litz::bench;
  const Options options = parse_options(argc, argv);
  const double ceiling = fma_ceiling(options.target);
  print_header(ceiling);
  for (const litz::DType dtype : {litz::DType::f32, litz::DType::bf16}) {
    for (const Shape& s : kShapes) {
      const double flops = 4.0 * s.batch * s.heads * s.queries * s.keys * s.dim * (s.causal ? 0.5 : 1);
      print_row(std::string(litz::dtype_name(dtype)) + " " + s.name,
                time_kernel(attention(s, dtype, options.target), options), flops, ceiling);
    }
  }
}
