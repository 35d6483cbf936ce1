#include "fusion/lower.h"

#include <algorithm>

#include "fusion/cost.h"
#include "fusion/emit_node.h"

namespace litz::fusion {

using ir::Scalar;

namespace {

constexpr int kKeepCost = 12;               // an element at least as costly as this is kept, if it is needed again
constexpr int64_t kLocalBytes = 256 << 10;  // but not in a buffer larger than this

class Lowering {
 public:
  Lowering(const ir::Graph& graph, const Views& views, const Group& group, const std::set<ir::ValueId>& stored,
           kernel_ir::Kernel* kernel)
      : graph_(graph),
        views_(views),
        group_(group),
        stored_(stored),
        kernel_(kernel),
        body_(graph, views, kernel, group.bounds),
        context_{graph, views, body_, [this](ir::ValueId v, const Index& i) { return pull(v, i); }} {}

  void run() {
    if (group_.kind == GroupKind::templated) {
      lower_template();
    } else {
      lower_loops();
    }
  }

  std::vector<ir::ValueId> arguments() const { return body_.arguments(); }

 private:
  const ir::Node& node_of(const Member& m) const { return graph_.nodes()[m.node]; }
  ir::ValueId value_of(const Member& m) const { return node_of(m).results[0]; }
  bool reduces(const Member& m) const { return ops::record(node_of(m).op).kind == ops::OpKind::reduction; }
  // A reduction over ranges of one position only is the value itself.
  bool is_row_reduction(const Member& m) const { return reduces(m) && group_.depends_on_reduced(m.operand_index); }

  // The element of `value` at `index`, which is over the group's own ranges.
  Scalar pull(ir::ValueId value, const Index& index) {
    const auto at = views_.resolve(value, simplify_all(index, group_.bounds), body_.bounds());
    const int32_t producer = graph_.value(at.value).node;
    const Member* member = producer < 0 ? nullptr : group_.find(static_cast<uint32_t>(producer));
    if (member != nullptr) return element(*member);
    if (views_.is_generated(at.value)) return emit_generated(context_, graph_.nodes()[producer], renamed(at.index));
    return body_.load(at.value, renamed(at.index));
  }

  // Members' indices are over the group's ranges; inside a loop over the reduced ones these have names of their own.
  Index renamed(const Index& index) const {
    if (rename_.empty()) return index;
    Index out;
    for (const Expr& e : index) out.push_back(e.substitute(rename_));
    return out;
  }

  Scalar element(const Member& m) {
    const bool outside = m.row || group_.reduced.empty() || group_.kind == GroupKind::templated;
    auto& known = outside ? row_ : full_;
    if (auto it = known.find(m.node); it != known.end()) return it->second;
    if (auto kept = kept_.find(m.node); kept != kept_.end() && kept->second.filled) {
      const Scalar s = body_.load_buffer(kept->second.buffer, renamed(kept->second.index));
      known[m.node] = s;
      return s;
    }
    LITZ_CHECK(!is_row_reduction(m), "a reduction is read before its loop");
    const Scalar s = compute(m);
    known[m.node] = s;
    if (auto kept = kept_.find(m.node); kept != kept_.end() && !outside) {
      body_.store_buffer(kept->second.buffer, renamed(kept->second.index), s);
      filled_now_.push_back(m.node);
    }
    return s;
  }

  Scalar compute(const Member& m) {
    const ir::Node& node = node_of(m);
    if (reduces(m)) {
      const DType dtype = graph_.type(node.results[0]).dtype;
      const ir::ReduceOp op = ops::record(node.op).reduce->op;
      if (op == ir::ReduceOp::argmax || op == ir::ReduceOp::argmin) return body_.constant(dtype, int64_t{0});
      const Scalar x = pull(node.operands[0], m.operand_index);
      const bool logical = op == ir::ReduceOp::any || op == ir::ReduceOp::all;
      return body_.cast(logical ? body_.cast(x, DType::boolean) : x, dtype);
    }
    // Elementwise nodes pull their operands by the group's own indices; what they compute with an index itself (masks,
    // iota) uses the loop's names, so they get both through `pull` and `renamed`.
    if (role_of(graph_, views_, node) == NodeRole::window)
      return emit_window(context_renamed(), node, renamed(m.index));
    return emit_elementwise(context_renamed(), node, renamed(m.index));
  }

  // Emission sees the loop's names; pulling translates them back to the group's.
  EmitContext context_renamed() {
    if (rename_.empty()) return context_;
    return {graph_, views_, body_, [this](ir::ValueId v, const Index& index) {
              Index own;
              for (const Expr& e : index) own.push_back(e.substitute(own_name_));
              return pull(v, own);
            }};
  }

