#include "codegen/cpp/magnitude.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace litz::codegen::cpp {
namespace {

using ir::ScalarOp;

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// With what rounding to any dtype can add: relative in bf16, absolute below the smallest normal number of f16.
double rounded(double magnitude) { return magnitude * 1.01 + 1e-7; }

// What sin_near_f32 and the tame forms in vecmath_trig.cpp take.
constexpr double kNear = 1.5;
constexpr double kTame = 29000;

double of_dtype(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 1;
    case DType::u8:
      return 255;
    case DType::i8:
      return 128;
    case DType::i16:
      return 32768;
    default:
      return kUnknown;
  }
}

}  // namespace

double largest_magnitude(const kernel_ir::Constant& s) {
  if (!is_floating(s.dtype)) return kUnknown;
  return rounded(std::visit([](auto number) { return std::abs(static_cast<double>(number)); }, s.value));
}

double largest_magnitude(const kernel_ir::Compute& s, std::span<const Value> args) {
  const auto of = [&](size_t i) { return args[i].magnitude; };
  switch (s.op) {
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tanh:
    case ScalarOp::erf:
      return 1.01;
    case ScalarOp::atan:
      return 1.6;
    case ScalarOp::neg:
    case ScalarOp::abs:
      return is_integral(s.dtype) ? kUnknown : of(0);
    case ScalarOp::min:
    case ScalarOp::max:
      return std::max(of(0), of(1));
    case ScalarOp::select:
      return std::max(of(1), of(2));
    case ScalarOp::add:
    case ScalarOp::sub:
      return is_integral(s.dtype) ? kUnknown : rounded(of(0) + of(1));
    case ScalarOp::mul: {
      // 0 times infinity is NaN here too.
      const double product = rounded(of(0) * of(1));
      return is_integral(s.dtype) || !(product < kUnknown) ? kUnknown : product;
    }
    case ScalarOp::cast: {
      if (is_integral(s.dtype)) return kUnknown;
      return rounded(std::min(of(0), of_dtype(args[0].dtype)));
    }
    default:
      return kUnknown;
  }
}

std::string function_name(const kernel_ir::Compute& s, std::span<const Value> args) {
  const std::string name(ir::scalar_op_name(s.op));
  if (s.dtype != DType::f32 || (s.op != ScalarOp::sin && s.op != ScalarOp::cos)) return name;
  if (s.op == ScalarOp::sin && args[0].magnitude <= kNear) return name + "_near";
  return args[0].magnitude <= kTame ? name + "_tame" : name;
}

}  // namespace litz::codegen::cpp
