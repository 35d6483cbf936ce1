// What a call from C++ costs beyond its kernels: programs of one and of many kernels on tensors of 16 elements, one
// thread. Then a short kernel on one thread and shared by two, whose workers wait meanwhile.
#include <litz/litz.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

template <typename Fn>
double fastest_nanoseconds(const Fn& call) {
  constexpr int kCalls = 2000, kRounds = 50;
  double best = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kCalls);
  }
  return best;
}

}  // namespace

int main() {
  const litz::CompileOptions one_thread{{"threads", 1}};
  const litz::Tensor x = litz::randn({4, 4}), w = litz::randn({4, 4});
  std::printf("%-44s %10s\n", "program on 4 x 4 floats", "ns a call");

  auto one = litz::compile([](const litz::Tensor& t) { return t + 1; }, one_thread);
  std::printf("%-44s %10.0f\n", "one kernel, one argument", fastest_nanoseconds([&] { one(x); }));

  auto four = litz::compile([](const litz::Tensor& a, const litz::Tensor& b, const litz::Tensor& c,
                               const litz::Tensor& d) { return a + b * c - d; },
                            one_thread);
  std::printf("%-44s %10.0f\n", "one kernel, four arguments", fastest_nanoseconds([&] { four(x, w, x, w); }));

  auto many = litz::compile(
      [&](litz::Tensor t) {
        for (int i = 0; i < 10; ++i) t = litz::matmul(t, w);
        return t;
      },
      one_thread);
  const double all = fastest_nanoseconds([&] { many(x); });
  std::printf("%-44s %10.0f  (%zu kernels)\n", "ten products by a weight", all,
              litz::report(many).graphs.at(0).kernels.size());

  std::printf("\n%-44s %10s\n", "sin(cos(x)) on 10 000 floats", "ns a call");
  const litz::Tensor y = litz::randn({10000});
  for (const int threads : {1, 2}) {
    auto sincos = litz::compile([](const litz::Tensor& t) { return litz::sin(litz::cos(t)); },
                                litz::CompileOptions{{"threads", threads}});
    std::printf("%d thread%-36s %10.0f\n", threads, threads == 1 ? "" : "s", fastest_nanoseconds([&] { sincos(y); }));
  }
}
