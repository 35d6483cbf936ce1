// Aligned memory, and a pool of large blocks for outputs and arenas.
//
// A fresh large block costs a page fault for each page. The pool keeps what is given back, up to a limit, and asks for
// huge pages. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace litz::runtime {

inline constexpr size_t kAlignment = 64;

// A block of memory that returns to the pool at the end of its life. 64-byte aligned; content undefined.
class Block {
 public:
  Block() = default;
  // Throws std::bad_alloc if there is no memory.
  explicit Block(size_t bytes);
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// The same, shared.
std::shared_ptr<void> shared_block(size_t bytes);

struct MemoryStats {
  int64_t in_use = 0;      // bytes in blocks that are alive
  int64_t held = 0;        // bytes kept for reuse
  int64_t high_water = 0;  // the most that in_use + held has been
  int64_t reused = 0;      // blocks served from what was held
  int64_t fresh = 0;       // blocks that came from the system
};

MemoryStats memory_stats();
// Gives everything that is held back to the system.
void empty_cache();
// The most bytes to hold. Default: an eighth of the machine's memory, at most 2 GiB.
void set_cache_limit(int64_t bytes);

}  // namespace litz::runtime
