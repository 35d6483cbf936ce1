// A relocatable ELF object made executable in memory. Used by module.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace litz::runtime {

// Owns the mapping: code executable and read-only, constants read-only, data writable.
class ElfImage {
 public:
  // Checks sizes and indices of the object before it uses them. With a `profile_name`, code that has line information
  // is mapped from a file that profilers can read, see profile_file.h.
  static Result<ElfImage> load(std::string_view object, std::string_view profile_name = "");
  ElfImage(ElfImage&& other) noexcept;
  ElfImage& operator=(ElfImage&&) = delete;
  ~ElfImage();

  struct Symbol {
    std::string name;
    uint64_t address;
    uint64_t size;
  };
  // The functions that the object defines for others.
  const std::vector<Symbol>& functions() const { return functions_; }
  // Null if there is no such function.
  void* find_function(std::string_view name) const;
  size_t size() const { return size_; }
  // Address of each section of the object, 0 for those that are not in memory; for debuggers.
  std::span<const uint64_t> section_addresses() const { return section_addresses_; }

 private:
  friend class ElfLoader;
  ElfImage() = default;

  std::byte* base_ = nullptr;
  size_t size_ = 0;
  std::vector<Symbol> functions_;
  std::vector<uint64_t> section_addresses_;
};

}  // namespace litz::runtime
