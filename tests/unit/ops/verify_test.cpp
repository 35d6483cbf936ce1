// What the verifier refuses. Graphs are written as text.
#include <gtest/gtest.h>

#include "ops/record.h"

namespace litz::ops {
namespace {

// Empty if the graph verifies.
std::string fault_of(std::string_view text) {
  const auto graph = ir::parse_graph(text);
  if (!graph) return "does not parse: " + graph.error();
  try {
    verify(*graph);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

#define EXPECT_FAULT(text, part) EXPECT_NE(fault_of(text).find(part), std::string::npos) << fault_of(text)

TEST(Verify, AcceptsAGoodGraph) {
  EXPECT_EQ(fault_of("graph @g(%x: f32[s, 8], %w: f32[4, 8] frozen) -> (%y) {\n"
                     "  %h = linear(%x, %w) : f32[s, 4]\n"
                     "  %y = relu(%h) : f32[s, 4]\n"
                     "}"),
            "");
}

TEST(Verify, TypesAreThoseThatRecordsInfer) {
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = sin(%x) : f32[4] }", "should be f32[3]");
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = sin(%x) : f64[3] }", "should be f32[3]");
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = nonsense(%x) : f32[3] }", "no such op");
  EXPECT_FAULT("graph @g(%x: f32[3], %z: f32[4]) -> (%y) { %y = add(%x, %z) : f32[3] }", "do not broadcast");
}

TEST(Verify, AttributesAreThoseOfTheRecord) {
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = softmax(%x) : f32[3] }", "needs the attribute 'dim'");
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = sin(%x, dim=0) : f32[3] }", "has no attribute 'dim'");
  EXPECT_FAULT("graph @g(%x: f32[3]) -> (%y) { %y = add(%x, %x, alpha=2) : f32[3] }", "must be a number");
}

TEST(Verify, SymbolsAreDefinedBeforeTheirUse) {
  EXPECT_FAULT("graph @g(%x: f32[2*s]) -> (%x) { }", "the symbol s");
  EXPECT_EQ(fault_of("graph @g(%x: f32[2*s], %y: f32[s]) -> (%x) { }"), "");
  EXPECT_EQ(fault_of("graph @g(%x: f32[9]) -> (%y) {\n"
                     "  %n = foreign(%x, target=\"nonzero\", payload=\"\") defines(u0) : i64[u0, 1]\n"
                     "  %y = sin(%n) : f32[u0, 1]\n"
                     "}"),
            "");
  EXPECT_FAULT("graph @g(%x: f32[9]) -> (%n) { %n = foreign(%x, target=\"nonzero\", payload=\"\") : i64[u0, 1] }",
               "the symbol u0");
}

TEST(Verify, EffectsAreAChainOfTokens) {
  const std::string head = "graph @g(%c: bool[]) -> (%c) {\n  %t = token() : token[]\n";
  EXPECT_EQ(fault_of(head + "  %u = assert(%c, %t, message=\"no\") : token[]\n"
                            "  %v = assert(%c, %u, message=\"no\") : token[]\n}"),
            "");
  EXPECT_FAULT(head +
                   "  %u = assert(%c, %t, message=\"no\") : token[]\n"
                   "  %v = assert(%c, %t, message=\"no\") : token[]\n}",
               "taken twice");
  EXPECT_FAULT(head + "  %u = identity(%t) : token[]\n}", "token");
  EXPECT_FAULT(
      "graph @g(%x: f32[3]) -> (%y) { %y = foreign(%x, target=\"print\", payload=\"\", effect=true) : f32[3] }",
      "must take one token");
}

TEST(Verify, SubGraphsAreCheckedAndFit) {
  const auto calling = [](const std::string& body, const std::string& type) {
    return "graph @g(%x: f32[3]) -> (%y) {\n  %y = call(%x) : " + type + " {\n graph @f(%a: f32[3]) -> (%b) { " + body +
           " }\n }\n}";
  };
  EXPECT_EQ(fault_of(calling("%b = sin(%a) : f32[3]", "f32[3]")), "");
  EXPECT_FAULT(calling("%b = sin(%a) : f32[4]", "f32[3]"), "graph 'f'");
  EXPECT_FAULT(calling("%b = sin(%a) : f32[3]", "f32[4]"), "should be f32[3]");
}

TEST(Verify, TheBorder) {
  EXPECT_FAULT("graph @g(%x: f32[3], %z: f32[4]) -> (%y writes %z) { %y = sin(%x) : f32[3] }", "another type");
  EXPECT_FAULT("graph @g(%x: f32[3], %z: f32[3]) -> (%y writes %z, %x writes %z) { %y = sin(%x) : f32[3] }",
               "two outputs are written to one input");
}

TEST(Verify, LayoutsStayInsideAndSayWhatPaddingHolds) {
  EXPECT_FAULT(
      "graph @g(%x: f32[1, 32, 4, 4]) -> (%y) {\n"
      "  %y = layout_convert(%x, layout={0,1,2,3|1:16}) : f32[1, 32, 4, 4]{0,1,2,3|1:16}\n}",
      "blocked layout");
  EXPECT_FAULT(
      "graph @g(%x: f32[1, 20]) -> (%z) {\n"
      "  %y = layout_convert(%x, layout={0,1|1:16}) : f32[1, 20]{0,1|1:16}\n"
      "  %z = sin(%y) : f32[1, 20]\n}",
      "does not say what the padding holds");
}

}  // namespace
}  // namespace litz::ops
