// Reading and writing the text forms of Graph and Kernel IR: what the two have in common.
//
// A number with a point, an exponent, or "inf" or "nan" is a float, and prints as the shortest text that reads back as
// the same bits; one without is an integer. Names of letters, digits, '_', '.' and '$' stand as they are, others in
// quotes. "//" starts a comment that ends with the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/scalar.h"
#include "ir/types.h"

namespace litz::ir {

std::string quote(std::string_view text);       // in double quotes, escaped
std::string name_text(std::string_view name);   // quoted if need be
std::string float_text(double value);           // shortest text of a double: "0.1", "inf", "nan"
std::string layout_text(const Layout& layout);  // "{0,1|1:16|zero}"
// A constant of `dtype`. Floats print as the shortest text that reads back when rounded to `dtype`; a value that
// `dtype` cannot hold prints as a hexadecimal float.
std::string scalar_text(DType dtype, const ScalarValue& value);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string expr_list(const std::vector<Expr>& exprs);  // "a, b + 1"

// What a TextReader throws; its text starts with line and column.
class ParseError : public Error {
 public:
  using Error::Error;
};

// A cursor over text. Each method skips blanks and comments first; what does not fit throws a ParseError.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_at(size_t position, const std::string& what) const;
  size_t position();  // of the next token

  bool at_end();
  bool peek(std::string_view token);    // punctuation or a whole word
  bool accept(std::string_view token);  // consumes it if it is next
  void expect(std::string_view token);
  bool peek_name();
  std::string name();  // bare or quoted; not empty
  bool peek_quoted();
  std::string quoted();
  int64_t integer();
  bool peek_number();      // an integer or a float, not a name that starts with "inf" or "nan"
  bool number_is_float();  // requires peek_number()
  double floating();       // an integer counts
  // "value : dtype", as scalar_text prints the value.
  ScalarValue scalar(DType* dtype);
  Expr expr();                                          // the longest expression that stands here
  std::vector<Expr> expr_list(std::string_view close);  // up to and with `close`
  std::vector<int64_t> integer_list(std::string_view close);
  std::optional<DType> accept_dtype();
  DType dtype();
  Layout layout();  // from '{'
  TensorType type();
  // The text of a comment that starts on this line before anything else, without "//".
  std::optional<std::string> trailing_comment();

 private:
  void skip();
  bool next_is(char c) const;  // with no blank before it
  size_t word_end(size_t from) const;
  size_t number_end(size_t from) const;
  size_t expr_end(size_t from) const;
  size_t operand_end(size_t from) const;
  size_t blank_end(size_t from) const;
  uint32_t hex_digit();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace litz::ir
