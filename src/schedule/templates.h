// Schedules of the template kernels, and the packed forms of their operands that the layout pass asks for.
#pragma once

#include <vector>

#include "ir/types.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::schedule {

// How a right operand that is known beforehand is packed: W[N, K] (as a linear layer has it) in panels of columns.
struct MatmulPacking {
  int64_t panel = 0;  // MatmulTemplate::rhs_panel
  ir::Layout layout;  // of W[N, K]
};
MatmulPacking matmul_packing(int64_t n, int64_t k, DType dtype, const Target& target);

// The forms in which a convolution wants its operands. Only the sizes, groups and dtype of `conv` are read.
struct ConvBlocking {
  int64_t in_block = 1;   // channels in the inner block of the input, which is then {0,1,2,3|1:in_block}; 1: plain NCHW
  int64_t out_block = 1;  // the same of the output; 1: plain, its template writes a panel at once
  int64_t panel = 1;      // ConvTemplate::panel
  ir::Layout weight;      // of W[O, I / groups, kernel_h, kernel_w]
};
ConvBlocking conv_blocking(const kernel_ir::ConvTemplate& conv, const Target& target);

// What codegen/cpp asks of a convolution whose groups are smaller than a vector: channels of a group, the same for
// input and output, divide the block, and blocks divide all channels. Depthwise is a group of one.
bool has_small_groups(const kernel_ir::ConvTemplate& conv, int64_t block);

// Whether register tiles hold one pixel of several images: images are small then. Otherwise they hold pixels of one
// image.
bool tiles_across_images(const kernel_ir::ConvTemplate& conv);

// Products that one accumulator takes before it is set aside: longer sums are made of shorter ones, so that their error
// stays near that of the libraries behind eager, which do the same.
inline constexpr int64_t kLongestSum = 256;

// The matrix unit (AMX): rows of its tile, and values of k in a step.
inline constexpr int64_t kMatrixUnitRows = 32, kMatrixUnitStep = 32;

// The taps that meet more than padding somewhere, as kernel row * kernel_w + kernel column.
std::vector<int64_t> needed_taps(const kernel_ir::ConvTemplate& conv);

// Sizes that are not constants count as large.
kernel_ir::Schedule schedule_matmul(const kernel_ir::MatmulTemplate& matmul, const Target& target);
kernel_ir::Schedule schedule_conv(const kernel_ir::ConvTemplate& conv, const Target& target);
kernel_ir::Schedule schedule_attention(const kernel_ir::AttentionTemplate& attention, const Target& target);

}  // namespace litz::schedule
