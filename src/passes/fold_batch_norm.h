// Folds batch norm at inference into the convolution before it.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// weight' = weight * s, bias' = (bias - mean) * s + shift, with s = scale / sqrt(var + eps). Only f32, only where
// weights and statistics are frozen and nothing else reads the convolution. Other batch norms become a scale and a
// shift later.
ir::Graph fold_batch_norm(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
