#include "codegen/cpp/writer.h"

#include "support/check.h"

namespace litz::codegen::cpp {

void Writer::line(std::string_view text) {
  text_.append(static_cast<size_t>(indent_) * 2, ' ');
  text_ += text;
  text_ += '\n';
}

void Writer::open(std::string_view text) {
  line(text);
  ++indent_;
}

void Writer::close(std::string_view text) {
  LITZ_CHECK(indent_ > 0, "more blocks closed than opened");
  --indent_;
  line(text);
}

void Writer::comment(std::string_view text) {
  if (!readable_) return;
  std::string clean(text);
  for (char& c : clean) {
    if (c == '\n' || c == '\r' || c == '\\') c = ' ';
  }
  line("// " + clean);
}

std::string identifier(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += alphanumeric ? c : '_';
  }
  return result;
}

}  // namespace litz::codegen::cpp
