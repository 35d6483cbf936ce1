#include <fstream>
#include <string>

#include "kernel_cache/compiler.h"

namespace litz::kernel_cache {

// What the operating system says about the first CPU, in one line.
const std::string& native_cpu() {
  static const std::string text = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string out;
    for (std::string line; std::getline(file, line) && !line.empty();) {
      for (const char* field : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU "}) {
        if (!line.starts_with(field)) continue;
        std::erase(line, '\t');
        out += (out.empty() ? "" : "; ") + line;
        break;
      }
    }
    return out;
  }();
  return text;
}

}  // namespace litz::kernel_cache
