#include "runtime/executable.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "runtime/cuda.h"
#include "runtime/memory.h"
#include "test_kernels.h"

namespace litz::runtime {
namespace {

using Kind = Slot::Kind;

TensorSpec vector_spec(Expr n, DType dtype = DType::f32) { return {dtype, {n}, {1}}; }

Slot slot(Kind kind, uint32_t index, const Expr& bytes, const Expr& offset = 0) { return {kind, index, offset, bytes}; }

uint32_t add_kernel(ExecutableParts& parts, const std::string& name, std::vector<Phase> phases) {
  KernelEntry entry;
  entry.name = name;
  entry.launch.phases = std::move(phases);
  parts.plan.kernels.push_back(entry);
  parts.kernels.push_back(test_kernel(name));
  return static_cast<uint32_t>(parts.kernels.size() - 1);
}

// A tensor that the test owns.
struct Vector {
  std::vector<float> values;
  std::array<int64_t, 1> shape;
  std::array<int64_t, 1> strides = {1};
  uint64_t version = 0;

  explicit Vector(std::vector<float> v) : values(std::move(v)), shape{static_cast<int64_t>(values.size())} {}
  TensorView view() { return {values.data(), DType::f32, shape, strides, version}; }
};

std::vector<float> values_of(const OwnedTensor& t) {
  const auto* p = static_cast<const float*>(t.data);
  return {p, p + t.shape[0]};
}

// y = 2 * (2 * x), through the arena; n elements.
ExecutableParts twice(Expr n, int64_t grain = 1 << 20) {
  ExecutableParts parts;
  parts.plan.inputs = {vector_spec(n)};
  parts.plan.frozen_inputs = {false};
  parts.plan.outputs = {vector_spec(n)};
  parts.plan.arena_bytes = 64 + n * 4;
  const uint32_t k = add_kernel(parts, "scale", {{n, grain}});
  parts.plan.main = {
      Step{KernelStep{k, {slot(Kind::input, 0, n * 4), slot(Kind::arena, 0, n * 4, 64)}}},
      Step{KernelStep{k, {slot(Kind::arena, 0, n * 4, 64), slot(Kind::output, 0, n * 4)}}},
  };
  return parts;
}

TEST(Executable, RunsAStaticPlan) {
  auto f = Executable::create(twice(5));
  Vector x({1, 2, 3, 4, 5});
  const TensorView in = x.view();
  const auto y = f->run({&in, 1});
  EXPECT_EQ(values_of(y[0]), (std::vector<float>{4, 8, 12, 16, 20}));
  EXPECT_EQ(f->memory().arena_bytes, 128);

  std::vector<float> own(5);
  void* out = own.data();
  f->run_into({&in, 1}, {&out, 1});
  EXPECT_EQ(own, values_of(y[0]));
}

TEST(Executable, RunsInParallel) {
  for (const int threads : {1, 2, 4}) {
    ExecutableParts parts = twice(1000, 16);
    parts.threads = threads;
    auto f = Executable::create(std::move(parts));
    std::vector<float> v(1000);
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i);
    Vector x(v);
    const TensorView in = x.view();
    const auto y = f->run({&in, 1});
    for (size_t i = 0; i < v.size(); ++i) ASSERT_EQ(values_of(y[0])[i], 4 * v[i]);
  }
}

TEST(Executable, PhasesAndSharedScratch) {
  ExecutableParts parts;
  parts.plan.inputs = {vector_spec(64)};
  parts.plan.frozen_inputs = {false};
  parts.plan.outputs = {{DType::f32, {}, {}}};
  const uint32_t k = add_kernel(parts, "sum64", {{8, 1}, {1, 1}});
  parts.plan.kernels[k].launch.shared_scratch_bytes = 32;
  parts.plan.main = {Step{KernelStep{k, {slot(Kind::input, 0, 256), slot(Kind::output, 0, 4)}}}};
  parts.threads = 4;
  auto f = Executable::create(std::move(parts));
  std::vector<float> v(64);
  for (size_t i = 0; i < 64; ++i) v[i] = static_cast<float>(i);
  Vector x(v);
  const TensorView in = x.view();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*static_cast<const float*>(f->run({&in, 1})[0].data), 2016);
}

