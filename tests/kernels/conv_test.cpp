// Convolutions as generated code against plain loops in f64, in the layouts that conv_blocking() asks for.
#include <gtest/gtest.h>

#include <cmath>

#include "schedule/templates.h"
#include "tests/kernels/template_case.h"

namespace litz::tests {
namespace {

struct Case {
  int64_t batch, groups, in, out, h, w;
  int64_t kernel_h = 1, kernel_w = 1, stride = 1, pad = 0, dilation = 1;
  EpilogueKind epilogue = EpilogueKind::store;
  DType dtype = DType::f32;
};

// plain: [O, I, h, w] as PyTorch has it; channels_last: [O, h, w, I]; uneven: [O, h, I, w]. These are packed by the
// kernel.
enum class Weight : uint8_t { packed, plain, channels_last, uneven };

std::string describe(const Case& c, const Target& target) {
  std::string text = name_of(target) + " " + std::string(dtype_name(c.dtype)) + " " + name_of(c.epilogue);
  for (const int64_t x :
       {c.batch, c.groups, c.in, c.out, c.h, c.w, c.kernel_h, c.kernel_w, c.stride, c.pad, c.dilation}) {
    text += " " + std::to_string(x);
  }
  return text;
}

int64_t blocks(int64_t channels, int64_t block) { return (channels + block - 1) / block; }

class ConvCase {
 public:
  ConvCase(const Case& c, Weight weight, const Target& target);
  // The sum that the output at a place stands for; `size`: the sum of absolute values.
  double sum(int64_t b, int64_t o, int64_t oh, int64_t ow, double* size);
  int64_t input_at(int64_t b, int64_t i, int64_t h, int64_t w) const {
    const int64_t block = t_.in_block;
    return (((b * blocks(t_.in_channels, block) + i / block) * t_.in_h + h) * t_.in_w + w) * block + i % block;
  }
  int64_t output_at(int64_t b, int64_t o, int64_t h, int64_t w) const {
    const int64_t block = out_block_;
    return (((b * blocks(t_.out_channels, block) + o / block) * t_.out_h + h) * t_.out_w + w) * block + o % block;
  }
  int64_t weight_at(int64_t o, int64_t i, int64_t kh, int64_t kw) const {
    if (weight_ != Weight::packed) {
      const auto stride = [this](size_t d) { return t_.weight.strides[d].constant(); };
      return o * stride(0) + i * stride(1) + kh * stride(2) + kw * stride(3);
    }
    const int64_t steps = blocks(group_in_, pair_);
    const int64_t row = ((o / t_.panel * t_.kernel_h + kh) * t_.kernel_w + kw) * steps + i / pair_;
    return (row * t_.panel + o % t_.panel) * pair_ + i % pair_;
  }

  TemplateCase test;
  kernel_ir::ConvTemplate t_;

 private:
  void add_weight(const Case& c);

  Weight weight_;
  int64_t group_in_, pair_;
  int64_t out_block_;  // of the result's layout; 1: plain
};

ConvCase::ConvCase(const Case& c, Weight weight, const Target& target)
    : t_{.batch = c.batch,
         .groups = c.groups,
         .in_channels = c.in,
         .out_channels = c.out,
         .in_h = c.h,
         .in_w = c.w,
         .out_h = (c.h + 2 * c.pad - c.dilation * (c.kernel_h - 1) - 1) / c.stride + 1,
         .out_w = (c.w + 2 * c.pad - c.dilation * (c.kernel_w - 1) - 1) / c.stride + 1,
         .kernel_h = c.kernel_h,
         .kernel_w = c.kernel_w,
         .stride_h = c.stride,
         .stride_w = c.stride,
         .pad_h = c.pad,
         .pad_w = c.pad,
         .dilation_h = c.dilation,
         .dilation_w = c.dilation,
         .dtype = c.dtype},
      weight_(weight) {
  const schedule::ConvBlocking blocking = schedule::conv_blocking(t_, target);
  t_.in_block = blocking.in_block;
  out_block_ = blocking.out_block;
  t_.out_block = out_block_ > 1 ? out_block_ : blocking.panel;
  t_.panel = blocking.panel;
  group_in_ = c.in / c.groups;
  pair_ = blocking.weight.splits.size() == 2 ? 2 : 1;

  const int64_t block = t_.in_block, in_blocks = blocks(c.in, block);
  t_.input.buffer = test.add("x", c.dtype, {c.batch, in_blocks, c.h, c.w, block});
  t_.input.strides = {in_blocks * c.h * c.w * block, c.h * c.w * block, c.w * block, block, 1};
  // Channels that do not exist hold what must not matter.
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t i = c.in; i < in_blocks * block; ++i) {
      for (int64_t at = 0; at < c.h * c.w; ++at)
        test.data(t_.input.buffer).set(input_at(b, i, at / c.w, at % c.w), NAN);
    }
  }
  add_weight(c);
  const auto symbol = [](const char* name) { return Expr::symbol(name); };
  const Expr channel = symbol("co") * Expr(t_.out_block) + symbol("ci");
  std::vector<int64_t> shape = {c.batch, blocks(c.out, out_block_), t_.out_h, t_.out_w};
  std::vector<Expr> place = {symbol("b"), out_block_ > 1 ? symbol("co") : channel, symbol("oh"), symbol("ow")};
  if (out_block_ > 1) {
    shape.push_back(out_block_);
    place.push_back(symbol("ci"));
  }
  test.finish({.what = t_}, c.epilogue, shape, place, c.out, channel);
  test.kernel.schedule = schedule::schedule_conv(t_, target);
}

