#include "tests/kernels/execute.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "schedule/collapse.h"
#include "schedule/schedule.h"
#include "support/half.h"
#include "tests/kernels/compiled_kernel.h"
#include "tests/kernels/kernel_interpreter.h"

namespace litz::tests {
namespace {

using kernel_ir::Buffer;
using kernel_ir::BufferRole;
using Bytes = std::vector<char>;

int64_t elements(const Buffer& buffer) {
  int64_t last = 0;
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    if (buffer.shape[i].constant() == 0) return 0;
    last += (buffer.shape[i].constant() - 1) * buffer.strides[i].constant();
  }
  return last + 1;
}

double random_float(std::mt19937& random, const ExecuteOptions& options) {
  static const double special[] = {0.0,  -0.0,   INFINITY, -INFINITY, NAN, 1e-40, -3e-42, 1.0,
                                   -1.0, 3.5e38, -65504.0, 70000.0,   0.5, 2.5,   -1.5,   1e9};
  if (options.specials && random() % 8 == 0) return special[random() % std::size(special)];
  return std::normal_distribution<double>(0, options.spread)(random);
}

int64_t random_integer(std::mt19937& random, DType dtype, const ExecuteOptions& options) {
  if (dtype == DType::boolean) return random() % 2;
  if (dtype == DType::i64 && options.index_limit > 0) {
    return static_cast<int64_t>(random() % (2 * options.index_limit)) - options.index_limit;
  }
  static const int64_t special[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -32768, 127, -128, 255, 63};
  if (options.specials && random() % 4 == 0) return special[random() % std::size(special)];
  return static_cast<int64_t>(random() % 200) - 100;
}

void put(DType dtype, char* p, int64_t i, std::mt19937& random, const ExecuteOptions& options) {
  const auto write = [&](auto value) { std::memcpy(p + i * static_cast<int64_t>(sizeof value), &value, sizeof value); };
  const auto single = [&] { return static_cast<float>(random_float(random, options)); };
  switch (dtype) {
    case DType::f64:
      return write(random_float(random, options));
    case DType::f32:
      return write(single());
    case DType::bf16:
      return write(f32_to_bf16(single()));
    case DType::f16:
      return write(f32_to_f16(single()));
    case DType::i64:
      return write(random_integer(random, dtype, options));
    case DType::i32:
      return write(static_cast<int32_t>(random_integer(random, dtype, options)));
    case DType::i16:
      return write(static_cast<int16_t>(random_integer(random, dtype, options)));
    default:
      return write(static_cast<int8_t>(random_integer(random, dtype, options)));
  }
}

double get(DType dtype, const char* p, int64_t i) {
  const auto read = [&](auto value) {
    std::memcpy(&value, p + i * static_cast<int64_t>(sizeof value), sizeof value);
    return value;
  };
  switch (dtype) {
    case DType::f64:
      return read(0.0);
    case DType::f32:
      return static_cast<double>(read(0.0f));
    case DType::bf16:
      return static_cast<double>(bf16_to_f32(read(uint16_t{})));
    case DType::f16:
      return static_cast<double>(f16_to_f32(read(uint16_t{})));
    case DType::i64:
      return static_cast<double>(read(int64_t{}));
    case DType::i32:
      return read(int32_t{});
    case DType::i16:
      return read(int16_t{});
    case DType::i8:
      return read(int8_t{});
    default:
      return read(uint8_t{});
  }
}

bool near(DType dtype, double got, double expected, const ExecuteOptions& options) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (got == expected) return std::signbit(got) == std::signbit(expected) || options.tolerance > 0;
  if (!is_floating(dtype) || options.tolerance == 0 || std::isinf(expected) || std::isinf(got)) return false;
  const double unit = dtype == DType::bf16 ? 0x1p-7 : dtype == DType::f16 ? 0x1p-10 : 0;
  const double floor = dtype == DType::f16 ? std::max(options.floor, 1e-4) : options.floor;
  return std::fabs(got - expected) <= std::max(options.tolerance, unit) * std::max(std::fabs(expected), floor);
}

