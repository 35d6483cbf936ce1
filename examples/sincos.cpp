// The smallest program: one function, compiled into one kernel that reads x once and writes the result once.
#include <litz/litz.h>

#include <cmath>
#include <cstdio>

int main() {
  auto f = litz::compile([](litz::Tensor x) { return litz::sin(litz::cos(x)); });
  const litz::Tensor x = litz::randn({10000});
  const litz::Tensor y = f(x);

  const float* in = x.data<const float>();
  const float* out = y.data<const float>();
  double worst = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    worst = std::fmax(worst, std::fabs(out[i] - std::sin(std::cos(static_cast<double>(in[i])))));
  }
  std::printf("largest error against double: %.3g\n\n%s", worst, litz::to_string(litz::report(f)).c_str());
  return worst < 1e-6 && litz::report(f).graphs.at(0).kernels.size() == 1 ? 0 : 1;
}
