// Expected time of a loop nest: instructions, weighed, against bytes moved.
#include <algorithm>
#include <cmath>
#include <set>

#include "kernel_ir/walk.h"
#include "schedule/loop_nest.h"
#include "schedule/schedule.h"

namespace litz::schedule {
namespace {

using ir::ScalarOp;
using kernel_ir::Kernel;
using kernel_ir::Loop;
using kernel_ir::LoopPath;
using kernel_ir::Range;
using kernel_ir::Statement;

// Cycles of one vector instruction sequence.
double op_cycles(ScalarOp op, DType dtype) {
  const bool wide = dtype == DType::f64 || dtype == DType::i64;
  double cycles = 0.5;
  switch (op) {
    case ScalarOp::div:
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
      cycles = is_floating(dtype) ? 10 : 60;
      break;
    case ScalarOp::fmod:
      cycles = 60;
      break;
    case ScalarOp::exp:
    case ScalarOp::exp2:
      cycles = 8;
      break;
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::log:
    case ScalarOp::tanh:
      cycles = 10;
      break;
    case ScalarOp::erf:
      cycles = 16;
      break;
    default:
      if (op == ScalarOp::pow || op == ScalarOp::atan2 || (op > ScalarOp::exp && op <= ScalarOp::erfc)) cycles = 40;
  }
  // f64 functions call the C library for each lane.
  if (dtype == DType::f64 && cycles >= 8 && op != ScalarOp::div && op != ScalarOp::sqrt) cycles = 200;
  return wide ? 2 * cycles : cycles;
}

// Cycles for what `lanes` iterations of `vector` do ("" for scalar code, lanes 1).
class StatementCost {
 public:
  StatementCost(const Kernel& kernel, const std::string& vector, const std::set<std::string>& tiles, int64_t lanes,
                bool varies)
      : kernel_(kernel), vector_(vector), tiles_(tiles), lanes_(varies ? lanes : 1), varies_(varies) {}

  double operator()(const kernel_ir::Constant&) const { return 0; }
  double operator()(const kernel_ir::Index& s) const { return division(s.value) + 0.5; }
  double operator()(const kernel_ir::Compute& s) const { return op_cycles(s.op, s.dtype); }
  double operator()(const kernel_ir::Load& s) const {
    // Squares: a load, and a few exchanges for each vector.
    if (varies_ && s.mask == kernel_ir::kNoRef && is_square(s)) return 4;
    return access(s.buffer, s.index, 0.5);
  }
  double operator()(const kernel_ir::Store& s) const { return access(s.buffer, s.index, 1); }
  double operator()(const kernel_ir::Check&) const { return varies_ ? static_cast<double>(lanes_) : 1; }
  double operator()(const Loop& s) const { return static_cast<double>(s.reductions.size()); }

 private:
  bool is_square(const kernel_ir::Load& s) const {
    const Expr offset = kernel_ir::linear_offset(kernel_.buffers[s.buffer], s.index);
    for (const std::string& tile : tiles_) {
      const auto rows = as_linear(offset, tile), columns = as_linear(offset, vector_);
      if (rows && columns && rows->coefficient == Expr(1) && columns->coefficient.is_constant()) {
        return columns->coefficient.constant() > 1;
      }
    }
    return false;
  }
  double access(uint32_t buffer, const std::vector<Expr>& index, double one) const {
    const Expr offset = kernel_ir::linear_offset(kernel_.buffers[buffer], index);
    if (!varies_) return one + division(offset);
    // Blocks of a vectorised range start at multiples of the lanes: r / 16 and r % 16 are no obstacle.
    const Expr split = Expr::symbol("block") * Expr(lanes_) + Expr::symbol("lane");
    const Expr simple =
        simplify(offset.substitute({{vector_, split}}), {{"lane", {0, lanes_ - 1}}, {"block", {0, INT32_MAX}}});
    const auto linear = as_linear(simple, "lane");
    if (linear && linear->coefficient == Expr(1)) return one;
    if (linear && linear->coefficient == Expr(0)) return one + 0.5;
    // Lane by lane; each lane touches a cache line of its own.
    const double lanes = static_cast<double>(lanes_);
    return (linear && linear->coefficient.is_constant() ? 2 * lanes : 5 * lanes) * one * 2;
  }
  static double division(const Expr& e) {
    const std::string text = e.to_string();
    return text.find("floor_div") != std::string::npos || text.find("mod") != std::string::npos ||
                   text.find('/') != std::string::npos || text.find('%') != std::string::npos
               ? 3
               : 0;
  }

  const Kernel& kernel_;
  const std::string& vector_;
  const std::set<std::string>& tiles_;
  int64_t lanes_;
  bool varies_;
};

double extent(const Range& range) { return static_cast<double>(range.extent.constant()); }

}  // namespace

std::vector<double> phase_costs(const Kernel& kernel, const kernel_ir::Schedule& schedule) {
  const int64_t lanes = std::max<int64_t>(schedule.vector_lanes, 1);
  const std::set<std::string> vectors(schedule.vector_ranges.begin(), schedule.vector_ranges.end());
  const std::set<std::string> tiles(schedule.tile_ranges.begin(), schedule.tile_ranges.end());
  const auto dependence = kernel_ir::range_dependence(kernel);
  std::vector<double> costs;
  kernel_ir::for_each_statement(kernel, [&](const Statement& statement, const LoopPath& path) {
    if (path.empty()) {
      costs.push_back(0);
      return;
    }
    // Where the statement really runs: code that does not depend on a range is moved out of it.
    std::set<std::string> depends;
    bool all = std::holds_alternative<kernel_ir::Store>(statement) || std::holds_alternative<Loop>(statement);
    for (const kernel_ir::Ref ref : kernel_ir::results_of(statement)) {
      depends.insert(dependence[ref].begin(), dependence[ref].end());
    }
    const auto* inner = std::get_if<Loop>(&statement);
    std::vector<Range> ranges;
    for (const Loop* loop : path) ranges.insert(ranges.end(), loop->ranges.begin(), loop->ranges.end());
    if (inner) ranges.insert(ranges.end(), inner->ranges.begin(), inner->ranges.end());
    double times = 1;
    std::string vector;
    for (const Range& range : ranges) {
      const bool counts = all || depends.contains(range.name);
      if (vectors.contains(range.name)) vector = range.name;
      if (!counts) continue;
      const double n = extent(range);
      const double l = static_cast<double>(lanes);
      times *= vectors.contains(range.name) ? std::ceil(n / l) + (std::fmod(n, l) != 0 ? 0.5 : 0) : n;
    }
    const bool varies = !vector.empty() && (all || depends.contains(vector));
    costs.back() += times * std::visit(StatementCost(kernel, vector, tiles, lanes, varies), statement);
    // A reduction over lanes ends with a fold.
    if (inner && !inner->ranges.empty() && vectors.contains(inner->ranges.back().name)) {
      double outer = 1;
      for (const Loop* loop : path) {
        for (const Range& range : loop->ranges) outer *= extent(range);
      }
      costs.back() += outer * 12 * static_cast<double>(inner->reductions.size());
    }
  });
  constexpr double kCyclesPerNanosecond = 3;
  for (double& c : costs) c /= kCyclesPerNanosecond;
  return costs;
}

double cost(const Kernel& kernel, const kernel_ir::Schedule& schedule, const Target& target) {
  (void)target;
  double total = 0;
  for (const double c : phase_costs(kernel, schedule)) total += c;
  return total;
}

}  // namespace litz::schedule
