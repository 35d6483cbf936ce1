// Print and parse of Graph text.
#include <gtest/gtest.h>

#include <cstring>

#include "ir/graph.h"
#include "ir/text.h"
#include "tests/unit/ir/random_graph.h"

namespace litz::ir {
namespace {

Graph parsed(const std::string& text) {
  Result<Graph> g = parse_graph(text);
  EXPECT_TRUE(g) << (g ? "" : g.error()) << "\n" << text;
  return g ? std::move(*g) : Graph();
}

TEST(GraphText, Sample) {
  const std::string text = R"(graph @sincos(%x: f32[10000]) -> (%1) {
  %0 = cos(%x) : f32[10000]  // "f.py:3" aten.cos.default
  %1 = sin(%0) : f32[10000]  // "f.py:3"
}
)";
  const Graph g = parsed(text);
  EXPECT_EQ(print(g), text);
  EXPECT_EQ(g.nodes()[0].location.source, "f.py:3");
  EXPECT_EQ(g.nodes()[0].location.op, "aten.cos.default");
}

TEST(GraphText, EveryFeatureStaysAsItIs) {
  const std::string text = R"(graph @all(
    %x: f32[2,n]@cuda,
    %w: bf16[64,3,3,3]{0,2,3,1|0:16,1:2|zero} strides(27, 9, 3, 1) frozen,
    %t: token)
    -> (%y strides(1, 2), %x writes %x, %out, %c) {
  %c = constant(digest="00ff", bytes=8) : f32[2]
  %y = op(%x, _, %w, a=1, b=1.0, c=true, d="text", e=[1, 2], f=[1.0, 2.5], g=numbers[], h=[], i=(n, 2*n + 1), j=(), k=bf16, l={1,0|1:8}, m={}, n=-inf, o=nan) : f32[2,n]
  %count, %out = nonzero(%y) defines(u0, u1) : i64[], i64[u0,2]
  print(%t, text="hello \"you\"\n")
  %z = cond(%count, %x) : f32[2,n] {
    graph @then(%a: f32[2,n]) -> (%a) {
    }
    graph @else(%a: f32[2,n]) -> (%0) {
      %0 = neg(%a) : f32[2,n]  // "m.py:7"
    }
  }  // "m.py:5" "torch.ops.higher_order.cond"
}
)";
  const std::string expected = [&] {
    std::string s = text;
    const std::string quoted = "\"torch.ops.higher_order.cond\"";
    return s.replace(s.find(quoted), quoted.size(), "torch.ops.higher_order.cond");
  }();
  EXPECT_EQ(print(parsed(text)), expected);
}

TEST(GraphText, AttributesKeepTheirTypes) {
  const Graph g =
      parsed("graph @g() -> () { f(a=1, b=1.0, c=[1], d=[1.0], e=(1), f=[], g=numbers[], h=(), i=[1, 2.5]) }");
  const Attributes& a = g.nodes()[0].attributes;
  EXPECT_EQ(a.get<int64_t>("a"), 1);
  EXPECT_EQ(a.get<double>("b"), 1.0);
  EXPECT_EQ(a.get<std::vector<int64_t>>("c").size(), 1u);
  EXPECT_EQ(a.get<std::vector<double>>("d").size(), 1u);
  EXPECT_EQ(a.get<std::vector<Expr>>("e").size(), 1u);
  EXPECT_TRUE(a.get<std::vector<int64_t>>("f").empty());
  EXPECT_TRUE(a.get<std::vector<double>>("g").empty());
  EXPECT_TRUE(a.get<std::vector<Expr>>("h").empty());
  EXPECT_EQ(a.get<std::vector<double>>("i"), (std::vector<double>{1.0, 2.5}));
}

TEST(GraphText, RandomGraphsRoundTrip) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const Graph g = RandomGraph(seed).make();
    const std::string text = print(g);
    Result<Graph> read = parse_graph(text);
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error() << "\n" << text;
    ASSERT_TRUE(structurally_equal(g, *read)) << "seed " << seed << "\n" << text << print(*read);
    ASSERT_EQ(print(*read), text) << "seed " << seed;
  }
}

