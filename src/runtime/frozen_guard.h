// Finds writes into frozen inputs that move no version counter, by checking a part of their checksums in each call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace litz::runtime {

class FrozenGuard {
 public:
  struct Region {
    size_t input = 0;
    const void* data = nullptr;
    int64_t bytes = 0;
  };
  static constexpr int64_t kSliceBytes = 4096;

  // Takes the checksum of every slice now, on `threads` threads. The memory must live as long as checks are made.
  FrozenGuard(std::vector<Region> regions, int threads);

  // Checks the next `slices` slices, going round. Returns the input that changed, if one did. Thread-safe.
  std::optional<size_t> check_next(int64_t slices);

  int64_t slice_count() const { return static_cast<int64_t>(slices_.size()); }
  // Time to check one slice, as measured when the checksums were taken.
  double slice_nanoseconds() const { return slice_nanoseconds_; }

 private:
  struct Slice {
    const unsigned char* data;
    uint32_t bytes;
    uint32_t region;
    uint64_t checksum;
  };

  std::vector<Region> regions_;
  std::vector<Slice> slices_;
  double slice_nanoseconds_ = 0;
  std::atomic<uint64_t> next_{0};
};

// How many slices a call may check so that checking takes at most 1 % of the time of calls.
class GuardBudget {
 public:
  // Slices for the next call. Sets `measure` if the call's time should be passed to `record`.
  int64_t next(double slice_nanoseconds, bool* measure);
  void record(double call_nanoseconds);

 private:
  std::atomic<uint64_t> calls_{0};
  std::atomic<double> call_nanoseconds_{0};
};

}  // namespace litz::runtime
