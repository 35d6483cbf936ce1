#include "fusion/group.h"

#include <algorithm>

#include "fusion/group_start.h"
#include "fusion/join.h"

namespace litz::fusion {

void Group::add(Member member) {
  auto at = std::upper_bound(members.begin(), members.end(), member.node,
                             [](uint32_t node, const Member& m) { return node < m.node; });
  members.insert(at, std::move(member));
  position.clear();
  for (size_t i = 0; i < members.size(); ++i) position[members[i].node] = i;
}

bool Group::depends_on_reduced(const Index& index) const {
  for (const Expr& e : index) {
    for (const std::string& s : e.symbols()) {
      if (reduced.contains(s)) return true;
    }
  }
  return false;
}

namespace {

// Holds the groups while they form. A group that was merged into another stays as an empty slot.
class Former {
 public:
  Former(const ir::Graph& graph, const Views& views, std::vector<Decision>* decisions)
      : graph_(graph), views_(views), decisions_(decisions), group_of_(graph.nodes().size(), kNone) {}

  std::vector<Group> run() {
    for (uint32_t n = 0; n < graph_.nodes().size(); ++n) {
      const NodeRole role = role_of(graph_, views_, graph_.nodes()[n]);
      if (role != NodeRole::view) place(n, role);
    }
    return ordered();
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void place(uint32_t n, NodeRole role) {
    if (role == NodeRole::elementwise || role == NodeRole::reduction) {
      size_t feeding = 0;
      const std::vector<size_t> all = candidates(n, &feeding);
      for (size_t i = 0; i < all.size(); ++i) {
        const size_t g = all[i];
        std::string why_not;
        if (i >= feeding && groups_[g].reduced.empty() != (role == NodeRole::elementwise)) {
          continue;  // side by side only with its like: a reduction would change the loops of the others
        }
        if (blocks_cycle(n, g)) {
          why_not = "would make the kernels depend on each other in a circle";
        } else if (join(graph_, views_, n, role, &groups_[g], &why_not)) {
          decide(g, n, true, "same iteration space");
          enter(n, g);
          merge_producers(n, g);
          return;
        }
        decide(g, n, false, why_not);
      }
    }
    groups_.push_back(start_group(graph_, n, role));
    depends_.emplace_back();
    if (role == NodeRole::reduction) {
      std::string why_not;
      const bool joined = join(graph_, views_, n, role, &groups_.back(), &why_not);
      LITZ_CHECK(joined, "a reduction must fit its own ranges: " + why_not);
    }
    enter(n, groups_.size() - 1);
    if (role == NodeRole::elementwise || role == NodeRole::reduction) merge_producers(n, groups_.size() - 1);
  }

  // Groups that could take node n: those that feed it (the first `feeding_count`), newest first, then those that read
  // what it reads.
  std::vector<size_t> candidates(uint32_t n, size_t* feeding_count) const {
    std::set<size_t, std::greater<>> feeding;
    std::set<size_t, std::greater<>> siblings;
    const ir::Node& node = graph_.nodes()[n];
    for (ir::ValueId v : node.operands) {
      if (v == ir::kNoValue) continue;
      const ir::ValueId base = views_.base(v);
      const int32_t producer = graph_.value(base).node;
      if (producer >= 0 && group_of_[producer] != kNone) feeding.insert(group_of_[producer]);
      auto readers = readers_.find(base);
      if (readers == readers_.end()) continue;
      for (size_t g : readers->second) {
        if (same_size(graph_.type(base), groups_[g])) siblings.insert(g);
      }
    }
    std::vector<size_t> out;
    auto take = [&](const auto& set) {
      for (size_t g : set) {
        const bool usable = groups_[g].kind != GroupKind::foreign && groups_[g].members.size() < kMaxMembers;
        if (usable && std::find(out.begin(), out.end(), g) == out.end()) out.push_back(g);
      }
    };
    take(feeding);
    *feeding_count = out.size();
    take(siblings);
    return out;
  }

  // Reading the same value pays only where that value is as large as the group's iteration space.
  static bool same_size(const ir::TensorType& type, const Group& group) {
    return group.kind == GroupKind::loops && type.elements() == group.root.elements();
  }

  // Node n reads something that itself depends on group g.
  bool blocks_cycle(uint32_t n, size_t g) const {
    for (ir::ValueId v : graph_.nodes()[n].operands) {
      const size_t h = producer_group(v);
      if (h != kNone && h != g && depends_[h].contains(g)) return true;
    }
    return false;
  }

  size_t producer_group(ir::ValueId v) const {
    if (v == ir::kNoValue) return kNone;
    const int32_t producer = graph_.value(views_.base(v)).node;
    return producer < 0 ? kNone : group_of_[producer];
  }

  // Records that node n is in group g, and what g depends on now.
  void enter(uint32_t n, size_t g) {
    group_of_[n] = g;
    for (ir::ValueId v : graph_.nodes()[n].operands) {
      if (v == ir::kNoValue) continue;
      const size_t h = producer_group(v);
      if (h == g) continue;
      readers_[views_.base(v)].insert(g);
      if (h != kNone) add_dependence(g, h);
    }
  }

  void add_dependence(size_t g, size_t h) {
    std::set<size_t> more = depends_[h];
    more.insert(h);
    depends_[g].insert(more.begin(), more.end());
    for (size_t k = 0; k < depends_.size(); ++k) {
      if (depends_[k].contains(g)) depends_[k].insert(more.begin(), more.end());
    }
  }

  // Node n has joined g; pulls the loop groups of its other operands in, where their ranges fit.
  void merge_producers(uint32_t n, size_t g) {
    const std::vector<InlineRead> reads = reads_of(n, *groups_[g].find(n));
    for (const InlineRead& read : reads) {
      const auto at = views_.resolve(graph_.nodes()[n].operands[read.operand], read.index, groups_[g].bounds);
      const int32_t producer = graph_.value(at.value).node;
      const size_t h = producer < 0 ? kNone : group_of_[producer];
      if (h == kNone || h == g || between(g, h)) continue;
      if (!views_.shows_each_once(graph_.nodes()[n].operands[read.operand])) {
        decide(h, n, false, "reads only some of its elements, or some more than once");
        continue;
      }
      if (groups_[h].members.size() + groups_[g].members.size() > kMaxMembers) continue;
      std::string why_not;
      if (!merge(graph_, views_, &groups_[g], groups_[h], static_cast<uint32_t>(producer), at.index, &why_not)) {
        decide(h, n, false, why_not);
        continue;
      }
      decide(h, n, true, "iteration spaces of both operands agree");
      absorb(g, h);
    }
  }

  std::vector<InlineRead> reads_of(uint32_t n, const Member& member) const {
    const ir::Node& node = graph_.nodes()[n];
    if (ops::record(node.op).kind == ops::OpKind::reduction) return {{0, member.operand_index}};
    return inline_reads(graph_, views_, node, member.index);
  }

  // A third group stands between h and g, so that they cannot be one kernel.
  bool between(size_t g, size_t h) const {
    for (size_t x : depends_[g]) {
      if (x != h && depends_[x].contains(h)) return true;
    }
    return false;
  }

  void absorb(size_t g, size_t h) {
    for (const Member& m : groups_[h].members) group_of_[m.node] = g;
    groups_[h].members.clear();
    for (auto& [value, groups] : readers_) {
      if (groups.erase(h) > 0) groups.insert(g);
    }
    const std::set<size_t> below = depends_[h];
    depends_[g].insert(below.begin(), below.end());
    for (size_t k = 0; k < depends_.size(); ++k) {
      if (depends_[k].erase(h) > 0 && k != g) depends_[k].insert(g);
    }
    depends_[g].erase(g);
    depends_[h].clear();
    for (size_t k = 0; k < depends_.size(); ++k) {
      if (depends_[k].contains(g)) depends_[k].insert(depends_[g].begin(), depends_[g].end());
    }
  }

  void decide(size_t g, uint32_t n, bool fused, std::string reason) {
    if (groups_[g].members.empty()) return;
    const ir::Node& from = graph_.nodes()[groups_[g].members.back().node];
    const ir::Node& to = graph_.nodes()[n];
    if (fused && &from == &to && groups_[g].members.size() > 1) {
      const ir::Node& before = graph_.nodes()[groups_[g].members.front().node];
      decisions_->push_back({describe(before), describe(to), fused, std::move(reason)});
      return;
    }
    decisions_->push_back({describe(from), describe(to), fused, std::move(reason)});
  }

  std::string describe(const ir::Node& node) const {
    const std::string name = graph_.value(node.results[0]).name;
    return "%" + name + " = " + node.op + (node.location.source.empty() ? "" : " (" + node.location.source + ")");
  }

  std::vector<Group> ordered() {
    std::vector<size_t> order;
    std::vector<bool> done(groups_.size(), false);
    auto visit = [&](auto&& self, size_t g) -> void {
      if (done[g]) return;
      done[g] = true;
      for (size_t h : depends_[g]) self(self, h);
      if (!groups_[g].members.empty()) order.push_back(g);
    };
    // By first member, so that the order follows the program.
    std::vector<size_t> by_first;
    for (size_t n = 0; n < group_of_.size(); ++n) {
      if (group_of_[n] != kNone) by_first.push_back(group_of_[n]);
    }
    for (size_t g : by_first) visit(visit, g);
    std::vector<Group> out;
    for (size_t g : order) out.push_back(std::move(groups_[g]));
    return out;
  }

  static constexpr size_t kMaxMembers = 128;

  const ir::Graph& graph_;
  const Views& views_;
  std::vector<Decision>* decisions_;
  std::vector<size_t> group_of_;
  std::vector<Group> groups_;
  std::vector<std::set<size_t>> depends_;            // transitive
  std::map<ir::ValueId, std::set<size_t>> readers_;  // groups that read a value from a buffer
};

}  // namespace

std::vector<Group> form_groups(const ir::Graph& graph, const Views& views, std::vector<Decision>* decisions) {
  return Former(graph, views, decisions).run();
}

}  // namespace litz::fusion
