#include <filesystem>

#include "kernel_cache/compiler.h"

namespace litz::kernel_cache {

std::string function_name(const KernelSource& source) {
  std::string name = std::filesystem::path(source.debug_file).stem().string();
  if (name.empty()) return source.entry;
  for (char& c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9')) c = '_';
  }
  return name[0] >= '0' && name[0] <= '9' ? "_" + name : name;
}

}  // namespace litz::kernel_cache
