#include "codegen/cpp/prelude.h"

#include <set>
#include <vector>

#include "codegen/cpp/helpers.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

struct ScalarType {
  std::string_view name;
  std::string_view spelling;
  int bytes;
};
constexpr ScalarType kTypes[] = {{"f32", "float", 4},        {"f64", "double", 8},         {"i64", "long", 8},
                                 {"i32", "int", 4},          {"i16", "short", 2},          {"i8", "signed char", 1},
                                 {"u8", "unsigned char", 1}, {"u16", "unsigned short", 2}, {"u32", "unsigned", 4},
                                 {"u64", "unsigned long", 8}};

constexpr Tag kTags[] = {
    {"f32", "f32", "i32", "u32", 4}, {"f64", "f64", "i64", "u64", 8}, {"bf16", "u16", "i16", "u16", 2},
    {"f16", "u16", "i16", "u16", 2}, {"u16", "u16", "i16", "u16", 2}, {"i64", "i64", "i64", "u64", 8},
    {"i32", "i32", "i32", "u32", 4}, {"i16", "i16", "i16", "u16", 2}, {"i8", "i8", "i8", "u8", 1},
    {"u8", "u8", "i8", "u8", 1},     {"u32", "u32", "i32", "u32", 4}, {"u64", "u64", "i64", "u64", 8},
    {"b1", "bool", "i32", "u32", 4}};

bool identifier_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool identifier_part(char c) { return identifier_start(c) || (c >= '0' && c <= '9'); }

std::optional<std::string> type_definition(std::string_view name, int lanes) {
  for (const ScalarType& type : kTypes) {
    if (!name.starts_with(type.name)) continue;
    const std::string_view suffix = name.substr(type.name.size());
    const std::string base(type.name);
    if (suffix.empty()) return "typedef " + std::string(type.spelling) + " " + base + ";\n";
    if (suffix == "m") return "typedef " + base + " " + base + "m __attribute__((may_alias));\n";
    const std::string bytes = std::to_string(type.bytes * lanes);
    if (suffix == "v") return "typedef " + base + " " + base + "v __attribute__((vector_size(" + bytes + ")));\n";
    if (suffix == "u") {
      return "typedef " + base + "v " + base + "u __attribute__((aligned(" + std::to_string(type.bytes) +
             "), may_alias));\n";
    }
    // Clang's own vectors, for its masked memory access.
    if (suffix == "x") {
      return "typedef " + base + " " + base + "x __attribute__((ext_vector_type(" + std::to_string(lanes) + ")));\n";
    }
  }
  if (name == "b1x") return "typedef bool b1x __attribute__((ext_vector_type(" + std::to_string(lanes) + ")));\n";
  return std::nullopt;
}

std::optional<std::string> find_helper(std::string_view name, Form form) {
  for (const auto find : {memory_helper, integer_helper, convert_helper, float_helper, reduce_helper, vecmath_helper}) {
    if (auto text = find(name, form)) return text;
  }
  return std::nullopt;
}

class Closure {
 public:
  explicit Closure(int lanes) : lanes_(lanes) {}

  void add_all(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
      if (!identifier_part(text[i])) {
        ++i;
        continue;
      }
      const size_t start = i;
      while (i < text.size() && identifier_part(text[i])) ++i;
      if (identifier_start(text[start])) add(text.substr(start, i - start));
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void add(std::string_view name) {
    if (!seen_.emplace(name).second) return;
    if (auto type = type_definition(name, lanes_)) {
      add_all(*type);
      text_ += *type;
      return;
    }
    const bool may_be_vector = name.size() > 1 && name.back() == 'v';
    std::optional<std::string> found =
        may_be_vector ? find_helper(name.substr(0, name.size() - 1), {true, lanes_}) : std::nullopt;
    const bool vector = found.has_value();
    if (!found) found = find_helper(name, {false, lanes_});
    if (!found) return;
    const std::string text = replace_all(std::move(*found), {{"@", vector ? "v" : ""}, {"$W", std::to_string(lanes_)}});
    add_all(text);
    text_ += text;
  }

  int lanes_;
  std::set<std::string, std::less<>> seen_;
  std::string text_;
};

}  // namespace

const Tag* find_tag(std::string_view name) {
  for (const Tag& tag : kTags) {
    if (tag.name == name) return &tag;
  }
  return nullptr;
}

std::string replace_all(std::string text, const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  for (const auto& [from, to] : pairs) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

std::string_view storage_type(DType dtype) {
  switch (dtype) {
    case DType::bf16:
    case DType::f16:
      return "u16";
    case DType::boolean:
      return "u8";
    default:
      return dtype_name(dtype);
  }
}

std::string register_type(DType dtype, bool vector) {
  if (dtype == DType::boolean) return vector ? "i32v" : "bool";
  return std::string(storage_type(dtype)) + (vector ? "v" : "");
}

std::string prelude(std::string_view body, int lanes) {
  Closure closure(lanes);
  closure.add_all(body);
  return closure.take();
}

}  // namespace litz::codegen::cpp
