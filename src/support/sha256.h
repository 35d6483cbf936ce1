// SHA-256 (FIPS 180-4), for cache keys and digests.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace litz {

class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  // Length first, then the bytes: two fields never run into one another.
  Sha256& update_field(std::string_view bytes);
  // 64 lower-case hexadecimal digits. Ends the computation.
  std::string hex();

 private:
  void block(const unsigned char* data);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace litz