TEST(Executable, ThreadScratchIsEachThreadsOwn) {
  ExecutableParts parts;
  parts.plan.inputs = {vector_spec(8)};
  parts.plan.frozen_inputs = {false};
  parts.plan.outputs = {vector_spec(8)};
  const uint32_t k = add_kernel(parts, "library_calls", {{8, 1}});
  parts.plan.kernels[k].launch.thread_scratch_bytes = 32;
  parts.plan.main = {Step{KernelStep{k, {slot(Kind::input, 0, 32), slot(Kind::output, 0, 32)}}}};
  parts.threads = 4;
  auto f = Executable::create(std::move(parts));
  Vector x({0, 2, 3, 4, 0, 2, 7, 8});
  const TensorView in = x.view();
  EXPECT_EQ(values_of(f->run({&in, 1})[0]), (std::vector<float>{1, 24, 36, 0, 32, 64, 448, 1024}));
  EXPECT_EQ(f->memory().arena_bytes, 4 * 64);
}

TEST(Executable, SymbolsComeFromTheInputs) {
  const Expr n = Expr::symbol("n");
  ExecutableParts parts = twice(n, 4);
  auto f = Executable::create(std::move(parts));
  for (const size_t size : {size_t{3}, size_t{200}, size_t{0}, size_t{3}}) {
    Vector x(std::vector<float>(size, 1.5f));
    const TensorView in = x.view();
    EXPECT_EQ((*f->output_layouts({&in, 1}))[0].bytes, static_cast<int64_t>(4 * size));
    const auto y = f->run({&in, 1});
    EXPECT_EQ(values_of(y[0]), std::vector<float>(size, 6));
  }
  // More sizes than are kept.
  for (size_t size = 1; size < 300; ++size) {
    Vector x(std::vector<float>(size, 1));
    const TensorView in = x.view();
    ASSERT_EQ(f->run({&in, 1})[0].shape[0], static_cast<int64_t>(size));
  }
}

TEST(Executable, RefusesOtherInputs) {
  auto f = Executable::create(twice(4));
  Vector wrong_size({1, 2, 3});
  TensorView in = wrong_size.view();
  try {
    f->run({&in, 1});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("shape [3]"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("shape [4]"), std::string::npos) << e.what();
  }
  Vector good({1, 2, 3, 4});
  in = good.view();
  in.dtype = DType::i32;
  EXPECT_THROW(f->run({&in, 1}), UserError);
  in = good.view();
  const int64_t two = 2;
  in.strides = {&two, 1};
  EXPECT_THROW(f->run({&in, 1}), UserError);
  in = good.view();
  in.data = nullptr;
  EXPECT_THROW(f->run({&in, 1}), UserError);
  in = good.view();
  in.shape = {};
  in.strides = {};
  EXPECT_THROW(f->run({&in, 1}), UserError);
  EXPECT_THROW(f->run({}), UserError);
  auto symbolic = Executable::create(twice(Expr::symbol("n")));
  EXPECT_THROW(symbolic->run({&in, 1}), UserError);
}

ExecutableParts gather_parts() {
  ExecutableParts parts;
  parts.plan.inputs = {vector_spec(10), vector_spec(4, DType::i64)};
  parts.plan.frozen_inputs = {false, false};
  parts.plan.outputs = {vector_spec(4)};
  const uint32_t k = add_kernel(parts, "gather", {Phase{}});
  parts.plan.kernels[k].launch.may_fault = true;
  parts.plan.kernels[k].checks = {"aten.index at model.py:7"};
  parts.plan.main = {
      Step{KernelStep{k, {slot(Kind::input, 0, 40), slot(Kind::input, 1, 32), slot(Kind::output, 0, 16)}}}};
  return parts;
}

