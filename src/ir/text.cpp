#include "ir/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace litz::ir {

namespace {

constexpr size_t kMaxRank = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string hex(uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

uint64_t bits_of(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double from_bits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
std::string shortest(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string out(buffer, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string name_text(std::string_view name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), is_word);
  return bare ? std::string(name) : quote(name);
}

std::string float_text(double value) {
  static const uint64_t quiet_nan = bits_of(std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(value)) return bits_of(value) == quiet_nan ? "nan" : "nan(" + hex(bits_of(value)) + ")";
  return shortest(value);
}

std::string layout_text(const Layout& layout) {
  std::string out = "{";
  for (size_t i = 0; i < layout.order.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(layout.order[i]);
  if (!layout.splits.empty() || layout.padding != Padding::none) out += "|";
  for (size_t i = 0; i < layout.splits.size(); ++i) {
    out += (i == 0 ? "" : ",") + std::to_string(layout.splits[i].dim) + ":" + std::to_string(layout.splits[i].block);
  }
  if (layout.padding != Padding::none) out += layout.padding == Padding::zero ? "|zero" : "|undefined";
  return out + "}";
}

std::string scalar_text(DType dtype, const ScalarValue& value) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (dtype == DType::boolean && (*integer == 0 || *integer == 1)) return *integer == 1 ? "true" : "false";
    return std::to_string(*integer);
  }
  const double number = std::get<double>(value);
  if (std::isnan(number) || dtype == DType::f64 || !is_floating(dtype)) return float_text(number);
  if (!same_value(scalar_value(dtype, number), value)) {
    char buffer[64];
    const char* end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(number), std::chars_format::hex).ptr;
    return std::string(number < 0 ? "-" : "") + "0x" + std::string(static_cast<const char*>(buffer), end);
  }
  if (dtype == DType::f32 || std::isinf(number)) return shortest(static_cast<float>(number));
  // Few digits tell 16-bit floats apart.
  for (int digits = 1; digits < 10; ++digits) {
    char buffer[64];
    const char* end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, digits).ptr;
    double read = 0;
    std::from_chars(buffer, end, read);
    if (same_value(scalar_value(dtype, read), value)) return shortest(read);
  }
  return float_text(number);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string expr_list(const std::vector<Expr>& exprs) {
  std::string out;
  for (size_t i = 0; i < exprs.size(); ++i) out += (i == 0 ? "" : ", ") + exprs[i].to_string();
  return out;
}

void TextReader::fail_at(size_t position, const std::string& what) const {
  const std::string_view before = text_.substr(0, std::min(position, text_.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  throw ParseError("line " + std::to_string(line) + ", column " + std::to_string(before.size() - start + 1) + ": " +
                   what);
}

void TextReader::fail(const std::string& what) const { fail_at(blank_end(at_), what); }

size_t TextReader::blank_end(size_t from) const {
  while (from < text_.size()) {
    if (is_blank(text_[from])) {
      ++from;
    } else if (text_.substr(from, 2) == "//") {
      from = std::min(text_.find('\n', from), text_.size());
    } else {
      break;
    }
  }
  return from;
}

size_t TextReader::word_end(size_t from) const {
  while (from < text_.size() && is_word(text_[from])) ++from;
  return from;
}

void TextReader::skip() { at_ = blank_end(at_); }

bool TextReader::next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

size_t TextReader::position() { return blank_end(at_); }

bool TextReader::at_end() { return blank_end(at_) == text_.size(); }

bool TextReader::peek(std::string_view token) {
  const size_t from = blank_end(at_);
  if (text_.substr(from, token.size()) != token) return false;
  return !is_word(token.back()) || word_end(from) == from + token.size();
}

bool TextReader::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ = blank_end(at_) + token.size();
  return true;
}

void TextReader::expect(std::string_view token) {
  if (accept(token)) return;
  const size_t from = blank_end(at_);
  if (from == text_.size()) fail("expected '" + std::string(token) + "', but the text ends");
  const size_t end = std::max(word_end(from), from + 1);
  std::string found(text_.substr(from, std::min<size_t>(end - from, 40)));
  if (!is_word(found[0]) && (found[0] < 0x20 || found[0] > 0x7e)) found = "byte " + hex(static_cast<uint8_t>(found[0]));
  fail("expected '" + std::string(token) + "', found '" + found + "'");
}

bool TextReader::peek_quoted() { return peek("\""); }

bool TextReader::peek_name() {
  const size_t from = blank_end(at_);
  return from < text_.size() && (text_[from] == '"' || is_word(text_[from]));
}

std::string TextReader::name() {
  skip();
  if (peek_quoted()) {
    const size_t from = at_;
    std::string text = quoted();
    if (text.empty()) fail_at(from, "a name is empty");
    return text;
  }
  const size_t end = word_end(at_);
  if (end == at_) fail("expected a name");
  const std::string_view word = text_.substr(at_, end - at_);
  at_ = end;
  return std::string(word);
}

uint32_t TextReader::hex_digit() {
  if (at_ < text_.size()) {
    const char c = text_[at_++];
    if (is_digit(c)) return static_cast<uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<uint32_t>(c - 'a' + 10);
  }
  fail_at(at_, "expected two hexadecimal digits after '\\x'");
}

std::string TextReader::quoted() {
  expect("\"");
  const size_t from = at_ - 1;
  std::string out;
  while (true) {
    if (at_ >= text_.size() || text_[at_] == '\n') fail_at(from, "a quoted text does not end on its line");
    const char c = text_[at_++];
    if (c == '"') return out;
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escaped = at_ < text_.size() ? text_[at_++] : '\0';
    if (escaped == 'n') {
      out += '\n';
    } else if (escaped == 'x') {
      const uint32_t high = hex_digit();
      out += static_cast<char>(high * 16 + hex_digit());
    } else if (escaped == '"' || escaped == '\\') {
      out += escaped;
    } else {
      fail_at(at_ - 1, "unknown escape in a quoted text");
    }
  }
}

size_t TextReader::number_end(size_t from) const {
  size_t at = from;
  if (at < text_.size() && text_[at] == '-') ++at;
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with("nan(")) {
    const size_t close = rest.substr(0, 32).find(')');
    return close == std::string_view::npos ? from : at + close + 1;
  }
  if (rest.starts_with("inf") || rest.starts_with("nan")) return word_end(at) == at + 3 ? at + 3 : from;
  if (rest.empty() || !is_digit(rest[0])) return from;
  const bool hexadecimal = rest.starts_with("0x");
  while (at < text_.size()) {
    const char c = text_[at];
    const bool sign = (c == '+' || c == '-') && (text_[at - 1] == (hexadecimal ? 'p' : 'e'));
    if (!is_word(c) && !sign) break;
    ++at;
  }
  return at;
}

bool TextReader::peek_number() {
  const size_t from = blank_end(at_);
  return number_end(from) > from;
}

bool TextReader::number_is_float() {
  const size_t from = blank_end(at_);
  const std::string_view token = text_.substr(from, number_end(from) - from);
  return token.find_first_of(".exinp") != std::string_view::npos;
}

int64_t TextReader::integer() {
  skip();
  if (!peek_number() || number_is_float()) fail("expected an integer");
  const std::string_view token = text_.substr(at_, number_end(at_) - at_);
  int64_t value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec == std::errc::result_out_of_range) fail("'" + std::string(token) + "' does not fit 64 bits");
  if (result.ec != std::errc() || result.ptr != token.data() + token.size()) fail("expected an integer");
  at_ += token.size();
  return value;
}

