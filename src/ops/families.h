// The records of each family. `all_records` joins them in the order given here.
#pragma once

#include <vector>

#include "ops/record.h"

namespace litz::ops {

std::vector<OpRecord> pointwise_records();
std::vector<OpRecord> arithmetic_records();
std::vector<OpRecord> activation_records();
std::vector<OpRecord> compare_records();
std::vector<OpRecord> cast_records();
std::vector<OpRecord> generator_records();
std::vector<OpRecord> view_records();
std::vector<OpRecord> shuffle_records();
std::vector<OpRecord> reduction_records();
std::vector<OpRecord> statistics_records();
std::vector<OpRecord> softmax_records();
std::vector<OpRecord> normalization_records();
std::vector<OpRecord> matmul_records();
std::vector<OpRecord> convolution_records();
std::vector<OpRecord> attention_records();
std::vector<OpRecord> pooling_records();
std::vector<OpRecord> gather_records();
std::vector<OpRecord> scatter_records();
std::vector<OpRecord> control_records();

}  // namespace litz::ops
