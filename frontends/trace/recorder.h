// Records ops on tensors that have no values, as a graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/trace/strided.h"
#include "ir/graph.h"
#include "ops/aten.h"
#include "ops/record.h"

namespace litz::trace {

// A stand-in: its value in the graph, and how its elements would lie in memory outside of a trace, as a window onto
// the memory of `root`. The result of an op is a root of its own, row-major.
struct Value {
  ir::ValueId id = ir::kNoValue;
  ir::ValueId root = ir::kNoValue;
  Strided window;
};

// Where the caller finds a result: in an output or an input of the graph, through a window onto it.
struct Result {
  bool is_input = false;
  uint32_t index = 0;
  Strided window;
};

struct Recorded {
  ir::Graph graph;
  std::vector<Result> results;
};

class Recorder {
 public:
  explicit Recorder(std::string name) : graph_(std::move(name)), builder_(graph_) {}

  // A tensor of the caller. `window.offset` must be 0.
  Value input(DType dtype, const Strided& window, const std::string& name, bool frozen);

  // One of ATen's ops that is not a view; a result that nobody reads may have no id. UserError with the reason if the
  // importer does not take the call.
  std::vector<Value> call(const ops::AtenCall& call, const ir::Location& location);
  // A view op of the records, with its attributes. A reshape that takes a copy is a root of its own.
  Value view(std::string_view op, const ir::Attributes& attributes, const Value& x, const ir::Location& location);

  DType dtype(const Value& x) const { return builder_.type(x.id).dtype; }

  // Ends the recording. Results that are windows onto inputs stay so; results with one root share an output. A single
  // window that shows a part of its root only becomes an output of its own, row-major.
  Recorded finish(std::span<const Value> results) &&;

 private:
  Value root(ir::ValueId id) const;

  ir::GraphBuilder graph_;
  ops::Builder builder_;
};

}  // namespace litz::trace
