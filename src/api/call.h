// How the functions of include/litz/ops.h run: recorded while the thread traces, at once otherwise.
#pragma once

#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "litz/operand.h"
#include "litz/tensor.h"

namespace litz::api {

// An argument of an op: absent, a number, a text, a dtype, a list, a tensor (undefined: absent).
class Argument {
 public:
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, DType, std::vector<int64_t>, Tensor,
                             std::vector<Tensor>>;
  Argument() = default;
  template <typename T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Argument>)
  Argument(T&& value) : value_(make(std::forward<T>(value))) {}  // NOLINT(google-explicit-constructor)

  const Value& value() const { return value_; }

 private:
  static Value make(const Tensor& tensor) { return tensor.defined() ? Value(tensor) : Value(); }
  static Value make(const Operand& operand);
  static Value make(const std::optional<int64_t>& number) { return number ? Value(*number) : Value(); }
  static Value make(const std::optional<double>& number) { return number ? Value(*number) : Value(); }
  static Value make(const Sizes& sizes) { return Value(std::vector<int64_t>(sizes)); }
  static Value make(std::string_view text) { return Value(std::string(text)); }
  static Value make(bool flag) { return Value(flag); }
  static Value make(int64_t number) { return Value(number); }
  static Value make(double number) { return Value(number); }
  static Value make(DType dtype) { return Value(dtype); }
  static Value make(const std::vector<Tensor>& list) { return Value(list); }

  Value value_;
};

// A call of a public function: its name and where in the user's program it stands.
struct CallSite {
  const char* function;
  std::source_location at;
};

// Runs `body`; a UserError or IndexError that leaves it says which call it was.
template <typename Body>
auto with_site(const CallSite& site, Body body);

// Whether this thread traces a function.
bool is_tracing();

// One of ATen's ops, with arguments as its schema has them (absent at the end: defaults).
std::vector<Tensor> call_all(const char* function, std::source_location at, std::string_view aten,
                             const std::vector<Argument>& arguments);
Tensor call(const char* function, std::source_location at, std::string_view aten,
            const std::vector<Argument>& arguments);
// A view op of the records.
Tensor view(const char* function, std::source_location at, const Tensor& x, std::string_view op,
            const ir::Attributes& attributes);

// The tensor of an operand; UserError if it is a number.
const Tensor& tensor_of(const char* function, const Operand& operand);
// A dimension of a tensor of `rank`, negatives wrapped; a 0-d tensor has dimensions 0 and -1. UserError if out of
// range.
int64_t wrap_dim(const CallSite& site, int64_t dim, int64_t rank);

std::string site_text(const CallSite& site);  // "conv2d (resnet50.cpp:31)"
ir::Location location_of(const CallSite& site);

// Implementation.

[[noreturn]] void rethrow_with_site(const CallSite& site);

template <typename Body>
auto with_site(const CallSite& site, Body body) {
  try {
    return body();
  } catch (const UserError&) {
    rethrow_with_site(site);
  }
}

}  // namespace litz::api
