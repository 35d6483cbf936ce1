#include "tests/kernels/kernel_interpreter.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "support/check.h"
#include "support/half.h"

namespace litz::tests {
namespace {

using ir::ReduceOp;
using ir::ScalarOp;
using kernel_ir::Block;
using kernel_ir::kNoRef;
using kernel_ir::Loop;
using kernel_ir::Ref;

// Integers and booleans in `i`, floats in `f` (f32, bf16 and f16 exactly).
struct Number {
  DType dtype = DType::f32;
  int64_t i = 0;
  double f = 0;
};

bool is_float(DType d) { return is_floating(d); }

int64_t wrap(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::i32:
      return static_cast<int32_t>(bits);
    case DType::i16:
      return static_cast<int16_t>(bits);
    case DType::i8:
      return static_cast<int8_t>(bits);
    case DType::u8:
      return static_cast<uint8_t>(bits);
    case DType::boolean:
      return bits != 0;
    default:
      return static_cast<int64_t>(bits);
  }
}

double round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::f64:
      return value;
    case DType::bf16:
      return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
    case DType::f16:
      return f16_to_f32(f32_to_f16(static_cast<float>(value)));
    default:
      return static_cast<float>(value);
  }
}

Number real(DType dtype, double value) { return {dtype, 0, round_to(dtype, value)}; }
Number whole(DType dtype, int64_t value) { return {dtype, wrap(dtype, static_cast<uint64_t>(value)), 0}; }

int64_t to_integer(double value, bool wide) {
  const double limit = wide ? 0x1p63 : 0x1p31;
  if (!(value >= -limit && value < limit)) return wide ? INT64_MIN : INT32_MIN;
  return static_cast<int64_t>(value);
}

Number convert(const Number& a, DType to) {
  if (to == DType::boolean) return whole(to, is_float(a.dtype) ? a.f != 0 : a.i != 0);
  if (is_float(to)) {
    if (is_float(a.dtype)) return real(to, is_half(to) ? static_cast<float>(a.f) : a.f);
    if (to == DType::f64) return real(to, static_cast<double>(a.i));
    return real(to, static_cast<float>(a.i));
  }
  return whole(to, is_float(a.dtype) ? to_integer(a.f, to == DType::i64) : a.i);
}

