// A mistake in a C++ program, and what it must be told.
#include <gtest/gtest.h>
#include <litz/litz.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using litz::DType;
using litz::Tensor;

struct Mistake {
  const char* name;
  std::function<void()> make;
  std::vector<std::string> said;  // parts of the message
};

void compile_and_call(const std::function<Tensor(const Tensor&)>& fn) { litz::compile(fn)(litz::ones({2, 3})); }

// Shapes and dimensions.
std::vector<Mistake> shape_mistakes() {
  return {
      {"shapes that do not broadcast",
       [] { litz::ones({2, 3}) + litz::ones({4}); },
       {"add (mistakes_test.cpp:", "[2, 3]", "[4]", "do not broadcast"}},
      {"sizes that do not multiply",
       [] { litz::matmul(litz::ones({2, 3}), litz::ones({4, 5})); },
       {"matmul (mistakes_test.cpp:", "3", "4"}},
      {"operands of two dtypes",
       [] { litz::matmul(litz::ones({2, 2}), litz::ones({2, 2}, DType::f64)); },
       {"matmul", "one dtype", "f32[2,2]", "f64[2,2]"}},
      {"a weight of another number of channels",
       [] { litz::conv2d(litz::ones({1, 3, 8, 8}), litz::ones({4, 2, 3, 3})); },
       {"conv2d (mistakes_test.cpp:", "channels", "3", "2"}},
      {"an image without a batch",
       [] { litz::conv2d(litz::ones({3, 8, 8}), litz::ones({4, 3, 3, 3})); },
       {"conv2d", "x must have 4 dimensions", "f32[3,8,8]"}},
      {"a kernel larger than the image",
       [] { litz::conv2d(litz::ones({1, 1, 2, 2}), litz::ones({1, 1, 3, 3})); },
       {"conv2d", "kernel is larger"}},
      {"a dimension that is not there",
       [] { litz::sum(litz::ones({2, 3}), 2); },
       {"sum (mistakes_test.cpp:", "dimension 2 is out of range"}},
      {"a dimension of a view that is not there",
       [] { litz::transpose(litz::ones({2, 3}), 0, -3); },
       {"transpose", "dimension -3 is out of range for a tensor of 2 dimensions"}},
      {"a shape that holds another number",
       [] { litz::reshape(litz::ones({2, 3}), {4}); },
       {"reshape", "[2, 3] has 6 elements", "[4] does not hold them"}},
      {"two open sizes", [] { litz::reshape(litz::ones({2, 3}), {-1, -1}); }, {"reshape", "one -1"}},
  };
}

// Parts, indices, dtypes of operands.
std::vector<Mistake> operand_mistakes() {
  return {
      {"an expansion of a size that is not 1",
       [] { litz::expand(litz::ones({2, 3}), {2, 4}); },
       {"expand", "only size 1 expands"}},
      {"parts of two shapes",
       [] { litz::cat({litz::ones({2, 3}), litz::ones({2, 4})}); },
       {"cat", "sizes must agree except at dimension 0"}},
      {"nothing to join", [] { litz::cat({}); }, {"cat", "needs a tensor"}},
      {"an index out of range",
       [] { litz::select(litz::ones({2, 3}), 1, 3); },
       {"select", "index 3 is out of range for size 3"}},
      {"a float as an index",
       [] { litz::embedding(litz::ones({2, 3}), litz::ones({1})); },
       {"embedding", "'indices' must be i64 or i32"}},
      {"a row that is not there",
       [] { litz::embedding(litz::ones({2, 3}), litz::full({1}, 2, DType::i64)); },
       {"embedding", "2"}},
      {"a mask that is no boolean",
       [] { litz::where(litz::ones({2}), 1, litz::ones({2})); },
       {"where", "'condition' must be boolean"}},
      {"negation of booleans", [] { litz::neg(litz::ones({2}, DType::boolean)); }, {"neg", "not defined for booleans"}},
      {"a mean of integers", [] { litz::mean(litz::ones({2}, DType::i64)); }, {"mean", "floating dtype"}},
      {"no tensor at all", [] { litz::maximum(1, 2.5); }, {"maximum", "one of the operands must be a tensor"}},
      {"an undefined tensor", [] { litz::sin(Tensor()); }, {"sin"}},
  };
}

