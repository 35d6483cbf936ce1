#include "runtime/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include "support/check.h"

namespace litz::runtime {

namespace {

constexpr auto kSpinTime = std::chrono::microseconds(50);
constexpr size_t kMaxPhases = 64;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

// Calls `done` until it holds: spins for a while, then lets other threads run in between.
template <typename Done>
void spin_until(Done done) {
  for (int i = 0; !done(); ++i) {
    if (i < 2000) {
      pause_cpu();
    } else {
      sched_yield();
    }
  }
}

void run_alone(const Job& job) {
  for (size_t p = 0; p < job.phases.size(); ++p) {
    if (job.phases[p].tasks > 0) job.run(job.context, static_cast<int64_t>(p), 0, job.phases[p].tasks, /*worker=*/0);
  }
}

bool worth_sharing(const Job& job) {
  return std::any_of(job.phases.begin(), job.phases.end(), [](const TaskPhase& p) { return p.tasks > p.grain; });
}

}  // namespace

// How a job is shared. `epoch` is odd while a job is open. A worker enters by counting itself in `active` and looking
// at the epoch again; the caller closes the epoch and waits for `active` to become 0 before the job may change. Both
// sides write one and read the other in sequentially consistent order, so no worker reads a job that is being replaced.
// A phase is complete when the tasks that were done, not the threads that came, add up.
struct ThreadPool::State {
  struct alignas(64) Counter {
    std::atomic<int64_t> next{0};
    alignas(64) std::atomic<int64_t> done{0};
  };

  alignas(64) std::atomic<uint32_t> epoch{0};
  alignas(64) std::atomic<uint32_t> active{0};
  alignas(64) std::atomic<uint32_t> sleepers{0};
  alignas(64) std::atomic<bool> busy{false};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> workers;  // changed by the owner of `busy` only

  // The open job; written while the epoch is even and no worker is active.
  Job job;
  int threads = 0;
  std::array<Counter, kMaxPhases> counters;

  void take_part(int worker) {
    for (size_t p = 0; p < job.phases.size(); ++p) {
      const TaskPhase& phase = job.phases[p];
      const int64_t grain = std::min(phase.grain, phase.tasks);
      Counter& counter = counters[p];
      int64_t finished = 0;
      while (true) {
        const int64_t begin = counter.next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= phase.tasks) break;
        const int64_t end = std::min(begin + grain, phase.tasks);
        job.run(job.context, static_cast<int64_t>(p), begin, end, worker);
        finished += end - begin;
      }
      if (finished > 0) counter.done.fetch_add(finished, std::memory_order_acq_rel);
      spin_until([&] { return counter.done.load(std::memory_order_acquire) >= phase.tasks; });
    }
  }

  // Waits for an epoch other than `seen` that is odd.
  uint32_t wait_for_job(uint32_t seen) {
    const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
    for (int i = 0;; ++i) {
      const uint32_t now = epoch.load(std::memory_order_acquire);
      if (stopping.load(std::memory_order_relaxed) || (now != seen && (now & 1u))) return now;
      pause_cpu();
      if (i % 32 == 0 && std::chrono::steady_clock::now() > deadline) break;
    }
    while (true) {
      sleepers.fetch_add(1);
      const uint32_t now = epoch.load();
      const bool ready = stopping.load() || (now != seen && (now & 1u));
      if (!ready) futex_wait(epoch, now);
      sleepers.fetch_sub(1);
      if (ready) return now;
    }
  }

  void work(int worker) {
    uint32_t seen = 0;
    while (true) {
      seen = wait_for_job(seen);
      if (stopping.load()) return;
      active.fetch_add(1);
      if (epoch.load() == seen && worker < threads) take_part(worker);
      active.fetch_sub(1);
    }
  }

  void open(const Job& next_job, int next_threads) {
    for (size_t p = 0; p < next_job.phases.size(); ++p) {
      counters[p].next.store(0, std::memory_order_relaxed);
      counters[p].done.store(0, std::memory_order_relaxed);
    }
    job = next_job;
    threads = next_threads;
    epoch.fetch_add(1);
    if (sleepers.load() > 0) futex_wake_all(epoch);
  }

  void close() {
    epoch.fetch_add(1);
    spin_until([&] { return active.load() == 0; });
  }

  // Returns the threads that there are; fewer than asked for if the system gives no more.
  int grow(int wanted) {
    wanted = std::min(wanted, kMaxThreads);
    while (static_cast<int>(workers.size()) + 1 < wanted) {
      const int worker = static_cast<int>(workers.size()) + 1;
      try {
        workers.emplace_back([this, worker] { work(worker); });
      } catch (const std::system_error&) {
        break;
      }
    }
    return std::min(wanted, static_cast<int>(workers.size()) + 1);
  }
};

ThreadPool::ThreadPool() : state_(std::make_unique<State>()) {}

ThreadPool::~ThreadPool() {
  state_->stopping.store(true);
  state_->epoch.fetch_add(2);
  futex_wake_all(state_->epoch);
  for (std::thread& t : state_->workers) t.join();
}

void ThreadPool::run(const Job& job, int threads) {
  State& s = *state_;
  LITZ_CHECK(job.phases.size() <= kMaxPhases, "a kernel has too many phases");
  if (threads <= 1 || !worth_sharing(job) || s.busy.exchange(true, std::memory_order_acquire)) {
    run_alone(job);
    return;
  }
  s.open(job, s.grow(threads));
  s.take_part(/*worker=*/0);
  s.close();
  s.busy.store(false, std::memory_order_release);
}

namespace {

std::atomic<ThreadPool*> shared_pool{nullptr};

}  // namespace

ThreadPool& ThreadPool::shared() {
  ThreadPool* pool = shared_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  static const bool registered = [] {
    // Threads do not survive fork(): the child leaves the old pool alone and makes a new one when it needs it.
    pthread_atfork(nullptr, nullptr, [] { shared_pool.store(nullptr); });
    return true;
  }();
  (void)registered;
  auto* fresh = new ThreadPool;  // never destroyed: a kernel may run until the process ends
  if (shared_pool.compare_exchange_strong(pool, fresh)) return *fresh;
  delete fresh;
  return *pool;
}

}  // namespace litz::runtime
