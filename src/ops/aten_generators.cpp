// ATen's ops that make tensors.
#include <cmath>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

const AtenNumber kZero{int64_t{0}};
const AtenNumber kOne{int64_t{1}};

// New values for a shape; the dtype stands at `dtype_at`.
AtenResults filled(AtenContext& c, const AtenNumber& value, size_t dtype_at, DType otherwise) {
  return {c.full(c.sizes(0), value, c.dtype(dtype_at).value_or(otherwise))};
}

AtenResults full_shape(AtenContext& c) { return filled(c, c.number(1), 2, c.number(1).own_dtype()); }
AtenResults zeros(AtenContext& c) { return filled(c, kZero, 1, DType::f32); }
AtenResults ones(AtenContext& c) { return filled(c, kOne, 1, DType::f32); }

AtenResults like(AtenContext& c, const AtenNumber& value, size_t dtype_at) {
  return {c.full(c.type(0).shape, value, c.dtype(dtype_at).value_or(c.type(0).dtype))};
}

AtenResults full_like(AtenContext& c) { return like(c, c.number(1), 2); }
AtenResults zeros_like(AtenContext& c) { return like(c, kZero, 1); }
AtenResults ones_like(AtenContext& c) { return like(c, kOne, 1); }

AtenResults new_filled(AtenContext& c, const AtenNumber& value, size_t dtype_at) {
  return {c.full(c.sizes(1), value, c.dtype(dtype_at).value_or(c.type(0).dtype))};
}

AtenResults fill(AtenContext& c) {
  const TensorType type = c.type(0);
  if (c.is_number(1)) return {c.full(type.shape, c.number(1), type.dtype)};
  return {expand(c.b, convert(c.b, c.tensor(1), type.dtype), type.shape)};
}

AtenResults copy(AtenContext& c) {
  const TensorType type = c.type(0);
  return {expand(c.b, c.b.add("convert", {c.tensor(1)}, {{"dtype", type.dtype}}), type.shape)};
}

AtenResults scalar_tensor(AtenContext& c) { return {c.constant(c.number(0), c.dtype(1).value_or(DType::f32))}; }

bool is_integer(const AtenNumber& n) { return std::holds_alternative<int64_t>(n.value); }

// start, start + step, … below end. Floats are computed in f64 from the position, as eager does.
ValueId range(AtenContext& c, const AtenNumber& start, const AtenNumber& end, const AtenNumber& step,
              std::optional<DType> wanted) {
  Builder& b = c.b;
  const bool integers = is_integer(start) && is_integer(end) && is_integer(step);
  const DType dtype = wanted.value_or(integers ? DType::i64 : DType::f32);
  const double count = std::ceil((end.as_double() - start.as_double()) / step.as_double());
  if (step.as_double() == 0 || !(count >= 0) || count > 0x1p62) not_imported("its bounds don't fit its step");
  const Expr size = static_cast<int64_t>(count);
  if (integers && dtype != DType::boolean) {
    return b.add("iota", {},
                 {{"shape", std::vector<Expr>{size}},
                  {"start", std::get<int64_t>(start.value)},
                  {"step", std::get<int64_t>(step.value)},
                  {"dtype", dtype}});
  }
  if (!is_floating(dtype)) not_imported("a range of integers from floats");
  const ValueId place = convert(b, iota(b, size, DType::i64), DType::f64);
  const ValueId scaled = with_number(b, "mul", place, step.as_double());
  return convert(b, with_number(b, "add", scaled, start.as_double()), dtype);
}

AtenResults arange(AtenContext& c) { return {range(c, kZero, c.number(0), kOne, c.dtype(1))}; }
AtenResults arange_start(AtenContext& c) { return {range(c, c.number(0), c.number(1), kOne, c.dtype(2))}; }
AtenResults arange_step(AtenContext& c) {
  return {range(c, c.number(0), c.number(1), c.is_none(2) ? kOne : c.number(2), c.dtype(3))};
}