TEST(Executable, AFaultIsAnIndexError) {
  auto f = Executable::create(gather_parts());
  Vector x({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  int64_t index[4] = {9, 0, 10, 1};
  const int64_t shape[] = {4};
  const int64_t strides[] = {1};
  const TensorView in[] = {x.view(), {index, DType::i64, shape, strides}};
  const int64_t before = memory_stats().in_use;
  for (int i = 0; i < 3; ++i) {
    try {
      f->run(in);
      FAIL();
    } catch (const IndexError& e) {
      EXPECT_STREQ(e.what(), "aten.index at model.py:7: index 10 is out of bounds for a dimension of size 10");
    }
  }
  EXPECT_EQ(memory_stats().in_use, before);
  index[2] = 3;
  EXPECT_EQ(values_of(f->run(in)[0]), (std::vector<float>{9, 0, 3, 1}));
}

// y = x * prepared, with prepared = w * constant.
struct WithWeights {
  ExecutableParts parts;
  std::shared_ptr<std::vector<float>> constant =
      std::make_shared<std::vector<float>>(std::vector<float>{1, 10, 100, 1000});

  explicit WithWeights(int64_t n = 4) {
    parts.plan.inputs = {vector_spec(n), vector_spec(4)};
    parts.plan.frozen_inputs = {false, true};
    parts.plan.outputs = {vector_spec(n)};
    parts.plan.constants = {"c"};
    parts.plan.constant_bytes = {16};
    parts.plan.prepared_bytes = {4, 16};
    const uint32_t prepare = add_kernel(parts, "multiply", {{4, 4}});
    const uint32_t main = add_kernel(parts, "multiply", {{n, 16}});
    parts.plan.prepare = {Step{
        KernelStep{prepare, {slot(Kind::input, 1, 16), slot(Kind::constant, 0, 16), slot(Kind::prepared, 1, 16)}}}};
    parts.plan.main = {Step{
        KernelStep{main, {slot(Kind::input, 0, n * 4), slot(Kind::prepared, 1, 16), slot(Kind::output, 0, n * 4)}}}};
    parts.constants = {{constant->data(), constant}};
  }
};

TEST(Executable, PreparesOnceAndAgainWhenWeightsChange) {
  WithWeights made;
  auto f = Executable::create(std::move(made.parts));
  Vector x({1, 1, 1, 1});
  Vector w({1, 2, 3, 4});
  const auto run = [&](std::vector<StepTime>* times = nullptr) {
    const TensorView in[] = {x.view(), w.view()};
    return values_of(f->run(in, {.times = times})[0]);
  };
  std::vector<StepTime> times;
  EXPECT_EQ(run(&times), (std::vector<float>{1, 20, 300, 4000}));
  ASSERT_EQ(times.size(), 2u);
  EXPECT_TRUE(times[0].prepare);
  EXPECT_FALSE(times[1].prepare);
  EXPECT_EQ(f->memory().prepared_bytes, 128);

  times.clear();
  run(&times);
  EXPECT_EQ(times.size(), 1u);

  w.values[0] = 5;
  w.version = 1;
  EXPECT_EQ(run(), (std::vector<float>{5, 20, 300, 4000}));
  w = Vector({9, 9, 9, 9});
  EXPECT_EQ(run(), (std::vector<float>{9, 90, 900, 9000}));
  w.values[1] = 1;
  f->refresh();
  EXPECT_EQ(f->memory().prepared_bytes, 0);
  EXPECT_EQ(run(), (std::vector<float>{9, 10, 900, 9000}));
}

TEST(Executable, FindsWritesThatNoCounterShows) {
  std::vector<size_t> changed;
  WithWeights made(4096);
  made.parts.on_frozen_change = [&](size_t input) { changed.push_back(input); };
  auto f = Executable::create(std::move(made.parts));
  Vector x(std::vector<float>(4096, 1));
  Vector w({1, 2, 3, 4});
  const TensorView in[] = {x.view(), w.view()};
  EXPECT_EQ(values_of(f->run(in)[0])[1], 20);
  w.values[1] = 7;
  // The share of a call that checking may take decides when; it does not depend on luck.
  float seen = 0;
  for (int call = 0; call < 1000000 && changed.empty(); ++call) seen = values_of(f->run(in)[0])[1];
  EXPECT_EQ(changed, std::vector<size_t>{1});
  EXPECT_EQ(seen, 70);
}

struct Negate : ForeignRunner {
  std::atomic<int> calls{0};
  bool fail = false;
  std::vector<int64_t> shape;  // of the result, if not that of the argument

  void run(const ForeignStep& step, std::span<const TensorView> args, std::vector<OwnedTensor>& results) override {
    ++calls;
    EXPECT_EQ(step.id, "negate");
    EXPECT_EQ(step.attributes, "{}");
    if (fail) throw UserError("foreign failure");
    const auto n = static_cast<size_t>(args[0].shape[0]);
    OwnedTensor r = empty_tensor(args[0].dtype, shape.empty() ? std::vector<int64_t>{args[0].shape[0]} : shape);
    for (size_t i = 0; i < n; ++i) static_cast<float*>(r.data)[i] = -static_cast<const float*>(args[0].data)[i];
    results.push_back(std::move(r));
  }
};

// y = -(2 * x), the minus by a foreign step, copied into the output.
ExecutableParts with_foreign(std::shared_ptr<Negate> negate) {
  const Expr n = Expr::symbol("n");
  ExecutableParts parts;
  parts.plan.inputs = {vector_spec(n)};
  parts.plan.frozen_inputs = {false};
  parts.plan.outputs = {vector_spec(n)};
  parts.plan.arena_bytes = 4 * n;
  parts.plan.foreign_results = 1;
  const uint32_t k = add_kernel(parts, "scale", {{n, 64}});
  ForeignStep step{"negate", "{}", {slot(Kind::arena, 0, 4 * n)}, {vector_spec(n)}, 0, {vector_spec(n)}};
  parts.plan.main = {Step{KernelStep{k, {slot(Kind::input, 0, 4 * n), slot(Kind::arena, 0, 4 * n)}}}, Step{step},
                     Step{CopyStep{slot(Kind::foreign, 0, 4 * n), slot(Kind::output, 0, 4 * n)}}};
  parts.foreign = std::move(negate);
  return parts;
}

TEST(Executable, ForeignSteps) {
  auto negate = std::make_shared<Negate>();
  auto f = Executable::create(with_foreign(negate));
  Vector x({1, 2, 3});
  const TensorView in = x.view();
  EXPECT_EQ(values_of(f->run({&in, 1})[0]), (std::vector<float>{-2, -4, -6}));
  EXPECT_EQ(negate->calls, 1);
}

TEST(Executable, ForeignFailuresLeaveThingsWhole) {
  auto negate = std::make_shared<Negate>();
  auto f = Executable::create(with_foreign(negate));
  Vector x(std::vector<float>(100000, 1));
  const TensorView in = x.view();
  const int64_t before = memory_stats().in_use;
  negate->fail = true;
  EXPECT_THROW(f->run({&in, 1}), UserError);
  negate->fail = false;
  negate->shape = {200000};
  EXPECT_THROW(f->run({&in, 1}), InternalError);
  EXPECT_EQ(memory_stats().in_use, before);
  negate->shape.clear();
  EXPECT_EQ(values_of(f->run({&in, 1})[0])[99999], -2);
}

TEST(Executable, NeedsItsForeignRunner) {
  auto f = Executable::create(with_foreign(nullptr));
  Vector x({1});
  const TensorView in = x.view();
  EXPECT_THROW(f->run({&in, 1}), InternalError);
}

TEST(Executable, ChecksItsParts) {
  ExecutableParts parts = twice(4);
  parts.kernels.clear();
  EXPECT_THROW(Executable::create(parts), InternalError);
  parts = twice(4);
  parts.plan.arena_bytes = 8;
  EXPECT_THROW(Executable::create(parts), InternalError);
  parts = twice(4);
  parts.plan.constants = {"c"};
  parts.plan.constant_bytes = {4};
  EXPECT_THROW(Executable::create(parts), InternalError);
}

TEST(Executable, CudaIsRefusedWithAReason) {
  ExecutableParts parts = twice(4);
  parts.plan.inputs[0].device = DeviceKind::cuda;
  EXPECT_THROW(Executable::create(parts), UnsupportedError);
  parts = twice(4);
  parts.plan.main[0].device = 1;
  EXPECT_THROW(Executable::create(parts), UnsupportedError);
  EXPECT_NE(cuda_problem(), "");
}

TEST(Executable, ManyThreadsCallOneExecutable) {
  WithWeights made(1000);
  made.parts.threads = 2;
  auto f = Executable::create(std::move(made.parts));
  Vector w({1, 2, 3, 4});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Vector x(std::vector<float>(1000, static_cast<float>(t + 1)));
      const TensorView in[] = {x.view(), w.view()};
      for (int i = 0; i < 200; ++i) {
        const auto y = values_of(f->run(in)[0]);
        for (size_t j = 0; j < y.size(); ++j) {
          const float factors[4] = {1, 20, 300, 4000};
          if (y[j] != static_cast<float>(t + 1) * factors[j % 4]) ++wrong;
        }
        if (i % 50 == 49) f->refresh();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executable, ThreadsWithWeightsOfTheirOwn) {
  WithWeights made(64);
  auto f = Executable::create(std::move(made.parts));
  // They outlive the threads: weights are told apart by address and version, and freed memory may be given out again.
  std::vector<Vector> weights;
  for (int t = 0; t < 3; ++t) weights.emplace_back(std::vector<float>(4, static_cast<float>(t + 1)));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Vector& w = weights[static_cast<size_t>(t)];
      Vector x(std::vector<float>(64, 1));
      const TensorView in[] = {x.view(), w.view()};
      for (int i = 0; i < 100; ++i) {
        if (values_of(f->run(in)[0])[3] != 1000 * static_cast<float>(t + 1)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace litz::runtime
