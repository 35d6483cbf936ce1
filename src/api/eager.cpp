#include "api/eager.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "api/options.h"
#include "api/runnable.h"
#include "api/session.h"
#include "api/state.h"
#include "api/warnings.h"

namespace litz::api {

namespace {

constexpr size_t kKept = 1024;  // programs

// Programs by what they were compiled for.
class Cache {
 public:
  std::shared_ptr<const Runnable> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end()) return nullptr;
    it->second.used = ++clock_;
    return it->second.runnable;
  }

  void add(const std::string& key, std::shared_ptr<const Runnable> runnable) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= kKept) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    entries_[key] = {std::move(runnable), ++clock_};
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  struct Entry {
    std::shared_ptr<const Runnable> runnable;
    uint64_t used = 0;  // when it was last asked for
  };

  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  uint64_t clock_ = 0;
};

Cache& cache() {
  static Cache instance;
  return instance;
}

template <typename T>
void append_raw(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_list(std::string& key, const std::vector<int64_t>& list) {
  append_raw(key, list.size());
  key.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int64_t));
}

void append_tensor(std::string& key, const Tensor& tensor) {
  if (!tensor.defined()) {
    key += '-';
    return;
  }
  const TensorLayout& layout = *real_state(tensor, "operand").layout;
  append_raw(key, layout.dtype);
  append_list(key, layout.shape);
  key += layout.row_major ? 'r' : 's';
  if (!layout.row_major) append_list(key, layout.strides);
}

struct AppendArgument {
  std::string& key;

  void operator()(std::monostate) const {}
  void operator()(bool v) const { append_raw(key, v); }
  void operator()(int64_t v) const { append_raw(key, v); }
  void operator()(double v) const { append_raw(key, v); }
  void operator()(const std::string& v) const { key += v + '\0'; }
  void operator()(DType v) const { append_raw(key, v); }
  void operator()(const std::vector<int64_t>& v) const { append_list(key, v); }
  void operator()(const Tensor& v) const { append_tensor(key, v); }
  void operator()(const std::vector<Tensor>& v) const {
    append_raw(key, v.size());
    for (const Tensor& t : v) append_tensor(key, t);
  }
};

// Everything that the program depends on.
std::string key_of(std::string_view aten, const std::vector<Argument>& arguments) {
  std::string key(aten);
  for (const Argument& a : arguments) {
    key += static_cast<char>('0' + a.value().index());
    std::visit(AppendArgument{key}, a.value());
  }
  return key;
}

// The tensors among the arguments, in order.
std::vector<const Tensor*> tensors_of(const std::vector<Argument>& arguments) {
  std::vector<const Tensor*> out;
  for (const Argument& a : arguments) {
    if (const auto* tensor = std::get_if<Tensor>(&a.value())) out.push_back(tensor);
    if (const auto* list = std::get_if<std::vector<Tensor>>(&a.value())) {
      for (const Tensor& t : *list) {
        if (t.defined()) out.push_back(&t);
      }
    }
  }
  return out;
}

// The arguments with stand-ins for the tensors.
std::vector<Argument> stand_ins(const std::vector<Argument>& arguments, Session& session) {
  const auto stand_in = [&](const Tensor& tensor) {
    return tensor.defined() ? session.argument(*Access::get(tensor)->layout) : Tensor();
  };
  std::vector<Argument> out;
  for (const Argument& a : arguments) {
    if (const auto* tensor = std::get_if<Tensor>(&a.value())) {
      out.emplace_back(stand_in(*tensor));
    } else if (const auto* list = std::get_if<std::vector<Tensor>>(&a.value())) {
      std::vector<Tensor> replaced;
      for (const Tensor& t : *list) replaced.push_back(stand_in(t));
      out.emplace_back(replaced);
    } else {
      out.push_back(a);
    }
  }
  return out;
}

std::shared_ptr<const Runnable> compile_op(const CallSite& site, std::string_view aten,
                                           const std::vector<Argument>& arguments) {
  const auto session = std::make_shared<Session>(site.function, Session::Config{.freeze = false, .places = false});
  const std::vector<Argument> recorded = stand_ins(arguments, *session);
  Options options = options_from_environment();
  options.debug = false;
  options.freeze = false;
  auto runnable = std::make_shared<Runnable>(session->finish(session->call(site, aten, recorded)), options);
  if (runnable->compiled() != nullptr) warn_of_fallbacks(runnable->compiled()->report);
  return runnable;
}

}  // namespace

std::vector<Tensor> run_eagerly(const CallSite& site, std::string_view aten, const std::vector<Argument>& arguments) {
  const std::string key = key_of(aten, arguments);
  std::shared_ptr<const Runnable> runnable = cache().find(key);
  if (!runnable) {
    runnable = compile_op(site, aten, arguments);
    cache().add(key, runnable);
  }
  return runnable->run(tensors_of(arguments));
}

Tensor view_eagerly(const CallSite& site, const Tensor& x, std::string_view op, const ir::Attributes& attributes) {
  const TensorState& state = real_state(x, site.function);
  const trace::Strided window = window_of(*state.layout);
  if (op != "reshape") return make_window(x, trace::view_of(op, attributes, window));
  std::vector<int64_t> shape;
  for (const Expr& size : attributes.get<std::vector<Expr>>("shape")) shape.push_back(size.constant());
  if (const auto view = trace::reshaped(window, shape)) return make_window(x, *view);
  return make_window(x.clone(), trace::row_major(shape));
}

void reset_eager() { cache().clear(); }

}  // namespace litz::api
