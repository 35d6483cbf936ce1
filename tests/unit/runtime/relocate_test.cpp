#include "runtime/relocate.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace litz::runtime {
namespace {

struct Patched {
  bool ok;
  uint64_t value;
};

Patched apply(uint16_t machine, uint32_t type, uint64_t original, uint64_t address, uint64_t value) {
  std::byte place[8];
  std::memcpy(place, &original, 8);
  const bool ok = apply_relocation(machine, type, place, address, value);
  uint64_t out = 0;
  std::memcpy(&out, place, 8);
  return {ok, out};
}

uint32_t arm(uint32_t type, uint32_t instruction, uint64_t address, uint64_t value) {
  const Patched p = apply(EM_AARCH64, type, instruction, address, value);
  EXPECT_TRUE(p.ok);
  return static_cast<uint32_t>(p.value);
}

TEST(Relocate, X86) {
  EXPECT_EQ(apply(EM_X86_64, R_X86_64_64, 0, 0x1000, 0x123456789abcdef0).value, 0x123456789abcdef0u);
  EXPECT_EQ(apply(EM_X86_64, R_X86_64_PC32, 0, 0x2000, 0x1ffc).value, 0xfffffffcu);
  EXPECT_EQ(apply(EM_X86_64, R_X86_64_PC64, 0, 0x2000, 0x1000).value, static_cast<uint64_t>(-0x1000));
  EXPECT_EQ(apply(EM_X86_64, R_X86_64_32, 0, 0, 0x89abcdef).value, 0x89abcdefu);
  EXPECT_FALSE(apply(EM_X86_64, R_X86_64_32, 0, 0, 0x100000000).ok);
  EXPECT_FALSE(apply(EM_X86_64, R_X86_64_32S, 0, 0, 0x80000000).ok);
  EXPECT_FALSE(apply(EM_X86_64, R_X86_64_PLT32, 0, 0, 0x80000000).ok);
  EXPECT_TRUE(apply(EM_X86_64, R_X86_64_PLT32, 0, 0x80000000, 0).ok);
}

// Instructions and their encodings are those of the Arm Architecture Reference Manual, as clang assembles them.
TEST(Relocate, Aarch64) {
  EXPECT_EQ(arm(R_AARCH64_CALL26, 0x94000000, 0x1000, 0x2000), 0x94000400u);            // bl +0x1000
  EXPECT_EQ(arm(R_AARCH64_JUMP26, 0x14000000, 0x2000, 0x1000), 0x17fffc00u);            // b -0x1000
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x1234, 0x6789), 0xb0000020u);  // adrp x0, +5 pages
  EXPECT_EQ(arm(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x6789), 0x911e2400u);        // add x0, x0, #0x789
  EXPECT_EQ(arm(R_AARCH64_LDST32_ABS_LO12_NC, 0xbd400000, 0, 0x6788), 0xbd478800u);     // ldr s0, [x0, #0x788]
  EXPECT_EQ(arm(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0, 0x6780), 0x3dc1e000u);    // ldr q0, [x0, #0x780]
  EXPECT_EQ(arm(R_AARCH64_LD64_GOT_LO12_NC, 0xf9400000, 0, 0x6788), 0xf943c400u);       // ldr x0, [x0, #0x788]
  EXPECT_FALSE(apply(EM_AARCH64, R_AARCH64_CALL26, 0x94000000, 0, 0x10000000).ok);
  EXPECT_FALSE(apply(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x6781).ok);
}

TEST(Relocate, UnknownTypes) {
  EXPECT_FALSE(relocation_kind(EM_X86_64, R_X86_64_TPOFF32));
  EXPECT_FALSE(relocation_kind(EM_AARCH64, R_AARCH64_TLSDESC));
  EXPECT_FALSE(relocation_kind(EM_ARM, 1));
  EXPECT_EQ(relocation_kind(EM_X86_64, R_X86_64_REX_GOTPCRELX)->target, RelocationTarget::got);
}

}  // namespace
}  // namespace litz::runtime