// Eager's formula: from the start in the first half, from the end in the second.
AtenResults linspace(AtenContext& c) {
  Builder& b = c.b;
  const DType dtype = c.dtype(3).value_or(DType::f32);
  if (!is_floating(dtype)) not_imported("a range of integers from floats");
  const double start = c.real(0);
  const double end = c.real(1);
  const int64_t steps = c.integer(2);
  if (steps == 1) return {ops::full(b, {Expr(1)}, start, dtype)};
  const double step = (end - start) / static_cast<double>(steps - 1);
  const ValueId place = iota(b, steps, DType::i64);
  const ValueId wide = convert(b, place, DType::f64);
  const ValueId up = with_number(b, "add", with_number(b, "mul", wide, step), start);
  const ValueId left = b.add("sub", {b.scalar(DType::f64, static_cast<double>(steps - 1)), wide});
  const ValueId down = b.add("sub", {b.scalar(DType::f64, end), with_number(b, "mul", left, step)});
  const ValueId first = b.add("lt", {place, b.scalar_int(DType::i64, steps / 2)});
  return {convert(b, b.add("where", {first, up, down}), dtype)};
}

// Whether row i, shifted by `diagonal`, stands in relation `op` to column j; shape [rows, columns].
ValueId band(AtenContext& c, std::string_view op, const Expr& rows, const Expr& columns, int64_t diagonal) {
  Builder& b = c.b;
  const ValueId i = b.add("unsqueeze", {iota(b, rows, DType::i64)}, {{"dim", int64_t{1}}});
  const ValueId shifted = diagonal == 0 ? i : b.add("add", {i, b.scalar_int(DType::i64, diagonal)});
  return b.add(op, {iota(b, columns, DType::i64), shifted});
}

AtenResults triangle(AtenContext& c, std::string_view op) {
  const TensorType type = c.type(0);
  if (type.rank() < 2) not_imported("it needs two dimensions");
  const ValueId keep = band(c, op, type.shape[type.rank() - 2], type.shape[type.rank() - 1], c.integer_or(1, 0));
  return {c.b.add("where", {keep, c.tensor(0), c.b.scalar(type.dtype, 0)})};
}

AtenResults eye(AtenContext& c, bool square) {
  const Expr rows = c.integer(0);
  const Expr columns = square ? c.integer(0) : c.integer(1);
  const DType dtype = c.dtype(square ? 1 : 2).value_or(DType::f32);
  return {convert(c.b, band(c, "eq", rows, columns, 0), dtype)};
}

}  // namespace

AtenTable aten_generators() {
  return {
      {"aten.full.default", full_shape},
      {"aten.zeros.default", zeros},
      {"aten.ones.default", ones},
      // What an empty tensor holds is not defined.
      {"aten.empty.memory_format", zeros},
      {"aten.empty_strided.default", [](AtenContext& c) { return filled(c, kZero, 2, DType::f32); }},
      {"aten.full_like.default", full_like},
      {"aten.zeros_like.default", zeros_like},
      {"aten.ones_like.default", ones_like},
      {"aten.empty_like.default", zeros_like},
      {"aten.zero.default", zeros_like},
      {"aten.new_full.default", [](AtenContext& c) { return new_filled(c, c.number(2), 3); }},
      {"aten.new_zeros.default", [](AtenContext& c) { return new_filled(c, kZero, 2); }},
      {"aten.new_ones.default", [](AtenContext& c) { return new_filled(c, kOne, 2); }},
      {"aten.new_empty.default", [](AtenContext& c) { return new_filled(c, kZero, 2); }},
      {"aten.new_empty_strided.default", [](AtenContext& c) { return new_filled(c, kZero, 3); }},
      {"aten.fill.Scalar", fill},
      {"aten.fill.Tensor", fill},
      {"aten.copy.default", copy},
      {"aten.scalar_tensor.default", scalar_tensor},
      {"aten.arange.default", arange},
      {"aten.arange.start", arange_start},
      {"aten.arange.start_step", arange_step},
      {"aten.linspace.default", linspace},
      {"aten.tril.default", [](AtenContext& c) { return triangle(c, "le"); }},
      {"aten.triu.default", [](AtenContext& c) { return triangle(c, "ge"); }},
      {"aten.eye.default", [](AtenContext& c) { return eye(c, /*square=*/true); }},
      {"aten.eye.m", [](AtenContext& c) { return eye(c, /*square=*/false); }},
  };
}

}  // namespace litz::ops
