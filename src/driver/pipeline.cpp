#include "driver/pipeline.h"

#include <algorithm>

#include "codegen/cpp/generate.h"
#include "kernel_ir/kernel.h"
#include "ops/record.h"
#include "schedule/schedule.h"
#include "schedule/templates.h"

namespace litz::driver {
namespace {

// Sizes and groups of a convolution, as far as the choice of layouts needs them. Nothing if no template covers it.
std::optional<kernel_ir::ConvTemplate> convolution_sizes(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType& in = graph.type(node.operands[0]);
  const ir::TensorType& weight = graph.type(node.operands[1]);
  const ir::TensorType& out = graph.type(node.results[0]);
  const bool covered = in.rank() == 4 && (in.dtype == DType::f32 || in.dtype == DType::bf16) &&
                       !node.attributes.get<bool>("transposed") && in.elements().is_constant() &&
                       out.elements().is_constant() && weight.elements().is_constant() &&
                       out.elements().constant() > 0 && in.elements().constant() > 0;
  if (!covered) return std::nullopt;
  kernel_ir::ConvTemplate t;
  t.dtype = in.dtype;
  t.batch = in.shape[0];
  t.groups = node.attributes.get<int64_t>("groups");
  t.in_channels = in.shape[1].constant();
  t.out_channels = out.shape[1].constant();
  t.in_h = in.shape[2].constant();
  t.in_w = in.shape[3].constant();
  t.out_h = out.shape[2].constant();
  t.out_w = out.shape[3].constant();
  t.kernel_h = weight.shape[2].constant();
  t.kernel_w = weight.shape[3].constant();
  const auto& stride = node.attributes.get<std::vector<int64_t>>("stride");
  const auto& padding = node.attributes.get<std::vector<int64_t>>("padding");
  const auto& dilation = node.attributes.get<std::vector<int64_t>>("dilation");
  t.stride_h = stride[0];
  t.stride_w = stride[1];
  t.pad_h = padding[0];
  t.pad_w = padding[1];
  t.dilation_h = dilation[0];
  t.dilation_w = dilation[1];
  return t;
}

ir::Layout blocked_channels(int64_t block) {
  ir::Layout layout;
  if (block > 1) layout.splits = {{1, block}};
  return layout;
}

std::optional<passes::ConvolutionLayouts> convolution_layouts(const ir::Graph& graph, const ir::Node& node,
                                                              const Target& target) {
  const auto sizes = convolution_sizes(graph, node);
  if (!sizes) return std::nullopt;
  const schedule::ConvBlocking blocking = schedule::conv_blocking(*sizes, target);
  return passes::ConvolutionLayouts{blocked_channels(blocking.in_block), blocking.weight,
                                    blocked_channels(blocking.out_block)};
}

// A packed copy of all weights doubles the memory that a model takes, and gains a few per cent.
bool packs_beforehand(const Options& options) {
  return options.pack_weights || options.mode.starts_with("max-autotune");
}

bool has_default_strides(const ir::Graph& graph, ir::ValueId value) {
  if (graph.producer(value) != nullptr) return false;
  return std::none_of(graph.inputs().begin(), graph.inputs().end(), [&](const ir::Input& input) {
    return input.value == value && !input.strides.empty() &&
           input.strides != ir::contiguous_strides(graph.type(value).shape);
  });
}

// Whether a linear's packed weight is made of an input or constant [N, K] as it lies, or of several side by side.
bool rows_are_contiguous(const ir::Graph& graph, const std::vector<ir::ValueId>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](ir::ValueId v) { return has_default_strides(graph, v); });
}

// Packing costs as much as the products of some ten positions: with few of them it is done once, for all calls, unless
// the template packs nothing.
bool reads_plain(const ir::Graph& graph, const ir::Node& node) {
  constexpr int64_t kFewPositions = 32;
  const ir::TensorType& weight = graph.type(node.operands[1]);
  const Expr elements = product(graph.type(node.results[0]).shape);
  const bool many = !elements.is_constant() || !weight.shape[0].is_constant() ||
                    elements.constant() >= kFewPositions * weight.shape[0].constant();
  if (node.op == "linear") {
    const ir::Node* pack = graph.producer(node.operands[1]);
    if (pack == nullptr || pack->op != "layout_convert") return many;
    const ir::Node* joined = graph.producer(pack->operands[0]);
    // Parts in several forms would be copied together at each call.
    if (joined != nullptr && joined->op == "cat") return rows_are_contiguous(graph, joined->operands);
    return many || rows_are_contiguous(graph, pack->operands);
  }
  if (!many || weight.dtype != DType::f32) return false;
  // Where most taps meet padding only, the few weights that are needed lie far apart.
  const auto sizes = convolution_sizes(graph, node);
  return !sizes || static_cast<int64_t>(schedule::needed_taps(*sizes).size()) * 2 >= sizes->kernel_h * sizes->kernel_w;
}

}  // namespace

Target target_of(const Options& options) {
  Target target = host_target();
  if (options.isa != "auto") lower_isa(target, parse_isa(options.isa));
  if (options.threads > 0) target.threads = static_cast<int>(options.threads);
  return target;
}

passes::PassContext pass_context(const Target& target, const Options& options) {
  passes::PassContext context{target, options, {}};
  context.layouts.linear_weight = [&target](int64_t n, int64_t k, DType dtype) -> std::optional<ir::Layout> {
    if ((dtype != DType::f32 && dtype != DType::bf16) || n == 0 || k == 0) return std::nullopt;
    return schedule::matmul_packing(n, k, dtype, target).layout;
  };
  context.layouts.convolution = [&target](const ir::Graph& graph, const ir::Node& node) {
    return convolution_layouts(graph, node, target);
  };
  if (!packs_beforehand(options)) context.layouts.reads_plain = reads_plain;
  return context;
}

ir::Graph run_passes(const ir::Graph& graph, const passes::PassContext& context, std::vector<Snapshot>* snapshots) {
  ir::Graph current = graph;
  for (const passes::Pass& pass : passes::pipeline()) {
    ir::Graph next = pass.run(current, context);
    if (context.options.verify) ops::verify(next);
    if (snapshots != nullptr && !ir::structurally_equal(current, next)) {
      snapshots->push_back({std::string(pass.name), next});
    }
    current = std::move(next);
  }
  return current;
}

Half make_kernels(ir::Graph graph, const Target& target, const Options& options) {
  Half half{std::move(graph), {}, {}};
  half.program = fusion::fuse(half.graph, target);
  for (auto& call : half.program.calls) {
    auto* kernel = std::get_if<fusion::KernelCall>(&call);
    if (kernel == nullptr) continue;
    schedule::schedule(kernel->kernel, target);
    if (options.verify) kernel_ir::verify(kernel->kernel);
    half.generated.push_back(codegen::cpp::generate(kernel->kernel, target, options));
  }
  return half;
}

}  // namespace litz::driver
