#include "tests/ops/cases.h"

#include <cmath>
#include <limits>

#include "interp/interp.h"
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

// Splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(const std::string& name) {
    for (char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
  int64_t integer(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(std::max(high - low, int64_t{1})));
  }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

struct Format {
  int precision;     // significant bits
  int min_exponent;  // of the smallest normal number
  double largest;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {53, -1022, std::numeric_limits<double>::max()};
    case DType::bf16:
      return {8, -126, 0x1.fep127};
    case DType::f16:
      return {11, -14, 65504};
    default:
      return {24, -126, static_cast<double>(std::numeric_limits<float>::max())};
  }
}

std::vector<double> special_floats(DType dtype) {
  const Format f = format_of(dtype);
  const double smallest = std::ldexp(1.0, f.min_exponent - f.precision + 1);
  const double infinity = std::numeric_limits<double>::infinity();
  return {std::nan(""), infinity,   -infinity, 0.0,      -0.0,      1.0,
          -1.0,         0.5,        -0.5,      smallest, -smallest, std::ldexp(1.0, f.min_exponent),
          f.largest,    -f.largest, 2.5,       -2.5,     1e-3,      -1e-3,
          100.0,        -100.0};
}

std::vector<int64_t> special_integers(DType dtype) {
  switch (dtype) {
    case DType::i64:
      return {INT64_MIN, INT64_MAX, 0, -1, 1, int64_t{1} << 40};
    case DType::i32:
      return {INT32_MIN, INT32_MAX, 0, -1, 1, 1 << 20};
    case DType::i16:
      return {INT16_MIN, INT16_MAX, 0, -1, 1, 1 << 10};
    case DType::i8:
      return {INT8_MIN, INT8_MAX, 0, -1, 1, 1 << 4};
    case DType::u8:
      return {UINT8_MAX, 0, 1, 128};
    default:
      return {0, 1};
  }
}

double float_value(Random& random, Fill fill) {
  switch (fill) {
    case Fill::positive:
      return random.between(0.05, 3);
    case Fill::unit:
      return random.between(-1, 1);
    default:
      return random.between(-3, 3);
  }
}

int64_t integer_value(Random& random, const Input& input) {
  if (input.fill == Fill::index) return random.integer(0, input.limit);
  if (input.fill == Fill::signed_index) return random.integer(-input.limit, input.limit);
  if (input.dtype == DType::boolean) return random.integer(0, 2);
  if (input.fill == Fill::positive) return random.integer(1, 20);
  return random.integer(input.dtype == DType::u8 ? 0 : -20, 20);
}

interp::Tensor make(const Input& input, Random& random) {
  interp::Tensor t(input.dtype, input.shape);
  const bool special = input.fill == Fill::special;
  if (is_floating(input.dtype)) {
    const std::vector<double> first = special ? special_floats(input.dtype) : std::vector<double>{};
    for (int64_t i = 0; i < t.elements(); ++i) {
      const bool from_list = i < static_cast<int64_t>(first.size());
      t.set(i, from_list ? first[i] : float_value(random, input.fill));
    }
    return t;
  }
  const std::vector<int64_t> first = special ? special_integers(input.dtype) : std::vector<int64_t>{};
  for (int64_t i = 0; i < t.elements(); ++i) {
    t.set(i, i < static_cast<int64_t>(first.size()) ? first[i] : integer_value(random, input));
  }
  return t;
}

// The distance between neighbouring numbers of `dtype` at `value`.
double spacing(DType dtype, double value) {
  const Format f = format_of(dtype);
  int exponent = f.min_exponent;
  if (value != 0) exponent = std::max(std::ilogb(value), f.min_exponent);
  return std::ldexp(1.0, exponent - f.precision + 1);
}

// Of two zeros min and max may give either.
bool either_zero(const OpCase& c) {
  constexpr std::string_view ops[] = {"relu", "minimum", "maximum", "amax", "amin", "hardswish", "hardsigmoid"};
  return std::find(std::begin(ops), std::end(ops), c.op) != std::end(ops);
}

