#include "support/options.h"

#include <algorithm>
#include <cstdlib>

#include "litz/error.h"
#include "support/edit_distance.h"

namespace litz {

namespace {

const std::vector<OptionInfo>& table() {
  static const std::vector<OptionInfo> options = {
      {"mode",
       &Options::mode,
       true,
       "The max-autotune modes trade memory for speed: they imply pack_weights.",
       {"default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"}},
      {"backend", &Options::backend, true, "Name of the registered back end that compiles the graph."},
      {"fallback",
       &Options::fallback,
       false,
       "An op that Litz does not compile runs elsewhere: silently but in the report (allow), said once (warn), or not "
       "at all "
       "(error).",
       {"warn", "error", "allow"}},
      {"fast_math", &Options::fast_math, true,
       "Allow what changes rounding: fused steps in f16 and bf16, folded scales."},
      {"freeze", &Options::freeze, true,
       "Compute once what depends on weights only; a change of a weight computes it again."},
      {"pack_weights", &Options::pack_weights, true,
       "Keep a packed copy of the weights: a few per cent faster, and twice their memory. The max-autotune modes do."},
      {"fallback_random", &Options::fallback_random, true, "Random numbers are those of eager PyTorch."},
      {"threads",
       &Options::threads,
       true,
       "Threads a call may use; 0: as many as the program's torch or the machine has.",
       {},
       0,
       1024},
      {"isa",
       &Options::isa,
       true,
       "Instruction set of the generated code; never more than the machine has.",
       {"auto", "scalar", "avx2", "avx512"}},
      {"debug", &Options::debug, false, "Write every stage to the debug folder."},
      {"debug_dir", &Options::debug_dir, false,
       "Where the debug folder goes; empty: litz_debug in the current folder."},
      {"cache_dir", &Options::cache_dir, false,
       "Folder of compiled kernels; empty: LITZ_CACHE_DIR, then the user's cache folder."},
      {"disk_cache", &Options::disk_cache, false, "Keep compiled kernels on disk."},
      {"verify", &Options::verify, false, "Verify the program after every pass."},
  };
  return options;
}

const OptionInfo& find_option(std::string_view key) {
  std::string wanted(key);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::vector<std::string_view> names;
  for (const OptionInfo& info : table()) {
    if (info.name == wanted) return info;
    names.push_back(info.name);
  }
  throw UserError("unknown option \"" + std::string(key) + "\"; did you mean \"" +
                  std::string(nearest_name(wanted, names)) + "\"?");
}

std::string_view value_type_name(const OptionValue& value) {
  constexpr std::string_view names[] = {"bool", "int", "float", "str"};
  return names[value.index()];
}

[[noreturn]] void wrong_type(const OptionInfo& info, const OptionValue& value) {
  throw UserError("option \"" + std::string(info.name) + "\" expects " + std::string(option_type_name(info)) +
                  ", got " + std::string(value_type_name(value)) + " " + option_value_text(value));
}

void check_choice(const OptionInfo& info, const std::string& value) {
  if (info.choices.empty()) return;
  if (std::find(info.choices.begin(), info.choices.end(), value) != info.choices.end()) return;
  std::string list;
  for (std::string_view c : info.choices) list += (list.empty() ? "\"" : ", \"") + std::string(c) + "\"";
  throw UserError("option \"" + std::string(info.name) + "\" has no value \"" + value + "\"; did you mean \"" +
                  std::string(nearest_name(value, info.choices)) + "\"? It can be " + list);
}

OptionValue read(const Options& options, const OptionInfo& info) {
  return std::visit([&](auto field) -> OptionValue { return options.*field; }, info.field);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

std::span<const OptionInfo> option_table() { return table(); }

std::string_view option_type_name(const OptionInfo& info) {
  constexpr std::string_view names[] = {"bool", "int", "str"};
  return names[info.field.index()];
}

std::string option_value_text(const OptionValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const double* d = std::get_if<double>(&value)) return std::to_string(*d);
  return "\"" + std::get<std::string>(value) + "\"";
}

void Options::set(std::string_view key, const OptionValue& value) {
  const OptionInfo& info = find_option(key);
  auto assign = [&](auto field) {
    using Field = std::remove_reference_t<decltype(this->*field)>;
    const Field* typed = std::get_if<Field>(&value);
    if (typed == nullptr) wrong_type(info, value);
    if constexpr (std::is_same_v<Field, std::string>) check_choice(info, *typed);
    if constexpr (std::is_same_v<Field, int64_t>) {
      if (*typed < info.low || *typed > info.high) {
        throw UserError("option \"" + std::string(info.name) + "\" must be from " + std::to_string(info.low) + " to " +
                        std::to_string(info.high) + ", got " + std::to_string(*typed));
      }
    }
    this->*field = *typed;
  };
  std::visit(assign, info.field);
}

OptionValue Options::get(std::string_view key) const { return read(*this, find_option(key)); }

std::string Options::code_key() const {
  std::string out;
  for (const OptionInfo& info : table()) {
    if (!info.affects_code) continue;
    out += std::string(info.name) + "=" + option_value_text(read(*this, info)) + ";";
  }
  return out;
}

Options options_from_environment() {
  Options options;
  options.debug = is_set("LITZ_DEBUG") || is_set("TORCH_COMPILE_DEBUG");
  options.verify = is_set("LITZ_VERIFY");
  const std::pair<const char*, std::string_view> texts[] = {
      {"LITZ_DEBUG_DIR", "debug_dir"}, {"LITZ_CACHE_DIR", "cache_dir"}, {"LITZ_ISA", "isa"}};
  for (const auto& [variable, key] : texts) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') options.set(key, std::string(value));
  }
  return options;
}

}  // namespace litz
