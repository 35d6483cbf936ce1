#include "support/target.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "litz/error.h"

namespace litz {
namespace {

TEST(Target, HostHasSensibleFigures) {
  const Target t = host_target();
  EXPECT_EQ(t.device, DeviceKind::cpu);
  EXPECT_GE(t.threads, 1);
  EXPECT_GE(t.l1_bytes, 4096);
  EXPECT_GE(t.l2_bytes, t.l1_bytes);
}

TEST(Target, EnvironmentLowersTheIsa) {
  setenv("LITZ_ISA", "scalar", 1);
  const Target t = host_target();
  unsetenv("LITZ_ISA");
  EXPECT_EQ(t.isa, Isa::scalar);
  EXPECT_EQ(t.cpu, "");
  EXPECT_FALSE(t.has_bf16_dot);
  EXPECT_EQ(t.vector_bytes(), 4);
}

TEST(Target, EnvironmentNamesAnUnknownIsa) {
  setenv("LITZ_ISA", "sse9", 1);
  EXPECT_THROW(host_target(), UserError);
  unsetenv("LITZ_ISA");
}

TEST(Target, LoweringNeverRaises) {
  Target t;
  t.isa = Isa::avx2;
  t.cpu = "znver3";
  lower_isa(t, Isa::avx512);
  EXPECT_EQ(t.isa, Isa::avx2);
  EXPECT_EQ(t.cpu, "znver3");
  t.isa = Isa::avx512;
  t.has_bf16_dot = t.has_amx = true;
  lower_isa(t, Isa::avx2);
  EXPECT_EQ(t.isa, Isa::avx2);
  EXPECT_EQ(t.cpu, "x86-64-v3");
  EXPECT_FALSE(t.has_bf16_dot);
  EXPECT_FALSE(t.has_amx);
  EXPECT_EQ(parse_isa(isa_name(Isa::avx512)), Isa::avx512);
}

}  // namespace
}  // namespace litz