double TextReader::floating() {
  skip();
  if (!peek_number()) fail("expected a number");
  const std::string_view token = text_.substr(at_, number_end(at_) - at_);
  std::string_view digits = token;
  const bool negative = digits.starts_with("-");
  if (negative) digits.remove_prefix(1);
  if (digits.starts_with("nan(")) {
    uint64_t bits = 0;
    const std::string_view inner = digits.substr(4, digits.size() - 5);
    const bool hexadecimal = inner.starts_with("0x") && !negative;
    const auto result = std::from_chars(inner.data() + 2, inner.data() + inner.size(), bits, 16);
    if (!hexadecimal || result.ptr != inner.data() + inner.size() || !std::isnan(from_bits(bits))) {
      fail("expected the bits of a NaN");
    }
    at_ += token.size();
    return from_bits(bits);
  }
  double value = 0;
  if (digits == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const bool hexadecimal = digits.starts_with("0x");
    if (hexadecimal) digits.remove_prefix(2);
    const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
    if (result.ec == std::errc::result_out_of_range) fail("'" + std::string(token) + "' is out of a double's range");
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) fail("expected a number");
  }
  at_ += token.size();
  return negative ? -value : value;
}

ScalarValue TextReader::scalar(DType* dtype) {
  const size_t from = position();
  const bool is_true = accept("true");
  const bool boolean = is_true || accept("false");
  const bool floats = !boolean && peek_number() && number_is_float();
  const bool exact = floats && text_.substr(from, 3).find('x') != std::string_view::npos;  // hexadecimal
  ScalarValue value = static_cast<int64_t>(is_true);
  if (floats) {
    value = floating();
  } else if (!boolean) {
    value = integer();
  }
  expect(":");
  *dtype = this->dtype();
  const double* number = std::get_if<double>(&value);
  if (number == nullptr || exact || std::isnan(*number) || !is_floating(*dtype)) return value;
  return scalar_value(*dtype, *number);
}

