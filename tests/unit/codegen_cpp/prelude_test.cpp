#include "codegen/cpp/prelude.h"

#include <gtest/gtest.h>

#include "codegen/cpp/block.h"
#include "codegen/cpp/index_text.h"

namespace litz::codegen::cpp {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Prelude, HoldsOnlyWhatIsNamed) {
  EXPECT_EQ(prelude("nothing known here", 16), "");
  const std::string text = prelude("max_f32v(a, b)", 16);
  EXPECT_TRUE(has(text, "typedef f32 f32v __attribute__((vector_size(64)));"));
  EXPECT_FALSE(has(text, "i64v"));
}

TEST(Prelude, DefinitionsComeBeforeTheirUse) {
  const std::string text = prelude("exp_f32v(x)", 8);
  EXPECT_LT(text.find("typedef float f32;"), text.find("typedef f32 f32v"));
  EXPECT_LT(text.find("f32v fma_f32v("), text.find("f32v exp_core_f32v("));
  EXPECT_LT(text.find("f32v exp_core_f32v("), text.find("f32v exp_f32v("));
}

TEST(Prelude, EachPlaceholderIsReplaced) {
  // A helper left half written would compile by chance behind an #if.
  for (const char* name : {"max_f32v", "min_f64v", "quotient_f32v", "ldt_f32v", "ldgm_i8v", "stgm_f64v", "shl_i16v",
                           "div_i32v", "cast_f32_i8v", "cast_f64_i64v", "hsum_f32v", "hargmore_f32_i32v", "pow_f32v",
                           "erfc_f32v", "sinh_f64v", "fmod_f32v"}) {
    const std::string text = prelude(name, 16);
    EXPECT_TRUE(has(text, std::string(name) + "(")) << name;
    EXPECT_FALSE(has(text, "$")) << text;
    EXPECT_FALSE(has(text, "@")) << text;
  }
}

TEST(Literal, IsExact) {
  EXPECT_EQ(literal(DType::f32, 0.1), "0x1.99999ap-4f");
  EXPECT_EQ(literal(DType::f64, 0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(literal(DType::bf16, 1.0), "16256");
  EXPECT_EQ(literal(DType::f16, 1.0), "15360");
  EXPECT_EQ(literal(DType::i64, INT64_MIN), "(-9223372036854775807L - 1)");
  EXPECT_EQ(literal(DType::boolean, int64_t{1}), "true");
}

IndexText text_of(const std::string& expression) {
  const auto e = Expr::parse(expression);
  EXPECT_TRUE(e);
  return index_text(*e, [](const std::string& name) -> IndexText { return {name, name == "v", name != "s"}; });
}

TEST(IndexText, DividesPlainlyWhatIsNotNegative) {
  EXPECT_EQ(text_of("floor_div(i, 3)").text, "i / 3");
  EXPECT_EQ(text_of("floor_div(s, 3)").text, "fdiv(s, 3)");
  EXPECT_EQ(text_of("mod(s, 3)").text, "fmodulo(s, 3)");
}

TEST(IndexText, KnowsWhatDiffersBetweenLanes) {
  EXPECT_FALSE(text_of("4*i + 1").vector);
  EXPECT_TRUE(text_of("4*i + v").vector);
}

}  // namespace
}  // namespace litz::codegen::cpp
