// Options of a compilation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "litz/export.h"

namespace litz {

using OptionValue = std::variant<bool, int64_t, double, std::string>;

// The same options as in Python: mode, backend, fallback, threads, fast_math, freeze, debug, … (`help` lists them).
// Defaults come from the environment where `help` says so.
//
//   auto f = litz::compile(fn, {{"mode", "max-autotune"}, {"threads", 2}});
class LITZ_API CompileOptions {
 public:
  CompileOptions() = default;
  CompileOptions(std::initializer_list<std::pair<std::string_view, OptionValue>> values);

  // UserError for an unknown key, a value of the wrong type or one out of range; it names the nearest right key or the
  // values there are.
  CompileOptions& set(std::string_view key, const OptionValue& value);
  OptionValue get(std::string_view key) const;
  // What was set, in order.
  const std::vector<std::pair<std::string, OptionValue>>& values() const { return values_; }

  // Every option with its type, default and meaning, a line each.
  static std::string help();

 private:
  std::vector<std::pair<std::string, OptionValue>> values_;
};

}  // namespace litz