// Memory between guard bytes, so that a store outside shows.
struct Memory {
  static constexpr size_t kGuard = 128;
  std::vector<Bytes> blocks;

  explicit Memory(const std::vector<Bytes>& contents) {
    for (const Bytes& bytes : contents) {
      Bytes block(kGuard, 0x5a);
      block.insert(block.end(), bytes.begin(), bytes.end());
      block.insert(block.end(), kGuard, 0x5a);
      blocks.push_back(std::move(block));
    }
  }
  std::vector<void*> pointers() {
    std::vector<void*> result;
    for (Bytes& block : blocks) result.push_back(block.data() + kGuard);
    return result;
  }
  bool guards_whole() const {
    for (const Bytes& block : blocks) {
      for (size_t i = 0; i < kGuard; ++i) {
        if (block[i] != 0x5a || block[block.size() - 1 - i] != 0x5a) return false;
      }
    }
    return true;
  }
};

void compare(const kernel_ir::Kernel& kernel, Memory& got, Memory& expected, const ExecuteOptions& options) {
  EXPECT_TRUE(got.guards_whole()) << "a store outside a buffer";
  size_t argument = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.role == BufferRole::local) continue;
    const char* a = got.blocks[argument].data() + Memory::kGuard;
    const char* b = expected.blocks[argument].data() + Memory::kGuard;
    ++argument;
    int shown = 0;
    for (int64_t i = 0; i < elements(buffer) && shown < 3; ++i) {
      const double x = get(buffer.dtype, a, i), y = get(buffer.dtype, b, i);
      if (near(buffer.dtype, x, y, options)) continue;
      ADD_FAILURE() << buffer.name << "[" << i << "] is " << x << ", expected " << y;
      ++shown;
    }
  }
}

}  // namespace

std::string with(std::string text, std::initializer_list<std::pair<const char*, std::string>> values) {
  for (const auto& [from, to] : values) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, std::strlen(from), to);
    }
  }
  return text;
}

void execute(const std::string& text, const ExecuteOptions& options) {
  const kernel_ir::Kernel written = parse(text);
  std::mt19937 random(static_cast<uint32_t>(options.seed));
  std::vector<Bytes> contents;
  for (const Buffer& buffer : written.buffers) {
    if (buffer.role == BufferRole::local) continue;
    Bytes bytes(static_cast<size_t>(elements(buffer) * dtype_size(buffer.dtype)), 0x33);
    for (int64_t i = 0; i < elements(buffer) && buffer.role != BufferRole::out; ++i) {
      put(buffer.dtype, bytes.data(), i, random, options);
    }
    contents.push_back(std::move(bytes));
  }
  Memory expected(contents);
  KernelFault expected_fault;
  interpret(written, expected.pointers(), &expected_fault);

  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    if (!runs_here(isa)) continue;
    const Target target = test_target(isa);
    kernel_ir::Kernel kernel = written;
    schedule::collapse(kernel);
    kernel_ir::verify(kernel);
    auto schedules = schedule::candidates(kernel, target);
    if (schedules.size() > options.max_schedules) schedules.resize(options.max_schedules);
    for (const kernel_ir::Schedule& schedule : schedules) {
      kernel.schedule = schedule;
      SCOPED_TRACE(std::string(isa_name(isa)) + "\n" + kernel_ir::print(kernel));
      std::unique_ptr<CompiledKernel> compiled;
      ASSERT_NO_THROW(compiled = std::make_unique<CompiledKernel>(kernel, target));
      for (const int64_t step : {1, 3, 1000000000}) {
        Memory got(contents);
        const KernelFault fault = compiled->run(got.pointers(), step);
        EXPECT_EQ(fault.check != 0, expected_fault.check != 0);
        if (fault.check == 0 && expected_fault.check == 0) compare(written, got, expected, options);
        EXPECT_TRUE(got.guards_whole());
      }
    }
  }
}

}  // namespace litz::tests