size_t TextReader::operand_end(size_t from) const {
  while (from < text_.size() && (text_[from] == '-' || is_blank(text_[from]))) ++from;
  if (from >= text_.size()) return from;
  size_t end = from;
  if (text_[from] != '(') {
    if (text_[from] == '%') ++end;
    end = word_end(end);
    const std::string_view word = text_.substr(from, end - from);
    const bool function = word == "floor_div" || word == "ceil_div" || word == "mod" || word == "min" || word == "max";
    if (!function || end >= text_.size() || text_[end] != '(') return end;
  }
  int depth = 0;
  for (; end < text_.size(); ++end) {
    if (text_[end] == '(') ++depth;
    if (text_[end] == ')' && --depth == 0) return end + 1;
  }
  return end;
}

size_t TextReader::expr_end(size_t from) const {
  size_t end = operand_end(from);
  while (true) {
    const size_t next = blank_end(end);
    if (next >= text_.size() || (text_[next] != '+' && text_[next] != '-' && text_[next] != '*')) return end;
    end = operand_end(next + 1);
  }
}

Expr TextReader::expr() {
  skip();
  const size_t end = expr_end(at_);
  Result<Expr> e = Expr::parse(text_.substr(at_, end - at_));
  if (!e) fail(e.error());
  at_ = end;
  return *e;
}

std::vector<Expr> TextReader::expr_list(std::string_view close) {
  std::vector<Expr> exprs;
  if (accept(close)) return exprs;
  do {
    exprs.push_back(expr());
  } while (accept(","));
  expect(close);
  return exprs;
}

std::vector<int64_t> TextReader::integer_list(std::string_view close) {
  std::vector<int64_t> values;
  if (accept(close)) return values;
  do {
    values.push_back(integer());
  } while (accept(","));
  expect(close);
  return values;
}

std::optional<DType> TextReader::accept_dtype() {
  const size_t from = blank_end(at_);
  const std::optional<DType> dtype = parse_dtype(text_.substr(from, word_end(from) - from));
  if (dtype) at_ = word_end(from);
  return dtype;
}

DType TextReader::dtype() {
  const std::optional<DType> dtype = accept_dtype();
  if (!dtype) fail("expected a dtype (f64, f32, bf16, f16, i64, i32, i16, i8, u8, bool, token)");
  return *dtype;
}

Layout TextReader::layout() {
  Layout layout;
  expect("{");
  const size_t from = at_;
  auto small = [&] {
    const int64_t value = integer();
    if (value < 0 || value >= static_cast<int64_t>(kMaxRank)) fail_at(from, "a dimension of a layout is out of range");
    return static_cast<int>(value);
  };
  while (!peek("|") && !peek("}")) {
    layout.order.push_back(small());
    if (!accept(",")) break;
  }
  if (accept("|")) {
    while (!peek("|") && !peek("}")) {
      Split split{.dim = small()};
      expect(":");
      split.block = integer();
      layout.splits.push_back(split);
      if (layout.splits.size() > kMaxRank) fail_at(from, "a layout has too many splits");
      if (!accept(",")) break;
    }
    if (accept("|")) {
      layout.padding = accept("zero") ? Padding::zero : Padding::undefined;
      if (layout.padding == Padding::undefined) expect("undefined");
    }
  }
  expect("}");
  return layout;
}

TensorType TextReader::type() {
  const size_t from = position();
  TensorType type;
  type.dtype = dtype();
  if (type.dtype != DType::token || next_is('[')) {
    expect("[");
    type.shape = expr_list("]");
  }
  if (type.shape.size() > kMaxRank) fail_at(from, "more than " + std::to_string(kMaxRank) + " dimensions");
  for (const Expr& size : type.shape) {
    if (size.is_constant() && size.constant() < 0) fail_at(from, "a size is negative");
  }
  if (next_is('{')) {
    type.layout = layout();
    if (const auto problem = layout_problem(type.layout, type.rank())) fail_at(from, *problem);
    type.layout = normalized(std::move(type.layout));
  }
  if (next_is('@')) {
    ++at_;
    type.device = accept("cuda") ? DeviceKind::cuda : DeviceKind::cpu;
    if (type.device == DeviceKind::cpu) expect("cpu");
  }
  try {
    storage_elements(type) * dtype_size(type.dtype);
  } catch (const Error&) {
    fail_at(from, "the tensor's size in bytes does not fit 64 bits");
  }
  return type;
}

std::optional<std::string> TextReader::trailing_comment() {
  size_t at = at_;
  while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  if (text_.substr(at, 2) != "//") return std::nullopt;
  const size_t end = std::min(text_.find('\n', at), text_.size());
  at_ = end;
  return std::string(text_.substr(at + 2, end - at - 2));
}

}  // namespace litz::ir
