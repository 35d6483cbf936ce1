// Graphs as text, run on small tensors, against results worked out by hand. tests/ops holds the cases of each op.
#include "interp/interp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "litz/error.h"

namespace litz::interp {
namespace {

std::vector<Tensor> run_text(std::string_view text, std::vector<Tensor> inputs, const ForeignHandler& foreign = {}) {
  const auto graph = ir::parse_graph(text);
  if (!graph) throw UserError(graph.error());
  return run(*graph, std::move(inputs), foreign);
}

Tensor f32(std::vector<int64_t> shape, const std::vector<double>& values) {
  return Tensor::of(DType::f32, std::move(shape), values);
}
Tensor i64(std::vector<int64_t> shape, const std::vector<double>& values) {
  return Tensor::of(DType::i64, std::move(shape), values);
}

template <typename E>
std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  }
  return "no such error";
}

TEST(Interpreter, RunsInOrderAndBindsSymbols) {
  const auto out = run_text(
      "graph @g(%x: f32[s, 2], %w: f32[2, 2]) -> (%z, %y) {\n"
      "  %y = dot(%x, %w) : f32[s, 2]\n"
      "  %n = size(value=(s), dtype=f32) : f32[]\n"
      "  %z = mul(%y, %n) : f32[s, 2]\n"
      "}",
      {f32({1, 2}, {1, 2}), f32({2, 2}, {1, 10, 100, 1000})});
  EXPECT_EQ(out[0], f32({1, 2}, {201, 2010}));
  EXPECT_EQ(out[1], f32({1, 2}, {201, 2010}));
}

TEST(Interpreter, RefusesInputsThatDontFit) {
  const std::string text = "graph @g(%x: f32[s], %y: f32[s]) -> (%z) { %z = add(%x, %y) : f32[s] }";
  EXPECT_THROW(run_text(text, {f32({2}, {1, 2})}), UserError);
  EXPECT_THROW(run_text(text, {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}), UserError);
  EXPECT_THROW(run_text(text, {f32({2}, {1, 2}), i64({2}, {1, 2})}), UserError);
}

TEST(Interpreter, IndexErrorsNameOpIndexAndSize) {
  const Tensor weight = f32({5, 1}, {0, 1, 2, 3, 4});
  const auto embed = [&](double index) {
    return message_of<IndexError>([&] {
      run_text("graph @g(%w: f32[5, 1], %i: i64[1]) -> (%y) { %y = embedding(%w, %i) : f32[1, 1] }",
               {weight, i64({1}, {index})});
    });
  };
  EXPECT_EQ(embed(-2), "embedding: index -2 is out of range for size 5 at dimension 0");
  EXPECT_EQ(embed(5), "embedding: index 5 is out of range for size 5 at dimension 0");
  const auto gather = [&](std::string_view op, double index) {
    return message_of<IndexError>([&] {
      run_text("graph @g(%w: f32[5, 1], %i: i64[1, 1]) -> (%y) { %y = " + std::string(op) + " }",
               {weight, i64({1, 1}, {index})});
    });
  };
  EXPECT_EQ(gather("gather(%w, %i, dim=0) : f32[1, 1]", -1),
            "gather: index -1 is out of range for size 5 at dimension 0");
  EXPECT_EQ(gather("index(%w, %i, dims=[0]) : f32[1, 1, 1]", -6),
            "index: index -6 is out of range for size 5 at dimension 0");
  EXPECT_EQ(gather("index(%w, %i, dims=[0]) : f32[1, 1, 1]", -5), "no such error");
}

