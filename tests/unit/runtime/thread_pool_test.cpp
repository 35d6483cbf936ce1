#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace litz::runtime {
namespace {

using Body = std::function<void(int64_t phase, int64_t begin, int64_t end, int worker)>;

void run(ThreadPool& pool, std::vector<TaskPhase> phases, int threads, const Body& body) {
  const auto call = [](void* context, int64_t phase, int64_t begin, int64_t end, int worker) {
    (*static_cast<const Body*>(context))(phase, begin, end, worker);
  };
  pool.run({call, const_cast<Body*>(&body), phases}, threads);
}

TEST(ThreadPool, EveryTaskRunsOnce) {
  ThreadPool pool;
  for (const int64_t tasks : {0, 1, 2, 7, 64, 1000}) {
    for (const int64_t grain : {int64_t{1}, int64_t{3}, int64_t{64}, int64_t{INT64_MAX}}) {
      for (const int threads : {1, 2, 3, 8}) {
        std::vector<std::atomic<int>> count(static_cast<size_t>(tasks));
        run(pool, {{tasks, grain}}, threads, [&](int64_t, int64_t begin, int64_t end, int worker) {
          EXPECT_LT(worker, threads);
          for (int64_t i = begin; i < end; ++i) ++count[static_cast<size_t>(i)];
        });
        for (const auto& c : count) ASSERT_EQ(c.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, PhasesFollowOneAnother) {
  ThreadPool pool;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<int64_t> values(64, 1);
    int64_t total = 0;
    // Not atomic: each phase must see all that the one before wrote.
    run(pool, {{64, 1}, {1, 1}, {0, 1}, {64, 5}}, 4, [&](int64_t phase, int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        if (phase == 0) values[static_cast<size_t>(i)] += i;
        if (phase == 1) {
          for (const int64_t v : values) total += v;
        }
        if (phase == 3) values[static_cast<size_t>(i)] = total;
      }
    });
    ASSERT_EQ(total, 64 + 63 * 64 / 2);
    for (const int64_t v : values) ASSERT_EQ(v, total);
  }
}

TEST(ThreadPool, ManyShortPhases) {
  ThreadPool pool;
  std::vector<TaskPhase> phases;
  for (int64_t p = 0; p < 100; ++p) phases.push_back({p % 5, p % 3 + 1});
  for (int job = 0; job < 50; ++job) {
    // Not atomic: a task that runs before its phase, or while the one before is under way, is seen here.
    std::vector<uint64_t> cells(5, 0);
    const auto visit = [](uint64_t& cell, int64_t phase) { cell = cell * 3 + static_cast<uint64_t>(phase); };
    run(pool, phases, 3, [&](int64_t phase, int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) visit(cells[static_cast<size_t>(i)], phase);
    });
    std::vector<uint64_t> expected(5, 0);
    for (int64_t p = 0; p < 100; ++p) {
      for (int64_t i = 0; i < p % 5; ++i) visit(expected[static_cast<size_t>(i)], p);
    }
    ASSERT_EQ(cells, expected);
  }
}

TEST(ThreadPool, MoreTasksThanATicketCounts) {
  ThreadPool pool;
  std::atomic<int64_t> done{0};
  constexpr int64_t tasks = int64_t{1} << 40;
  run(pool, {{tasks, 1}}, 2, [&](int64_t, int64_t begin, int64_t end, int) { done += end - begin; });
  EXPECT_EQ(done, tasks);
}

TEST(ThreadPool, ManyShortJobsAfterEachOther) {
  ThreadPool pool;
  int64_t sum = 0;
  for (int job = 0; job < 5000; ++job) {
    std::atomic<int64_t> local{0};
    run(pool, {{4, 1}}, 2, [&](int64_t, int64_t begin, int64_t end, int) { local += end - begin; });
    sum += local;
  }
  EXPECT_EQ(sum, 20000);
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool;
  for (int job = 0; job < 5; ++job) {
    std::atomic<int64_t> done{0};
    run(pool, {{16, 1}}, 4, [&](int64_t, int64_t begin, int64_t end, int) { done += end - begin; });
    EXPECT_EQ(done, 16);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than workers spin
  }
}

TEST(ThreadPool, TwoWorkersTakePart) {
  ThreadPool pool;
  // Each task waits until the other has begun, so one thread alone would never end.
  std::atomic<int> begun{0};
  run(pool, {{2, 1}}, 2, [&](int64_t, int64_t, int64_t, int) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadPool, CallersFromManyThreadsShareOnePool) {
  ThreadPool pool;
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int job = 0; job < 300; ++job) {
        std::vector<int64_t> done(32, 0);
        run(pool, {{32, 2}, {32, 3}}, 3, [&](int64_t, int64_t begin, int64_t end, int) {
          for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
        });
        for (const int64_t d : done) sum += d;
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(sum, 4 * 300 * 64);
}

TEST(ThreadPool, AKernelMayCallBack) {
  ThreadPool pool;
  std::atomic<int64_t> inner{0};
  run(pool, {{8, 1}}, 2, [&](int64_t, int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      run(pool, {{10, 1}}, 2, [&](int64_t, int64_t b, int64_t e, int worker) {
        EXPECT_EQ(worker, 0);
        inner += e - b;
      });
    }
  });
  EXPECT_EQ(inner, 80);
}

TEST(ThreadPool, OneGrainRunsOnTheCaller) {
  ThreadPool pool;
  const auto caller = std::this_thread::get_id();
  run(pool, {{10, 10}, {1, 1}}, 8, [&](int64_t, int64_t begin, int64_t, int worker) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

#if defined(__has_feature)
#define LITZ_TSAN __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define LITZ_TSAN 1
#else
#define LITZ_TSAN 0
#endif

// ThreadSanitizer does not support threads made by the child of a program with threads.
#if !LITZ_TSAN
TEST(ThreadPool, AChildOfForkGetsAFreshPool) {
  std::atomic<int64_t> done{0};
  const Body body = [&](int64_t, int64_t begin, int64_t end, int) { done += end - begin; };
  run(ThreadPool::shared(), {{64, 1}}, 2, body);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    done = 0;
    run(ThreadPool::shared(), {{64, 1}}, 2, body);
    _exit(done == 64 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  done = 0;
  run(ThreadPool::shared(), {{64, 1}}, 2, body);
  EXPECT_EQ(done, 64);
}
#endif

}  // namespace
}  // namespace litz::runtime