// Memory and its elements.
std::vector<Mistake> memory_mistakes() {
  return {
      {"another element type", [] { litz::ones({2}).data<double>(); }, {"data", "f32[2]", "data<float>()"}},
      {"an item of many", [] { litz::ones({2}).item<float>(); }, {"item", "f32[2]", "one element"}},
      {"a write into const memory",
       [] {
         static const float memory[] = {1, 2};
         litz::from_blob(memory, {2}).data<float>();
       },
       {"read-only", "data<const float>()", "clone()"}},
      {"strides of another rank",
       [] {
         static float memory[] = {1, 2};
         litz::from_blob(memory, {2}, {1, 1});
       },
       {"from_blob", "strides [1, 1]", "shape [2]"}},
      {"a negative size", [] { litz::zeros({2, -1}); }, {"[2, -1] has a negative size"}},
  };
}

// Traced functions, options, back ends.
std::vector<Mistake> program_mistakes() {
  return {
      {"a value of a stand-in",
       [] { compile_and_call([](const Tensor& x) { return x * x.item<float>(); }); },
       {"item", "stand-in", "litz::where"}},
      {"random numbers in a traced function",
       [] { compile_and_call([](const Tensor& x) { return x + litz::randn({3}); }); },
       {"randn", "Draw outside"}},
      {"a write in a traced function",
       [] {
         compile_and_call([](const Tensor& x) {
           litz::zeros({1}).copy_from(litz::ones({1}));
           return x;
         });
       },
       {"copy_from", "stand-in"}},
      {"a result that is no tensor",
       [] { compile_and_call([](const Tensor&) { return Tensor(); }); },
       {"returned an undefined tensor"}},
      {"a mistake in a traced function",
       [] { compile_and_call([](const Tensor& x) { return litz::matmul(x, x); }); },
       {"matmul (mistakes_test.cpp:"}},
      {"an option of another name",
       [] { litz::CompileOptions{{"mod", "default"}}; },
       {"unknown option \"mod\"", "did you mean \"mode\"?"}},
      {"an option of another type",
       [] { litz::CompileOptions{{"debug", 1}}; },
       {"option \"debug\" expects bool, got int 1"}},
      {"an option of another value",
       [] { litz::CompileOptions{{"fallback", "eror"}}; },
       {"has no value \"eror\"", "did you mean \"error\"?"}},
      {"a back end that is not there",
       [] { litz::compile([](const Tensor& x) { return x + 1; }, {{"backend", "lits"}})(litz::ones({1})); },
       {"no back end 'lits'", "litz"}},
      {"a back end's name twice",
       [] { litz::register_backend("litz", [](const litz::Graph& g, const auto&) { return g.compile(); }); },
       {"register_backend", "'litz' already"}},
  };
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    for (auto family : {shape_mistakes, operand_mistakes, memory_mistakes, program_mistakes}) {
      for (Mistake& m : family()) list.push_back(std::move(m));
    }
    return list;
  }();
  return all;
}

class MistakesTest : public testing::TestWithParam<size_t> {};

TEST_P(MistakesTest, IsExplained) {
  const Mistake& mistake = mistakes()[GetParam()];
  try {
    mistake.make();
    FAIL() << mistake.name << ": nothing was said";
  } catch (const litz::UserError& e) {
    const std::string what = e.what();
    for (const std::string& part : mistake.said) {
      EXPECT_NE(what.find(part), std::string::npos) << mistake.name << ": \"" << part << "\" is not in\n  " << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MistakesTest, testing::Range<size_t>(0, mistakes().size()));

TEST(UnsupportedTest, AStrictProgramRefusesWhatHasNoKernel) {
  // A back end's own refusal passes through unchanged.
  litz::register_backend("refusing", [](const litz::Graph&, const litz::CompileOptions&) -> litz::GraphFunction {
    throw litz::UnsupportedError("no-such-thing", "it is not done", "do another");
  });
  auto f = litz::compile([](const Tensor& x) { return x + 1; }, {{"backend", "refusing"}});
  try {
    f(litz::ones({1}));
    FAIL();
  } catch (const litz::UnsupportedError& e) {
    EXPECT_EQ(e.id(), "no-such-thing");
    EXPECT_STREQ(e.what(), "[no-such-thing] it is not done\n  hint: do another");
  }
}

}  // namespace
