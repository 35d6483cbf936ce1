#include "api/options.h"

namespace litz {

CompileOptions::CompileOptions(std::initializer_list<std::pair<std::string_view, OptionValue>> values) {
  for (const auto& [key, value] : values) set(key, value);
}

CompileOptions& CompileOptions::set(std::string_view key, const OptionValue& value) {
  Options{}.set(key, value);  // checks
  values_.emplace_back(key, value);
  return *this;
}

OptionValue CompileOptions::get(std::string_view key) const { return api::to_options(*this).get(key); }

std::string CompileOptions::help() {
  std::string out;
  const Options defaults;
  for (const OptionInfo& info : option_table()) {
    out += std::string(info.name) + " (" + std::string(option_type_name(info)) + ", default " +
           option_value_text(defaults.get(info.name)) + "): " + std::string(info.doc) + "\n";
  }
  return out;
}

namespace api {

Options to_options(const CompileOptions& options) {
  Options out = options_from_environment();
  for (const auto& [key, value] : options.values()) out.set(key, value);
  return out;
}

CompileOptions from_options(const Options& options) {
  CompileOptions out;
  const Options defaults;
  for (const OptionInfo& info : option_table()) {
    const OptionValue value = options.get(info.name);
    if (value != defaults.get(info.name)) out.set(info.name, value);
  }
  return out;
}

}  // namespace api

}  // namespace litz
