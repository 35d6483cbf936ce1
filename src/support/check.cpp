#include "support/check.h"

#include <string_view>

namespace litz {

void internal_error(const char* condition, const char* file, int line, const std::string& message) {
  // The path from "src/" on, so that a message does not name the build machine's folders.
  std::string_view path = file;
  if (size_t at = path.rfind("src/"); at != std::string_view::npos) path.remove_prefix(at);
  throw InternalError("internal error in Litz: " + message + "\n  failed check: " + condition + "\n  at " +
                      std::string(path) + ":" + std::to_string(line) + "\n  please report it with this text");
}

}  // namespace litz
