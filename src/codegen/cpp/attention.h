// C++ for attention kernels: softmax(scale * Q Kᵀ + mask) V without the matrix of scores, as in "FlashAttention" (Dao
// et al., 2022). Everything is f32 inside.
//
// A task is a block of queries of one head. For each block of keys, and for each tile of queries:
//   score_<rows>()    scores of the block, [rows][keys], from queries and packed keys [panel][head_dim][columns]
//   soften()          scale, mask, running maximum and sum; the scores become weights
//   value_<rows>_<v>  adds weights times values to the results, which were scaled down to the new maximum
// and at the end the epilogue on results divided by the sums. A row whose keys are all masked gives zeros.
#pragma once

#include <string>

#include "artifact/kernel.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"
#include "support/target.h"

namespace litz::codegen::cpp {

// Prints the functions of an attention kernel, the entry function `entry` last, and says how to launch it.
LaunchSpec print_attention(const kernel_ir::Kernel& kernel, const Target& target, const std::string& entry,
                           Writer* out);

}  // namespace litz::codegen::cpp
