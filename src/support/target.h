// The machine that code is generated for. Plain data: every stage may read it, and tests set it by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace litz {

enum class DeviceKind : uint8_t { cpu, cuda };

// Instruction sets that the C++ generator tells apart. `scalar` is plain C++ for any CPU.
enum class Isa : uint8_t { scalar, avx2, avx512 };

struct Target {
  DeviceKind device = DeviceKind::cpu;
  Isa isa = Isa::scalar;
  // The CPU, as in -march: "znver4", "sapphirerapids"; "native": the one we run on, which the kernel cache names;
  // empty: any.
  std::string cpu;
  std::vector<std::string> features;  // LLVM feature strings: "+avx512bf16"
  bool has_bf16_dot = false;          // AVX-512 BF16 dot instructions
  bool prefers_bf16_dot = false;  // they are faster than f32 arithmetic on widened bf16: on Zen, not on Intel's cores
  bool has_amx = false;           // AMX with bf16 products, and the system lets this process use it
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;
  int64_t l3_bytes = 8 << 20;
  int threads = 1;
  int sm = 0;  // CUDA: compute capability times ten (90 for an H100 or H200)

  bool operator==(const Target&) const = default;
  // Bytes of one vector register; 4 for scalar.
  int vector_bytes() const { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 4; }
};

// The machine we run on. Where it has AMX, Linux is asked to let this process use it. `LITZ_ISA=scalar|avx2|avx512`
// lowers the ISA, for tests.
Target host_target();

// "scalar", "avx2" or "avx512"; throws a UserError for another name.
Isa parse_isa(const std::string& name);
const char* isa_name(Isa isa);
// Restricts `target` to `isa`; does nothing if it has no more than that.
void lower_isa(Target& target, Isa isa);

}  // namespace litz
