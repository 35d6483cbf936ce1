#include "runtime/memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "runtime/tensor.h"
#include "support/check.h"

namespace litz::runtime {

namespace {

constexpr size_t kPooledFrom = 64 << 10;  // smaller blocks come from malloc
constexpr size_t kHugePage = 2 << 20;

// Eight sizes for each doubling, so that at most an eighth is lost.
size_t size_class(size_t bytes) {
  if (bytes > (size_t{1} << 60)) throw std::bad_alloc();
  if (bytes < kPooledFrom) return (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

std::byte* map_pages(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t extra = huge ? kHugePage : 0;
  void* base = mmap(nullptr, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(base);
  if (!huge) return begin;
  // Starts on a huge page; what lies before and after goes back.
  const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  if (extra > before) munmap(begin + before + bytes, extra - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

int64_t default_limit() {
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min<int64_t>(memory / 8, int64_t{2} << 30);
}

class Pool {
 public:
  std::byte* allocate(size_t size) {
    if (size < kPooledFrom) {
      auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
      if (p == nullptr) throw std::bad_alloc();
      return p;
    }
    if (std::byte* p = take(size)) return p;
    std::byte* p = map_pages(size);
    if (p == nullptr) {
      empty();
      p = map_pages(size);
    }
    if (p == nullptr) throw std::bad_alloc();
    std::lock_guard lock(mutex_);
    ++stats_.fresh;
    stats_.in_use += static_cast<int64_t>(size);
    stats_.high_water = std::max(stats_.high_water, stats_.in_use + stats_.held);
    return p;
  }

  void release(std::byte* p, size_t size) {
    if (size < kPooledFrom) {
      std::free(p);
      return;
    }
    std::vector<Free> evicted;
    {
      std::lock_guard lock(mutex_);
      stats_.in_use -= static_cast<int64_t>(size);
      stats_.held += static_cast<int64_t>(size);
      free_[size].push_back({p, size, ++clock_});
      evict(limit_, evicted);
    }
    unmap(evicted);
  }

  void empty() {
    std::vector<Free> evicted;
    {
      std::lock_guard lock(mutex_);
      evict(0, evicted);
    }
    unmap(evicted);
  }

  void set_limit(int64_t bytes) {
    std::vector<Free> evicted;
    {
      std::lock_guard lock(mutex_);
      limit_ = std::max<int64_t>(bytes, 0);
      evict(limit_, evicted);
    }
    unmap(evicted);
  }

  MemoryStats stats() {
    std::lock_guard lock(mutex_);
    return stats_;
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Free {
    std::byte* data;
    size_t size;
    uint64_t stamp;  // time of release
  };

  std::byte* take(size_t size) {
    std::lock_guard lock(mutex_);
    auto it = free_.find(size);
    if (it == free_.end()) return nullptr;
    std::byte* p = it->second.back().data;
    it->second.pop_back();
    if (it->second.empty()) free_.erase(it);
    stats_.held -= static_cast<int64_t>(size);
    stats_.in_use += static_cast<int64_t>(size);
    ++stats_.reused;
    return p;
  }

  // Takes out the blocks that were released longest ago until at most `limit` bytes are held.
  void evict(int64_t limit, std::vector<Free>& out) {
    while (stats_.held > limit) {
      auto oldest = std::min_element(free_.begin(), free_.end(), [](const auto& a, const auto& b) {
        return a.second.front().stamp < b.second.front().stamp;
      });
      out.push_back(oldest->second.front());
      stats_.held -= static_cast<int64_t>(oldest->first);
      oldest->second.erase(oldest->second.begin());
      if (oldest->second.empty()) free_.erase(oldest);
    }
  }

  static void unmap(const std::vector<Free>& blocks) {
    for (const Free& f : blocks) munmap(f.data, f.size);
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<Free>> free_;  // by size, oldest first
  MemoryStats stats_;
  int64_t limit_ = default_limit();
  uint64_t clock_ = 0;
};

// Never destroyed: blocks may outlive every static object.
Pool& pool() {
  static Pool& instance = *[] {
    auto* p = new Pool;
    // A child of fork() gets a pool that no other thread was changing.
    pthread_atfork([] { pool().lock(); }, [] { pool().unlock(); }, [] { pool().unlock(); });
    return p;
  }();
  return instance;
}

}  // namespace

Block::Block(size_t bytes) : size_(size_class(bytes)) { data_ = pool().allocate(size_); }

Block::Block(Block&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Block::~Block() {
  if (data_ != nullptr) pool().release(data_, size_);
}

std::shared_ptr<void> shared_block(size_t bytes) {
  auto block = std::make_shared<Block>(bytes);
  void* data = block->data();
  return {std::move(block), data};
}

MemoryStats memory_stats() { return pool().stats(); }
void empty_cache() { pool().empty(); }
void set_cache_limit(int64_t bytes) { pool().set_limit(bytes); }

OwnedTensor empty_tensor(DType dtype, std::vector<int64_t> shape) {
  OwnedTensor t;
  t.dtype = dtype;
  t.strides.resize(shape.size());
  int64_t stride = 1;
  int64_t bytes = dtype_size(dtype);
  for (size_t i = shape.size(); i-- > 0;) {
    LITZ_CHECK(shape[i] >= 0, "negative size of a tensor");
    t.strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(shape[i], 1), &stride) ||
        __builtin_mul_overflow(bytes, shape[i], &bytes)) {
      throw UserError("a tensor of this size does not fit into memory");
    }
  }
  t.owner = shared_block(static_cast<size_t>(bytes));
  t.data = t.owner.get();
  t.shape = std::move(shape);
  return t;
}

}  // namespace litz::runtime
