#include "runtime/externals.h"

#include <cmath>
#include <cstring>

namespace litz::runtime {

namespace {

struct Entry {
  std::string_view name;
  void* address;
};

template <typename F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

using Unary = double(double);
using UnaryF = float(float);
using Binary = double(double, double);
using BinaryF = float(float, float);
using Ternary = double(double, double, double);
using TernaryF = float(float, float, float);

// The double function and its float form, whose name ends in f.
#define LITZ_UNARY(name) \
  {#name, address_of(static_cast<Unary*>(::name))}, { #name "f", address_of(static_cast<UnaryF*>(::name##f)) }
#define LITZ_BINARY(name) \
  {#name, address_of(static_cast<Binary*>(::name))}, { #name "f", address_of(static_cast<BinaryF*>(::name##f)) }

const Entry kEntries[] = {
    {"memcpy", address_of(::memcpy)},
    {"memmove", address_of(::memmove)},
    {"memset", address_of(::memset)},
    {"memcmp", address_of(static_cast<int (*)(const void*, const void*, size_t)>(::memcmp))},
    LITZ_UNARY(acos),
    LITZ_UNARY(acosh),
    LITZ_UNARY(asin),
    LITZ_UNARY(asinh),
    LITZ_UNARY(atan),
    LITZ_UNARY(atanh),
    LITZ_UNARY(cbrt),
    LITZ_UNARY(ceil),
    LITZ_UNARY(cos),
    LITZ_UNARY(cosh),
    LITZ_UNARY(erf),
    LITZ_UNARY(erfc),
    LITZ_UNARY(exp),
    LITZ_UNARY(exp2),
    LITZ_UNARY(expm1),
    LITZ_UNARY(fabs),
    LITZ_UNARY(floor),
    LITZ_UNARY(lgamma),
    LITZ_UNARY(log),
    LITZ_UNARY(log10),
    LITZ_UNARY(log1p),
    LITZ_UNARY(log2),
    LITZ_UNARY(nearbyint),
    LITZ_UNARY(rint),
    LITZ_UNARY(round),
    LITZ_UNARY(sin),
    LITZ_UNARY(sinh),
    LITZ_UNARY(sqrt),
    LITZ_UNARY(tan),
    LITZ_UNARY(tanh),
    LITZ_UNARY(tgamma),
    LITZ_UNARY(trunc),
    LITZ_BINARY(atan2),
    LITZ_BINARY(copysign),
    LITZ_BINARY(fdim),
    LITZ_BINARY(fmax),
    LITZ_BINARY(fmin),
    LITZ_BINARY(fmod),
    LITZ_BINARY(hypot),
    LITZ_BINARY(nextafter),
    LITZ_BINARY(pow),
    LITZ_BINARY(remainder),
    {"fma", address_of(static_cast<Ternary*>(::fma))},
    {"fmaf", address_of(static_cast<TernaryF*>(::fmaf))},
    {"ldexp", address_of(static_cast<double (*)(double, int)>(::ldexp))},
    {"ldexpf", address_of(static_cast<float (*)(float, int)>(::ldexpf))},
    {"roundeven", address_of(static_cast<Unary*>(::roundeven))},
    {"roundevenf", address_of(static_cast<UnaryF*>(::roundevenf))},
};

#undef LITZ_UNARY
#undef LITZ_BINARY

}  // namespace

void* external_function(std::string_view name) {
  for (const Entry& e : kEntries) {
    if (e.name == name) return e.address;
  }
  return nullptr;
}

}  // namespace litz::runtime
