#include "support/target.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "litz/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace litz {

namespace {

Isa detect_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::scalar;
#else
  return Isa::scalar;
#endif
}

bool detect_bf16_dot() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

// Linux saves the tiles of a process only after it asked once, for all its threads: what is refused would be a signal.
bool request_amx() {
#if defined(__x86_64__)
  constexpr unsigned kTile = 1U << 24, kBf16 = 1U << 22;  // leaf 7, edx
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & kTile) == 0 || (edx & kBf16) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool is_amd() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

int64_t cache_size(int name, int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

// CPU time that the control group grants, in cores; 0 if unlimited or unknown.
int quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::max(1, static_cast<int>(std::lround(std::strtod(quota.c_str(), nullptr) / period)));
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  if (count <= 0) count = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (const int quota = quota_cores(); quota > 0) count = std::min(count, quota);
  return std::max(1, count);
}

}  // namespace

Isa parse_isa(const std::string& name) {
  if (name == "scalar") return Isa::scalar;
  if (name == "avx2") return Isa::avx2;
  if (name == "avx512") return Isa::avx512;
  throw UserError("unknown instruction set \"" + name + "\": expected scalar, avx2 or avx512");
}

const char* isa_name(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "scalar"; }

void lower_isa(Target& target, Isa isa) {
  if (isa >= target.isa) return;
  target.isa = isa;
  target.cpu = isa == Isa::avx2 ? "x86-64-v3" : "";
  target.features.clear();
  target.has_bf16_dot = target.prefers_bf16_dot = target.has_amx = false;
}

Target host_target() {
  Target t;
  t.isa = detect_isa();
  t.cpu = "native";
  t.has_bf16_dot = t.isa == Isa::avx512 && detect_bf16_dot();
  t.prefers_bf16_dot = t.has_bf16_dot && is_amd();
  t.has_amx = t.isa == Isa::avx512 && request_amx();
  t.l1_bytes = cache_size(_SC_LEVEL1_DCACHE_SIZE, t.l1_bytes);
  t.l2_bytes = cache_size(_SC_LEVEL2_CACHE_SIZE, t.l2_bytes);
  t.l3_bytes = cache_size(_SC_LEVEL3_CACHE_SIZE, t.l3_bytes);
  t.threads = usable_threads();
  if (const char* isa = std::getenv("LITZ_ISA"); isa != nullptr && *isa != '\0') lower_isa(t, parse_isa(isa));
  return t;
}

}  // namespace litz
