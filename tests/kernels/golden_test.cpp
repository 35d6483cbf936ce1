// Generated text against golden/<name>.<target>.cpp, from golden/<name>.kir by way of the scheduler. A change of the
// generator shows here as a difference to read. LITZ_UPDATE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/cpp/generate.h"
#include "schedule/schedule.h"
#include "tests/kernels/compiled_kernel.h"

namespace litz::tests {
namespace {

std::string folder() {
  const char* root = std::getenv("LITZ_SOURCE_DIR");
  return std::string(root ? root : ".") + "/tests/kernels/golden/";
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Golden : public testing::TestWithParam<const char*> {};

// The readable copy, as people see it, under the kernel as it was scheduled.
std::string generated(const std::string& name, const Target& target) {
  kernel_ir::Kernel kernel = parse(read(folder() + name + ".kir"));
  schedule::schedule(kernel, target);
  kernel_ir::verify(kernel);
  const codegen::Generated result = codegen::cpp::generate(kernel, target, Options{});
  std::string text = "/*\n" + kernel_ir::print(kernel) + "*/\n" + result.source.readable;
  text += "// phases:";
  for (const Phase& phase : result.launch.phases) {
    text += " " + phase.tasks.to_string() + " tasks, " + std::to_string(phase.grain) + " at a time;";
  }
  return text + " scratch " + std::to_string(result.launch.thread_scratch_bytes) + "\n";
}

void compare(const std::string& name, const std::string& suffix, const Target& target) {
  const std::string path = folder() + name + "." + suffix + ".cpp";
  const std::string text = generated(name, target);
  if (std::getenv("LITZ_UPDATE_GOLDEN")) {
    std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(text, read(path)) << "if the new text is right: LITZ_UPDATE_GOLDEN=1 ctest -R kernels_golden";
}

TEST_P(Golden, TextIsAsReviewed) {
  for (const Isa isa : {Isa::avx512, Isa::scalar}) compare(GetParam(), isa_name(isa), test_target(isa));
}

// Few machines have them: the text is looked at everywhere.
TEST(GoldenBf16, TextIsAsReviewed) {
  Target target = test_target(Isa::avx512);
  target.has_bf16_dot = target.prefers_bf16_dot = true;
  compare("linear_bf16", "dot", target);
  target.has_amx = true;
  compare("linear_bf16", "amx", target);
}

TEST_P(Golden, TextIsTheSameEachTimeAndFreeOfNames) {
  kernel_ir::Kernel kernel = parse(read(folder() + GetParam() + ".kir"));
  const Target target = test_target(Isa::avx512);
  schedule::schedule(kernel, target);
  const std::string first = codegen::cpp::generate(kernel, target, Options{}).source.text;
  EXPECT_EQ(first, codegen::cpp::generate(kernel, target, Options{}).source.text);
  kernel.name = "other";
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    kernel.buffers[i].name = "renamed" + std::to_string(i);
    kernel.buffers[i].source = "elsewhere";
  }
  kernel.source_ops = {"sin (model.py:3)"};
  EXPECT_EQ(first, codegen::cpp::generate(kernel, target, Options{}).source.text);
  EXPECT_EQ(first.find("//"), std::string::npos) << "a comment in the canonical text";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden,
                         testing::Values("sincos", "softmax", "layernorm_gelu", "transpose_add", "column_sum",
                                         "max_pool", "embedding", "bias_relu_blocked", "linear_bf16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace litz::tests
