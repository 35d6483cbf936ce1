// Matrix products with a bias, weights packed beforehand and as they are: the shapes of BERT-base, square ones, and
// thin ones that memory bounds.
#include <cstdio>

#include "benchmarks/kernel_bench.h"
#include "schedule/templates.h"

namespace litz::bench {
namespace {

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{1024, 1024, 1024}, {128, 768, 768},  {128, 2304, 768},  {128, 3072, 768},
                             {128, 768, 3072},   {1024, 768, 768}, {1024, 3072, 768}, {1024, 768, 3072},
                             {64, 1000, 2048},   {48, 1000, 2048}, {32, 1000, 2048},  {24, 1000, 2048},
                             {16, 1000, 2048},   {13, 1000, 777},  {4, 1000, 2048},   {1, 1000, 2048}};

kernel_ir::Kernel linear(const Shape& s, DType dtype, bool packed, const Target& target) {
  const int64_t panel = schedule::matmul_packing(s.n, s.k, dtype, target).panel;
  const int64_t pair = dtype == DType::bf16 ? 2 : 1;
  kernel_ir::Kernel kernel{.name = "linear"};
  kernel.buffers = {buffer("x", dtype, {s.m, s.k}),
                    packed ? buffer("w", dtype, {(s.n + panel - 1) / panel, (s.k + pair - 1) / pair, panel, pair})
                           : buffer("w", dtype, {s.n, s.k}),
                    buffer("bias", DType::f32, {s.n}), buffer("y", DType::f32, {s.m, s.n}, kernel_ir::BufferRole::out)};
  kernel_ir::MatmulTemplate t{.m = s.m, .n = s.n, .k = s.k, .dtype = dtype};
  t.lhs = {0, 0, {s.m * s.k, s.k, 1}};
  t.rhs = {1, 0, {}};
  if (packed) {
    t.rhs_panel = panel;
  } else {
    t.rhs.strides = {0, 1, s.k};
  }
  const Expr m = Expr::symbol("m"), n = Expr::symbol("n");
  kernel.templ = kernel_ir::Template{.what = t, .accumulator = 0};
  kernel.templ->epilogue.statements = {kernel_ir::Load{.result = 1, .buffer = 2, .index = {n}},
                                       kernel_ir::Compute{.result = 2, .op = ir::ScalarOp::add, .args = {0, 1}},
                                       kernel_ir::Store{.buffer = 3, .index = {m, n}, .value = 2}};
  kernel.next_ref = 3;
  kernel.schedule = schedule::schedule_matmul(t, target);
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
      const std::string name = std::string(litz::dtype_name(dtype)) + " " + std::to_string(s.m) + " x " +
                               std::to_string(s.n) + " x " + std::to_string(s.k);
      for (const bool packed : {true, false}) {
        print_row(name + (packed ? " packed" : " plain"),
                  time_kernel(linear(s, dtype, packed, options.target), options), 2.0 * s.m * s.n * s.k, ceiling);
      }
    }
  }
}
