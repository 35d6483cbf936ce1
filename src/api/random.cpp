// Random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).
// Element i comes from block i / 4 of its stream, whatever the threads.
#include <cmath>
#include <cstring>
#include <mutex>
#include <numbers>

#include "api/call.h"
#include "api/state.h"
#include "litz/create.h"
#include "runtime/thread_pool.h"
#include "support/half.h"
#include "support/target.h"

namespace litz {

namespace {

using Words = std::array<uint32_t, 4>;

// A call with a seed draws from stream 0 of that seed, a call without one from the next stream of the process's.
struct Stream {
  uint64_t seed = 0;
  uint64_t number = 0;
};

Words philox(const Stream& stream, uint64_t block) {
  Words c = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), static_cast<uint32_t>(stream.number),
             static_cast<uint32_t>(stream.number >> 32)};
  auto k0 = static_cast<uint32_t>(stream.seed);
  auto k1 = static_cast<uint32_t>(stream.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

constexpr double kUnit = 0x1p-32;

// Box and Muller: two normal numbers from two words.
void normal_pair(uint32_t a, uint32_t b, double* out) {
  const double radius = std::sqrt(-2 * std::log((a + 0.5) * kUnit));
  const double angle = 2 * std::numbers::pi * (b * kUnit);
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

using Numbers = std::array<double, 4>;

Numbers normal_numbers(const Words& w, DType) {
  Numbers out;
  normal_pair(w[0], w[1], out.data());
  normal_pair(w[2], w[3], out.data() + 2);
  return out;
}

// As many bits as the dtype has, so that none rounds to 1.
Numbers uniform_numbers(const Words& w, DType dtype) {
  const int bits = dtype == DType::f64 ? 32 : dtype == DType::f32 ? 24 : dtype == DType::f16 ? 11 : 8;
  Numbers out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::ldexp(static_cast<double>(w[i] >> (32 - bits)), -bits);
  return out;
}

void store(DType dtype, std::byte* data, int64_t i, double value) {
  switch (dtype) {
    case DType::f64:
      reinterpret_cast<double*>(data)[i] = value;
      break;
    case DType::f32:
      reinterpret_cast<float*>(data)[i] = static_cast<float>(value);
      break;
    case DType::bf16:
      reinterpret_cast<uint16_t*>(data)[i] = f64_to_bf16(value);
      break;
    default:
      reinterpret_cast<uint16_t*>(data)[i] = f64_to_f16(value);
      break;
  }
}

template <typename Fn>
void for_each_block(int64_t blocks, Fn fn) {
  const runtime::TaskPhase phase{.tasks = blocks, .grain = 4096};
  const auto run = [](void* context, int64_t, int64_t begin, int64_t end, int) {
    for (int64_t block = begin; block < end; ++block) (*static_cast<Fn*>(context))(block);
  };
  runtime::ThreadPool::shared().run({run, &fn, {&phase, 1}}, host_target().threads);
}

struct Generator {
  std::mutex mutex;
  Stream next{.seed = 0, .number = 1};
};

Generator& generator() {
  static Generator instance;
  return instance;
}

// The stream of one call.
Stream stream_of(const char* function, std::optional<uint64_t> seed) {
  if (api::is_tracing()) {
    throw UserError(std::string(function) +
                    ": a function that litz::compile traces cannot draw random numbers: they would be the same at "
                    "every call. Draw outside and pass the tensor as an argument");
  }
  if (seed) return {.seed = *seed, .number = 0};
  Generator& g = generator();
  const std::lock_guard lock(g.mutex);
  const Stream stream = g.next;
  ++g.next.number;
  return stream;
}

Tensor floats(const char* function, const Sizes& shape, DType dtype, std::optional<uint64_t> wanted,
              Numbers (*numbers)(const Words&, DType)) {
  const Stream stream = stream_of(function, wanted);
  if (!is_floating(dtype)) {
    throw UserError(std::string(function) + ": dtype must be a floating one, got " + std::string(dtype_name(dtype)));
  }
  Tensor out = api::make_empty(dtype, shape);
  const api::TensorState& state = *api::Access::get(out);
  const int64_t count = state.layout->elements;
  for_each_block((count + 3) / 4, [&](int64_t block) {
    const Numbers values = numbers(philox(stream, static_cast<uint64_t>(block)), dtype);
    for (int64_t i = 4 * block; i < std::min(count, 4 * block + 4); ++i)
      store(dtype, state.data, i, values[static_cast<size_t>(i % 4)]);
  });
  return out;
}

}  // namespace

Tensor randn(const Sizes& shape, DType dtype, std::optional<uint64_t> seed) {
  return floats("randn", shape, dtype, seed, normal_numbers);
}

Tensor rand(const Sizes& shape, DType dtype, std::optional<uint64_t> seed) {
  return floats("rand", shape, dtype, seed, uniform_numbers);
}

Tensor randint(int64_t low, int64_t high, const Sizes& shape, DType dtype, std::optional<uint64_t> wanted) {
  const Stream stream = stream_of("randint", wanted);
  if (low >= high) {
    throw UserError("randint: low must be below high, got " + std::to_string(low) + " and " + std::to_string(high));
  }
  if (!is_integral(dtype) || dtype == DType::boolean) {
    throw UserError("randint: dtype must be an integer one, got " + std::string(dtype_name(dtype)));
  }
  Tensor out = api::make_empty(dtype, shape);
  const api::TensorState& state = *api::Access::get(out);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const int size = dtype_size(dtype);
  const int64_t count = state.layout->elements;
  for_each_block((count + 1) / 2, [&](int64_t block) {
    const Words w = philox(stream, static_cast<uint64_t>(block));
    for (int64_t i = 2 * block; i < std::min(count, 2 * block + 2); ++i) {
      const auto at = static_cast<size_t>(i % 2 * 2);
      const uint64_t bits = uint64_t{w[at]} << 32 | w[at + 1];
      const uint64_t value = static_cast<uint64_t>(low) + bits % range;
      std::memcpy(state.data + i * size, &value, static_cast<size_t>(size));  // little-endian
    }
  });
  return out;
}

void manual_seed(uint64_t seed) {
  Generator& g = generator();
  const std::lock_guard lock(g.mutex);
  g.next = {.seed = seed, .number = 1};
}

}  // namespace litz
