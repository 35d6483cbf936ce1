#include "codegen/cpp/loops.h"

#include <algorithm>

#include "codegen/cpp/block.h"
#include "codegen/cpp/reduction_loop.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::Block;
using kernel_ir::Loop;
using kernel_ir::Range;
using kernel_ir::RangeKind;

int64_t extent(const Range& range) { return range.extent.constant(); }
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool has_check(const Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const kernel_ir::Statement& s) {
    const auto* loop = std::get_if<Loop>(&s);
    return std::holds_alternative<kernel_ir::Check>(s) || (loop && has_check(loop->body));
  });
}

class LoopNest {
 public:
  LoopNest(const kernel_ir::Kernel& kernel, Writer* out)
      : kernel_(kernel), schedule_(kernel.schedule), out_(*out), block_(kernel, lanes_of(kernel), out) {
    block_.set_loop_printer([this](const Loop& loop) { print_inner(loop); });
  }
  LaunchSpec print(const std::string& entry);

 private:
  static int lanes_of(const kernel_ir::Kernel& kernel) {
    return kernel.schedule.vector_ranges.empty() ? 1 : static_cast<int>(kernel.schedule.vector_lanes);
  }
  static bool contains(const std::vector<std::string>& names, const Range& range) {
    return std::find(names.begin(), names.end(), range.name) != names.end();
  }
  bool is_vector(const Range& range) const { return block_.lanes() > 1 && contains(schedule_.vector_ranges, range); }
  std::string bind(const Range& range, const std::string& text, int64_t multiple_of = 1) {
    block_.bind_range(range.name, {.text = text, .extent = range.extent, .multiple_of = multiple_of});
    return text;
  }

  Phase print_phase(const Loop& loop);
  void print_row_of_tasks(const Loop& loop, int64_t block);
  void print_tasks(const Loop& loop, size_t task_ranges, int64_t block);
  void print_range(const Loop& loop, size_t at, const std::string& from, const std::string& to);
  void bind_single_vector(const Range& range);
  void print_vectors(const Block& body, const Range& range, const std::string& from, const std::string& to);
  void print_vector_body(const Block& body, const Range& range, const std::string& index, int64_t valid_lanes);
  void print_tiles(const Loop& loop, const std::string& from, const std::string& to);
  void print_square(const Loop& loop, const std::string& row, const std::string& column);

  void print_inner(const Loop& loop);
  void print_serial(const Loop& loop, size_t at);

  const kernel_ir::Kernel& kernel_;
  const kernel_ir::Schedule& schedule_;
  Writer& out_;
  BlockEmitter block_;
  std::vector<Range> order_;  // the parallel ranges of the phase, a vectorised one last
};

LaunchSpec LoopNest::print(const std::string& entry) {
  out_.open("extern \"C\" void " + entry + "(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {");
  for (const kernel_ir::Statement& statement : kernel_.body.statements) {
    const auto& ranges = std::get<Loop>(statement).ranges;
    if (std::any_of(ranges.begin(), ranges.end(), [&](const Range& r) { return is_vector(r); })) {
      block_.set_local_copies(block_.lanes());
    }
  }
  block_.declare_buffers();
  LaunchSpec launch;
  launch.phases.clear();
  const auto& statements = kernel_.body.statements;
  for (size_t i = 0; i < statements.size(); ++i) {
    const auto* loop = std::get_if<Loop>(&statements[i]);
    LITZ_CHECK(loop && loop->kind == RangeKind::parallel, "the outermost statements are parallel loops");
    out_.open(statements.size() > 1 ? "if (phase == " + std::to_string(i) + ") {" : "{");
    launch.phases.push_back(print_phase(*loop));
    out_.close();
  }
  out_.close();
  launch.thread_scratch_bytes = block_.local_bytes();
  launch.may_fault = has_check(kernel_.body);
  return launch;
}

