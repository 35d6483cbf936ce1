#include "schedule/schedule.h"

#include <algorithm>
#include <map>

#include "kernel_ir/walk.h"
#include "schedule/collapse.h"
#include "schedule/loop_nest.h"
#include "schedule/templates.h"
#include "support/check.h"

namespace litz::schedule {
namespace {

using kernel_ir::Block;
using kernel_ir::Kernel;
using kernel_ir::Loop;
using kernel_ir::Range;
using kernel_ir::RangeKind;
using kernel_ir::Schedule;
using kernel_ir::Statement;

// Loops without loops inside.
std::vector<const Loop*> leaves(const Block& block) {
  std::vector<const Loop*> found;
  for (const Statement& statement : block.statements) {
    const auto* loop = std::get_if<Loop>(&statement);
    if (!loop) continue;
    const auto inside = leaves(loop->body);
    if (inside.empty()) {
      found.push_back(loop);
    } else {
      found.insert(found.end(), inside.begin(), inside.end());
    }
  }
  return found;
}

// The ways to vectorise one phase: a parallel range, or the last range of each innermost loop.
std::vector<std::vector<std::string>> vector_choices(const Kernel& kernel, const Loop& phase) {
  std::vector<std::vector<std::string>> choices = {{}};
  for (const Range& range : phase.ranges) {
    if (can_vectorise(kernel, phase, range)) choices.push_back({range.name});
  }
  std::vector<std::string> inner;
  for (const Loop* loop : leaves(phase.body)) {
    if (!loop->ranges.empty() && can_vectorise(kernel, *loop, loop->ranges.back())) {
      inner.push_back(loop->ranges.back().name);
    }
  }
  if (!inner.empty()) choices.push_back(inner);
  return choices;
}

int64_t extent_of(const Kernel& kernel, const std::string& name) {
  int64_t extent = 0;
  kernel_ir::for_each_statement(kernel, [&](const Statement& statement, const kernel_ir::LoopPath&) {
    const auto* loop = std::get_if<Loop>(&statement);
    if (!loop) return;
    for (const Range& range : loop->ranges) {
      if (range.name == name) extent = range.extent.constant();
    }
  });
  return extent;
}

int widest_element(const Kernel& kernel) {
  int bytes = 1;
  kernel_ir::for_each_statement(kernel, [&](const Statement& statement, const kernel_ir::LoopPath&) {
    if (const auto* s = std::get_if<kernel_ir::Compute>(&statement)) {
      // A boolean is a 32-bit mask in a vector.
      bytes = std::max(bytes, s->dtype == DType::boolean ? 4 : dtype_size(s->dtype));
    }
    if (const auto* s = std::get_if<kernel_ir::Load>(&statement)) {
      bytes = std::max(bytes, s->mask != kernel_ir::kNoRef || s->dtype == DType::boolean ? 4 : dtype_size(s->dtype));
    }
    if (std::holds_alternative<kernel_ir::Index>(statement)) bytes = 8;
  });
  return bytes;
}

// Several vectors side by side in one value, where a loop inside is short of work: a reduction over rows whose columns
// are the lanes then reads whole runs of memory.
bool wants_wide_values(const Kernel& kernel, const std::vector<std::string>& ranges) {
  bool reduces = false, simple = true;
  size_t operations = 0;
  kernel_ir::for_each_statement(kernel, [&](const Statement& statement, const kernel_ir::LoopPath& path) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      if (path.empty()) {
        const auto in_phase = [&](const Range& range) { return range.name == ranges.front(); };
        simple = simple && std::any_of(loop->ranges.begin(), loop->ranges.end(), in_phase);
      }
      reduces = reduces || loop->kind == RangeKind::reduction;
      for (const kernel_ir::Reduction& r : loop->reductions) {
        simple = simple && r.op != ir::ReduceOp::argmax && r.op != ir::ReduceOp::argmin;
      }
    }
    operations += std::holds_alternative<kernel_ir::Compute>(statement);
  });
  return reduces && simple && operations <= 6 && ranges.size() == 1;
}

// Full vectors, or fewer lanes where no vectorised range is long enough for them.
int64_t choose_lanes(const Kernel& kernel, const std::vector<std::string>& ranges, const Target& target) {
  int64_t longest = 0;
  for (const std::string& name : ranges) longest = std::max(longest, extent_of(kernel, name));
  const int widest = widest_element(kernel);
  int64_t lanes = target.vector_bytes() / (widest < 4 ? widest : 4);
  if (widest <= 4 && wants_wide_values(kernel, ranges)) lanes *= 4;
  while (lanes > target.vector_bytes() / 4 && lanes > longest) lanes /= 2;
  while (lanes > 4 && lanes / 2 >= longest) lanes /= 2;
  return lanes;
}

