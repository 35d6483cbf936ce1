// The recording of one function, on one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/state.h"
#include "frontends/trace/recorder.h"

namespace litz::api {

// What a recording gives. The graph's inputs are the arguments, then the captured tensors.
struct Trace {
  ir::Graph graph;
  std::vector<trace::Result> results;
  std::vector<Tensor> captured;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  struct Config {
    bool freeze = true;  // captured tensors are inputs that are packed once and watched for changes
    bool places = true;  // nodes know where in the user's program they come from
  };
  Session(std::string name, Config config) : recorder_(std::move(name)), config_(config) {}

  // The recording that runs on this thread; null outside of one. Ops record into it even if all their operands have
  // values, so that later changes of those are seen.
  static Session* current();

  // Makes a session the current one for the life of the object.
  class Scope {
   public:
    explicit Scope(Session* session);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Session* before_;
  };

  // A stand-in for an argument; all of them before the first op.
  Tensor argument(const TensorLayout& layout);
  std::vector<Tensor> call(const CallSite& site, std::string_view aten, const std::vector<Argument>& arguments);
  Tensor view(const CallSite& site, const Tensor& x, std::string_view op, const ir::Attributes& attributes);
  // Ends the recording; stand-ins are of no use afterwards.
  Trace finish(const std::vector<Tensor>& results);

 private:
  trace::Value value_of(const Tensor& tensor);
  ops::AtenArg to_aten(const Argument& argument);
  ir::Location place_of(const CallSite& site) const;

  trace::Recorder recorder_;
  const Config config_;
  int arguments_ = 0;
  bool open_ = true;
  std::vector<Tensor> captured_;
  std::map<const TensorState*, trace::Value> values_of_captured_;
};

}  // namespace litz::api