// Whatever the text, the parser answers with a graph or a message.
TEST(GraphText, DamagedTextNeverCrashes) {
  std::mt19937 rng(7);
  int failures = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string text = print(RandomGraph(seed).make());
    for (int i = 0; i < 20; ++i) {
      std::string damaged = text;
      const size_t at = rng() % damaged.size();
      switch (rng() % 4) {
        case 0:
          damaged.erase(at, 1 + rng() % 8);
          break;
        case 1:
          damaged[at] = static_cast<char>(rng() % 256);
          break;
        case 2:
          damaged.resize(at);
          break;
        default:
          damaged.insert(at, damaged.substr(rng() % damaged.size(), rng() % 16));
          break;
      }
      const Result<Graph> read = parse_graph(damaged);
      if (!read) {
        ++failures;
        EXPECT_EQ(read.error().substr(0, 5), "line ") << read.error();
      }
    }
  }
  EXPECT_GT(failures, 1000);
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(GraphText, ErrorsSayWhereAndWhat) {
  const Bad cases[] = {
      {"", "line 1, column 1: expected 'graph', but the text ends"},
      {"graph @g(%x: f33[2]) -> () {}",
       "line 1, column 14: expected a dtype (f64, f32, bf16, f16, i64, i32, i16, i8, u8, bool, token)"},
      {"graph @g(%x: f32[2]) -> (%y) {\n}", "line 1, column 26: value %y is not defined before its use"},
      {"graph @g(%x: f32[2], %x: f32[2]) -> () {}", "line 1, column 22: value %x is defined twice"},
      {"graph @g(%x: f32[2]) -> () {\n  %y = cos(%z) : f32[2]\n}",
       "line 2, column 12: value %z is not defined before its use"},
      {"graph @g(%x: f32[2]) -> () {\n  %y = cos(%x)\n}", "line 3, column 1: expected ':', found '}'"},
      {"graph @g(%x: f32[2]) -> () {\n  %y = cos(%x) : f32[2], f32[2]\n}", "line 2, column 3: 1 results, but 2 types"},
      {"graph @g(%x: f32[2]) -> () {\n  %x = cos(%x) : f32[2]\n}", "line 2, column 3: value %x is defined twice"},
      {"graph @g(%x: f32[2]) -> () {\n  %y = cos(%x, a=) : f32[2]\n}",
       "line 2, column 18: expected an attribute's value (a number, true, false, a quoted text, a list, a dtype, a "
       "layout)"},
      {"graph @g(%x: f32[2]) -> () { f(a=1, a=2) }", "line 1, column 37: attribute 'a' is given twice"},
      {"graph @g(%x: f32[2]) -> () { f(a=1, %x) }", "line 1, column 37: operands stand before attributes"},
      {"graph @g(%x: f32[2]) -> () { f(a=99999999999999999999) }",
       "line 1, column 34: '99999999999999999999' does not fit 64 bits"},
      {"graph @g(%x: f32[2]) -> () { f(a=1e999) }", "line 1, column 34: '1e999' is out of a double's range"},
      {"graph @g(%x: f32[2]) -> () { f(a=1.5.5) }", "line 1, column 34: expected a number"},
      {"graph @g(%x: f32[2]) -> () { f(a=\"x) }", "line 1, column 34: a quoted text does not end on its line"},
      {"graph @g(%x: f32[2]) -> () { f(a=\"\\q\") }", "line 1, column 36: unknown escape in a quoted text"},
      {"graph @g(%x: f32[-2]) -> () {}", "line 1, column 14: a size is negative"},
      {"graph @g(%x: f32[9999999999, 9999999999]) -> () {}",
       "line 1, column 14: the tensor's size in bytes does not fit 64 bits"},
      {"graph @g(%x: f32[2, 3]{0,0}) -> () {}",
       "line 1, column 14: the layout's order is no permutation of 2 dimensions"},
      {"graph @g(%x: f32[2, 3]{|5:4}) -> () {}", "line 1, column 14: the layout splits dimension 5 of 2"},
      {"graph @g(%x: f32[2, 3]{|1:0}) -> () {}", "line 1, column 14: a block of the layout has 0 elements"},
      {"graph @g(%x: f32[2] strides(1, 1)) -> () {}", "line 1, column 10: 2 strides for 1 dimensions"},
      {"graph @g(%x: f32[2]) -> (%x strides(1, 1)) {}", "line 1, column 26: 2 strides for 1 dimensions"},
      {"graph @g(%x: f32[2]) -> (%x writes %y) { %y = cos(%x) : f32[2] }", "line 1, column 26: %y is not an input"},
      {"graph @g() -> () { %c = constant(digest=\"a\", bytes=4) : f32[2] }",
       "line 1, column 20: a constant of f32[2] has 8 bytes, not 4"},
      {"graph @g() -> () { %c = constant(digest=\"a\", bytes=4) : f32[n] }",
       "line 1, column 20: the size of a constant must be known"},
      {"graph @g() -> () {} x", "line 1, column 21: expected the end of the text after the graph"},
  };
  for (const Bad& bad : cases) {
    const Result<Graph> g = parse_graph(bad.text);
    ASSERT_FALSE(g) << bad.text;
    EXPECT_EQ(g.error(), bad.message) << bad.text;
  }
}

