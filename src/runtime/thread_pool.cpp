#include "runtime/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

namespace litz::runtime {

namespace {

constexpr auto kSpinTime = std::chrono::microseconds(50);

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

void run_alone(const Job& job) {
  for (size_t p = 0; p < job.phases.size(); ++p) {
    if (job.phases[p].tasks > 0) job.run(job.context, static_cast<int64_t>(p), 0, job.phases[p].tasks, /*worker=*/0);
  }
}

bool worth_sharing(const Job& job) {
  return std::any_of(job.phases.begin(), job.phases.end(), [](const TaskPhase& p) { return p.tasks > p.grain; });
}

}  // namespace

// How a job is shared. `ticket` hands out the chunks of one phase: a thread takes one by lowering the count in it.
// While somebody has a chunk that is not counted as finished, the phase stands as it is, and who has the chunk may read
// it. Who finishes the last chunk opens the next phase, or calls the job complete; so nobody else can be reading what
// changes then. A thread that comes too late finds no chunk, or its exchange fails because the opening's number has
// changed.
struct ThreadPool::State {
  // Written by who opens a phase. All on one cache line: a worker that sees the ticket has the rest too.
  struct alignas(64) Phase {
    std::atomic<uint64_t> ticket{0};
    decltype(Job::run) run = nullptr;
    void* context = nullptr;
    const TaskPhase* all = nullptr;
    uint32_t count = 0;   // of the job's phases
    uint32_t number = 0;  // of this one
    int64_t tasks = 0;
    int64_t grain = 1;
    int64_t chunks = 0;
  };
  Phase phase;

  alignas(64) std::atomic<int64_t> unfinished{0};  // chunks of the phase
  std::atomic<bool> complete{true};                // the job

  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> wakings{0};  // what sleepers wait on
  std::atomic<bool> stopping{false};

  alignas(64) std::atomic<bool> busy{false};
  std::vector<std::thread> workers;  // changed by the owner of `busy` only
  int threads = 0;                   // of the job

  // A ticket: number of the opening, threads that may take part, chunks that are left.
  static constexpr int kChunkBits = 23, kThreadBits = 9;
  static int64_t chunks_left(uint64_t ticket) { return static_cast<int64_t>(ticket & ((1u << kChunkBits) - 1)); }
  static bool may_take_part(uint64_t ticket, int worker) {
    return worker < static_cast<int>(ticket >> kChunkBits & ((1u << kThreadBits) - 1));
  }
  static bool has_chunk(uint64_t ticket, int worker) {
    return may_take_part(ticket, worker) && chunks_left(ticket) > 0;
  }

  // Opens the first phase from `next` on that has tasks; its first chunk is the caller's. False if there is none: the
  // job is complete, and the caller must not touch it again.
  bool open(uint32_t next) {
    while (next < phase.count && phase.all[next].tasks == 0) ++next;
    if (next == phase.count) {
      complete.store(true, std::memory_order_release);
      return false;
    }
    constexpr int64_t most = (1 << kChunkBits) - 1;
    phase.number = next;
    phase.tasks = phase.all[next].tasks;
    phase.grain = std::clamp(phase.all[next].grain, phase.tasks / most + 1, phase.tasks);
    phase.chunks = (phase.tasks - 1) / phase.grain + 1;
    unfinished.store(phase.chunks, std::memory_order_relaxed);
    const uint64_t opening = (phase.ticket.load(std::memory_order_relaxed) >> (kChunkBits + kThreadBits)) + 1;
    const bool shared = phase.chunks > 1;
    phase.ticket.store((opening << kThreadBits | static_cast<uint64_t>(threads)) << kChunkBits |
                       static_cast<uint64_t>(phase.chunks - 1));
    // Sequentially consistent, as in sleep(): either a sleeper is seen here or it sees the ticket.
    if (shared && sleepers.load() > 0) wake_all();
    return true;
  }

  void wake_all() {
    wakings.fetch_add(1);
    futex_wake_all(wakings);
  }

  bool take(int worker, int64_t& chunk) {
    uint64_t now = phase.ticket.load(std::memory_order_acquire);
    while (has_chunk(now, worker)) {
      if (phase.ticket.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        chunk = phase.chunks - chunks_left(now);
        return true;
      }
    }
    return false;
  }

  // Runs `chunk` and what else is left, also of later phases if this thread opens them.
  void take_part(int worker, int64_t chunk) {
    while (true) {
      int64_t finished = 0;
      do {
        const int64_t begin = chunk * phase.grain;
        phase.run(phase.context, phase.number, begin, std::min(begin + phase.grain, phase.tasks), worker);
        ++finished;
      } while (take(worker, chunk));
      const uint32_t next = phase.number + 1;
      if (unfinished.fetch_sub(finished, std::memory_order_acq_rel) != finished || !open(next)) return;
      chunk = 0;
    }
  }

  void work(int worker) {
    int64_t chunk = 0;
    while (wait(worker, chunk)) take_part(worker, chunk);
  }

  // Waits for a chunk. False when the pool ends.
  bool wait(int worker, int64_t& chunk) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    auto quiet_since = begin;
    for (int i = 1;; ++i) {
      if (stopping.load(std::memory_order_relaxed)) return false;
      if (take(worker, chunk)) return true;
      pause_cpu();
      if (i % 32 != 0) continue;
      const auto now = Clock::now();
      if (!complete.load(std::memory_order_relaxed) && may_take_part(phase.ticket.load(), worker)) {
        // Others have the last chunks of a phase; the next one, or the next kernel, may follow at once.
        quiet_since = now;
        if (now - begin > kSpinTime) sched_yield();
      } else if (now - quiet_since > kSpinTime) {
        sleep(worker);
        quiet_since = Clock::now();
      }
    }
  }

  void sleep(int worker) {
    sleepers.fetch_add(1);
    const uint32_t seen = wakings.load();
    if (!has_chunk(phase.ticket.load(), worker) && !stopping.load()) futex_wait(wakings, seen);
    sleepers.fetch_sub(1);
  }

  // The caller's part of a job, as worker 0.
  void share(const Job& job, int wanted) {
    threads = wanted;
    phase.run = job.run;
    phase.context = job.context;
    phase.all = job.phases.data();
    phase.count = static_cast<uint32_t>(job.phases.size());
    complete.store(false, std::memory_order_relaxed);
    if (open(0)) take_part(/*worker=*/0, /*chunk=*/0);
    int64_t chunk = 0;
    for (int i = 0; !complete.load(std::memory_order_acquire); ++i) {
      if (take(/*worker=*/0, chunk)) {
        take_part(/*worker=*/0, chunk);
        i = 0;
      } else if (i < 2000) {
        pause_cpu();
      } else {
        sched_yield();
      }
    }
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
  state_->wake_all();
  for (std::thread& t : state_->workers) t.join();
}

void ThreadPool::run(const Job& job, int threads) {
  State& s = *state_;
  if (threads <= 1 || !worth_sharing(job) || s.busy.exchange(true, std::memory_order_acquire)) {
    run_alone(job);
    return;
  }
  s.share(job, s.grow(threads));
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
