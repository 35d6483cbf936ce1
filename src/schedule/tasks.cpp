// Tasks of a loop nest: large enough to be worth handing out, small enough that their data stays in the second-level
// cache and that threads finish together.
#include <algorithm>
#include <cmath>

#include "kernel_ir/walk.h"
#include "schedule/loop_nest.h"

namespace litz::schedule {
namespace {

using kernel_ir::Kernel;
using kernel_ir::Loop;
using kernel_ir::Range;
using kernel_ir::Schedule;

// Below this a second thread does not pay for waking it.
constexpr double kAlone = 6000;  // nanoseconds
constexpr double kShortest = 3000, kLongest = 16000;
constexpr double kBytesPerNanosecond = 12;

double number(const Expr& e) { return static_cast<double>(e.constant()); }

// The parallel ranges in the order in which codegen/cpp/loops.h runs them.
std::vector<Range> run_order(const Loop& phase, const Schedule& schedule) {
  const auto contains = [](const std::vector<std::string>& names, const Range& range) {
    return std::find(names.begin(), names.end(), range.name) != names.end();
  };
  std::vector<Range> order;
  for (int place = 0; place < 3; ++place) {
    for (const Range& range : phase.ranges) {
      const int mine = contains(schedule.vector_ranges, range) ? 2 : contains(schedule.tile_ranges, range) ? 1 : 0;
      if (mine == place) order.push_back(range);
    }
  }
  return order;
}

}  // namespace

void choose_tasks(const Kernel& kernel, const Target& target, Schedule& schedule) {
  const std::vector<double> costs = phase_costs(kernel, schedule);
  const kernel_ir::Work work = kernel_ir::work_of(kernel);
  const double moving = (number(work.bytes_read) + number(work.bytes_written)) / kBytesPerNanosecond;
  const size_t heaviest = static_cast<size_t>(std::max_element(costs.begin(), costs.end()) - costs.begin());
  double total = moving;
  for (const double c : costs) total = std::max(total, c);
  const auto& phase = std::get<Loop>(kernel.body.statements.at(heaviest));
  const std::vector<Range> order = run_order(phase, schedule);
  const bool vectorised = !order.empty() && !schedule.vector_ranges.empty() &&
                          order.back().name == schedule.vector_ranges.at(0) && schedule.vector_lanes > 1;
  double iterations = 1;
  for (const Range& range : order) iterations *= number(range.extent);
  if (order.empty() || iterations == 0) return;

  const int threads = std::max(target.threads, 1);
  const double chunk = std::clamp(total / (8 * threads), kShortest, kLongest);
  double chunks = total < kAlone || threads == 1 ? 1 : std::max(total / chunk, 1.0);
  // A few chunks are as many for each thread; of many, the threads take what they can.
  if (chunks >= threads && chunks < 4 * threads) chunks = std::round(chunks / threads) * threads;

  // As few ranges as give enough tasks; what remains is a plain loop. A tiled range is cut in squares.
  const bool tiled = !schedule.tile_ranges.empty() && vectorised && order.size() >= 2;
  const size_t most = order.size() - (tiled ? 1 : 0);
  size_t ranges = 0;
  double tasks = 1;
  while (ranges < most && (ranges == 0 || tasks < chunks)) tasks *= number(order[ranges++].extent);
  const bool splits_vectors = vectorised && ranges == order.size();
  schedule.task_ranges = static_cast<int64_t>(ranges);
  schedule.task_block = 1;
  if (splits_vectors) {
    const double rows = tasks / number(order.back().extent);
    const double wanted = std::ceil(chunks / rows);
    const int64_t unit = schedule.vector_lanes * (number(order.back().extent) > 4096 ? 64 : 1);
    const int64_t block = static_cast<int64_t>(std::ceil(number(order.back().extent) / wanted));
    schedule.task_block = (block + unit - 1) / unit * unit;
    tasks = rows * std::ceil(number(order.back().extent) / static_cast<double>(schedule.task_block));
  }
  if (tiled && ranges == most) {
    schedule.task_block = schedule.vector_lanes;
    tasks = std::ceil(tasks / static_cast<double>(schedule.vector_lanes));
  }
  if (schedule.task_block == 1 && ranges > 1 && tasks > 2 * chunks) {
    // The last of several flattened ranges in blocks: a loop is cheaper than counting tasks.
    const double last = number(order[ranges - 1].extent);
    const double per_row = std::ceil(chunks * last / tasks);
    schedule.task_block = static_cast<int64_t>(std::ceil(last / per_row));
    tasks = tasks / last * std::ceil(last / static_cast<double>(schedule.task_block));
  }
  schedule.grain = std::max<int64_t>(1, static_cast<int64_t>(tasks / chunks));
  if (chunks == 1) schedule.grain = std::max<int64_t>(1, static_cast<int64_t>(tasks));
}

}  // namespace litz::schedule
