// Chooses the physical layout of values and packs weights.
#pragma once

#include "passes/pipeline.h"

namespace litz::passes {

// Convolutions and linears with frozen weights get the layouts that their templates want (PassContext::layouts);
// elementwise ops and pooling keep their operand's; layout_convert stands at the borders between layouts.
ir::Graph assign_layouts(const ir::Graph& graph, const PassContext& context);

}  // namespace litz::passes
