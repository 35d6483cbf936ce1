// Integer expressions as C++ text.
#pragma once

#include <functional>
#include <string>

#include "symbolic/expr.h"

namespace litz::codegen::cpp {

// An expression of type i64, or i64v with one element a lane.
struct IndexText {
  std::string text;
  bool vector = false;
  bool non_negative = false;  // known to be; division is cheaper then
};

// `symbol` gives the text of each symbol.
IndexText index_text(const Expr& e, const std::function<IndexText(const std::string&)>& symbol);

}  // namespace litz::codegen::cpp
