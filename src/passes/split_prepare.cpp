#include "passes/split_prepare.h"

#include <algorithm>
#include <map>

#include "passes/rewriter.h"

namespace litz::passes {
namespace {

// A result larger than this that no weight feeds is cheaper to compute again than to hold.
constexpr int64_t kLargeGenerated = 1 << 20;

class Splitter {
 public:
  explicit Splitter(const ir::Graph& graph)
      : graph_(graph),
        frozen_(frozen_values(graph)),
        main_(graph.name()),
        to_main_(graph.values().size(), ir::kNoValue) {}

  SplitGraph run(const ReadsPlain& reads_plain) {
    if (reads_plain) mark_plain(reads_plain);
    mark_generated();
    Rewriter prepare(graph_);
    for (const ir::Node& node : graph_.nodes()) {
      if (frozen_[node.results.empty() ? 0 : node.results[0]] && !node.results.empty()) prepare.copy(node);
    }
    for (const ir::Input& input : graph_.inputs()) {
      const ir::Value& v = graph_.value(input.value);
      to_main_[input.value] = main_.input(v.type, v.name, input.strides, input.frozen);
    }
    find_prepared();
    for (ir::ValueId v : prepared_) {
      const ir::Value& value = graph_.value(v);
      to_main_[v] = main_.input(value.type, value.name, {}, true);
    }
    for (const ir::Node& node : graph_.nodes()) {
      if (!in_prepare(node)) copy_to_main(node);
    }
    for (const ir::Output& output : graph_.outputs()) {
      ir::Output mapped = output;
      mapped.value = in_main(output.value);
      main_.output(std::move(mapped));
    }
    return {finish_prepare(prepare), std::move(main_).finish()};
  }

 private:
  bool in_prepare(const ir::Node& node) const { return !node.results.empty() && frozen_[node.results[0]]; }

  bool moves_nothing(const ir::Node& node) const {
    const ops::OpKind kind = ops::record(node.op).kind;
    return kind == ops::OpKind::view || kind == ops::OpKind::generator;
  }

  bool is_source(ir::ValueId v) const {
    const ir::Node* node = graph_.producer(v);
    while (node != nullptr && ops::record(node->op).kind == ops::OpKind::view)
      node = graph_.producer(node->operands[0]);
    return node == nullptr;
  }

  // Packed forms of weights that exist anyway are left to main, if all that read them are for it.
  void mark_plain(const ReadsPlain& reads_plain) {
    std::vector<int> readers(graph_.values().size(), 0);
    for (const ir::Output& output : graph_.outputs()) ++readers[output.value];
    for (const ir::Node& node : graph_.nodes()) {
      for (size_t o = 0; o < node.operands.size(); ++o) {
        const ir::ValueId v = node.operands[o];
        if (v == ir::kNoValue) continue;
        const bool reads = o == 1 && (node.op == "linear" || node.op == "convolution");
        if (!reads || !reads_plain(graph_, node)) ++readers[v];
      }
    }
    for (const ir::Node& node : graph_.nodes()) {
      if (node.op != "layout_convert" || readers[node.results[0]] > 0) continue;
      const ir::ValueId from = node.operands[0];
      const ir::Node* joined = graph_.producer(from);
      if (is_source(from)) {
        frozen_[node.results[0]] = false;
      } else if (joined->op == "cat" && readers[from] == 1 &&
                 std::all_of(joined->operands.begin(), joined->operands.end(),
                             [&](ir::ValueId v) { return is_source(v); })) {
        frozen_[node.results[0]] = frozen_[from] = false;
      }
    }
  }

  // Values that no weight feeds and that are large are left to main.
  void mark_generated() {
    std::vector<bool> weighty(graph_.values().size(), false);
    for (const ir::Input& input : graph_.inputs()) weighty[input.value] = true;
    for (ir::ValueId v = 0; v < graph_.values().size(); ++v) weighty[v] = weighty[v] || graph_.value(v).constant >= 0;
    for (const ir::Node& node : graph_.nodes()) {
      for (ir::ValueId r : node.results) {
        for (ir::ValueId v : node.operands) weighty[r] = weighty[r] || (v != ir::kNoValue && weighty[v]);
        const Expr bytes = graph_.type(r).elements() * dtype_size(graph_.type(r).dtype);
        const bool large = !bytes.is_constant() || bytes.constant() > kLargeGenerated;
        if (!weighty[r] && large && !moves_nothing(node)) frozen_[r] = false;
      }
      for (ir::ValueId v : node.operands) {
        if (v != ir::kNoValue && !frozen_[v]) {
          for (ir::ValueId r : node.results) frozen_[r] = false;
        }
      }
    }
  }

  // The value that main needs so that it can read `v`: views are followed to what holds the data.
  void need(ir::ValueId v) {
    if (v == ir::kNoValue || !frozen_[v]) return;
    const ir::Node* node = graph_.producer(v);
    if (node == nullptr) return;
    if (moves_nothing(*node)) {
      for (ir::ValueId o : node->operands) need(o);
    } else if (to_prepare_.try_emplace(v, prepared_.size()).second) {
      prepared_.push_back(v);
    }
  }

  void find_prepared() {
    for (const ir::Node& node : graph_.nodes()) {
      if (in_prepare(node)) continue;
      for (ir::ValueId v : node.operands) need(v);
    }
    for (const ir::Output& output : graph_.outputs()) need(output.value);
  }

  // The value in main; frozen views and generators are copied on first use.
  ir::ValueId in_main(ir::ValueId v) {
    if (v == ir::kNoValue) return v;
    if (to_main_[v] != ir::kNoValue) return to_main_[v];
    const ir::Value& value = graph_.value(v);
    if (value.constant >= 0) {
      to_main_[v] = main_.constant(value.type, graph_.constants()[value.constant], value.name);
    } else {
      copy_to_main(*graph_.producer(v));
    }
    return to_main_[v];
  }

  void copy_to_main(const ir::Node& node) {
    ir::Node copy = node;
    for (ir::ValueId& v : copy.operands) v = in_main(v);
    copy.results.clear();
    std::vector<ir::TensorType> types;
    std::vector<std::string> names;
    for (ir::ValueId r : node.results) {
      types.push_back(graph_.type(r));
      names.push_back(graph_.value(r).name);
    }
    const std::vector<ir::ValueId> results = main_.add(std::move(copy), types, names);
    for (size_t i = 0; i < results.size(); ++i) to_main_[node.results[i]] = results[i];
  }

  ir::Graph finish_prepare(Rewriter& prepare) {
    ir::GraphBuilder& builder = prepare.graph();
    for (ir::ValueId v : prepared_) builder.output({prepare.map(v), {}, -1});
    return std::move(builder).finish();
  }

  const ir::Graph& graph_;
  std::vector<bool> frozen_;
  ir::GraphBuilder main_;
  std::vector<ir::ValueId> to_main_;
  std::vector<ir::ValueId> prepared_;
  std::map<ir::ValueId, size_t> to_prepare_;
};

}  // namespace

SplitGraph split_prepare(const ir::Graph& graph, const ReadsPlain& reads_plain) {
  return Splitter(graph).run(reads_plain);
}

}  // namespace litz::passes
