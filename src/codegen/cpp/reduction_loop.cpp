#include "codegen/cpp/reduction_loop.h"

#include <algorithm>

#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

int choose_copies(const BlockEmitter& block, const kernel_ir::Loop& loop, bool vectorise, int64_t unroll) {
  if (!vectorise) return 1;
  for (const kernel_ir::Reduction& r : loop.reductions) {
    if (r.op == ir::ReduceOp::argmax || r.op == ir::ReduceOp::argmin) return 1;
  }
  const int64_t vectors = loop.ranges.back().extent.constant() / block.lanes();
  int64_t copies = 1;
  while (copies * 2 <= unroll && copies * 2 <= vectors) copies *= 2;
  // Left-over vectors cost a copy of the body: worth it only in long loops.
  while (copies > 1 && vectors % copies != 0 && vectors < 8 * copies) copies /= 2;
  return static_cast<int>(copies);
}

Accumulators::Form form(const BlockEmitter& block, bool vectorise, int copies) {
  const bool vector = vectorise || !block.state().vector_range.empty();
  return {.vector = vector, .copies = copies, .combine_lanes = vectorise};
}

}  // namespace

ReductionLoop::ReductionLoop(BlockEmitter* block, const kernel_ir::Loop& loop, bool vectorise, int64_t unroll)
    : block_(*block),
      out_(block->out()),
      loop_(loop),
      vectorise_(vectorise),
      copies_(choose_copies(*block, loop, vectorise, unroll)),
      accumulators_(block, loop, form(*block, vectorise, copies_)) {
  plan();
}

// From the innermost range outwards. `chain` counts the additions that one iteration of the next node makes into the
// accumulators it sees.
void ReductionLoop::plan() {
  const bool leveled = accumulators_.has_float_sum();
  const int64_t limit = Accumulators::kChain;
  int64_t chain = 1;
  for (size_t range = loop_.ranges.size(); range-- > 0;) {
    int64_t trips = extent(range) / step(range);
    int64_t unit = step(range);
    while (true) {
      // A little over the limit is not worth another level.
      const int64_t count = leveled && trips > 2 * limit ? limit : trips;
      Node node = {range, unit, count};
      if (leveled && chain > 1 && chain * count > 2 * limit) {
        node.fresh_level = true;
        chain = 1;
      }
      nodes_.push_back(node);
      chain *= std::max<int64_t>(count, 1);
      if (count >= trips) break;
      trips = (trips + count - 1) / count;
      unit *= count;
    }
  }
  std::reverse(nodes_.begin(), nodes_.end());
}

void ReductionLoop::print() {
  block_.hoist(loop_.body);
  const int level = accumulators_.open_level();
  bool empty = false;
  for (size_t i = 0; i < loop_.ranges.size(); ++i) empty = empty || extent(i) == 0;
  if (!empty) print_node(0, "0", level);
  accumulators_.finish(level);
}

// Prints the loop of node `at`, starting at index `from` of its range, and what follows the range's main part.
void ReductionLoop::print_node(size_t at, const std::string& from, int level) {
  if (at == nodes_.size()) {  // no ranges: one iteration
    const auto scope = block_.scope();
    print_body("", level, "0", 0);
    return;
  }
  const Node& node = nodes_[at];
  const int64_t end = main_end(node.range);
  const int64_t span = node.unit * node.count;
  const bool first_of_range = at == 0 || nodes_[at - 1].range != node.range;
  if (end > 0) {
    const std::string index = block_.fresh("i", loop_.ranges[node.range].name);
    std::string to = from + " + " + std::to_string(span);
    if (first_of_range) {
      to = std::to_string(end);
    } else if (end % span != 0) {
      to = "min_i64(" + to + ", " + std::to_string(end) + ")";
    }
    out_.open("for (i64 " + index + " = " + from + ", " + index + "e = " + to + "; " + index + " < " + index + "e; " +
              index + " += " + std::to_string(node.unit) + ") {");
    const int inner = node.fresh_level ? accumulators_.open_level() : level;
    print_iteration(at, index, inner);
    if (node.fresh_level) accumulators_.flush(inner, level);
    out_.close();
  }
  if (first_of_range && innermost(node.range)) print_rest(level);
}

// What one iteration of node `at` does.
void ReductionLoop::print_iteration(size_t at, const std::string& index, int level) {
  const Node& node = nodes_[at];
  if (at + 1 < nodes_.size() && nodes_[at + 1].range == node.range) return print_node(at + 1, index, level);
  if (innermost(node.range)) return print_copies(index, level);
  const auto scope = block_.scope();
  block_.bind_range(loop_.ranges[node.range].name, {.text = index, .extent = extent(node.range)});
  block_.hoist(loop_.body);
  print_node(at + 1, "0", level);
}

void ReductionLoop::print_copies(const std::string& index, int level) {
  if (copies_ == 1) return print_body(index, level, "0", 0);
  const std::string copy = block_.fresh("u");
  const std::string place = block_.fresh("i", loop_.ranges.back().name);
  out_.line("#pragma GCC unroll " + std::to_string(copies_));
  out_.open("for (int " + copy + " = 0; " + copy + " < " + std::to_string(copies_) + "; ++" + copy + ") {");
  out_.line("const i64 " + place + " = " + index + " + " + copy + " * " + std::to_string(block_.lanes()) + ";");
  print_body(place, level, copy, 0);
  out_.close();
}

// Vectors that are left over, then the lanes that are left over.
void ReductionLoop::print_rest(int level) {
  if (!vectorise_) return;
  const size_t range = loop_.ranges.size() - 1;
  const int64_t lanes = block_.lanes();
  const int64_t n = extent(range), whole = n / lanes * lanes;
  const int64_t start = main_end(range);
  if (start < whole) {
    const std::string index = block_.fresh("i", loop_.ranges.back().name);
    out_.open("for (i64 " + index + " = " + std::to_string(start) + "; " + index + " < " + std::to_string(whole) +
              "; " + index + " += " + std::to_string(lanes) + ") {");
    print_body(index, level, "0", 0);
    out_.close();
  }
  if (whole < n) {
    out_.open("{");
    print_body(std::to_string(whole), level, "0", n - whole);
    out_.close();
  }
}

void ReductionLoop::print_body(const std::string& index, int level, const std::string& copy, int64_t valid_lanes) {
  const auto scope = block_.scope();
  const std::string valid = valid_lanes > 0 ? std::to_string(valid_lanes) : "";
  if (!loop_.ranges.empty()) {
    const kernel_ir::Range& last = loop_.ranges.back();
    block_.bind_range(last.name,
                      {.text = index, .extent = last.extent, .multiple_of = vectorise_ ? block_.lanes() : 1});
    if (vectorise_) {
      block_.vectorize(last.name);
      block_.set_valid_lanes(valid);
    }
  }
  block_.emit(loop_.body);
  accumulators_.update(level, copy, accumulators_.has_arg() ? position() : "", vectorise_ ? valid : "");
}

std::string ReductionLoop::position() const {
  std::string text;
  for (const kernel_ir::Range& range : loop_.ranges) {
    const std::string index = block_.state().ranges.at(range.name).text;
    text = text.empty() ? index : "(" + text + ") * " + std::to_string(range.extent.constant()) + " + " + index;
  }
  return text.empty() ? "0" : text;
}

}  // namespace litz::codegen::cpp
