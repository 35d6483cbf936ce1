// Convolutions with bias and ReLU: those of resnet50 at batch 1, of resnext101_32x8d, and depthwise ones.
#include <cstdio>
#include <cstring>

#include "benchmarks/kernel_bench.h"
#include "schedule/templates.h"

namespace litz::bench {
namespace {

struct Shape {
  const char* name;
  int64_t batch, groups, in, out, size, kernel, stride, pad;
  int64_t count;  // how often it occurs in its model
};

constexpr Shape kResnet50[] = {
    {"stem", 1, 1, 3, 64, 224, 7, 2, 3, 1},        {"1.a first", 1, 1, 64, 64, 56, 1, 1, 0, 1},
    {"1.b", 1, 1, 64, 64, 56, 3, 1, 1, 3},         {"1.c", 1, 1, 64, 256, 56, 1, 1, 0, 4},
    {"1.a", 1, 1, 256, 64, 56, 1, 1, 0, 2},        {"2.a first", 1, 1, 256, 128, 56, 1, 1, 0, 1},
    {"2.b first", 1, 1, 128, 128, 56, 3, 2, 1, 1}, {"2 downsample", 1, 1, 256, 512, 56, 1, 2, 0, 1},
    {"2.b", 1, 1, 128, 128, 28, 3, 1, 1, 3},       {"2.c", 1, 1, 128, 512, 28, 1, 1, 0, 4},
    {"2.a", 1, 1, 512, 128, 28, 1, 1, 0, 3},       {"3.a first", 1, 1, 512, 256, 28, 1, 1, 0, 1},
    {"3.b first", 1, 1, 256, 256, 28, 3, 2, 1, 1}, {"3 downsample", 1, 1, 512, 1024, 28, 1, 2, 0, 1},
    {"3.b", 1, 1, 256, 256, 14, 3, 1, 1, 5},       {"3.c", 1, 1, 256, 1024, 14, 1, 1, 0, 6},
    {"3.a", 1, 1, 1024, 256, 14, 1, 1, 0, 5},      {"4.a first", 1, 1, 1024, 512, 14, 1, 1, 0, 1},
    {"4.b first", 1, 1, 512, 512, 14, 3, 2, 1, 1}, {"4 downsample", 1, 1, 1024, 2048, 14, 1, 2, 0, 1},
    {"4.b", 1, 1, 512, 512, 7, 3, 1, 1, 2},        {"4.c", 1, 1, 512, 2048, 7, 1, 1, 0, 3},
    {"4.a", 1, 1, 2048, 512, 7, 1, 1, 0, 2}};

constexpr Shape kGrouped[] = {{"32 groups of 8, 56", 1, 32, 256, 256, 56, 3, 1, 1, 0},
                              {"32 groups of 16, 28", 1, 32, 512, 512, 28, 3, 1, 1, 0},
                              {"32 groups of 32, 14", 1, 32, 1024, 1024, 14, 3, 1, 1, 0},
                              {"32 groups of 64, 7", 1, 32, 2048, 2048, 7, 3, 1, 1, 0},
                              {"b64 32 groups of 8, 2", 64, 32, 256, 256, 2, 3, 1, 1, 0},
                              {"b64 32 groups of 32, 1", 64, 32, 1024, 1024, 1, 3, 1, 1, 0},
                              {"b64 32 groups of 64, 1", 64, 32, 2048, 2048, 1, 3, 1, 1, 0},
                              {"b64 2048 to 1024, 1", 64, 1, 2048, 1024, 1, 1, 1, 0, 0},
                              {"b64 1024 to 1024, 1", 64, 1, 1024, 1024, 1, 1, 1, 0, 0},
                              {"b64 stem, 7", 64, 1, 3, 64, 7, 7, 2, 3, 0},
                              {"depthwise 3 x 3, 28", 1, 144, 144, 144, 28, 3, 1, 1, 0},
                              {"depthwise 5 x 5, 14", 1, 480, 480, 480, 14, 5, 1, 2, 0}};

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

kernel_ir::ConvTemplate convolution(const Shape& s, DType dtype, bool packed, const Target& target) {
  const int64_t out = (s.size + 2 * s.pad - s.kernel) / s.stride + 1;
  kernel_ir::ConvTemplate t{.batch = s.batch,
                            .groups = s.groups,
                            .in_channels = s.in,
                            .out_channels = s.out,
                            .in_h = s.size,
                            .in_w = s.size,
                            .out_h = out,
                            .out_w = out,
                            .kernel_h = s.kernel,
                            .kernel_w = s.kernel,
                            .stride_h = s.stride,
                            .stride_w = s.stride,
                            .pad_h = s.pad,
                            .pad_w = s.pad,
                            .dtype = dtype};
  const schedule::ConvBlocking blocking = schedule::conv_blocking(t, target);
  t.in_block = blocking.in_block, t.panel = blocking.panel;
  t.out_block =
      blocking.out_block > 1 ? blocking.out_block : blocking.panel;  // the result is blocked here all the same
  const int64_t area = s.size * s.size * t.in_block, blocks = ceil_of(s.in, t.in_block);
  t.input = {0, 0, {blocks * area, area, s.size * t.in_block, t.in_block, 1}};
  t.weight = {1, 0, {}};
  const int64_t taps = s.kernel * s.kernel;
  if (!packed) t.weight.strides = {s.in / s.groups * taps, taps, s.kernel, 1};
  return t;
}

kernel_ir::Kernel kernel_of(const kernel_ir::ConvTemplate& t, const Target& target) {
  const int64_t batch = t.batch.constant();
  const bool pairs = schedule::conv_blocking(t, target).weight.splits.size() == 2;
  const int64_t pair = pairs ? 2 : 1;
  const bool plain = !t.weight.strides.empty();
  kernel_ir::Kernel kernel{.name = "conv"};
  kernel.buffers = {
      buffer("x", t.dtype, {batch, ceil_of(t.in_channels, t.in_block), t.in_h, t.in_w, t.in_block}),
      plain ? buffer("w", t.dtype, {t.out_channels, t.in_channels / t.groups, t.kernel_h, t.kernel_w})
            : buffer("w", t.dtype,
                     {ceil_of(t.out_channels, t.panel), t.kernel_h, t.kernel_w, ceil_of(t.in_channels / t.groups, pair),
                      t.panel, pair}),
      buffer("bias", DType::f32, {t.out_channels}),
      buffer("y", DType::f32, {batch, ceil_of(t.out_channels, t.out_block), t.out_h, t.out_w, t.out_block},
             kernel_ir::BufferRole::out)};
  const auto symbol = [](const char* name) { return Expr::symbol(name); };
  kernel.templ = kernel_ir::Template{.what = t, .accumulator = 0};
  kernel.templ->epilogue.statements = {
      kernel_ir::Load{.result = 1, .buffer = 2, .index = {symbol("co") * Expr(t.out_block) + symbol("ci")}},
      kernel_ir::Compute{.result = 2, .op = ir::ScalarOp::add, .args = {0, 1}},
      kernel_ir::Constant{.result = 3, .value = 0.0},
      kernel_ir::Compute{.result = 4, .op = ir::ScalarOp::max, .args = {2, 3}},
      kernel_ir::Store{
          .buffer = 3, .index = {symbol("b"), symbol("co"), symbol("oh"), symbol("ow"), symbol("ci")}, .value = 4}};
  kernel.next_ref = 5;
  kernel.schedule = schedule::schedule_conv(t, target);
  return kernel;
}

// Pairs of positions and taps that are not padding, in one direction.
int64_t taps_needed(const Shape& s) {
  int64_t count = 0;
  for (int64_t o = 0; o * s.stride + s.kernel <= s.size + 2 * s.pad; ++o) {
    for (int64_t k = 0; k < s.kernel; ++k) {
      const int64_t i = o * s.stride - s.pad + k;
      count += i >= 0 && i < s.size;
    }
  }
  return count;
}

// Times all shapes and sums up what a model would take.
void run(const char* title, std::span<const Shape> shapes, DType dtype, bool packed, const Options& options,
         double ceiling) {
  std::printf("%s %s, weights %s; the share counts taps that are not padding\n", title,
              std::string(dtype_name(dtype)).c_str(), packed ? "packed beforehand" : "as they are");
  double milliseconds = 0, flops = 0;
  for (const Shape& s : shapes) {
    const Result result =
        time_kernel(kernel_of(convolution(s, dtype, packed, options.target), options.target), options);
    const double taps = static_cast<double>(taps_needed(s));
    const int64_t channels = s.in / s.groups, size = (s.size + 2 * s.pad - s.kernel) / s.stride + 1;
    const double work = 2.0 * s.batch * s.out * static_cast<double>(channels) * taps * taps;
    print_row(s.name, result, work, ceiling);
    milliseconds += static_cast<double>(s.count) * result.milliseconds;
    const double all = static_cast<double>(size * s.kernel);
    flops += static_cast<double>(s.count) * 2.0 * s.batch * s.out * static_cast<double>(channels) * all * all;
  }
  if (flops > 0) {
    std::printf("%-36s %10.3f %10.1f %7.1f%%  (padding counted)\n", "all of the model", milliseconds,
                flops / milliseconds * 1e-6, 100 * flops / milliseconds * 1e-6 / ceiling);
  }
}

}  // namespace
}  // namespace litz::bench

int main(int argc, char** argv) {
  using namespace litz::bench;
  const Options options = parse_options(argc, argv);
  const double ceiling = fma_ceiling(options.target);
  print_header(ceiling);
  for (const bool packed : {true, false}) {
    run("resnet50", kResnet50, litz::DType::f32, packed, options, ceiling);
    run("grouped", kGrouped, litz::DType::f32, packed, options, ceiling);
  }
  run("resnet50", kResnet50, litz::DType::bf16, /*packed=*/true, options, ceiling);
}