  // Reductions that can run in one loop have one level: 0 if no other reduction is needed first.
  std::map<uint32_t, int> levels() const {
    std::map<uint32_t, int> level;  // of the values: reductions count one more
    for (const Member& m : group_.members) {
      int needs = 0;
      for (const Member* operand : member_operands(m)) needs = std::max(needs, level.at(operand->node));
      level[m.node] = needs + (is_row_reduction(m) ? 1 : 0);
    }
    return level;
  }

  std::vector<const Member*> member_operands(const Member& m) const {
    std::vector<const Member*> out;
    for (ir::ValueId v : node_of(m).operands) {
      if (v == ir::kNoValue) continue;
      const int32_t producer = graph_.value(views_.base(v)).node;
      if (producer < 0) continue;
      if (const Member* p = group_.find(static_cast<uint32_t>(producer))) out.push_back(p);
    }
    return out;
  }

  void lower_loops() {
    std::vector<kernel_ir::Range> kept;
    for (const kernel_ir::Range& r : group_.ranges) {
      if (!group_.reduced.contains(r.name)) kept.push_back(r);
    }
    const std::map<uint32_t, int> level = levels();
    int last = 0;
    for (const auto& [node, l] : level) last = std::max(last, l);
    choose_kept(level, last);
    for (int l = 0; l < last; ++l) reduction_loop(level, l);
    store_rows();
    if (!group_.reduced.empty()) store_full();
    kernel_ir::Loop outer;
    outer.kind = kernel_ir::RangeKind::parallel;
    outer.ranges = std::move(kept);
    outer.body = body_.take();
    kernel_->body.statements.emplace_back(std::move(outer));
  }

  // Opens a loop over the reduced ranges.
  void open_reduced(kernel_ir::RangeKind kind) {
    rename_.clear();
    own_name_.clear();
    full_.clear();
    std::vector<kernel_ir::Range> ranges;
    for (const kernel_ir::Range& r : group_.ranges) {
      if (!group_.reduced.contains(r.name)) continue;
      const std::string name = body_.fresh_range("r");
      rename_[r.name] = Expr::symbol(name);
      own_name_[name] = Expr::symbol(r.name);
      ranges.push_back({name, r.extent});
    }
    body_.open(kind, std::move(ranges));
  }

  std::vector<std::vector<Scalar>> close_reduced() {
    auto results = body_.close();
    rename_.clear();
    own_name_.clear();
    full_.clear();
    for (uint32_t node : filled_now_) kept_[node].filled = true;
    filled_now_.clear();
    return results;
  }

  void reduction_loop(const std::map<uint32_t, int>& level, int l) {
    std::vector<const Member*> of;
    for (const Member& m : group_.members) {
      if (is_row_reduction(m) && level.at(m.node) == l + 1) of.push_back(&m);
    }
    open_reduced(kernel_ir::RangeKind::reduction);
    for (const Member* m : of) {
      const ir::Node& node = node_of(*m);
      ir::ReduceOp op = ops::record(node.op).reduce->op;
      const DType result = graph_.type(node.results[0]).dtype;
      const Scalar x = pull(node.operands[0], m->operand_index);
      DType dtype = compute_dtype(result);
      if (op == ir::ReduceOp::argmax || op == ir::ReduceOp::argmin) dtype = compute_dtype(x.dtype);
      if (result == DType::boolean && op == ir::ReduceOp::max) op = ir::ReduceOp::any;
      if (result == DType::boolean && op == ir::ReduceOp::min) op = ir::ReduceOp::all;
      if (op == ir::ReduceOp::any || op == ir::ReduceOp::all) dtype = DType::boolean;
      body_.reduce(op, dtype, body_.cast(x, dtype));
    }
    const auto results = close_reduced();
    for (size_t i = 0; i < of.size(); ++i) {
      row_[of[i]->node] = body_.cast(results[i][0], graph_.type(value_of(*of[i])).dtype);
    }
  }

  void store_rows() {
    for (const Member& m : group_.members) {
      const bool outside = m.row || group_.reduced.empty();
      if (outside && stored_.contains(value_of(m))) body_.store(value_of(m), m.index, element(m));
    }
  }

  void store_full() {
    const bool any = std::any_of(group_.members.begin(), group_.members.end(),
                                 [&](const Member& m) { return !m.row && stored_.contains(value_of(m)); });
    if (!any) return;
    open_reduced(kernel_ir::RangeKind::serial);
    for (const Member& m : group_.members) {
      if (!m.row && stored_.contains(value_of(m))) body_.store(value_of(m), renamed(m.index), element(m));
    }
    close_reduced();
  }