TEST(Interpreter, CallsForeignHandlersAndBindsWhatTheyDefine) {
  const std::string text =
      "graph @g(%x: f32[4]) -> (%y) {\n"
      "  %n = foreign(%x, target=\"positive\", payload=\"p\") defines(u) : f32[u]\n"
      "  %y = neg(%n) : f32[u]\n"
      "}";
  const ForeignHandler positive = [](const ir::Node& node, const std::vector<const Tensor*>& operands) {
    EXPECT_EQ(node.attributes.get<std::string>("payload"), "p");
    std::vector<double> kept;
    for (int64_t i = 0; i < operands[0]->elements(); ++i) {
      if (operands[0]->number(i) > 0) kept.push_back(operands[0]->number(i));
    }
    return std::vector{f32({static_cast<int64_t>(kept.size())}, kept)};
  };
  EXPECT_EQ(run_text(text, {f32({4}, {1, -1, 2, 0})}, positive)[0], f32({2}, {-1, -2}));
  EXPECT_THROW(run_text(text, {f32({4}, {1, -1, 2, 0})}), UnsupportedError);
}

TEST(Interpreter, AssertsStopTheProgram) {
  const std::string text =
      "graph @g(%c: bool[]) -> (%c) {\n"
      "  %t = token() : token[]\n"
      "  %u = assert(%c, %t, message=\"sizes differ\") : token[]\n"
      "}";
  EXPECT_NO_THROW(run_text(text, {Tensor::of(DType::boolean, {}, {1})}));
  EXPECT_EQ(message_of<UserError>([&] { run_text(text, {Tensor::of(DType::boolean, {}, {0})}); }),
            "assertion failed: sizes differ");
}

TEST(Interpreter, ReadsConstants) {
  ir::GraphBuilder g("g");
  const auto bytes = std::make_shared<std::vector<float>>(std::vector<float>{1.5f, -2.0f});
  ir::ConstantData data{.digest = "d", .size = 8};
  data.bytes = std::shared_ptr<const void>(bytes, bytes->data());
  g.output({.value = g.constant({.dtype = DType::f32, .shape = {2}}, data)});
  EXPECT_EQ(run(std::move(g).finish(), {})[0], f32({2}, {1.5, -2}));
  EXPECT_THROW(run_text("graph @g() -> (%c) { %c = constant(digest=\"d\", bytes=8) : f32[2] }", {}), UnsupportedError);
}

TEST(Interpreter, IntegersWrapBeforeTheyAreWidened) {
  const auto out = run_text(
      "graph @g(%x: i32[1]) -> (%z) {\n"
      "  %y = add(%x, %x) : i32[1]\n"
      "  %z = convert(%y, dtype=i64) : i64[1]\n"
      "}",
      {Tensor::of(DType::i32, {1}, {2147483647})});
  EXPECT_EQ(out[0], i64({1}, {-2}));
}

TEST(Interpreter, ArgmaxTakesTheFirstNan) {
  const auto out = run_text("graph @g(%x: f32[4]) -> (%y) { %y = argmax(%x, dims=[0], keepdim=false) : i64[] }",
                            {f32({4}, {9, NAN, 4, NAN})});
  EXPECT_EQ(out[0].integer(0), 1);
}

TEST(Interpreter, AttentionRowsWithEveryKeyMaskedAreZero) {
  const auto out = run_text(
      "graph @g(%q: f32[1, 1, 2, 1], %m: bool[2, 2]) -> (%y) {\n"
      "  %y = attention(%q, %q, %q, %m, scale=1.0) : f32[1, 1, 2, 1]\n"
      "}",
      {f32({1, 1, 2, 1}, {3, 5}), Tensor::of(DType::boolean, {2, 2}, {1, 0, 0, 0})});
  EXPECT_EQ(out[0], f32({1, 1, 2, 1}, {3, 0}));
}

TEST(Interpreter, RemainderAtHugeRatios) {
  const auto out = run_text("graph @g(%a: f32[1], %b: f32[1]) -> (%y) { %y = remainder(%a, %b) : f32[1] }",
                            {f32({1}, {1e10}), f32({1}, {1e-20})});
  EXPECT_NEAR(out[0].number(0), 2.6418e-21, 1e-25);
}

TEST(Tensors, RefuseSizesThatOverflow) {
  EXPECT_THROW(Tensor(DType::f32, {int64_t{1} << 40, int64_t{1} << 40}), UserError);
}

}  // namespace
}  // namespace litz::interp
