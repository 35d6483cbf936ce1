// The options of a compilation, declared once: a field in Options and a line in option_table().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace litz {

using OptionValue = std::variant<bool, int64_t, double, std::string>;

struct Options {
  std::string mode = "default";
  std::string backend = "litz";
  std::string fallback = "warn";
  bool fast_math = false;
  bool freeze = true;
  bool pack_weights = false;
  bool fallback_random = false;
  int64_t threads = 0;
  std::string isa = "auto";
  bool debug = false;
  std::string debug_dir;
  std::string cache_dir;
  bool disk_cache = true;
  bool verify = false;

  bool operator==(const Options&) const = default;

  // Sets an option by name; a dash may stand for an underscore. Throws a UserError that names the nearest right key,
  // the expected type or the allowed values.
  void set(std::string_view key, const OptionValue& value);
  OptionValue get(std::string_view key) const;
  // The options that affect code, as "name=value;…" in the table's order: part of cache keys.
  std::string code_key() const;
};

struct OptionInfo {
  std::string_view name;
  std::variant<bool Options::*, int64_t Options::*, std::string Options::*> field;
  bool affects_code;
  std::string_view doc;
  std::vector<std::string_view> choices = {};  // strings only; empty: any
  int64_t low = 0;                             // integers only
  int64_t high = 0;
};

// All options, in the order in which they are documented.
std::span<const OptionInfo> option_table();
// "bool", "int" or "str".
std::string_view option_type_name(const OptionInfo& info);
std::string option_value_text(const OptionValue& value);

// The defaults, changed by the environment: LITZ_DEBUG=1 or TORCH_COMPILE_DEBUG=1 (debug), LITZ_DEBUG_DIR,
// LITZ_CACHE_DIR, LITZ_ISA, LITZ_VERIFY=1.
Options options_from_environment();

}  // namespace litz
