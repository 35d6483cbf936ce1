#include "support/diagnostics.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

namespace litz {

namespace {

struct State {
  std::mutex mutex;
  WarningHandler handler;
  std::set<std::string, std::less<>> said;
};

// Never destroyed: a warning may come while the program ends.
State& state() {
  static State& instance = *new State;
  return instance;
}

}  // namespace

void set_warning_handler(WarningHandler handler) {
  std::lock_guard lock(state().mutex);
  state().handler = std::move(handler);
}

void warn(const std::string& message) {
  WarningHandler handler;
  {
    std::lock_guard lock(state().mutex);
    handler = state().handler;
  }
  if (handler) {
    handler(message);
  } else {
    std::fprintf(stderr, "litz: %s\n", message.c_str());
  }
}

void warn_once(std::string_view key, const std::string& message) {
  {
    std::lock_guard lock(state().mutex);
    if (!state().said.emplace(key).second) return;
  }
  warn(message);
}

}  // namespace litz
