#include "support/diagnostics.h"

#include <gtest/gtest.h>

#include <vector>

namespace litz {
namespace {

TEST(Diagnostics, GoToTheHandlerAndAreSaidOnce) {
  std::vector<std::string> said;
  set_warning_handler([&](const std::string& message) { said.push_back(message); });
  warn("a");
  warn("a");
  warn_once("diagnostics test key", "b");
  warn_once("diagnostics test key", "c");
  set_warning_handler(nullptr);
  EXPECT_EQ(said, (std::vector<std::string>{"a", "a", "b"}));
}

TEST(Diagnostics, GoToStderrWithoutAHandler) {
  testing::internal::CaptureStderr();
  warn("a message");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "litz: a message\n");
}

}  // namespace
}  // namespace litz