TEST(GraphText, DeepNestingIsRefused) {
  std::string open;
  for (int i = 0; i < 100000; ++i) open += "graph @g() -> () { f() { ";
  EXPECT_FALSE(parse_graph(open));
  EXPECT_FALSE(parse_graph("graph @g(%x: f32[" + std::string(100000, '(') + ") -> () {}"));
  EXPECT_FALSE(parse_graph("graph @g(%x: f32[" + std::string(100000, '-') + "1]) -> () {}"));
}

TEST(FloatText, ReadsBackTheSameBits) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = rng();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    TextReader reader(float_text(value));
    const std::string text = float_text(value);
    TextReader again(text);
    ASSERT_TRUE(again.number_is_float()) << text;
    ASSERT_TRUE(same_value(again.floating(), value)) << text;
  }
}

TEST(ScalarText, ReadsBackForEachDtype) {
  std::mt19937 rng(2);
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16}) {
    for (int i = 0; i < 20000; ++i) {
      const uint32_t bits = rng();
      float value;
      std::memcpy(&value, &bits, sizeof value);
      const bool rounded = i % 4 != 0;  // others are not values of the dtype, and come back too
      const ScalarValue wanted =
          rounded ? scalar_value(dtype, static_cast<double>(value)) : ScalarValue(value * 1.0000000001);
      const std::string text = scalar_text(dtype, wanted) + " : " + std::string(dtype_name(dtype));
      TextReader reader(text);
      DType read = DType::token;
      ASSERT_TRUE(same_value(reader.scalar(&read), wanted)) << text;
      ASSERT_EQ(read, dtype);
    }
  }
  EXPECT_EQ(scalar_text(DType::f32, scalar_value(DType::f32, 0.1)), "0.1");
  EXPECT_EQ(scalar_text(DType::bf16, scalar_value(DType::bf16, 0.1)), "0.1");
  EXPECT_EQ(scalar_text(DType::f32, 0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(scalar_text(DType::boolean, int64_t{1}), "true");
  EXPECT_EQ(scalar_text(DType::i64, int64_t{-3}), "-3");
}

TEST(NameText, QuotesWhatIsNoWord) {
  EXPECT_EQ(name_text("aten.cos.default"), "aten.cos.default");
  EXPECT_EQ(name_text("mylib::op"), "\"mylib::op\"");
  EXPECT_EQ(name_text(""), "\"\"");
  EXPECT_EQ(quote("a\"b\\c\nd\x01"), "\"a\\\"b\\\\c\\nd\\x01\"");
}

}  // namespace
}  // namespace litz::ir
