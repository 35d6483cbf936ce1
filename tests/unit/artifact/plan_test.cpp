#include "artifact/plan.h"

#include <gtest/gtest.h>

#include <random>

namespace litz {
namespace {

const Expr s = Expr::symbol("s");

TensorSpec spec(std::vector<Expr> shape, std::vector<Expr> strides, DType dtype = DType::f32) {
  return {dtype, std::move(shape), std::move(strides)};
}

Slot slot(Slot::Kind kind, uint32_t index, const Expr& offset, const Expr& bytes) {
  return {kind, index, offset, bytes};
}

// A plan with every kind of slot and step.
Plan sample() {
  Plan p;
  p.name = "graph \"0\" é";
  p.inputs = {spec({s, 4}, {4, 1}), spec({8}, {1}, DType::bf16)};
  p.frozen_inputs = {false, true};
  p.outputs = {spec({s, 4}, {4, 1})};
  p.constants = {"abc"};
  p.constant_bytes = {64};
  p.prepared_bytes = {32};
  KernelEntry k;
  k.digest = "0123";
  k.name = "sin_cos";
  k.launch.phases = {{s, 4}, {1, 1}};
  k.launch.thread_scratch_bytes = 128;
  k.launch.may_fault = true;
  k.checks = {"aten.embedding at model.py:12"};
  p.kernels = {k};
  Step prepare{KernelStep{0,
                          {slot(Slot::Kind::input, 1, 0, 16), slot(Slot::Kind::constant, 0, 0, 64),
                           slot(Slot::Kind::prepared, 0, 0, 32), slot(Slot::Kind::arena, 0, 0, 64)}}};
  p.prepare = {prepare};
  p.prepare_arena_bytes = 64;
  ForeignStep f;
  f.id = "aten.foo";
  f.attributes = "{\"dim\": 1}";
  f.args = {slot(Slot::Kind::arena, 0, 0, 16 * s)};
  f.arg_specs = {spec({s, 4}, {4, 1})};
  f.result_specs = {spec({s, 4}, {4, 1})};
  Step foreign{f, 0, 0, "foo at model.py:3"};
  Step kernel{KernelStep{0, {slot(Slot::Kind::input, 0, 0, 16 * s), slot(Slot::Kind::arena, 0, 0, 16 * s)}}};
  Step copy{CopyStep{slot(Slot::Kind::foreign, 0, 0, 16 * s), slot(Slot::Kind::output, 0, 0, 16 * s)}, 0, 1};
  p.main = {kernel, foreign, copy};
  p.arena_bytes = 16 * s;
  p.foreign_results = 1;
  return p;
}

std::string error_of(const Plan& plan) { return plan_error(plan).value_or("none"); }

TEST(Plan, ComesBackFromText) {
  const Plan plan = sample();
  EXPECT_EQ(error_of(plan), "none");
  const std::string text = serialize_plan(plan);
  auto back = parse_plan(text);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(*back, plan);
  EXPECT_EQ(serialize_plan(*back), text);
}

TEST(Plan, EmptyComesBack) {
  auto back = parse_plan(serialize_plan(Plan{}));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(*back, Plan{});
}

TEST(Plan, TextMustBeUtf8) {
  Plan p = sample();
  p.name = "\xff";
  EXPECT_THROW(serialize_plan(p), InternalError);
}

TEST(Plan, NamesWhatIsWrong) {
  const auto check = [](auto change, const std::string& expected) {
    Plan p = sample();
    change(p);
    EXPECT_NE(error_of(p).find(expected), std::string::npos) << error_of(p) << " / " << expected;
    EXPECT_FALSE(parse_plan(serialize_plan(p)));
  };
  auto main_args = [](Plan& p) -> std::vector<Slot>& { return std::get<KernelStep>(p.main[0].what).args; };
  auto prepare_args = [](Plan& p) -> std::vector<Slot>& { return std::get<KernelStep>(p.prepare[0].what).args; };
  auto foreign = [](Plan& p) -> ForeignStep& { return std::get<ForeignStep>(p.main[1].what); };
  auto copy = [](Plan& p) -> CopyStep& { return std::get<CopyStep>(p.main[2].what); };

  check([](Plan& p) { p.frozen_inputs.pop_back(); }, "frozen_inputs");
  check([](Plan& p) { p.constant_bytes.clear(); }, "constant_bytes");
  check([](Plan& p) { p.inputs[0].strides.pop_back(); }, "inputs[0]: shape and strides");
  check([](Plan& p) { p.inputs[1].shape[0] = -1; }, "inputs[1] is negative");
  check([](Plan& p) { p.inputs[1].shape[0] = INT64_MAX / 2; }, "inputs[1] is too large");
  check([](Plan& p) { p.outputs[0].dtype = DType::token; }, "outputs[0] is a token");
  check([](Plan& p) { p.arena_bytes = Expr::symbol("u"); }, "no input binds symbol u");
  check([](Plan& p) { p.arena_bytes = -8; }, "arena_bytes is negative");
  check([](Plan& p) { p.kernels[0].launch.phases.clear(); }, "has no phase");
  check([](Plan& p) { p.kernels[0].launch.phases[0].grain = 0; }, "grain");
  check([](Plan& p) { p.kernels[0].launch.thread_scratch_bytes = -1; }, "thread_scratch_bytes");
  check([](Plan& p) { std::get<KernelStep>(p.main[0].what).kernel = 1; }, "main[0]: no such kernel");
  check([&](Plan& p) { main_args(p)[0].index = 2; }, "main[0].args[0]: no such input");
  check([&](Plan& p) { main_args(p)[1].index = 1; }, "there is one arena");
  check([&](Plan& p) { main_args(p)[1] = slot(Slot::Kind::prepared, 0, 8, 32); }, "reaches beyond its buffer");
  check([&](Plan& p) { main_args(p)[1] = slot(Slot::Kind::constant, 0, INT64_MAX, INT64_MAX); }, "too large");
  check([&](Plan& p) { main_args(p)[1] = slot(Slot::Kind::foreign, 0, 0, 4); }, "no earlier step makes");
  check([&](Plan& p) { prepare_args(p)[0].index = 0; }, "not frozen");
  check([&](Plan& p) { prepare_args(p)[0] = slot(Slot::Kind::output, 0, 0, 4); }, "prepare writes an output");
  check([&](Plan& p) { prepare_args(p)[3].bytes = 65; }, "prepare[0].args[3] reaches beyond");
  check([&](Plan& p) { foreign(p).first_result = 1; }, "result out of range");
  check([&](Plan& p) { foreign(p).first_result = UINT32_MAX; }, "result out of range");
  check([&](Plan& p) { foreign(p).arg_specs.clear(); }, "arg_specs differ");
  check([&](Plan& p) { copy(p).to = slot(Slot::Kind::constant, 0, 0, 64); }, "writes a constant");
  check([&](Plan& p) { copy(p) = {slot(Slot::Kind::input, 1, 0, 17), slot(Slot::Kind::arena, 0, 0, 17)}; },
        "main[2] reaches beyond");
  check([](Plan& p) { p.main.push_back(p.main[1]); }, "made twice");
}

TEST(Plan, RefusesDamagedText) {
  const std::string good = serialize_plan(sample());
  for (const char* text : {"", "{}", "[]", "null", "{\"litz_plan\": 99}", "{\"litz_plan\": 1}", "\xff\xfe"}) {
    EXPECT_FALSE(parse_plan(text)) << text;
  }
  EXPECT_FALSE(parse_plan(std::string(200000, '[')));
  for (size_t cut = 0; cut + 2 < good.size(); ++cut) {
    EXPECT_FALSE(parse_plan(std::string_view(good).substr(0, cut))) << cut;
  }
  const std::pair<const char*, const char*> edits[] = {
      {"\"input\"", "\"inptu\""},  {"\"bf16\"", "\"bf17\""}, {"16*s", "16*"},
      {"16*s", "floor_div(s, 0)"}, {"\"main\"", "\"mian\""}, {"true", "1"},
      {":128", ": -128"},          {":128", ":1e9"},         {":128", ":99999999999999999999"}};
  for (const auto& [from, to] : edits) {
    std::string text = good;
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, std::string_view(from).size(), to);
    EXPECT_FALSE(parse_plan(text)) << from << " → " << to;
  }
}

TEST(Plan, RandomDamageNeverGivesABadPlan) {
  const std::string good = serialize_plan(sample());
  std::mt19937 rng(7);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    const int edits = 1 + static_cast<int>(rng() % 3);
    for (int e = 0; e < edits; ++e) {
      const char replacement = "0123456789-\"[]{},:s*e."[rng() % 22];
      text[rng() % text.size()] = replacement;
    }
    auto plan = parse_plan(text);
    if (!plan) continue;
    ++read;
    ASSERT_EQ(plan_error(*plan), std::nullopt);
    auto again = parse_plan(serialize_plan(*plan));
    ASSERT_TRUE(again) << again.error();
    ASSERT_EQ(*again, *plan);
  }
  EXPECT_GT(read, 0);
}

TEST(ExtentBytes, FromShapeAndStrides) {
  EXPECT_EQ(extent_bytes(spec({2, 3}, {3, 1})), 24);
  EXPECT_EQ(extent_bytes(spec({2, 3}, {8, 2})), (8 + 4 + 1) * 4);
  EXPECT_EQ(extent_bytes(spec({5, 3}, {0, 1})), 12);
  EXPECT_EQ(extent_bytes(spec({0, 3}, {3, 1})), 0);
  EXPECT_EQ(extent_bytes(spec({}, {})), 4);
  EXPECT_EQ(extent_bytes(spec({s}, {1})), std::nullopt);
  EXPECT_EQ(extent_bytes(spec({INT64_MAX, 3}, {INT64_MAX, 1})), std::nullopt);
}

}  // namespace
}  // namespace litz
