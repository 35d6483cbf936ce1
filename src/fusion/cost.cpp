#include "fusion/cost.h"

#include "fusion/resolve.h"
#include "ops/record.h"

namespace litz::fusion {
namespace {

using ir::ScalarOp;

int scalar_cost(ScalarOp op) {
  switch (op) {
    case ScalarOp::div:
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
      return 4;
    case ScalarOp::fmod:
    case ScalarOp::pow:
    case ScalarOp::atan2:
      return 40;
    default:
      return op >= ScalarOp::exp && op <= ScalarOp::erfc ? 12 : 1;
  }
}

// Runs a body to add up what its instructions cost.
class CostCounter final : public ir::ScalarBuilder {
 public:
  ir::Scalar constant(DType dtype, ir::ScalarValue) override { return {next_++, dtype}; }
  ir::Scalar emit(ScalarOp op, DType dtype, std::span<const ir::Scalar>) override {
    total += scalar_cost(op);
    return {next_++, dtype};
  }
  int total = 0;

 private:
  uint32_t next_ = 0;
};

}  // namespace

int element_cost(const ir::Graph& graph, const ir::Node& node) {
  const ops::OpRecord& record = ops::record(node.op);
  switch (record.kind) {
    case ops::OpKind::pointwise: {
      CostCounter counter;
      std::vector<ir::Scalar> args;
      for (ir::ValueId v : node.operands) {
        if (v != ir::kNoValue) args.push_back(counter.constant(graph.type(v).dtype, 0.0));
      }
      NodeArgs types(graph, node);
      ops::apply_body(record, counter, args, types.get(), graph.type(node.results[0]).dtype);
      return counter.total;
    }
    case ops::OpKind::window:
    case ops::OpKind::matmul:
    case ops::OpKind::convolution:
      return 40;
    case ops::OpKind::gather:
      return 12;
    default:
      return 1;
  }
}

}  // namespace litz::fusion
