#include "support/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "litz/error.h"
#include "support/edit_distance.h"

namespace litz {
namespace {

std::string message_of(std::string_view key, const OptionValue& value) {
  Options options;
  try {
    options.set(key, value);
  } catch (const UserError& e) {
    EXPECT_EQ(options, Options{});
    return e.what();
  }
  return "no error";
}

TEST(Options, SetAndGet) {
  Options options;
  options.set("fast_math", true);
  options.set("mode", std::string("max-autotune"));
  options.set("threads", int64_t{4});
  EXPECT_TRUE(options.fast_math);
  EXPECT_EQ(options.mode, "max-autotune");
  EXPECT_EQ(options.get("threads"), OptionValue(int64_t{4}));
}

TEST(Options, DashesStandForUnderscores) {
  Options options;
  options.set("fast-math", true);
  EXPECT_TRUE(options.fast_math);
  EXPECT_EQ(options.get("fast-math"), OptionValue(true));
}

TEST(Options, WrongKeyNamesTheNearest) {
  EXPECT_EQ(message_of("fast_maths", true), "unknown option \"fast_maths\"; did you mean \"fast_math\"?");
  EXPECT_EQ(message_of("cachedir", true), "unknown option \"cachedir\"; did you mean \"cache_dir\"?");
  EXPECT_EQ(message_of("thread", true), "unknown option \"thread\"; did you mean \"threads\"?");
  EXPECT_THROW(Options{}.get("nope"), UserError);
}

TEST(Options, WrongTypeSaysWhatWasExpected) {
  EXPECT_EQ(message_of("threads", std::string("4")), "option \"threads\" expects int, got str \"4\"");
  EXPECT_EQ(message_of("threads", true), "option \"threads\" expects int, got bool true");
  EXPECT_EQ(message_of("fast_math", int64_t{1}), "option \"fast_math\" expects bool, got int 1");
  EXPECT_EQ(message_of("mode", 0.5), "option \"mode\" expects str, got float 0.500000");
}

TEST(Options, WrongValueListsTheChoices) {
  EXPECT_EQ(
      message_of("fallback", std::string("eror")),
      "option \"fallback\" has no value \"eror\"; did you mean \"error\"? It can be \"warn\", \"error\", \"allow\"");
  EXPECT_EQ(message_of("threads", int64_t{-1}), "option \"threads\" must be from 0 to 1024, got -1");
}

TEST(Options, CodeKeyHoldsWhatAffectsCodeAndNothingElse) {
  const std::string key = Options{}.code_key();
  for (const OptionInfo& info : option_table()) {
    Options changed;
    if (std::holds_alternative<bool Options::*>(info.field)) {
      changed.set(info.name, !std::get<bool>(changed.get(info.name)));
    } else if (std::holds_alternative<int64_t Options::*>(info.field)) {
      changed.set(info.name, info.high);
    } else {
      changed.set(info.name, std::string(info.choices.empty() ? "other" : info.choices.back()));
    }
    EXPECT_NE(changed, Options{}) << info.name;
    EXPECT_EQ(changed.code_key() != key, info.affects_code) << info.name;
  }
}

TEST(Options, TableIsComplete) {
  std::set<std::string_view> names;
  for (const OptionInfo& info : option_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.doc.empty()) << info.name;
    if (!info.choices.empty()) {
      const std::string value = std::get<std::string>(Options{}.get(info.name));
      EXPECT_NE(std::find(info.choices.begin(), info.choices.end(), value), info.choices.end()) << info.name;
    }
  }
}

TEST(Options, Environment) {
  setenv("LITZ_DEBUG", "1", 1);
  setenv("LITZ_ISA", "avx2", 1);
  setenv("LITZ_CACHE_DIR", "here", 1);
  const Options options = options_from_environment();
  setenv("LITZ_ISA", "mmx", 1);
  EXPECT_THROW(options_from_environment(), UserError);
  unsetenv("LITZ_DEBUG");
  unsetenv("LITZ_ISA");
  unsetenv("LITZ_CACHE_DIR");
  EXPECT_TRUE(options.debug);
  EXPECT_EQ(options.isa, "avx2");
  EXPECT_EQ(options.cache_dir, "here");
}

TEST(EditDistance, Cases) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("abc", "abc"), 0);
  const std::string_view names[] = {"sin", "cos", "tan"};
  EXPECT_EQ(nearest_name("sine", names), "sin");
}

}  // namespace
}  // namespace litz