void ConvCase::add_weight(const Case& c) {
  if (weight_ != Weight::packed) {
    const int64_t taps = c.kernel_h * c.kernel_w, row = group_in_ * taps;
    t_.weight.buffer = test.add("w", c.dtype, {c.out, row});
    if (weight_ == Weight::plain) t_.weight.strides = {row, taps, c.kernel_w, 1};
    if (weight_ == Weight::channels_last) t_.weight.strides = {row, 1, c.kernel_w * group_in_, group_in_};
    if (weight_ == Weight::uneven) t_.weight.strides = {row, c.kernel_w, c.kernel_w * group_in_, 1};
    return;
  }
  const int64_t panels = blocks(c.out, t_.panel), steps = blocks(group_in_, pair_);
  t_.weight.buffer = test.add("w", c.dtype, {panels, c.kernel_h, c.kernel_w, steps, t_.panel, pair_});
  Guarded& values = test.data(t_.weight.buffer);
  for (int64_t o = 0; o < panels * t_.panel; ++o) {
    for (int64_t i = 0; i < steps * pair_; ++i) {
      if (o < c.out && i < group_in_) continue;
      for (int64_t tap = 0; tap < c.kernel_h * c.kernel_w; ++tap) {
        values.set(weight_at(o, i, tap / c.kernel_w, tap % c.kernel_w), 0);
      }
    }
  }
}

double ConvCase::sum(int64_t b, int64_t o, int64_t oh, int64_t ow, double* size) {
  const int64_t group = o / (t_.out_channels / t_.groups);
  double sum = 0;
  *size = 0;
  for (int64_t i = 0; i < group_in_; ++i) {
    for (int64_t kh = 0; kh < t_.kernel_h; ++kh) {
      for (int64_t kw = 0; kw < t_.kernel_w; ++kw) {
        const int64_t h = oh * t_.stride_h - t_.pad_h + kh * t_.dilation_h;
        const int64_t w = ow * t_.stride_w - t_.pad_w + kw * t_.dilation_w;
        if (h < 0 || h >= t_.in_h || w < 0 || w >= t_.in_w) continue;
        const double x = test.data(t_.input.buffer).get(input_at(b, group * group_in_ + i, h, w)) *
                         test.data(t_.weight.buffer).get(weight_at(o, i, kh, kw));
        sum += x;
        *size += std::fabs(x);
      }
    }
  }
  return sum;
}

void check(const Case& c, Weight weight, const Target& target) {
  SCOPED_TRACE(describe(c, target) + " weight " + std::to_string(static_cast<int>(weight)));
  ConvCase conv(c, weight, target);
  conv.test.run(target);
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t o = 0; o < c.out; ++o) {
      for (int64_t at = 0; at < conv.t_.out_h * conv.t_.out_w; ++at) {
        const int64_t oh = at / conv.t_.out_w, ow = at % conv.t_.out_w;
        double size = 0;
        const double sum = conv.sum(b, o, oh, ow, &size);
        const int64_t place = conv.output_at(b, o, oh, ow);
        const double expected = conv.test.expected(sum, place, o);
        const double unit = c.epilogue == EpilogueKind::store_bf16 ? 1.0 / 256 : 1.2e-7;
        ASSERT_NEAR(conv.test.result(place), expected, unit * std::fabs(expected) + 4e-7 * (size + 1))
            << "image " << b << " channel " << o << " at " << oh << ", " << ow;
      }
    }
  }
}

