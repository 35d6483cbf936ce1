#include "driver/foreign.h"

#include <cstring>

#include "interp/interp.h"
#include "ops/record.h"

namespace litz::driver {
namespace {

constexpr std::string_view kOwn = "litz:";  // ids of Litz's own ops

// A graph of this node alone.
std::string node_text(const ir::Graph& graph, const ir::Node& node) {
  ir::GraphBuilder builder("step");
  ir::Node copy = node;
  copy.location = {};
  for (ir::ValueId& v : copy.operands) {
    if (v == ir::kNoValue) continue;
    ir::TensorType type = graph.type(v);
    type.layout = {};
    v = builder.input(std::move(type), "x");
  }
  copy.results.clear();
  std::vector<ir::TensorType> types;
  for (ir::ValueId r : node.results) types.push_back(graph.type(r));
  for (ir::ValueId r : builder.add(std::move(copy), types)) builder.output({r, {}, -1});
  return ir::print(std::move(builder).finish());
}

int64_t row_major(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t i) {
  int64_t offset = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    offset += i % shape[d] * strides[d];
    i /= shape[d];
  }
  return offset;
}

interp::Tensor from_view(const runtime::TensorView& view) {
  interp::Tensor tensor(view.dtype, {view.shape.begin(), view.shape.end()});
  const int size = dtype_size(view.dtype);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    std::memcpy(tensor.data() + i * size,
                static_cast<const std::byte*>(view.data) + row_major(view.shape, view.strides, i) * size,
                static_cast<size_t>(size));
  }
  return tensor;
}

// In the layout that the step asks for.
runtime::OwnedTensor to_owned(const interp::Tensor& tensor, const TensorSpec& spec) {
  std::vector<int64_t> strides;
  int64_t extent = 1;
  for (size_t d = 0; d < tensor.shape().size(); ++d) {
    strides.push_back(spec.strides.at(d).constant());
    extent += (tensor.shape()[d] - 1) * strides.back();
  }
  runtime::OwnedTensor out = runtime::empty_tensor(tensor.dtype(), {tensor.elements() == 0 ? 0 : extent});
  const int size = dtype_size(tensor.dtype());
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    std::memcpy(static_cast<std::byte*>(out.data) + row_major(tensor.shape(), strides, i) * size,
                tensor.data() + i * size, static_cast<size_t>(size));
  }
  out.shape = tensor.shape();
  out.strides = std::move(strides);
  return out;
}

class InterpreterRunner final : public runtime::ForeignRunner {
 public:
  explicit InterpreterRunner(std::shared_ptr<runtime::ForeignRunner> next) : next_(std::move(next)) {}

  void frozen_changed(size_t input) override {
    if (next_) next_->frozen_changed(input);
  }

  void run(const ForeignStep& step, std::span<const runtime::TensorView> args,
           std::vector<runtime::OwnedTensor>& results) override {
    if (!step.id.starts_with(kOwn)) {
      if (next_) {
        next_->run(step, args, results);
        return;
      }
      throw UnsupportedError("foreign-op", "nothing here can run " + step.id, "load the program from Python");
    }
    Result<ir::Graph> graph = ir::parse_graph(step.attributes);
    LITZ_CHECK(graph, "a step's own graph must parse");
    std::vector<interp::Tensor> inputs;
    for (const runtime::TensorView& view : args) inputs.push_back(from_view(view));
    const std::vector<interp::Tensor> outputs = interp::run(*graph, std::move(inputs));
    for (size_t i = 0; i < outputs.size(); ++i) results.push_back(to_owned(outputs[i], step.result_specs.at(i)));
  }

 private:
  std::shared_ptr<runtime::ForeignRunner> next_;
};

}  // namespace

ForeignName foreign_name(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "foreign") {
    return {node.attributes.get<std::string>("target"), node.attributes.get<std::string>("payload"), "is not imported"};
  }
  return {std::string(kOwn) + node.op, node_text(graph, node), "has no kernel yet; the reference interpreter runs it"};
}

std::shared_ptr<runtime::ForeignRunner> with_interpreter(std::shared_ptr<runtime::ForeignRunner> next) {
  return std::make_shared<InterpreterRunner>(std::move(next));
}

}  // namespace litz::driver
