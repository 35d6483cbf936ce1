#include "passes/split_reductions.h"

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

constexpr int64_t kFewResults = 64;  // with more results there is work for all threads
constexpr int64_t kLong = 16384;     // shorter reductions are not worth a second kernel
constexpr int64_t kMostParts = 256;

bool associative(ir::ReduceOp op) { return op != ir::ReduceOp::argmax && op != ir::ReduceOp::argmin; }

// The reduction covers the trailing dimensions, so that the operand is [kept, reduced] in memory order.
bool trailing(const std::vector<int64_t>& dims, int rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != rank - static_cast<int64_t>(dims.size()) + static_cast<int64_t>(i)) return false;
  }
  return true;
}

int64_t parts_of(int64_t length) {
  for (int64_t parts = kMostParts; parts >= 8; --parts) {
    if (length % parts == 0) return parts;
  }
  return 1;
}

}  // namespace

ir::Graph split_reductions(const ir::Graph& graph, const PassContext&) {
  return rewrite(graph, [&graph](Rewriter& r, const ir::Node& node) {
    const ops::OpRecord& record = ops::record(node.op);
    if (record.kind != ops::OpKind::reduction || !record.reduce || !associative(record.reduce->op)) return false;
    const ir::TensorType& in = graph.type(node.operands[0]);
    const ir::TensorType& out = graph.type(node.results[0]);
    const auto& dims = node.attributes.get<std::vector<int64_t>>("dims");
    if (!in.elements().is_constant() || !trailing(dims, in.rank()) || out.elements() == Expr(0)) return false;
    const int64_t kept = out.elements().constant();
    const int64_t length = in.elements().constant() / kept;
    if (kept >= kFewResults || length < kLong) return false;
    const int64_t parts = parts_of(length);
    if (parts == 1) return false;
    ops::Builder& b = r.builder();
    const std::vector<Expr> split{kept, parts, length / parts};
    ir::Attributes last = node.attributes;
    last.set("dims", std::vector<int64_t>{2});
    last.set("keepdim", false);
    ir::Attributes middle = last;
    middle.set("dims", std::vector<int64_t>{1});
    const ir::ValueId x = b.add("reshape", {r.map(node.operands[0])}, {{"shape", split}});
    const ir::ValueId partial = b.add(node.op, {x}, last);
    const ir::ValueId whole = b.add(node.op, {partial}, middle);
    r.replace(node.results[0], b.add("reshape", {whole}, {{"shape", out.shape}}));
    return true;
  });
}

}  // namespace litz::passes
