#include "litz/backends.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "litz/compile.h"
#include "litz/ops.h"
#include "litz/report.h"

namespace {

using litz::DType;
using litz::Tensor;

TEST(BackendsTest, LitzIsThere) {
  const auto names = litz::list_backends();
  EXPECT_NE(std::find(names.begin(), names.end(), "litz"), names.end());
}

TEST(BackendsTest, ARegisteredOneGetsTheGraph) {
  std::string text;
  std::vector<litz::Graph::Value> inputs;
  int calls = 0;
  litz::register_backend("wrapping", [&](const litz::Graph& graph, const litz::CompileOptions& options) {
    text = graph.text();
    inputs = graph.inputs();
    EXPECT_EQ(std::get<int64_t>(options.get("threads")), 1);
    return [&calls, run = graph.compile()](const std::vector<Tensor>& arguments) {
      ++calls;
      return run(arguments);
    };
  });
  const Tensor w = litz::full({2}, 3);
  auto f = litz::compile([w](const Tensor& x) { return litz::sin(x) * w; }, {{"backend", "wrapping"}, {"threads", 1}});
  EXPECT_NEAR(f(litz::ones({2})).to_vector<float>()[0], 3 * 0.841471, 1e-5);
  f(litz::ones({2}));
  EXPECT_EQ(calls, 2);
  EXPECT_NE(text.find("sin"), std::string::npos);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_FALSE(inputs[0].weight);
  EXPECT_TRUE(inputs[1].weight);
  EXPECT_EQ(inputs[1].shape, (std::vector<int64_t>{2}));
}

TEST(BackendsTest, NamesAreCheckedAndTakenOnce) {
  const litz::Backend nothing = [](const litz::Graph&, const litz::CompileOptions&) { return litz::GraphFunction(); };
  EXPECT_THROW(litz::register_backend("litz", nothing), litz::UserError);
  EXPECT_THROW(litz::register_backend("", nothing), litz::UserError);
  EXPECT_THROW(litz::register_backend("none", nullptr), litz::UserError);
  litz::register_backend("gives nothing", nothing);
  EXPECT_THROW(litz::compile([](const Tensor& x) { return x + 1; }, {{"backend", "gives nothing"}})(litz::ones({1})),
               litz::UserError);
  EXPECT_THROW(litz::compile([](const Tensor& x) { return x + 1; }, {{"backend", "nobody"}})(litz::ones({1})),
               litz::UserError);
}

TEST(BackendsTest, WrongResultsAreUserErrors) {
  const auto with = [](const std::string& name, const litz::GraphFunction& function) {
    litz::register_backend(name, [function](const litz::Graph&, const litz::CompileOptions&) { return function; });
    return litz::compile([](const Tensor& x) { return x + 1; }, {{"backend", name}});
  };
  auto too_few = with("too few", [](const std::vector<Tensor>&) { return std::vector<Tensor>(); });
  EXPECT_THROW(too_few(litz::ones({2})), litz::UserError);
  auto shape = with("shape", [](const std::vector<Tensor>&) { return std::vector<Tensor>{litz::ones({3})}; });
  EXPECT_THROW(shape(litz::ones({2})), litz::UserError);
  auto dtype =
      with("dtype", [](const std::vector<Tensor>&) { return std::vector<Tensor>{litz::ones({2}, DType::f64)}; });
  EXPECT_THROW(dtype(litz::ones({2})), litz::UserError);
  auto view = with("view", [](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{litz::expand(litz::slice(a[0], 0, 0, 1), {2})};
  });
  EXPECT_EQ(view(litz::full({2}, 7)).to_vector<float>(), (std::vector<float>{7, 7}));
}

}  // namespace