void check_everywhere(const std::vector<Case>& cases) {
  for (const Target& target : targets()) {
    for (const Case& c : cases) {
      check(c, Weight::packed, target);
      const bool packs = c.dtype == DType::f32 && ConvCase(c, Weight::packed, target).t_.panel > 1;
      if (packs) check(c, Weight::plain, target);
      if (packs && c.kernel_h > 1 && c.kernel_w > 1) check(c, Weight::channels_last, target);
      if (packs && c.kernel_h > 1 && c.batch > 1) check(c, Weight::uneven, target);
    }
  }
}

TEST(Conv, Pointwise) {
  check_everywhere({{1, 1, 48, 64, 7, 7},
                    {2, 1, 20, 40, 5, 9, 1, 1, 1, 0, 1, EpilogueKind::bias_residual_relu},
                    {1, 1, 32, 32, 14, 14, 1, 1, 2}});
}

TEST(Conv, ThreeByThree) {
  check_everywhere({{1, 1, 32, 32, 14, 14, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {1, 1, 16, 16, 30, 31, 3, 3, 1, 1},
                    {1, 1, 17, 33, 9, 57, 3, 3, 2, 1, 1, EpilogueKind::bias_relu},
                    {2, 1, 32, 64, 7, 7, 3, 3, 1, 1, 1, EpilogueKind::bias_residual_relu},
                    {1, 1, 16, 32, 4, 5, 3, 3, 2, 1},
                    {1, 1, 32, 16, 13, 13, 3, 3, 1, 2, 2}});
}

TEST(Conv, ChannelsThatFillNoVector) {
  check_everywhere({{1, 1, 23, 21, 9, 9, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {2, 1, 24, 40, 8, 8, 1, 1, 1, 0, 1, EpilogueKind::bias_residual_relu},
                    {1, 1, 150, 20, 7, 6, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {1, 1, 301, 40, 5, 5, 1, 1, 1, 0},
                    {5, 1, 20, 20, 2, 2, 3, 3, 1, 1, 1, EpilogueKind::store_bf16},
                    {1, 1, 24, 3, 12, 12, 3, 3, 1, 1, 1, EpilogueKind::gelu},
                    {1, 20, 20, 20, 9, 9, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {1, 3, 18, 30, 9, 9, 3, 3, 2, 1, 1, EpilogueKind::bias_residual_relu},
                    {1, 1, 21, 23, 9, 9, 3, 3, 1, 1, 1, EpilogueKind::bias_residual_relu, DType::bf16},
                    {4, 1, 30, 24, 3, 3, 3, 3, 1, 1, 1, EpilogueKind::bias_relu, DType::bf16},
                    {1, 20, 20, 20, 9, 9, 3, 3, 1, 1, 1, EpilogueKind::bias_relu, DType::bf16}});
}

// Around the lengths at which sums are cut.
TEST(Conv, LongSums) {
  for (const int64_t in : {248, 256, 264, 320, 384, 385, 392, 512, 520, 776}) {
    check_everywhere({{1, 1, in, 16, 4, 5, 1, 1, 1, 0, 1, EpilogueKind::bias_relu}, {4, 1, in, 16, 1, 2}});
  }
  for (const int64_t in : {28, 29, 40, 42, 43, 48, 128, 264}) {
    check_everywhere({{1, 1, in, 16, 4, 5, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                      {1, 1, in, 16, 4, 5, 3, 3, 1, 1, 1, EpilogueKind::store, DType::bf16}});
  }
}

TEST(Conv, OtherKernels) {
  check_everywhere({{1, 1, 3, 40, 23, 29, 7, 7, 2, 3, 1, EpilogueKind::bias_relu},
                    {1, 1, 16, 32, 11, 20, 5, 1, 1, 2},
                    {1, 1, 4, 16, 12, 12, 5, 5, 1, 2},
                    {1, 1, 16, 16, 6, 40, 1, 11, 1, 0},
                    {1, 1, 16, 16, 18, 18, 9, 9, 1, 4}});
}

TEST(Conv, SmallImagesOfABatch) {
  check_everywhere({{9, 1, 32, 48, 1, 1, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {16, 1, 16, 32, 2, 2, 3, 3, 1, 1},
                    {5, 1, 3, 16, 7, 7, 7, 7, 2, 3},
                    {33, 1, 512, 128, 1, 1, 1, 1, 1, 0, 1, EpilogueKind::bias_relu}});
}

TEST(Conv, DenseGroups) {
  check_everywhere({{1, 2, 32, 64, 8, 8, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {2, 4, 64, 64, 5, 6, 3, 3, 2, 1},
                    {6, 2, 64, 32, 1, 1, 3, 3, 1, 1}});
}

TEST(Conv, SmallGroups) {
  check_everywhere({{1, 8, 64, 64, 10, 30, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {1, 8, 32, 32, 7, 7, 3, 3, 2, 1},
                    {5, 8, 64, 64, 2, 2, 3, 3, 1, 1},
                    {2, 16, 32, 32, 4, 9, 1, 1},
                    {1, 8, 64, 64, 9, 9, 1, 12, 1, 2}});
}

TEST(Conv, Depthwise) {
  check_everywhere({{1, 48, 48, 48, 13, 29, 3, 3, 1, 1, 1, EpilogueKind::bias_relu},
                    {2, 40, 40, 40, 9, 9, 5, 5, 2, 2},
                    {1, 16, 16, 16, 20, 20, 3, 3, 1, 3, 3}});
}

TEST(Conv, GroupsThatFitNoVector) {
  check_everywhere({{2, 3, 9, 15, 8, 21, 3, 3, 1, 1, 1, EpilogueKind::bias_residual_relu},
                    {1, 6, 6, 12, 7, 40, 3, 3, 2, 1},
                    {1, 2, 40, 24, 6, 6, 3, 2, 1, 1},
                    {1, 2, 6, 10, 9, 33, 3, 3, 1, 2, 2, EpilogueKind::bias_relu}});
}

TEST(Conv, BFloat16) {
  const DType bf16 = DType::bf16;
  check_everywhere({{1, 1, 32, 32, 14, 14, 3, 3, 1, 1, 1, EpilogueKind::bias_relu, bf16},
                    {1, 1, 64, 40, 7, 7, 1, 1, 1, 0, 1, EpilogueKind::store, bf16},
                    {2, 1, 3, 32, 15, 15, 7, 7, 2, 3, 1, EpilogueKind::store_bf16, bf16},
                    {1, 1, 17, 32, 9, 9, 3, 3, 2, 1, 1, EpilogueKind::store, bf16},
                    {6, 1, 32, 32, 2, 2, 3, 3, 1, 1, 1, EpilogueKind::bias_relu, bf16},
                    {1, 2, 32, 64, 8, 8, 3, 3, 1, 1, 1, EpilogueKind::store, bf16},
                    {1, 8, 64, 64, 10, 30, 3, 3, 1, 1, 1, EpilogueKind::store, bf16},
                    {1, 32, 32, 32, 8, 8, 3, 3, 1, 1, 1, EpilogueKind::store, bf16},
                    {1, 3, 9, 15, 8, 21, 3, 3, 1, 1, 1, EpilogueKind::store, bf16}});
}

TEST(Conv, Epilogues) {
  for (const EpilogueKind kind : {EpilogueKind::gelu, EpilogueKind::store_bf16}) {
    check_everywhere({{1, 1, 16, 40, 6, 6, 3, 3, 1, 1, 1, kind}});
  }
}

// A NaN stays in its group.
TEST(Conv, NaNStaysInItsGroup) {
  for (const Target& target : targets()) {
    for (const int64_t groups : {2, 4, 8, 32}) {
      SCOPED_TRACE(name_of(target) + " " + std::to_string(groups));
      ConvCase conv({1, groups, 32, 32, 6, 6, 3, 3, 1, 1}, Weight::packed, target);
      const int64_t size = 32 / groups;
      for (int64_t at = 0; at < 36; ++at)
        conv.test.data(conv.t_.input.buffer).set(conv.input_at(0, 0, at / 6, at % 6), NAN);
      conv.test.run(target);
      for (int64_t o = 0; o < 32; ++o) {
        EXPECT_EQ(std::isnan(conv.test.result(conv.output_at(0, o, 3, 3))), o < size) << "channel " << o;
      }
    }
  }
}

// Weights that meet padding only have no effect.
TEST(Conv, PaddingIsNotComputed) {
  for (const Target& target : targets()) {
    for (const int64_t batch : {1, 6}) {
      for (const int64_t groups : {1, 8}) {
        SCOPED_TRACE(name_of(target) + " " + std::to_string(batch) + " " + std::to_string(groups));
        ConvCase conv({batch, groups, 32, 32, 3, 4, 3, 3, 1, 1}, Weight::packed, target);
        if (conv.t_.panel == 1) continue;
        for (int64_t o = 0; o < 32; ++o) {
          for (int64_t i = 0; i < 32 / groups; ++i)
            conv.test.data(conv.t_.weight.buffer).set(conv.weight_at(o, i, 0, 0), INFINITY);
        }
        conv.test.run(target);
        for (int64_t at = 0; at < 12; ++at) {
          const bool sees = at / 4 > 0 && at % 4 > 0;
          EXPECT_EQ(std::isfinite(conv.test.result(conv.output_at(batch - 1, 5, at / 4, at % 4))), !sees) << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace litz::tests