Phase LoopNest::print_phase(const Loop& loop) {
  const auto scope = block_.scope();
  order_.clear();
  for (int place = 0; place < 3; ++place) {  // plain ones, the tiled one, the vectorised one
    for (const Range& range : loop.ranges) {
      if ((is_vector(range) ? 2 : contains(schedule_.tile_ranges, range) ? 1 : 0) == place) order_.push_back(range);
    }
  }
  bool vectorised = !order_.empty() && is_vector(order_.back());
  LITZ_CHECK(order_.size() < 2 || !is_vector(order_[order_.size() - 2]), "two vectorised ranges in one loop");
  block_.set_interleaved_locals(vectorised);

  Phase phase = {.tasks = 1, .grain = std::max<int64_t>(schedule_.grain, 1)};
  for (const Range& range : order_) {
    if (extent(range) == 0) return {.tasks = 0, .grain = 1};
  }
  if (vectorised && extent(order_.back()) <= block_.lanes()) {
    bind_single_vector(order_.back());
    order_.pop_back();
    vectorised = false;
  }
  size_t task_ranges = static_cast<size_t>(std::max<int64_t>(schedule_.task_ranges, 0));
  if (task_ranges == 0) task_ranges = order_.size() - (vectorised ? 1 : 0);
  task_ranges = std::min(task_ranges, order_.size());
  int64_t block = std::max<int64_t>(schedule_.task_block, 1);
  if (task_ranges == order_.size() && vectorised) block = ceil_div(block, block_.lanes()) * block_.lanes();
  int64_t tasks = 1;
  for (size_t i = 0; i < task_ranges; ++i) {
    tasks *= i + 1 == task_ranges ? ceil_div(extent(order_[i]), block) : extent(order_[i]);
  }
  phase.tasks = tasks;
  if (task_ranges == 0) {
    block_.hoist(loop.body);
    print_range(loop, 0, "0", "");
  } else if (task_ranges == 1) {
    print_row_of_tasks(loop, block);
  } else {
    print_tasks(loop, task_ranges, block);
  }
  return phase;
}

// All lanes of a range that fits into a vector: no loop, and known from the start.
void LoopNest::bind_single_vector(const Range& range) {
  bind(range, "0", block_.lanes());
  block_.vectorize(range.name);
  if (extent(range) < block_.lanes()) block_.set_valid_lanes(std::to_string(extent(range)));
}

// One flattened range: neighbouring tasks join into one loop.
void LoopNest::print_row_of_tasks(const Loop& loop, int64_t block) {
  const int64_t n = extent(order_[0]);
  if (block == 1) return print_range(loop, 0, "begin", "end");
  const std::string size = std::to_string(block);
  const std::string end = n % block == 0 ? "end * " + size : "min_i64(end * " + size + ", " + std::to_string(n) + ")";
  print_range(loop, 0, "begin * " + size, end);
}

// Several flattened ranges: the first task is decoded by division, the others by counting up.
void LoopNest::print_tasks(const Loop& loop, size_t task_ranges, int64_t block) {
  const auto scope = block_.scope();
  const Range& last = order_[task_ranges - 1];
  const int64_t blocks = ceil_div(extent(last), block);
  std::vector<std::string> names;
  for (size_t i = 0; i < task_ranges; ++i) names.push_back(block_.fresh("i", order_[i].name));
  const std::string rest = block_.fresh("t");
  out_.line("i64 " + rest + " = begin;");
  for (size_t i = task_ranges; i-- > 0;) {
    const int64_t count = i + 1 == task_ranges ? blocks : extent(order_[i]);
    const std::string size = std::to_string(count);
    const std::string scale = i + 1 == task_ranges && block > 1 ? " * " + std::to_string(block) : "";
    out_.line("i64 " + names[i] + " = " + (i == 0 ? rest : rest + " % " + size) + scale + ";");
    if (i > 0) out_.line(rest + " /= " + size + ";");
  }
  const std::string task = block_.fresh("t");
  out_.open("for (i64 " + task + " = begin; " + task + " < end; ++" + task + ") {");
  for (size_t i = 0; i + 1 < task_ranges; ++i) bind(order_[i], names[i]);
  block_.hoist(loop.body);
  const std::string n = std::to_string(extent(last));
  std::string to = names.back() + " + " + std::to_string(block);
  if (extent(last) % block != 0) to = "min_i64(" + to + ", " + n + ")";
  if (block == 1) {
    const auto inner = block_.scope();
    bind(last, names.back());
    out_.open("{");
    block_.hoist(loop.body);
    print_range(loop, task_ranges, "0", "");
    out_.close();
  } else {
    print_range(loop, task_ranges - 1, names.back(), to);
  }
  // The next task.
  std::string carry = names.back() + " += " + std::to_string(block) + ";";
  for (size_t i = task_ranges; i-- > 1;) {
    out_.line(carry);
    out_.open("if (" + names[i] + " >= " + std::to_string(extent(order_[i])) + ") {");
    out_.line(names[i] + " = 0;");
    carry = "++" + names[i - 1] + ";";
  }
  out_.line(carry);
  for (size_t i = task_ranges; i-- > 1;) out_.close();
  out_.close();
}

