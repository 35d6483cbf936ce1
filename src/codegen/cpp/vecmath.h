// Elementary functions for generated kernels, as texts that prelude() puts in front of them.
//
// f32: at most 1 ULP from the correctly rounded result over the whole range; f64 and functions of two arguments: 2 ULP.
// The frequent ones (exp, tanh, erf, sin, cos, log) compute in f32; arguments that need more care than the fast path
// takes (huge ones, mostly) are redone behind a test of the whole vector. The others compute in f64, where plain
// formulas are exact enough. f64 functions call the C library lane by lane.
//
// Polynomials are from scripts/fit_vecmath.py. Names: "sin_f32@" and so on, "@" as in helpers.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace litz::codegen::cpp {

struct MathText {
  std::string_view name;  // without "@"
  std::string_view text;
  std::string_view vector_text = {};  // of the vector form, if "@" is not enough
};

std::span<const MathText> trigonometric_texts();
std::span<const MathText> exponential_texts();
std::span<const MathText> logarithm_texts();
std::span<const MathText> inverse_trigonometric_texts();
std::span<const MathText> error_function_texts();
std::span<const MathText> remainder_texts();
// The function of f64 called `name`, "exp_f64" and the like.
std::optional<std::string> f64_math_text(std::string_view name, bool vector);

}  // namespace litz::codegen::cpp
