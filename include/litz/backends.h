// Back ends: what compiles a graph. The option `backend` chooses one; "litz" is the default.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "litz/options.h"
#include "litz/tensor.h"

namespace litz {

namespace api {
struct GraphState;
}

// Runs a graph: one tensor for each input, one result for each output.
using GraphFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// A traced program, as a back end gets it.
class LITZ_API Graph {
 public:
  struct Value {
    std::string name;
    DType dtype = DType::f32;
    std::vector<int64_t> shape;
    bool weight = false;  // an input that is expected to stay the same
  };

  explicit Graph(std::shared_ptr<const api::GraphState> state) : state_(std::move(state)) {}

  std::vector<Value> inputs() const;  // arguments first, then captured tensors
  std::vector<Value> outputs() const;
  // IR text, which litz-opt reads.
  std::string text() const;
  // What another back end makes of it.
  GraphFunction compile(const CompileOptions& options = {}) const;

 private:
  std::shared_ptr<const api::GraphState> state_;
};

// Called once for each graph; may be called from many threads, and so may what it returns.
using Backend = std::function<GraphFunction(const Graph& graph, const CompileOptions& options)>;

// UserError if the name is empty or taken.
LITZ_API void register_backend(const std::string& name, Backend backend);
LITZ_API std::vector<std::string> list_backends();

}  // namespace litz