bool near(const OpCase& c, DType dtype, double expected, double actual) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) {
    return c.ulps > 0 || c.absolute > 0 || either_zero(c) || std::signbit(expected) == std::signbit(actual);
  }
  if (std::isinf(expected) || std::isinf(actual)) return false;
  double ulps = c.ulps;
  if (is_half(dtype) && ulps > 0) ulps = std::max(1.0, ulps / 0x1p13);
  return std::fabs(expected - actual) <= ulps * spacing(dtype, expected) + c.absolute;
}

std::string text(const ir::ScalarValue& v) {
  const auto* integer = std::get_if<int64_t>(&v);
  if (integer != nullptr) return std::to_string(*integer);
  char buffer[32];
  snprintf(buffer, sizeof buffer, "%.17g", std::get<double>(v));
  return buffer;
}

std::string compare(const OpCase& c, const interp::Tensor& expected, const interp::Tensor& actual) {
  if (expected.dtype() != actual.dtype()) return "dtype differs";
  if (expected.shape() != actual.shape()) {
    return "shape is " + shape_name(actual.shape()) + ", expected " + shape_name(expected.shape());
  }
  if (expected.dtype() == DType::token) return "";
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const ir::ScalarValue e = expected.get(i);
    const ir::ScalarValue a = actual.get(i);
    const bool fits =
        is_floating(expected.dtype()) ? near(c, expected.dtype(), std::get<double>(e), std::get<double>(a)) : e == a;
    if (fits) continue;
    if (wrong++ == 0) first = "element " + std::to_string(i) + " is " + text(a) + ", expected " + text(e);
  }
  if (wrong == 0) return "";
  return first + " (" + std::to_string(wrong) + " of " + std::to_string(expected.elements()) + " differ)";
}

std::vector<OpCase> build_all() {
  CaseList list;
  for (auto family : {unary_cases, binary_cases, view_cases, shuffle_cases, reduction_cases, normalization_cases,
                      product_cases, convolution_cases, window_cases, gather_cases, graph_cases}) {
    family(list);
  }
  return list.take();
}

}  // namespace

ir::Graph OpCase::graph() const {
  if (build) return build(*this);
  ir::GraphBuilder graph("op");
  ops::Builder b(graph);
  std::vector<ir::ValueId> operands;
  for (const Input& input : inputs) {
    if (input.absent) {
      operands.push_back(ir::kNoValue);
      continue;
    }
    ir::TensorType type{.dtype = input.dtype};
    for (int64_t size : input.shape) type.shape.emplace_back(size);
    operands.push_back(graph.input(type, "x" + std::to_string(operands.size())));
  }
  for (ir::ValueId id : b.add_all(op, operands, attributes)) graph.output({.value = id});
  return std::move(graph).finish();
}

std::vector<interp::Tensor> OpCase::make_inputs() const {
  Random random(name);
  std::vector<interp::Tensor> out;
  for (const Input& input : inputs) {
    if (!input.absent) out.push_back(make(input, random));
  }
  return out;
}

std::span<const OpCase> all_cases() {
  static const std::vector<OpCase> cases = build_all();
  return cases;
}

std::string difference(const OpCase& op_case, const std::vector<interp::Tensor>& expected,
                       const std::vector<interp::Tensor>& actual) {
  if (expected.size() != actual.size()) return "another number of results";
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string d = compare(op_case, expected[i], actual[i]);
    if (!d.empty()) return "result " + std::to_string(i) + ": " + d;
  }
  return "";
}

std::string run_case(const OpCase& op_case, const Backend& backend) {
  try {
    const ir::Graph graph = op_case.graph();
    const std::vector<interp::Tensor> inputs = op_case.make_inputs();
    return difference(op_case, interp::run(graph, inputs), backend(graph, inputs));
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
}

std::string shape_name(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string out;
  for (size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : "x") + std::to_string(shape[i]);
  return out;
}

Near sum_near(DType dtype, int64_t count, double magnitude) {
  if (!is_floating(dtype)) return {};
  const double eps = std::ldexp(1.0, dtype == DType::f64 ? -53 : -24);
  return {.ulps = 4, .absolute = eps * static_cast<double>(std::max(count, int64_t{1})) * magnitude};
}

}  // namespace litz::op_cases
