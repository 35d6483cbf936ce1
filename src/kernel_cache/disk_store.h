// Compiled things on disk, one file for each key.
//
// A folder or entry is used only if this user owns it, no one else may write to it and it is no link. A digest inside
// each entry finds damage. Writing is by rename, so readers in other processes see an entry whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace litz::kernel_cache {

class DiskStore {
 public:
  // Makes the folder if there is none. If it cannot be used, the store is empty and stays so; `problem` says why.
  explicit DiskStore(const std::string& directory);
  ~DiskStore();
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;

  // `key`: letters, digits, '-' and '.'.
  std::optional<std::string> load(const std::string& key) const;
  // False if it could not be kept.
  bool save(const std::string& key, std::string_view bytes);

  const std::string& directory() const { return directory_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string directory_;  // empty if it cannot be used
  std::string problem_;
  int folder_ = -1;
};

}  // namespace litz::kernel_cache