// Offsets that a load and a store of one buffer have in the same loop must agree for its iterations to be independent.
bool carries_values(const Kernel& kernel, const Loop& loop) {
  std::map<uint32_t, std::vector<Expr>> loads, stores;
  kernel_ir::LoopPath path;
  kernel_ir::for_each_statement(loop.body, path, [&](const Statement& statement, const kernel_ir::LoopPath&) {
    if (const auto* s = std::get_if<kernel_ir::Load>(&statement)) {
      loads[s->buffer].push_back(kernel_ir::linear_offset(kernel.buffers[s->buffer], s->index));
    }
    if (const auto* s = std::get_if<kernel_ir::Store>(&statement)) {
      stores[s->buffer].push_back(kernel_ir::linear_offset(kernel.buffers[s->buffer], s->index));
    }
  });
  for (const auto& [buffer, offsets] : stores) {
    for (const Expr& offset : offsets) {
      if (!(offset == offsets.front())) return true;
      for (const Expr& load : loads[buffer]) {
        if (!(load == offset)) return true;
      }
    }
  }
  return false;
}

// The tiled range that helps most (kernel_ir::Schedule::tile_ranges), if any does.
std::vector<std::string> tile_choice(const Kernel& kernel, const Schedule& schedule) {
  if (kernel.body.statements.size() != 1 || schedule.vector_ranges.size() != 1) return {};
  const auto& phase = std::get<Loop>(kernel.body.statements.front());
  const auto is_vector = [&](const Range& range) { return range.name == schedule.vector_ranges.front(); };
  if (std::none_of(phase.ranges.begin(), phase.ranges.end(), is_vector)) return {};
  double best = cost(kernel, schedule, {});
  std::vector<std::string> choice;
  for (const Range& range : phase.ranges) {
    if (is_vector(range) || range.extent.constant() < schedule.vector_lanes) continue;
    Schedule tiled = schedule;
    tiled.tile_ranges = {range.name};
    if (const double c = cost(kernel, tiled, {}); c < best) best = c, choice = tiled.tile_ranges;
  }
  return choice;
}

}  // namespace

bool can_vectorise(const Kernel& kernel, const Loop& loop, const Range& range) {
  if (range.extent.constant() < 2) return false;
  if (loop.kind == RangeKind::parallel) return true;
  return loop.kind == RangeKind::reduction || !carries_values(kernel, loop);
}

std::vector<Schedule> candidates(const Kernel& kernel, const Target& target) {
  if (kernel.templ) {
    if (const auto* t = std::get_if<kernel_ir::MatmulTemplate>(&kernel.templ->what))
      return {schedule_matmul(*t, target)};
    if (const auto* t = std::get_if<kernel_ir::ConvTemplate>(&kernel.templ->what)) return {schedule_conv(*t, target)};
    return {schedule_attention(std::get<kernel_ir::AttentionTemplate>(kernel.templ->what), target)};
  }
  // Every combination of the phases' choices; phases are few.
  std::vector<std::vector<std::string>> sets = {{}};
  if (target.isa != Isa::scalar) {
    for (const Statement& statement : kernel.body.statements) {
      std::vector<std::vector<std::string>> longer;
      for (const auto& set : sets) {
        for (const auto& choice : vector_choices(kernel, std::get<Loop>(statement))) {
          longer.push_back(set);
          longer.back().insert(longer.back().end(), choice.begin(), choice.end());
        }
      }
      if (longer.size() > 64) longer.resize(64);
      sets = std::move(longer);
    }
  }
  std::vector<Schedule> found;
  std::vector<std::pair<double, size_t>> order;  // by cost, then as listed
  for (const auto& set : sets) {
    Schedule schedule;
    schedule.vector_ranges = set;
    schedule.vector_lanes = set.empty() ? 1 : choose_lanes(kernel, set, target);
    schedule.unroll = set.empty() ? 1 : 4;
    schedule.tile_ranges = tile_choice(kernel, schedule);
    choose_tasks(kernel, target, schedule);
    order.emplace_back(cost(kernel, schedule, target), found.size());
    found.push_back(std::move(schedule));
  }
  std::sort(order.begin(), order.end());
  std::vector<Schedule> schedules;
  for (const auto& [nanoseconds, index] : order) schedules.push_back(std::move(found[index]));
  return schedules;
}

void schedule(Kernel& kernel, const Target& target) {
  collapse(kernel);
  kernel.schedule = candidates(kernel, target).front();
}

}  // namespace litz::schedule
