// Makes batch norm at inference a factor and a summand for each channel of the convolution before it.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// convolution * s + ((bias - mean) * s + shift), with s = scale / sqrt(var + eps), both computed once. Only f32, only
// where weights and statistics are frozen and nothing else reads the convolution. Other batch norms become a scale and
// a shift later. The weight is left as it is: a product with s would be a copy of it.
ir::Graph fold_batch_norm(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
