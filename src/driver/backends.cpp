// The registry of back ends: an explicit table, then what users register.
#include <algorithm>
#include <map>
#include <mutex>

#include "driver/driver.h"
#include "runtime/executable.h"
#include "support/edit_distance.h"

namespace litz::driver {

std::shared_ptr<Compiled> compile_graph(const ir::Graph& graph, const Options& options,
                                        std::shared_ptr<runtime::ForeignRunner> foreign);

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::pair<std::string, Backend>> backends = {{"litz", compile_graph}};
};

Registry& registry() {
  static Registry r;
  return r;
}

}  // namespace

void register_backend(const std::string& name, Backend backend) {
  if (name.empty()) throw UserError("register_backend: the name is empty");
  if (!backend) throw UserError("register_backend: no function was given for '" + name + "'");
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const bool taken = std::any_of(r.backends.begin(), r.backends.end(), [&](const auto& b) { return b.first == name; });
  if (taken) throw UserError("register_backend: there is a back end '" + name + "' already");
  r.backends.emplace_back(name, std::move(backend));
}

std::vector<std::string> list_backends() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::vector<std::string> names;
  for (const auto& [name, backend] : r.backends) names.push_back(name);
  return names;
}

std::shared_ptr<Compiled> compile(const ir::Graph& graph, const Options& options,
                                  std::shared_ptr<runtime::ForeignRunner> foreign) {
  Backend backend;
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    for (const auto& [name, fn] : r.backends) {
      if (name == options.backend) backend = fn;
    }
  }
  if (!backend) {
    std::string known;
    for (const std::string& name : list_backends()) known += (known.empty() ? "" : ", ") + name;
    throw UserError("no back end '" + options.backend + "'; there are: " + known);
  }
  return backend(graph, options, std::move(foreign));
}

}  // namespace litz::driver
