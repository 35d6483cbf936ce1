#include "api/session.h"

#include <utility>

namespace litz::api {

namespace {

thread_local Session* current_session = nullptr;

}  // namespace

Session* Session::current() { return current_session; }

Session::Scope::Scope(Session* session) : before_(std::exchange(current_session, session)) {}
Session::Scope::~Scope() { current_session = before_; }

Tensor Session::argument(const TensorLayout& layout) {
  const std::string name = "arg" + std::to_string(arguments_++);
  return make_traced(layout.dtype, shared_from_this(),
                     recorder_.input(layout.dtype, window_of(layout), name, /*frozen=*/false));
}

trace::Value Session::value_of(const Tensor& tensor) {
  const TensorState& state = state_of(tensor, "operand");
  if (state.traced) {
    if (state.traced->session.get() == this && open_) return state.traced->value;
    throw UserError("a stand-in of another trace is used; it ends with the function that litz::compile traced");
  }
  if (const auto it = values_of_captured_.find(&state); it != values_of_captured_.end()) return it->second;
  const std::string name = "captured" + std::to_string(captured_.size());
  trace::Value value = recorder_.input(state.layout->dtype, window_of(*state.layout), name, config_.freeze);
  captured_.push_back(tensor);
  values_of_captured_.emplace(&state, value);
  return value;
}

ir::Location Session::place_of(const CallSite& site) const {
  ir::Location location = location_of(site);
  if (!config_.places) location.source.clear();
  return location;
}

ops::AtenArg Session::to_aten(const Argument& argument) {
  const auto tensor = [&](const Tensor& t) {
    return t.defined() ? ops::AtenTensor{value_of(t).id} : ops::AtenTensor{ir::kNoValue};
  };
  return std::visit(
      [&](const auto& value) -> ops::AtenArg {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return tensor(value);
        } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
          std::vector<ops::AtenTensor> list;
          for (const Tensor& t : value) list.push_back(tensor(t));
          return list;
        } else {
          return value;
        }
      },
      argument.value());
}

std::vector<Tensor> Session::call(const CallSite& site, std::string_view aten, const std::vector<Argument>& arguments) {
  ops::AtenCall call{.name = std::string(aten), .args = {}, .used = {}};
  for (const Argument& a : arguments) call.args.push_back(to_aten(a));
  std::vector<Tensor> out;
  for (trace::Value& value : recorder_.call(call, place_of(site))) {
    if (value.id == ir::kNoValue) {
      out.emplace_back();
      continue;
    }
    const DType dtype = recorder_.dtype(value);
    out.push_back(make_traced(dtype, shared_from_this(), std::move(value)));
  }
  return out;
}

Tensor Session::view(const CallSite& site, const Tensor& x, std::string_view op, const ir::Attributes& attributes) {
  trace::Value value = recorder_.view(op, attributes, value_of(x), place_of(site));
  const DType dtype = recorder_.dtype(value);
  return make_traced(dtype, shared_from_this(), std::move(value));
}

Trace Session::finish(const std::vector<Tensor>& results) {
  std::vector<trace::Value> values;
  for (const Tensor& result : results) {
    if (!result.defined()) throw UserError("the function that litz::compile traced returned an undefined tensor");
    values.push_back(value_of(result));
  }
  open_ = false;
  trace::Recorded recorded = std::move(recorder_).finish(values);
  return {std::move(recorded.graph), std::move(recorded.results), std::move(captured_)};
}

}  // namespace litz::api