// Prints the loops of the parallel ranges from `at` on, the first from `from` to `to` ("": to its end).
void LoopNest::print_range(const Loop& loop, size_t at, const std::string& from, const std::string& to) {
  if (at == order_.size()) return block_.emit(loop.body);
  const Range& range = order_[at];
  if (is_vector(range)) return print_vectors(loop.body, range, from, to);
  if (contains(schedule_.tile_ranges, range) && at + 2 == order_.size() && is_vector(order_[at + 1]) &&
      extent(range) >= block_.lanes()) {
    return print_tiles(loop, from, to);
  }
  const auto scope = block_.scope();
  const std::string index = block_.fresh("i", range.name);
  const std::string end = to.empty() ? std::to_string(extent(range)) : to;
  out_.open("for (i64 " + index + " = " + from + ", " + index + "e = " + end + "; " + index + " < " + index + "e; ++" +
            index + ") {");
  bind(range, index);
  block_.hoist(loop.body);
  print_range(loop, at + 1, "0", "");
  out_.close();
}

// Prints the loops over the last two ranges, a tiled and a vectorised one: squares, then what is left of both.
void LoopNest::print_tiles(const Loop& loop, const std::string& from, const std::string& to) {
  const Range& range = order_[order_.size() - 2];
  const Range& vector = order_.back();
  const std::string lanes = std::to_string(block_.lanes());
  const std::string index = block_.fresh("i", range.name);
  const std::string end = to.empty() ? std::to_string(extent(range)) : to;
  out_.line("i64 " + index + " = " + from + ";");
  out_.line("const i64 " + index + "e = " + end + ";");
  out_.open("for (; " + index + " + " + lanes + " <= " + index + "e; " + index + " += " + lanes + ") {");
  const int64_t whole = extent(vector) / block_.lanes() * block_.lanes();
  if (whole > 0) {
    const std::string column = block_.fresh("i", vector.name);
    out_.open("for (i64 " + column + " = 0; " + column + " < " + std::to_string(whole) + "; " + column +
              " += " + lanes + ") {");
    print_square(loop, index, column);
    out_.close();
  }
  if (whole < extent(vector)) {
    const auto scope = block_.scope();
    const std::string row = block_.fresh("i", range.name);
    out_.open("for (i64 " + row + " = " + index + "; " + row + " < " + index + " + " + lanes + "; ++" + row + ") {");
    bind(range, row);
    print_vector_body(loop.body, vector, std::to_string(whole), extent(vector) - whole);
    out_.close();
  }
  out_.close();
  const auto scope = block_.scope();
  out_.open("for (; " + index + " < " + index + "e; ++" + index + ") {");
  bind(range, index);
  block_.hoist(loop.body);
  print_vectors(loop.body, vector, "0", "");
  out_.close();
}

