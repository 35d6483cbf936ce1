// A folder of a test's own, removed at its end.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace litz::kernel_cache {

struct TemporaryFolder {
  std::string path;

  TemporaryFolder() {
    path = (std::filesystem::temp_directory_path() / "litz-test-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) std::abort();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    chmod(path.c_str(), 0700);
    std::filesystem::remove_all(path, error);
  }

  std::string file(const std::string& name) const { return path + "/" + name; }
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace litz::kernel_cache
