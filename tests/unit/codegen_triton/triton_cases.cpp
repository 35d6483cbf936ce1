// Writes test cases for Triton as JSON, one a line: the kernel, its Triton text, how to launch it, inputs, and what the
// interpreter of Kernel IR makes of them.
//   triton_cases ops | reductions | random FIRST COUNT | FILE…
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "codegen/triton/generate.h"
#include "kernel_ir/kernel.h"
#include "kernel_ir/walk.h"
#include "support/half.h"
#include "tests/kernels/kernel_interpreter.h"
#include "tests/unit/codegen_triton/op_kernels.h"
#include "tests/unit/kernel_ir/random_kernel.h"

namespace litz::tests {

namespace {

using Bytes = std::vector<unsigned char>;

enum class Data : uint8_t { specials, small };

int64_t extent(const kernel_ir::Buffer& b) {
  int64_t last = 0;
  for (size_t d = 0; d < b.shape.size(); ++d) {
    if (b.shape[d].constant() == 0) return 0;
    last += (b.shape[d].constant() - 1) * b.strides[d].constant();
  }
  return last + 1;
}

// Floats: specials among normal numbers, or small multiples of 1/8, whose sums are exact.
double float_number(std::mt19937& rng, Data data) {
  static const double special[] = {0.0,    -0.0,  1.0,   -1.0,     0.5,       2.5, -2.5,    1e-40, 3e38,
                                   -1e-45, 1e-20, 1e300, INFINITY, -INFINITY, NAN, 65504.0, 88.5,  -104.0};
  if (data == Data::small) return (static_cast<int>(rng() % 65) - 32) / 8.0;
  if (rng() % 3 == 0) return special[rng() % 18];
  return std::ldexp(static_cast<double>(rng()) - 2147483648.0, -29 + static_cast<int>(rng() % 3));
}

int64_t integer_number(std::mt19937& rng, DType dtype, Data data) {
  static const int64_t special[] = {0, 1, -1, 2, 7, 8, 31, 32, 63, 64, INT64_MIN, INT64_MAX, INT32_MIN, -128, 255};
  if (dtype == DType::boolean) return static_cast<int64_t>(rng() % 2);
  if (data == Data::small) return static_cast<int64_t>(rng() % 17) - 8;
  if (rng() % 2 == 0) return special[rng() % 15];
  return static_cast<int64_t>((uint64_t{rng()} << 32) | rng());
}

void put(Bytes& bytes, DType dtype, int64_t i, std::mt19937& rng, Data data) {
  auto write = [&](auto value) { std::memcpy(&bytes[static_cast<size_t>(i) * sizeof value], &value, sizeof value); };
  switch (dtype) {
    case DType::f64:
      return write(float_number(rng, data));
    case DType::f32:
      return write(static_cast<float>(float_number(rng, data)));
    case DType::bf16:
      return write(f32_to_bf16(static_cast<float>(float_number(rng, data))));
    case DType::f16:
      return write(f32_to_f16(static_cast<float>(float_number(rng, data))));
    case DType::i64:
      return write(integer_number(rng, dtype, data));
    case DType::i32:
      return write(static_cast<int32_t>(integer_number(rng, dtype, data)));
    case DType::i16:
      return write(static_cast<int16_t>(integer_number(rng, dtype, data)));
    default:
      return write(static_cast<uint8_t>(integer_number(rng, dtype, data)));
  }
}

std::string hex(const Bytes& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

std::string_view role_name(kernel_ir::BufferRole role) {
  return role == kernel_ir::BufferRole::in ? "in" : role == kernel_ir::BufferRole::out ? "out" : "in_out";
}

// Every check: its number, size and lowest index. Which of several faults comes first is up to the generator.
nlohmann::json checks_of(const kernel_ir::Kernel& kernel) {
  nlohmann::json checks = nlohmann::json::array();
  kernel_ir::for_each_statement(kernel, [&](const kernel_ir::Statement& s, const kernel_ir::LoopPath&) {
    const auto* check = std::get_if<kernel_ir::Check>(&s);
    if (check == nullptr) return;
    const int64_t size = check->size.constant();
    checks.push_back({check->check + 1, size, check->wraps ? -size : 0});
  });
  return checks;
}

void write_case(const std::string& name, const kernel_ir::Kernel& kernel, Data data) {
  kernel_ir::verify(kernel);
  nlohmann::json out;
  out["name"] = name;
  out["kernel"] = kernel_ir::print(kernel);
  try {
    const codegen::Generated generated = codegen::triton::generate(kernel, Target{}, Options{});
    out["text"] = generated.source.text;
    out["readable"] = generated.source.readable;
    out["launch"] = nlohmann::json::parse(generated.source.launch_json);
  } catch (const UnsupportedError& e) {
    out["unsupported"] = e.what();
    std::cout << out.dump() << "\n";
    return;
  }
  std::mt19937 rng(static_cast<uint32_t>(kernel.buffers.size()) + 17);
  std::vector<Bytes> memory;
  for (const kernel_ir::Buffer& b : kernel.buffers) {
    if (b.role == kernel_ir::BufferRole::local) continue;
    Bytes& bytes = memory.emplace_back(static_cast<size_t>(extent(b)) * static_cast<size_t>(dtype_size(b.dtype)));
    for (int64_t i = 0; i < extent(b); ++i) put(bytes, b.dtype, i, rng, data);
    out["buffers"].push_back({{"dtype", dtype_name(b.dtype)}, {"role", role_name(b.role)}, {"input", hex(bytes)}});
  }
  std::vector<void*> pointers;
  for (Bytes& b : memory) pointers.push_back(b.data());
  KernelFault fault;
  interpret(kernel, pointers, &fault);
  for (size_t i = 0; i < memory.size(); ++i) out["buffers"][i]["expected"] = hex(memory[i]);
  out["faults"] = fault.check != 0;
  out["checks"] = checks_of(kernel);
  std::cout << out.dump() << "\n";
}

kernel_ir::Kernel parsed(const std::string& text, const std::string& name) {
  Result<kernel_ir::Kernel> k = kernel_ir::parse_kernel(text);
  if (!k) throw UserError(name + ": " + k.error());
  return std::move(*k);
}

void run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "ops" || what == "reductions") {
    for (const TextCase& c : what == "ops" ? op_kernels() : reduction_kernels()) {
      const bool products = c.name.find("prod") != std::string::npos || c.name.find("sum") != std::string::npos;
      write_case(c.name, parsed(c.text, c.name), products ? Data::small : Data::specials);
    }
  } else if (what == "random" && argc == 4) {
    const int first = std::stoi(argv[2]);
    for (int seed = first; seed < first + std::stoi(argv[3]); ++seed) {
      const kernel_ir::Kernel kernel = kernel_ir::RandomKernel(static_cast<uint32_t>(seed), /*small=*/true).make();
      write_case("random_" + std::to_string(seed), kernel, Data::small);
    }
  } else {
    for (int i = 1; i < argc; ++i) {
      std::ifstream file(argv[i]);
      if (!file) throw UserError(std::string("cannot read ") + argv[i]);
      std::stringstream text;
      text << file.rdbuf();
      write_case(argv[i], parsed(text.str(), argv[i]), Data::small);
    }
  }
}

}  // namespace

}  // namespace litz::tests

int main(int argc, char** argv) {
  try {
    litz::tests::run(argc, argv);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
