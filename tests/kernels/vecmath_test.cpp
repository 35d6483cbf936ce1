// How far generated elementary functions are from the correctly rounded result.
//
// By default a sample of the floats and all that is special; LITZ_EVERY_FLOAT=1 runs each of the 2^32 floats through
// every function (minutes per function). The reference is the C library in f64, rounded to f32.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "tests/kernels/compiled_kernel.h"
#include "tests/kernels/execute.h"

namespace litz::tests {
namespace {

constexpr int64_t kBlock = 1 << 16;

struct Function {
  const char* name;
  double (*reference)(double);
};

double rsqrt(double x) { return 1 / std::sqrt(x); }

#define LITZ_FUNCTION(name) {#name, static_cast<double (*)(double)>(std::name)}
const Function kFunctions[] = {LITZ_FUNCTION(exp),   LITZ_FUNCTION(exp2),  LITZ_FUNCTION(expm1), LITZ_FUNCTION(log),
                               LITZ_FUNCTION(log2),  LITZ_FUNCTION(log10), LITZ_FUNCTION(log1p), LITZ_FUNCTION(sin),
                               LITZ_FUNCTION(cos),   LITZ_FUNCTION(tan),   LITZ_FUNCTION(asin),  LITZ_FUNCTION(acos),
                               LITZ_FUNCTION(atan),  LITZ_FUNCTION(sinh),  LITZ_FUNCTION(cosh),  LITZ_FUNCTION(tanh),
                               LITZ_FUNCTION(asinh), LITZ_FUNCTION(acosh), LITZ_FUNCTION(atanh), LITZ_FUNCTION(erf),
                               LITZ_FUNCTION(erfc),  LITZ_FUNCTION(sqrt),  {"rsqrt", rsqrt}};

// Floats in order as integers: neighbours differ by one.
int64_t rank(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? static_cast<int64_t>(INT32_MIN) - bits : bits;
}
int64_t rank(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? INT64_MIN - bits : bits;
}

template <typename T>
int64_t distance(T got, T expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected) ? 0 : INT64_MAX;
  if (got == 0 && expected == 0) return std::signbit(got) == std::signbit(expected) ? 0 : INT64_MAX;
  const int64_t a = rank(got), b = rank(expected);
  return a > b ? a - b : b - a;
}

std::string unary_text(const std::string& name, const char* dtype) {
  return with(R"(kernel @f(x: $D[$N] in, y: $D[$N] out) {
    schedule($S)
    parallel i < $N { %0 = load x[i] : $D  %1 = $F %0 : $D  store y[i], %1 }
  })",
              {{"$D", dtype}, {"$N", std::to_string(kBlock)}, {"$F", name}});
}

void set_lanes(kernel_ir::Kernel& kernel, const Target& target) {
  if (target.isa == Isa::scalar) return;
  kernel.schedule.vector_ranges = {"i"};
  kernel.schedule.vector_lanes = target.vector_bytes() / 4;
}

std::unique_ptr<CompiledKernel> compile(const std::string& text, Isa isa) {
  const Target target = test_target(isa);
  kernel_ir::Kernel kernel = parse(with(text, {{"    schedule($S)\n", ""}}));
  set_lanes(kernel, target);
  return std::make_unique<CompiledKernel>(kernel, target);
}

// What every run must cover, beside the sample.
std::vector<float> edge_cases() {
  std::vector<float> cases;
  const float centers[] = {0.0f,   0x1p-149f,  0x1p-126f, 0x1p-64f, 1e-4f,          0.3535534f, 0.5f,
                           0.6f,   0.7071068f, 0.92f,     1.0f,     1.4142135f,     2.0f,       3.95f,
                           8.0f,   9.01f,      10.0f,     11.0f,    80.0f,          87.3f,      88.72f,
                           103.9f, 126.0f,     127.999f,  149.0f,   16384.0f,       30000.0f,   1048576.0f,
                           1e9f,   0x1p63f,    1e20f,     3e38f,    0x1.fffffep127f};
  for (const float center : centers) {
    for (int32_t d = -40; d <= 40; ++d) {
      const int32_t bits = std::bit_cast<int32_t>(center) + d;
      if (bits < 0) continue;
      cases.push_back(std::bit_cast<float>(bits));
      cases.push_back(-std::bit_cast<float>(bits));
    }
  }
  // Neighbours of multiples of pi / 2, where a reduced argument is small.
  // NOLINTNEXTLINE(bugprone-float-loop-counter): arguments, not a count
  for (double n = 1; n < 1e37; n = n < 2000 ? n + 1 : n * 1.37) {
    const float x = static_cast<float>(n * 1.5707963267948966);
    for (int32_t d = -2; d <= 2; ++d) cases.push_back(std::bit_cast<float>(std::bit_cast<int32_t>(x) + d));
  }
  for (const float x : {INFINITY, -INFINITY, NAN}) cases.push_back(x);
  return cases;
}

