#include "codegen/cpp/vecmath.h"

#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {

std::optional<std::string> vecmath_helper(std::string_view name, Form form) {
  for (const auto texts : {trigonometric_texts}) {
    for (const MathText& math : texts()) {
      if (math.name != name) continue;
      return std::string(form.vector && !math.vector_text.empty() ? math.vector_text : math.text);
    }
  }
  return std::nullopt;
}

}  // namespace litz::codegen::cpp
