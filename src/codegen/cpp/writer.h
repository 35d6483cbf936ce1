// Indented text under construction. Comments and names reach only the readable copy.
#pragma once

#include <string>
#include <string_view>

namespace litz::codegen::cpp {

class Writer {
 public:
  explicit Writer(bool readable = false) : readable_(readable) {}

  bool readable() const { return readable_; }
  // A whole line; the line break is added.
  void line(std::string_view text);
  // A line that ends in "{"; what follows is indented until close().
  void open(std::string_view text);
  void close(std::string_view text = "}");
  // A comment on a line of its own, in the readable copy.
  void comment(std::string_view text);

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  bool readable_;
  int indent_ = 0;
  std::string text_;
};

// `text` as part of a C++ identifier: other characters become "_".
std::string identifier(std::string_view text);

}  // namespace litz::codegen::cpp
