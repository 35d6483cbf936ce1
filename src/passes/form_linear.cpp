#include "passes/form_linear.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

bool one(const ir::Attributes& attributes, std::string_view name) {
  const ir::Attribute* a = attributes.find(name);
  if (a == nullptr) return true;
  if (const auto* i = std::get_if<int64_t>(a)) return *i == 1;
  return std::get_if<double>(a) != nullptr && std::get<double>(*a) == 1;
}

}  // namespace

ir::Graph form_linear(const ir::Graph& graph, const PassContext&) {
  const std::vector<bool> frozen = frozen_values(graph);
  return rewrite(graph, [&](Rewriter& r, const ir::Node& node) {
    const bool addmm = node.op == "addmm";
    if (!addmm && node.op != "dot") return false;
    const size_t x = addmm ? 1 : 0;
    const ir::ValueId weight = node.operands[x + 1];
    if (!frozen[weight] || graph.type(weight).rank() != 2 || !is_floating(graph.type(weight).dtype)) return false;
    if (graph.type(node.results[0]).dtype != graph.type(weight).dtype) return false;  // a wider result
    if (addmm) {
      const ir::TensorType& bias = graph.type(node.operands[0]);
      if (!one(node.attributes, "alpha") || !one(node.attributes, "beta") || bias.rank() != 1 ||
          bias.shape[0] != graph.type(weight).shape[1]) {
        return false;
      }
    }
    const std::vector<int64_t> swap{1, 0};
    const ir::ValueId transposed = r.builder().add("permute", {r.map(weight)}, {{"dims", swap}});
    const ir::ValueId bias = addmm ? r.map(node.operands[0]) : ir::kNoValue;
    r.replace(node.results[0], r.builder().add("linear", {r.map(node.operands[x]), transposed, bias}));
    return true;
  });
}

}  // namespace litz::passes