struct Worst {
  int64_t ulps = 0;
  float at = 0, got = 0, expected = 0;
};

class Judge {
 public:
  Judge(const CompiledKernel& kernel, double (*reference)(double)) : kernel_(kernel), reference_(reference) {}

  void add(float x) {
    in_.push_back(x);
    if (in_.size() == static_cast<size_t>(kBlock)) flush();
  }
  void flush() {
    const size_t n = in_.size();
    in_.resize(kBlock, 1.0f);
    std::vector<float> out(kBlock);
    kernel_.run({in_.data(), out.data()}, 1 << 30);
    for (size_t i = 0; i < n; ++i) {
      const float expected = static_cast<float>(reference_(static_cast<double>(in_[i])));
      const int64_t d = distance(out[i], expected);
      if (d > worst.ulps) worst = {d, in_[i], out[i], expected};
    }
    in_.clear();
  }
  Worst worst;

 private:
  const CompiledKernel& kernel_;
  double (*reference_)(double);
  std::vector<float> in_;
};

class VecMath : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU has no " << isa_name(GetParam());
  }
};

TEST_P(VecMath, FloatFunctionsAreWithinOneUlp) {
  const bool every = std::getenv("LITZ_EVERY_FLOAT") != nullptr;
  const char* only = std::getenv("LITZ_FUNCTION");
  const uint64_t step = every ? 1 : GetParam() == Isa::scalar ? 40961 : 4099;
  const std::vector<float> edges = edge_cases();
  for (const Function& function : kFunctions) {
    if (only && std::string(only) != function.name) continue;
    const auto kernel = compile(unary_text(function.name, "f32"), GetParam());
    Judge judge(*kernel, function.reference);
    for (const float x : edges) judge.add(x);
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += step) {
      judge.add(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    judge.flush();
    const Worst& w = judge.worst;
    EXPECT_LE(w.ulps, 1) << function.name << "(" << std::hexfloat << w.at << ") is " << w.got << ", expected "
                         << w.expected;
  }
}

// A function of what cannot be large has a form of its own: the same bits as from memory, where nothing is known.
TEST_P(VecMath, FormsForSmallArgumentsGiveTheSameBits) {
  const std::string one = with(R"(kernel @f(x: f32[$N] in, y: f32[$N] out) {
    parallel i < $N { %0 = load x[i] : f32  $INNER  $OUTER  store y[i], %9 }
  })",
                               {{"$N", std::to_string(kBlock)}});
  const std::string nothing = "%8 = neg %0 : f32";
  // Rounding to the smallest numbers of f16 adds half of them.
  const std::string small_halves = R"(%1 = tanh %0 : f32  %2 = const 4e-8 : f32  %3 = mul %1, %2 : f32
      %4 = cast %3 : f16  %5 = cast %4 : f32  %6 = const 3.4e7 : f32  %8 = mul %5, %6 : f32)";
  std::mt19937_64 random(1);
  for (const std::string& bounded : std::vector<std::string>{
           "%8 = cos %0 : f32", "%1 = tanh %0 : f32  %2 = const 1.4 : f32  %8 = mul %1, %2 : f32",
           "%1 = const 900.0 : f32  %2 = erf %0 : f32  %8 = mul %1, %2 : f32",
           "%1 = cast %0 : bf16  %2 = cast %1 : f32  %3 = sin %2 : f32  %4 = abs %3 : f32  %8 = sub %3, %4 : f32",
           small_halves}) {
    for (const std::string outer : {"sin", "cos"}) {
      const auto both =
          compile(with(one, {{"$INNER", bounded}, {"$OUTER", "%9 = " + outer + " %8 : f32"}}), GetParam());
      const auto first = compile(with(one, {{"$INNER", bounded}, {"$OUTER", "%9 = neg %8 : f32"}}), GetParam());
      const auto second =
          compile(with(one, {{"$INNER", nothing}, {"$OUTER", "%9 = " + outer + " %8 : f32"}}), GetParam());
      std::vector<float> x = edge_cases(), middle(kBlock), expected(kBlock), got(kBlock);
      while (x.size() < static_cast<size_t>(kBlock)) x.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
      both->run({x.data(), got.data()}, 1 << 30);
      first->run({x.data(), middle.data()}, 1 << 30);
      second->run({middle.data(), expected.data()}, 1 << 30);
      for (size_t i = 0; i < static_cast<size_t>(kBlock); ++i) {
        ASSERT_EQ(distance(got[i], expected[i]), 0) << outer << " of " << bounded << " at " << std::hexfloat << x[i];
      }
    }
  }
}

