#include "kernel_cache/disk_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "kernel_cache/kernel_cache.h"
#include "support/check.h"
#include "support/sha256.h"

namespace litz::kernel_cache {

namespace {

constexpr std::string_view kMagic = "litz-entry-1 ";
constexpr size_t kDigestBytes = 64;
constexpr size_t kHeaderBytes = kMagic.size() + kDigestBytes + 1;
constexpr int64_t kMaxEntry = 256 << 20;
constexpr std::string_view kSuffix = ".litz";
constexpr std::string_view kTemporary = ".writing-";

struct File {
  int fd;
  explicit File(int f) : fd(f) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

std::string reason() { return std::strerror(errno); }

// What is wrong with who owns or may write a file; empty if nothing.
std::string trust_problem(const struct stat& s) {
  if (s.st_uid != geteuid()) return "it belongs to another user";
  if (s.st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it";
  return "";
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool read_all(int fd, std::string& out) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = read(fd, out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

std::string file_name(const std::string& key) {
  for (const char c : key) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    LITZ_CHECK(plain, "bad cache key " + key);
  }
  return key + std::string(kSuffix);
}

bool is_entry(std::string_view name) { return name.ends_with(kSuffix) || name.starts_with(kTemporary); }

}  // namespace

DiskStore::DiskStore(const std::string& directory) {
  if (directory.empty()) {
    problem_ = "there is no cache folder: neither LITZ_CACHE_DIR nor HOME is set";
    return;
  }
  std::error_code error;
  const std::filesystem::path path(directory);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    problem_ = "cannot make the cache folder " + directory + ": " + reason();
    return;
  }
  folder_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat s{};
  if (folder_ < 0 || fstat(folder_, &s) != 0) {
    problem_ = "cannot open the cache folder " + directory + ": " + reason();
  } else if (const std::string trust = trust_problem(s); !trust.empty()) {
    problem_ = "the cache folder " + directory + " is not used: " + trust;
  }
  if (problem_.empty()) {
    directory_ = directory;
  } else if (folder_ >= 0) {
    close(folder_);
    folder_ = -1;
  }
}

DiskStore::~DiskStore() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::string> DiskStore::load(const std::string& key) const {
  const std::string name = file_name(key);
  if (folder_ < 0) return std::nullopt;
  const File file(openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat s{};
  if (file.fd < 0 || fstat(file.fd, &s) != 0) return std::nullopt;
  if (!S_ISREG(s.st_mode) || !trust_problem(s).empty()) return std::nullopt;
  if (s.st_size < static_cast<off_t>(kHeaderBytes) || s.st_size > kMaxEntry) return std::nullopt;
  std::string bytes(static_cast<size_t>(s.st_size), '\0');
  if (!read_all(file.fd, bytes)) return std::nullopt;
  const std::string_view view = bytes;
  const std::string_view body = view.substr(kHeaderBytes);
  if (!view.starts_with(kMagic) || view[kHeaderBytes - 1] != '\n') return std::nullopt;
  // The key is part of what the digest covers: an entry under another's name is damage too.
  if (Sha256().update_field(key).update(body).hex() != view.substr(kMagic.size(), kDigestBytes)) return std::nullopt;
  return std::string(body);
}

bool DiskStore::save(const std::string& key, std::string_view bytes) {
  const std::string name = file_name(key);
  if (folder_ < 0 || bytes.size() + kHeaderBytes > static_cast<size_t>(kMaxEntry)) return false;
  static std::atomic<uint64_t> counter{0};
  const std::string temporary = std::string(kTemporary) + std::to_string(getpid()) + "-" + std::to_string(++counter);
  std::string entry(kMagic);
  entry += Sha256().update_field(key).update(bytes).hex();
  entry += '\n';
  entry += bytes;
  // A file of this name can only be left over from a process that is gone.
  unlinkat(folder_, temporary.c_str(), 0);
  const File file(openat(folder_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.fd < 0) return false;
  if (write_all(file.fd, entry) && renameat(folder_, temporary.c_str(), folder_, name.c_str()) == 0) return true;
  unlinkat(folder_, temporary.c_str(), 0);
  return false;
}

DiskUsage disk_usage(const std::string& directory) {
  DiskUsage usage;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (!is_entry(entry.path().filename().string()) || entry.is_symlink(error) || !entry.is_regular_file(error))
      continue;
    const auto bytes = entry.file_size(error);
    if (error) continue;
    ++usage.entries;
    usage.bytes += static_cast<int64_t>(bytes);
  }
  return usage;
}

int64_t clear_disk(const std::string& directory) {
  int64_t removed = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (!is_entry(entry.path().filename().string()) || entry.is_directory(error)) continue;
    removed += std::filesystem::remove(entry.path(), error) ? 1 : 0;
  }
  return removed;
}

}  // namespace litz::kernel_cache