// lanes x lanes iterations: loads that are contiguous along the tiled range come first, all at once.
void LoopNest::print_square(const Loop& loop, const std::string& row, const std::string& column) {
  const auto scope = block_.scope();
  const Range& range = order_[order_.size() - 2];
  const Range& vector = order_.back();
  bind(vector, column, block_.lanes());
  block_.vectorize(vector.name);
  block_.hoist(loop.body);
  const std::string lane_row = block_.fresh("u", range.name);
  std::vector<std::pair<kernel_ir::Ref, Value>> squares;
  {
    const auto first_row = block_.scope();
    bind(range, row);
    for (const kernel_ir::Statement& statement : loop.body.statements) {
      const auto* load = std::get_if<kernel_ir::Load>(&statement);
      if (!load) continue;
      if (auto value = block_.load_square(*load, range.name, lane_row)) squares.emplace_back(load->result, *value);
    }
  }
  for (auto& [ref, value] : squares) block_.bind(ref, std::move(value));
  out_.open("for (int " + lane_row + " = 0; " + lane_row + " < " + std::to_string(block_.lanes()) + "; ++" + lane_row +
            ") {");
  const std::string place = block_.fresh("i", range.name);
  out_.line("const i64 " + place + " = " + row + " + " + lane_row + ";");
  bind(range, place);
  block_.emit(loop.body);
  out_.close();
}

// Prints the loop over a vectorised range: whole vectors, then the lanes that are left.
void LoopNest::print_vectors(const Block& body, const Range& range, const std::string& from, const std::string& to) {
  const int64_t lanes = block_.lanes();
  const int64_t n = extent(range), rest = n % lanes;
  if (n <= lanes) {
    const auto scope = block_.scope();
    bind_single_vector(range);
    return block_.emit(body);
  }
  const std::string index = block_.fresh("i", range.name);
  const std::string end = to.empty() ? std::to_string(n) : to;
  if (rest == 0) {
    out_.open("for (i64 " + index + " = " + from + ", " + index + "e = " + end + "; " + index + " < " + index + "e; " +
              index + " += " + std::to_string(lanes) + ") {");
    print_vector_body(body, range, index, 0);
    out_.close();
    return;
  }
  out_.line("i64 " + index + " = " + from + ";");
  out_.line("const i64 " + index + "e = " + end + ";");
  out_.open("for (; " + index + " + " + std::to_string(lanes) + " <= " + index + "e; " + index +
            " += " + std::to_string(lanes) + ") {");
  print_vector_body(body, range, index, 0);
  out_.close();
  out_.open("if (" + index + " < " + index + "e) {");
  print_vector_body(body, range, index, rest);
  out_.close();
}

void LoopNest::print_vector_body(const Block& body, const Range& range, const std::string& index, int64_t valid_lanes) {
  const auto scope = block_.scope();
  bind(range, index, block_.lanes());
  block_.vectorize(range.name);
  block_.set_valid_lanes(valid_lanes > 0 ? std::to_string(valid_lanes) : "");
  block_.emit(body);
}

void LoopNest::print_inner(const Loop& loop) {
  LITZ_CHECK(loop.kind != RangeKind::parallel, "a parallel loop inside a loop");
  if (loop.kind == RangeKind::reduction) {
    const bool vectorise = block_.state().vector_range.empty() && !loop.ranges.empty() && is_vector(loop.ranges.back());
    ReductionLoop(&block_, loop, vectorise, schedule_.unroll).print();
    return;
  }
  for (const Range& range : loop.ranges) {
    if (extent(range) == 0) return;
  }
  const auto scope = block_.scope();
  block_.hoist(loop.body);
  print_serial(loop, 0);
}

void LoopNest::print_serial(const Loop& loop, size_t at) {
  if (at == loop.ranges.size()) return block_.emit(loop.body);
  const Range& range = loop.ranges[at];
  const bool vectorise = block_.state().vector_range.empty() && is_vector(range);
  if (vectorise) {
    LITZ_CHECK(at + 1 == loop.ranges.size(), "a vectorised range of a serial loop is its last");
    return print_vectors(loop.body, range, "0", "");
  }
  const auto scope = block_.scope();
  const std::string index = block_.fresh("i", range.name);
  out_.open("for (i64 " + index + " = 0; " + index + " < " + std::to_string(extent(range)) + "; ++" + index + ") {");
  bind(range, index);
  block_.hoist(loop.body);
  print_serial(loop, at + 1);
  out_.close();
}

}  // namespace

LaunchSpec print_loops(const kernel_ir::Kernel& kernel, const std::string& entry, Writer* out) {
  return LoopNest(kernel, out).print(entry);
}

}  // namespace litz::codegen::cpp