template <typename T>
T read(const void* p, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(p) + offset * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
void write(void* p, int64_t offset, T value) {
  std::memcpy(static_cast<char*>(p) + offset * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

Number fetch(DType dtype, const void* p, int64_t o) {
  switch (dtype) {
    case DType::f64:
      return real(dtype, read<double>(p, o));
    case DType::f32:
      return real(dtype, read<float>(p, o));
    case DType::bf16:
      return {dtype, 0, bf16_to_f32(read<uint16_t>(p, o))};
    case DType::f16:
      return {dtype, 0, f16_to_f32(read<uint16_t>(p, o))};
    case DType::i64:
      return whole(dtype, read<int64_t>(p, o));
    case DType::i32:
      return whole(dtype, read<int32_t>(p, o));
    case DType::i16:
      return whole(dtype, read<int16_t>(p, o));
    case DType::i8:
      return whole(dtype, read<int8_t>(p, o));
    default:
      return whole(dtype, read<uint8_t>(p, o));
  }
}

void put(DType dtype, void* p, int64_t o, const Number& v) {
  switch (dtype) {
    case DType::f64:
      return write(p, o, v.f);
    case DType::f32:
      return write(p, o, static_cast<float>(v.f));
    case DType::bf16:
      return write(p, o, f32_to_bf16(static_cast<float>(v.f)));
    case DType::f16:
      return write(p, o, f32_to_f16(static_cast<float>(v.f)));
    case DType::i64:
      return write(p, o, v.i);
    case DType::i32:
      return write(p, o, static_cast<int32_t>(v.i));
    case DType::i16:
      return write(p, o, static_cast<int16_t>(v.i));
    case DType::i8:
      return write(p, o, static_cast<int8_t>(v.i));
    default:
      return write(p, o, static_cast<uint8_t>(v.i));
  }
}

double float_unary(ScalarOp op, double x) {
  switch (op) {
    case ScalarOp::neg:
      return -x;
    case ScalarOp::abs:
      return std::fabs(x);
    case ScalarOp::sqrt:
      return std::sqrt(x);
    case ScalarOp::rsqrt:
      return 1 / std::sqrt(x);
    case ScalarOp::exp:
      return std::exp(x);
    case ScalarOp::exp2:
      return std::exp2(x);
    case ScalarOp::expm1:
      return std::expm1(x);
    case ScalarOp::log:
      return std::log(x);
    case ScalarOp::log2:
      return std::log2(x);
    case ScalarOp::log10:
      return std::log10(x);
    case ScalarOp::log1p:
      return std::log1p(x);
    case ScalarOp::sin:
      return std::sin(x);
    case ScalarOp::cos:
      return std::cos(x);
    case ScalarOp::tan:
      return std::tan(x);
    case ScalarOp::asin:
      return std::asin(x);
    case ScalarOp::acos:
      return std::acos(x);
    case ScalarOp::atan:
      return std::atan(x);
    case ScalarOp::sinh:
      return std::sinh(x);
    case ScalarOp::cosh:
      return std::cosh(x);
    case ScalarOp::tanh:
      return std::tanh(x);
    case ScalarOp::asinh:
      return std::asinh(x);
    case ScalarOp::acosh:
      return std::acosh(x);
    case ScalarOp::atanh:
      return std::atanh(x);
    case ScalarOp::erf:
      return std::erf(x);
    case ScalarOp::erfc:
      return std::erfc(x);
    case ScalarOp::floor:
      return std::floor(x);
    case ScalarOp::ceil:
      return std::ceil(x);
    case ScalarOp::trunc:
      return std::trunc(x);
    case ScalarOp::round:
      return std::nearbyint(x);
    case ScalarOp::sign:
      return (x > 0) - (x < 0);
    default:
      break;
  }
  LITZ_CHECK(false, "no unary operation of floats");
  return 0;
}

double float_binary(ScalarOp op, double a, double b) {
  switch (op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::sub:
      return a - b;
    case ScalarOp::mul:
      return a * b;
    case ScalarOp::div:
      return a / b;
    case ScalarOp::fmod:
      return std::fmod(a, b);
    case ScalarOp::min:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case ScalarOp::max:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case ScalarOp::pow:
      return std::pow(a, b);
    case ScalarOp::atan2:
      return std::atan2(a, b);
    default:
      break;
  }
  LITZ_CHECK(false, "no binary operation of floats");
  return 0;
}

int64_t integer_op(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const int bits = dtype_size(dtype) * 8;
  const bool big_shift = b < 0 || b >= bits;
  switch (op) {
    case ScalarOp::add:
      return static_cast<int64_t>(ua + ub);
    case ScalarOp::sub:
      return static_cast<int64_t>(ua - ub);
    case ScalarOp::mul:
      return static_cast<int64_t>(ua * ub);
    case ScalarOp::div:
      return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - ua) : a / b;
    case ScalarOp::fmod:
      return b == 0 || b == -1 ? 0 : a % b;
    case ScalarOp::min:
      return std::min(a, b);
    case ScalarOp::max:
      return std::max(a, b);
    case ScalarOp::bit_and:
      return a & b;
    case ScalarOp::bit_or:
      return a | b;
    case ScalarOp::bit_xor:
      return a ^ b;
    case ScalarOp::shl:
      return big_shift ? 0 : static_cast<int64_t>(ua << b);
    case ScalarOp::shr:
      return big_shift ? (a < 0 ? -1 : 0) : a >> b;
    case ScalarOp::neg:
      return static_cast<int64_t>(0 - ua);
    case ScalarOp::abs:
      return a < 0 ? static_cast<int64_t>(0 - ua) : a;
    case ScalarOp::bit_not:
      return dtype == DType::boolean ? a == 0 : ~a;
    case ScalarOp::sign:
      return (a > 0) - (a < 0);
    default:
      break;
  }
  LITZ_CHECK(false, "no operation of integers");
  return 0;
}

template <typename T>
bool compare(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::eq:
      return a == b;
    case ScalarOp::ne:
      return a != b;
    case ScalarOp::lt:
      return a < b;
    case ScalarOp::le:
      return a <= b;
    case ScalarOp::gt:
      return a > b;
    default:
      return a >= b;
  }
}

Number compute(ScalarOp op, DType dtype, const std::vector<Number>& a) {
  if (op == ScalarOp::cast) return convert(a[0], dtype);
  if (op == ScalarOp::select) return a[0].i ? a[1] : a[2];
  if (op == ScalarOp::bitcast) {
    char bytes[8] = {};
    put(a[0].dtype, bytes, 0, a[0]);
    return fetch(dtype, bytes, 0);
  }
  if (ir::is_comparison(op)) {
    return whole(DType::boolean, is_float(a[0].dtype) ? compare(op, a[0].f, a[1].f) : compare(op, a[0].i, a[1].i));
  }
  if (!is_float(dtype)) return whole(dtype, integer_op(op, dtype, a[0].i, a.size() > 1 ? a[1].i : 0));
  if (op == ScalarOp::fma) {
    return dtype == DType::f32 ? real(dtype, std::fmaf(static_cast<float>(a[0].f), static_cast<float>(a[1].f),
                                                       static_cast<float>(a[2].f)))
                               : real(dtype, std::fma(a[0].f, a[1].f, a[2].f));
  }
  return real(dtype, a.size() == 1 ? float_unary(op, a[0].f) : float_binary(op, a[0].f, a[1].f));
}

// An accumulator: sums of floats in long double.
struct Accumulator {
  Number value;
  long double sum = 0;
  int64_t at = -1;
};

class Interpreter {
 public:
  Interpreter(const kernel_ir::Kernel& kernel, const std::vector<void*>& buffers, KernelFault* fault)
      : kernel_(kernel), buffers_(buffers), fault_(fault), values_(kernel.next_ref) {
    for (const kernel_ir::Buffer& buffer : kernel.buffers) {
      if (buffer.role != kernel_ir::BufferRole::local) continue;
      int64_t elements = 1;
      for (size_t i = 0; i < buffer.shape.size(); ++i) {
        elements += (buffer.shape[i].constant() - 1) * buffer.strides[i].constant();
      }
      locals_.emplace_back(static_cast<size_t>(elements * dtype_size(buffer.dtype)));
    }
    size_t next = 0;
    for (const kernel_ir::Buffer& buffer : kernel.buffers) {
      if (buffer.role == kernel_ir::BufferRole::local) buffers_.push_back(locals_[next++].data());
    }
  }

  void run(const Block& block) {
    for (const kernel_ir::Statement& s : block.statements) std::visit([this](const auto& x) { step(x); }, s);
  }

 private:
  int64_t evaluate(const Expr& e) {
    std::map<std::string, int64_t> symbols = ranges_;
    for (const std::string& name : e.symbols()) {
      if (const auto ref = kernel_ir::symbol_ref(name)) symbols[name] = values_[*ref].i;
    }
    return e.evaluate(symbols);
  }
  int64_t offset(uint32_t buffer, const std::vector<Expr>& index) {
    return evaluate(kernel_ir::linear_offset(kernel_.buffers[buffer], index));
  }
  bool on(Ref mask) const { return mask == kNoRef || values_[mask].i != 0; }

  static Number constant(DType dtype, const ir::ScalarValue& v) {
    if (const auto* i = std::get_if<int64_t>(&v)) {
      return is_float(dtype) ? real(dtype, static_cast<double>(*i)) : whole(dtype, *i);
    }
    const double d = std::get<double>(v);
    return is_float(dtype) ? real(dtype, d) : whole(dtype, static_cast<int64_t>(d));
  }
  void step(const kernel_ir::Constant& s) { values_[s.result] = constant(s.dtype, s.value); }
  void step(const kernel_ir::Index& s) { values_[s.result] = whole(DType::i64, evaluate(s.value)); }
  void step(const kernel_ir::Compute& s) {
    std::vector<Number> args;
    for (const Ref ref : s.args) args.push_back(values_[ref]);
    values_[s.result] = compute(s.op, s.dtype, args);
  }
  void step(const kernel_ir::Load& s) {
    values_[s.result] =
        on(s.mask) ? fetch(s.dtype, buffers_[s.buffer], offset(s.buffer, s.index)) : constant(s.dtype, s.otherwise);
  }
  void step(const kernel_ir::Store& s) {
    if (!on(s.mask)) return;
    put(kernel_.buffers[s.buffer].dtype, buffers_[s.buffer], offset(s.buffer, s.index), values_[s.value]);
  }
  void step(const kernel_ir::Check& s) {
    const int64_t size = evaluate(s.size), index = values_[s.value].i;
    const int64_t wrapped = s.wraps && index < 0 ? index + size : index;
    const bool good = wrapped >= 0 && wrapped < size;
    if (!good && fault_->check == 0) *fault_ = {.check = s.check + 1, .index = index, .size = size};
    values_[s.result] = whole(DType::i64, good ? wrapped : 0);
  }

  void step(const Loop& loop) {
    std::vector<Accumulator> accumulators;
    for (const kernel_ir::Reduction& r : loop.reductions) {
      accumulators.push_back({.value = constant(r.dtype, ir::reduce_identity(r.op, r.dtype))});
    }
    position_.push_back(0);
    nest(loop, 0, accumulators);
    position_.pop_back();
    for (size_t i = 0; i < loop.reductions.size(); ++i) {
      const kernel_ir::Reduction& r = loop.reductions[i];
      if (r.op == ReduceOp::argmax || r.op == ReduceOp::argmin) {
        values_[r.results[0]] = whole(DType::i64, std::max<int64_t>(accumulators[i].at, 0));
        if (r.results.size() > 1) values_[r.results[1]] = accumulators[i].value;
      } else {
        const bool sum = r.op == ReduceOp::sum && is_float(r.dtype);
        values_[r.results[0]] = sum ? real(r.dtype, static_cast<double>(accumulators[i].sum)) : accumulators[i].value;
      }
    }
  }
  void nest(const Loop& loop, size_t at, std::vector<Accumulator>& accumulators) {
    if (at == loop.ranges.size()) {
      run(loop.body);
      for (size_t i = 0; i < accumulators.size(); ++i) update(loop.reductions[i], accumulators[i]);
      ++position_.back();
      return;
    }
    const int64_t n = loop.ranges[at].extent.constant();
    for (int64_t i = 0; i < n; ++i) {
      ranges_[loop.ranges[at].name] = i;
      nest(loop, at + 1, accumulators);
    }
    ranges_.erase(loop.ranges[at].name);
  }
  void update(const kernel_ir::Reduction& r, Accumulator& a) {
    const Number& x = values_[r.input];
    const bool floats = is_float(r.dtype);
    switch (r.op) {
      case ReduceOp::sum:
        if (floats) a.sum += static_cast<long double>(x.f);
        a.value.i = wrap(r.dtype, static_cast<uint64_t>(a.value.i) + static_cast<uint64_t>(x.i));
        return;
      case ReduceOp::prod:
        a.value = compute(ScalarOp::mul, r.dtype, {a.value, x});
        return;
      case ReduceOp::max:
        a.value = compute(ScalarOp::max, r.dtype, {a.value, x});
        return;
      case ReduceOp::min:
        a.value = compute(ScalarOp::min, r.dtype, {a.value, x});
        return;
      case ReduceOp::any:
        a.value.i |= x.i;
        return;
      case ReduceOp::all:
        a.value.i &= x.i;
        return;
      case ReduceOp::argmax:
      case ReduceOp::argmin:
        break;
    }
    const bool up = r.op == ReduceOp::argmax;
    bool better = a.at < 0;
    if (floats) {
      better = better || (std::isnan(x.f) && !std::isnan(a.value.f)) || (up ? x.f > a.value.f : x.f < a.value.f);
    } else {
      better = better || (up ? x.i > a.value.i : x.i < a.value.i);
    }
    if (better) a.value = x, a.at = position_.back();
  }

  const kernel_ir::Kernel& kernel_;
  std::vector<void*> buffers_;
  KernelFault* fault_;
  std::vector<Number> values_;
  std::map<std::string, int64_t> ranges_;
  std::vector<int64_t> position_;
  std::vector<std::vector<char>> locals_;
};

}  // namespace

void interpret(const kernel_ir::Kernel& kernel, const std::vector<void*>& buffers, KernelFault* fault) {
  Interpreter(kernel, buffers, fault).run(kernel.body);
}

}  // namespace litz::tests
