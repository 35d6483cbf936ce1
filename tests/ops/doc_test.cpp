// docs/ops.md is what the records say. LITZ_UPDATE_DOCS=1 rewrites it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ops/document.h"
#include "ops/record.h"

namespace litz::ops {
namespace {

TEST(OpsDocument, NamesEveryRecord) {
  const std::string text = document_ops();
  for (const OpRecord& r : all_records()) {
    EXPECT_NE(text.find("| `" + std::string(r.name) + "` |"), std::string::npos) << r.name;
  }
}

TEST(OpsDocument, IsUpToDate) {
  const char* root = std::getenv("LITZ_SOURCE_DIR");
  const std::string path = std::string(root == nullptr ? "." : root) + "/docs/ops.md";
  if (std::getenv("LITZ_UPDATE_DOCS") != nullptr) std::ofstream(path) << document_ops();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), document_ops()) << "run this test with LITZ_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace litz::ops
