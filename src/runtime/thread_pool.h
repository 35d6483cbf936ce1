// A fork-join pool for kernels. The caller takes part; workers wait for work by spinning at most 50 µs, then sleep.
//
// One job at a time: while the pool is busy, another caller (or a kernel that calls back) runs its job alone, so
// nothing ever waits for the pool. Workers help as they arrive; a job never waits for a worker that has not begun.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace litz::runtime {

// The part of a job between two barriers: `tasks` independent tasks, handed out `grain` at a time.
struct TaskPhase {
  int64_t tasks = 1;
  int64_t grain = 1;
};

struct Job {
  // Runs tasks [begin, end) of `phase` on worker `worker`, in [0, threads). Must not throw.
  void (*run)(void* context, int64_t phase, int64_t begin, int64_t end, int worker) = nullptr;
  void* context = nullptr;
  std::span<const TaskPhase> phases;
};

class ThreadPool {
 public:
  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs all phases in order, each complete before the next begins, on at most `threads` threads, the caller among
  // them. The pool grows to as many as are asked for, at most kMaxThreads. A job whose phases have one grain each runs
  // inline.
  void run(const Job& job, int threads);

  // The pool of the process. A child of fork() gets a fresh one.
  static ThreadPool& shared();
  static constexpr int kMaxThreads = 256;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace litz::runtime
