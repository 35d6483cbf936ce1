#include "api/warnings.h"

#include "support/diagnostics.h"

namespace litz::api {

void warn_of_fallbacks(const driver::CompileReport& report) {
  for (const driver::FallbackReport& f : report.fallbacks) {
    const std::string message = f.op + (f.source.empty() ? "" : " at " + f.source) + " " + f.reason;
    warn_once("fallback " + message, message);
  }
}

}  // namespace litz::api
