// A loaded kernel as a file that profilers can read.
//
// perf finds names and lines in files, not in memory. With LITZ_PERF=1 the code of a kernel is mapped from a file of
// its own: the image as it is in memory, then the object with its debug information, addresses filled in. The file is
// an ELF shared object whose addresses equal its offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace litz::runtime {

// Where the image lies in the file: a multiple of every page size.
inline constexpr size_t kProfileImageOffset = 64 << 10;

// `sections`: offset in the image of each section of the object, for those that are loaded. The object has been checked
// and its relocations applied to the image. Empty if debug information does not relocate.
std::string profile_file_bytes(std::string_view object, std::span<const std::byte> image,
                               std::span<const uint64_t> sections, size_t code_bytes);

// Writes the bytes to a new file in /tmp/litz-perf-<pid> and opens it for mapping; -1 on failure. The file stays, as
// perf reads it after the program has ended.
int open_profile_file(std::string_view name, std::string_view bytes);

}  // namespace litz::runtime
