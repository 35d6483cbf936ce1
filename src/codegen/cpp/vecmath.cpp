#include "codegen/cpp/vecmath.h"

#include "codegen/cpp/helpers.h"

namespace litz::codegen::cpp {

std::optional<std::string> vecmath_helper(std::string_view name, Form form) {
  for (const auto texts : {trigonometric_texts, exponential_texts, logarithm_texts, inverse_trigonometric_texts,
                           error_function_texts, remainder_texts}) {
    for (const MathText& math : texts()) {
      if (math.name != name) continue;
      const std::string_view text = form.vector && !math.vector_text.empty() ? math.vector_text : math.text;
      return text.empty() ? std::nullopt : std::optional(std::string(text));
    }
  }
  return f64_math_text(name, form.vector);
}

}  // namespace litz::codegen::cpp