  // Chooses the costly full members that more than one loop needs, and gives them local buffers.
  void choose_kept(const std::map<uint32_t, int>& level, int last) {
    if (group_.reduced.empty()) return;
    std::map<uint32_t, std::set<int>> loops;  // loops in which a full member is needed
    for (size_t i = group_.members.size(); i-- > 0;) {
      const Member& m = group_.members[i];
      if (is_row_reduction(m)) {
        need_operands(m, {level.at(m.node) - 1}, &loops);
      } else if (!m.row) {
        if (stored_.contains(value_of(m))) loops[m.node].insert(last);
        need_operands(m, loops[m.node], &loops);
      }
    }
    Expr extent = 1;
    std::vector<Expr> shape;
    Index index;
    for (const kernel_ir::Range& r : group_.ranges) {
      if (!group_.reduced.contains(r.name)) continue;
      extent = extent * r.extent;
      shape.push_back(r.extent);
      index.push_back(Expr::symbol(r.name));
    }
    std::map<uint32_t, int> cost;
    for (const Member& m : group_.members) {
      if (m.row) continue;
      int c = element_cost(graph_, node_of(m));
      for (const Member* p : member_operands(m)) c += cost.contains(p->node) ? cost[p->node] : 0;
      const DType dtype = graph_.type(value_of(m)).dtype;
      const bool fits = extent.is_constant() && extent.constant() * dtype_size(dtype) <= kLocalBytes;
      if (c >= kKeepCost && loops[m.node].size() > 1 && fits) {
        const std::string name = "row_" + graph_.value(value_of(m)).name;
        kept_[m.node] = {body_.local_buffer(dtype, shape, name), index, false};
        c = 1;
      }
      cost[m.node] = c;
    }
  }

  void need_operands(const Member& m, const std::set<int>& in, std::map<uint32_t, std::set<int>>* loops) const {
    for (const Member* p : member_operands(m)) {
      if (!p->row) (*loops)[p->node].insert(in.begin(), in.end());
    }
  }

  void lower_template() {
    const auto is_root = [this](const Member& m) { return role_of(graph_, views_, node_of(m)) == NodeRole::templated; };
    const Member& root = *std::find_if(group_.members.begin(), group_.members.end(), is_root);
    const ir::Node& node = node_of(root);
    uint32_t operand = 0;
    std::string why_not;
    std::optional<kernel_ir::Template> t = make_template(graph_, views_, node, &body_, &operand, &why_not);
    LITZ_CHECK(t.has_value(), why_not);
    const Scalar accumulator = body_.given(DType::f32);
    t->accumulator = accumulator.id;
    Scalar value = accumulator;
    const bool has_bias = (node.op == "linear" || node.op == "convolution") && node.operands.size() > 2 &&
                          node.operands[2] != ir::kNoValue;
    if (has_bias) {
      const Expr channel = node.op == "linear" ? root.index.back() : root.index[1];
      value = body_.add(value, body_.cast(pull(node.operands[2], {channel}), DType::f32));
    }
    row_[root.node] = body_.cast(value, graph_.type(node.results[0]).dtype);
    for (const Member& m : group_.members) {
      if (stored_.contains(value_of(m))) body_.store(value_of(m), m.index, element(m));
    }
    t->epilogue = body_.take();
    kernel_->templ = std::move(*t);
  }

  struct Kept {
    uint32_t buffer = 0;
    Index index;
    bool filled = false;
  };

  const ir::Graph& graph_;
  const Views& views_;
  const Group& group_;
  const std::set<ir::ValueId>& stored_;
  kernel_ir::Kernel* kernel_;
  Body body_;
  EmitContext context_;
  std::map<uint32_t, Scalar> row_;   // values known outside the reduced loops
  std::map<uint32_t, Scalar> full_;  // values known in the loop that is open
  std::map<uint32_t, Kept> kept_;
  std::vector<uint32_t> filled_now_;
  std::map<std::string, Expr> rename_;
  std::map<std::string, Expr> own_name_;
};

}  // namespace

KernelCall lower_group(const ir::Graph& graph, const Views& views, const Group& group,
                       const std::set<ir::ValueId>& stored, const std::string& name) {
  KernelCall call;
  call.kernel.name = name;
  Lowering lowering(graph, views, group, stored, &call.kernel);
  lowering.run();
  call.arguments = lowering.arguments();
  for (const Member& m : group.members) {
    const ir::Node& node = graph.nodes()[m.node];
    // As the user's framework names it; otherwise as the graph's text does.
    const std::string op =
        node.location.op.empty() ? "%" + graph.value(node.results[0]).name + " = " + node.op : node.location.op;
    const std::string& source = node.location.source;
    call.kernel.source_ops.push_back(source.empty() ? op : op + " (" + source + ")");
  }
  return call;
}

}  // namespace litz::fusion
