// The texts behind prelude(). In a text, "@" stands for "v" in the vector form of a helper and for nothing in the
// other,
// "$W" for the number of lanes. A helper names others by writing them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace litz::codegen::cpp {

// A group of helpers that differ in types: "add_i32" is family "add" for tag "i32".
struct Tag {
  std::string_view name;       // "f32", …, "b1" for booleans
  std::string_view type;       // in registers: f32, f64, u16 (bf16, f16), i64, i32, i16, i8, u8; "bool" for b1
  std::string_view mask;       // signed integer of the same width
  std::string_view unsigned_;  // unsigned integer of the same width
  int bytes;
};
// Which form of a helper is wanted.
struct Form {
  bool vector;
  int lanes;
};
const Tag* find_tag(std::string_view name);

// `text` with each "$X" replaced as listed.
std::string replace_all(std::string text, const std::vector<std::pair<std::string_view, std::string_view>>& pairs);

// "8, 9, …, 15, 0, …, 7" for 16 lanes and distance 8.
std::string rotation(int lanes, int distance);

// The text of the helper `name` (without "v") in its vector form or the other, if the file has it.
std::optional<std::string> memory_helper(std::string_view name, Form form);
std::optional<std::string> integer_helper(std::string_view name, Form form);
std::optional<std::string> convert_helper(std::string_view name, Form form);
std::optional<std::string> float_helper(std::string_view name, Form form);
std::optional<std::string> reduce_helper(std::string_view name, Form form);
std::optional<std::string> vecmath_helper(std::string_view name, Form form);

}  // namespace litz::codegen::cpp
