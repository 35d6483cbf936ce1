// The passes over the Graph, in order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "passes/split_prepare.h"
#include "support/options.h"
#include "support/target.h"

namespace litz::passes {

// What a convolution's template wants of its operands' layouts.
struct ConvolutionLayouts {
  ir::Layout input;
  ir::Layout weight;
  ir::Layout output;
};

// The layouts that the kernel templates want; the driver fills this in from the schedule layer.
struct LayoutRules {
  // Packed form of linear's weight [N, K]; nothing: no template.
  std::function<std::optional<ir::Layout>(int64_t n, int64_t k, DType dtype)> linear_weight;
  // `node` is a convolution of `graph`.
  std::function<std::optional<ConvolutionLayouts>(const ir::Graph& graph, const ir::Node& node)> convolution;
  // For split_prepare.
  ReadsPlain reads_plain;
};

struct PassContext {
  const Target& target;
  const Options& options;
  LayoutRules layouts;
};

struct Pass {
  std::string_view name;  // as in dumps, timings and litz-opt --pass
  ir::Graph (*run)(const ir::Graph&, const PassContext&);
};

const std::vector<Pass>& pipeline();

}  // namespace litz::passes
