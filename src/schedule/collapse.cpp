#include "schedule/collapse.h"

#include "kernel_ir/walk.h"

namespace litz::schedule {
namespace {

using kernel_ir::Block;
using kernel_ir::Kernel;
using kernel_ir::Loop;
using kernel_ir::Range;
using kernel_ir::Statement;

using Substitution = std::map<std::string, Expr>;

// The offset of a load or store in elements, nothing for other statements.
std::optional<Expr> offset_of(const Kernel& kernel, const Statement& statement) {
  if (const auto* load = std::get_if<kernel_ir::Load>(&statement)) {
    return kernel_ir::linear_offset(kernel.buffers[load->buffer], load->index);
  }
  if (const auto* store = std::get_if<kernel_ir::Store>(&statement)) {
    return kernel_ir::linear_offset(kernel.buffers[store->buffer], store->index);
  }
  return std::nullopt;
}

// Whether outer * size + inner is all that `e` knows of the two ranges.
bool walks_as_one(const Expr& e, const std::string& outer, const std::string& inner, int64_t size) {
  if (!e.depends_on(outer) && !e.depends_on(inner)) return true;
  const auto a = as_linear(e, outer);
  if (!a || a->rest.depends_on(outer) || a->coefficient.depends_on(inner)) return false;
  const auto b = as_linear(a->rest, inner);
  return b && a->coefficient == b->coefficient * Expr(size);
}

bool can_join(const Kernel& kernel, const Block& body, const std::string& outer, const std::string& inner,
              int64_t size) {
  bool joined = true;
  kernel_ir::LoopPath path;
  kernel_ir::for_each_statement(body, path, [&](const Statement& statement, const kernel_ir::LoopPath&) {
    if (const auto offset = offset_of(kernel, statement)) {
      joined = joined && walks_as_one(*offset, outer, inner, size);
      return;
    }
    for (const Expr* e : kernel_ir::expressions(statement)) joined = joined && walks_as_one(*e, outer, inner, size);
  });
  return joined;
}

void substitute(Block& body, const Substitution& values, const BoundsMap& bounds) {
  kernel_ir::for_each_statement(body, [&](Statement& statement) {
    for (Expr* e : kernel_ir::expressions(statement)) *e = simplify(e->substitute(values), bounds);
  });
}

void collapse_loop(const Kernel& kernel, Loop& loop) {
  // Ranges of one iteration.
  Substitution ones;
  std::vector<Range> kept;
  for (Range& range : loop.ranges) {
    if (range.extent == Expr(1)) {
      ones.emplace(range.name, Expr(0));
    } else {
      kept.push_back(std::move(range));
    }
  }
  loop.ranges = std::move(kept);
  if (!ones.empty()) substitute(loop.body, ones, {});

  for (size_t i = loop.ranges.size(); i-- > 1;) {
    Range& outer = loop.ranges[i - 1];
    const Range inner = loop.ranges[i];
    if (!outer.extent.is_constant() || !inner.extent.is_constant()) continue;
    const int64_t size = inner.extent.constant(), total = size * outer.extent.constant();
    if (total <= 0 || !can_join(kernel, loop.body, outer.name, inner.name, size)) continue;
    const Expr whole = Expr::symbol(outer.name);
    substitute(loop.body, {{outer.name, floor_div(whole, size)}, {inner.name, mod(whole, size)}},
               {{outer.name, {0, total - 1}}});
    outer.extent = total;
    loop.ranges.erase(loop.ranges.begin() + static_cast<int64_t>(i));
  }
}

}  // namespace

void collapse(Kernel& kernel) {
  kernel_ir::for_each_statement(kernel.body, [&](Statement& statement) {
    if (auto* loop = std::get_if<Loop>(&statement)) collapse_loop(kernel, *loop);
  });
}

}  // namespace litz::schedule
