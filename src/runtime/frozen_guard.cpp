#include "runtime/frozen_guard.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "runtime/thread_pool.h"

namespace litz::runtime {

namespace {

constexpr double kShareOfCall = 0.01;
constexpr uint64_t kMeasureEvery = 32;
constexpr int64_t kMaxSlices = 256;
constexpr double kSlowestSlice = 2000;  // nanoseconds

// Four independent lanes of multiply and rotate. Every bit of the input reaches the result.
uint64_t checksum(const unsigned char* data, size_t bytes) {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;
  uint64_t lanes[4] = {1, 2, 3, 4};
  const auto mix = [](uint64_t lane, uint64_t word) { return std::rotl((lane ^ word) * kPrime, 29); };
  while (bytes >= 32) {
    uint64_t words[4];
    std::memcpy(words, data, sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
    data += 32;
    bytes -= 32;
  }
  uint64_t tail[4] = {};
  std::memcpy(tail, data, bytes);
  for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], tail[i]);
  return mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]));
}

}  // namespace

FrozenGuard::FrozenGuard(std::vector<Region> regions, int threads) : regions_(std::move(regions)) {
  for (size_t r = 0; r < regions_.size(); ++r) {
    const auto* data = static_cast<const unsigned char*>(regions_[r].data);
    for (int64_t at = 0; at < regions_[r].bytes; at += kSliceBytes) {
      const auto bytes = static_cast<uint32_t>(std::min(kSliceBytes, regions_[r].bytes - at));
      slices_.push_back({data + at, bytes, static_cast<uint32_t>(r), 0});
    }
  }
  if (slices_.empty()) return;
  const TaskPhase phase{slice_count(), 64};
  const auto run = [](void* context, int64_t, int64_t begin, int64_t end, int) {
    auto& slices = *static_cast<std::vector<Slice>*>(context);
    for (int64_t i = begin; i < end; ++i) {
      Slice& s = slices[static_cast<size_t>(i)];
      s.checksum = checksum(s.data, s.bytes);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  ThreadPool::shared().run({run, &slices_, {&phase, 1}}, threads);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  // As if one thread had done it. A preempted measurement must not stop all checking.
  const double each = time.count() * std::max(threads, 1) / static_cast<double>(slices_.size());
  slice_nanoseconds_ = std::min(each, kSlowestSlice);
}

std::optional<size_t> FrozenGuard::check_next(int64_t slices) {
  if (slices_.empty() || slices <= 0) return std::nullopt;
  slices = std::min(slices, slice_count());
  const uint64_t first = next_.fetch_add(static_cast<uint64_t>(slices), std::memory_order_relaxed);
  for (uint64_t i = first; i < first + static_cast<uint64_t>(slices); ++i) {
    const Slice& s = slices_[i % slices_.size()];
    if (checksum(s.data, s.bytes) != s.checksum) return regions_[s.region].input;
  }
  return std::nullopt;
}

int64_t GuardBudget::next(double slice_nanoseconds, bool* measure) {
  const uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed);
  *measure = call % kMeasureEvery == 0;
  const double budget = call_nanoseconds_.load(std::memory_order_relaxed) * kShareOfCall;
  if (budget <= 0 || slice_nanoseconds <= 0) return 0;
  const double slices = budget / slice_nanoseconds;
  if (slices >= 1) return std::min(static_cast<int64_t>(slices), kMaxSlices);
  // Less than one a call: one in every so many.
  const auto every = static_cast<uint64_t>(1 / slices) + 1;
  return call % every == 0 ? 1 : 0;
}

void GuardBudget::record(double call_nanoseconds) {
  const double before = call_nanoseconds_.load(std::memory_order_relaxed);
  const double after = before == 0 ? call_nanoseconds : 0.75 * before + 0.25 * call_nanoseconds;
  call_nanoseconds_.store(after, std::memory_order_relaxed);
}

}  // namespace litz::runtime
