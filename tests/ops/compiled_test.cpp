// Runs the table of op cases through the whole compiler, for each instruction set that this machine has, and compares
// with the interpreter.
#include <gtest/gtest.h>

#include <cstring>

#include "driver/driver.h"
#include "runtime/executable.h"
#include "support/options.h"
#include "tests/ops/cases.h"

namespace litz::op_cases {
namespace {

std::vector<int64_t> contiguous(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

interp::Tensor dense(const runtime::OwnedTensor& from) {
  interp::Tensor out(from.dtype, from.shape);
  const int size = dtype_size(from.dtype);
  interp::for_each_index(from.shape, [&](const interp::Index& index, int64_t i) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * from.strides[d];
    std::memcpy(out.data() + i * size, static_cast<const std::byte*>(from.data) + offset * size,
                static_cast<size_t>(size));
  });
  return out;
}

struct CompiledRun {
  std::string isa;
  bool freeze = false;  // all inputs but the first are weights: what can be is packed

  std::vector<interp::Tensor> operator()(const ir::Graph& graph, std::vector<interp::Tensor> inputs) const {
    Options options;
    options.isa = isa;
    options.verify = true;
    std::vector<bool> frozen(graph.inputs().size(), freeze);
    if (!frozen.empty()) frozen[0] = false;
    const auto compiled = driver::compile(graph.with_frozen_inputs(frozen), options);
    std::vector<std::vector<int64_t>> strides;
    std::vector<runtime::TensorView> views;
    for (const interp::Tensor& t : inputs) strides.push_back(contiguous(t.shape()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      views.push_back({inputs[i].data(), inputs[i].dtype(), inputs[i].shape(), strides[i], 0});
    }
    std::vector<interp::Tensor> outputs;
    for (const runtime::OwnedTensor& t : compiled->executable->run(views)) outputs.push_back(dense(t));
    return outputs;
  }
};

class CompiledOps : public testing::TestWithParam<std::string> {};

void expect_agreement(const CompiledRun& run) {
  for (const OpCase& c : all_cases()) {
    const std::string difference = run_case(c, run);
    EXPECT_EQ(difference, "") << c.name;
  }
}

TEST_P(CompiledOps, AgreeWithTheInterpreter) { expect_agreement({GetParam()}); }

TEST_P(CompiledOps, AgreeWithTheInterpreterOnFrozenWeights) { expect_agreement({GetParam(), /*freeze=*/true}); }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> out{"scalar"};
  const Target host = host_target();
  if (host.isa >= Isa::avx2) out.emplace_back("avx2");
  if (host.isa >= Isa::avx512) out.emplace_back("avx512");
  return out;
}

INSTANTIATE_TEST_SUITE_P(Isa, CompiledOps, testing::ValuesIn(instruction_sets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace litz::op_cases