TEST_P(VecMath, DoubleFunctionsAreWithinTwoUlps) {
  std::mt19937_64 random(1);
  for (const Function& function : kFunctions) {
    const auto kernel = compile(unary_text(function.name, "f64"), GetParam());
    std::vector<double> in(kBlock), out(kBlock);
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = i % 2 ? std::bit_cast<double>(random()) : std::ldexp(static_cast<double>(random() >> 11), -50) - 4;
    }
    kernel->run({in.data(), out.data()}, 1 << 30);
    int64_t worst = 0;
    for (size_t i = 0; i < in.size(); ++i) worst = std::max(worst, distance(out[i], function.reference(in[i])));
    EXPECT_LE(worst, 2) << function.name;
  }
}

TEST_P(VecMath, TwoArguments) {
  const double special[] = {0.0, -0.0, 1.0,      -1.0,      2.0, -2.0,  3.0,  -3.0,
                            0.5, -0.5, INFINITY, -INFINITY, NAN, 1e-40, 3e38, -3e38};
  std::mt19937_64 random(1);
  const std::pair<const char*, double (*)(double, double)> functions[] = {
      {"pow", static_cast<double (*)(double, double)>(std::pow)},
      {"atan2", static_cast<double (*)(double, double)>(std::atan2)},
      {"fmod", static_cast<double (*)(double, double)>(std::fmod)}};
  for (const auto& [name, reference] : functions) {
    const auto kernel = compile(with(R"(kernel @f(x: f32[$N] in, z: f32[$N] in, y: f32[$N] out) {
      parallel i < $N { %0 = load x[i] : f32  %2 = load z[i] : f32  %1 = $F %0, %2 : f32  store y[i], %1 }
    })",
                                     {{"$N", std::to_string(kBlock)}, {"$F", name}}),
                                GetParam());
    std::vector<float> x(kBlock), z(kBlock), y(kBlock);
    for (int round = 0; round < 20; ++round) {
      for (size_t i = 0; i < x.size(); ++i) {
        const auto draw = [&](size_t which) -> float {
          if (round == 0 && i < 256) return static_cast<float>(special[which ? i / 16 : i % 16]);
          const auto r = static_cast<uint32_t>(random());
          if (round % 3 == 0) return std::bit_cast<float>(r);
          if (round % 3 == 1) return std::ldexp(static_cast<float>(r & 0xffffff), -21) - 4;
          return which ? static_cast<float>(static_cast<int>(r % 41) - 20)
                       : std::ldexp(static_cast<float>(r & 0xffffff), -20);
        };
        x[i] = draw(0);
        z[i] = draw(1);
      }
      kernel->run({x.data(), z.data(), y.data()}, 1 << 30);
      int shown = 0;
      for (size_t i = 0; i < x.size() && shown < 3; ++i) {
        const auto expected = static_cast<float>(reference(static_cast<double>(x[i]), static_cast<double>(z[i])));
        if (distance(y[i], expected) <= (std::string(name) == "fmod" ? 0 : 2)) continue;
        ADD_FAILURE() << name << "(" << std::hexfloat << x[i] << ", " << z[i] << ") is " << y[i] << ", expected "
                      << expected;
        ++shown;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, VecMath, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

}  // namespace
}  // namespace litz::tests
