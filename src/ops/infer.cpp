#include "ops/infer.h"

#include <algorithm>

namespace litz::ops {

void fail(std::string_view op, const std::string& what) { throw UserError(std::string(op) + ": " + what); }

TensorType make_type(const InferArgs& args, DType dtype, std::vector<Expr> shape) {
  TensorType type{.dtype = dtype, .shape = std::move(shape)};
  for (const TensorType* t : args.operands) {
    if (t != nullptr) {
      type.device = t->device;
      break;
    }
  }
  return type;
}

bool is_zero(const Expr& size) { return size.is_constant() && size.constant() == 0; }
bool is_one(const Expr& size) { return size.is_constant() && size.constant() == 1; }

std::string shape_text(const std::vector<Expr>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + shape[i].to_string();
  return out + "]";
}

void check_dim(std::string_view op, std::string_view name, int64_t dim, int rank) {
  if (dim >= 0 && dim < rank) return;
  fail(op, std::string(name) + " " + std::to_string(dim) + " is out of range for a tensor of " + std::to_string(rank) +
               " dimensions");
}

void check_dims(std::string_view op, const std::vector<int64_t>& dims, int rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    check_dim(op, "dimension", dims[i], rank);
    if (i > 0 && dims[i] <= dims[i - 1]) fail(op, "dims must be sorted and distinct");
  }
}

void check_rank(std::string_view op, std::string_view operand, const TensorType& type, int rank) {
  if (type.rank() == rank) return;
  fail(op, "'" + std::string(operand) + "' must have " + std::to_string(rank) + " dimensions, but is " +
               ir::to_string(type));
}

void check_same_size(std::string_view op, const Expr& a, std::string_view a_name, const Expr& b,
                     std::string_view b_name) {
  if (a == b) return;
  fail(op, std::string(a_name) + " is " + a.to_string() + ", but " + std::string(b_name) + " is " + b.to_string());
}

void check_floating(std::string_view op, std::string_view operand, const TensorType& type) {
  if (is_floating(type.dtype)) return;
  fail(op, "'" + std::string(operand) + "' must have a floating dtype, but is " + ir::to_string(type));
}

void check_index_dtype(std::string_view op, std::string_view operand, const TensorType& type) {
  if (type.dtype == DType::i64 || type.dtype == DType::i32) return;
  fail(op, "'" + std::string(operand) + "' must be i64 or i32, but is " + ir::to_string(type));
}

void check_same_dtype(std::string_view op, const InferArgs& args) {
  const TensorType* first = nullptr;
  for (const TensorType* t : args.operands) {
    if (t == nullptr) continue;
    if (first == nullptr) first = t;
    if (t->dtype == first->dtype) continue;
    fail(op, "operands must have one dtype, but are " + ir::to_string(*first) + " and " + ir::to_string(*t));
  }
}

void check_count(std::string_view op, std::string_view attribute, const std::vector<int64_t>& values, size_t count) {
  if (values.size() == count) return;
  fail(op, std::string(attribute) + " must have " + std::to_string(count) + " entries, but has " +
               std::to_string(values.size()));
}

bool contains(const std::vector<int64_t>& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

std::vector<Expr> reduced_shape(const std::vector<Expr>& shape, const std::vector<int64_t>& dims, bool keepdim) {
  std::vector<Expr> out;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!contains(dims, static_cast<int64_t>(d))) {
      out.push_back(shape[d]);
    } else if (keepdim) {
      out.emplace_back(1);
    }
  }
  return out;
}

std::vector<int64_t> one_to(int64_t first, int64_t last) {
  std::vector<int64_t> out;
  for (int64_t i = first; i < last; ++i) out.push_back(i);
  return out;
}

std::vector<int64_t> all_dims(int rank) { return one_to(0, rank); }

std::vector<Expr> broadcast(std::string_view op, const std::vector<Expr>& a, const std::vector<Expr>& b) {
  const size_t rank = std::max(a.size(), b.size());
  std::vector<Expr> out(rank);
  for (size_t i = 0; i < rank; ++i) {  // from the last dimension
    const Expr x = i < a.size() ? a[a.size() - 1 - i] : Expr(1);
    const Expr y = i < b.size() ? b[b.size() - 1 - i] : Expr(1);
    if (!(x == y) && !is_one(x) && !is_one(y)) {
      fail(op, "shapes " + shape_text(a) + " and " + shape_text(b) + " do not broadcast: sizes " + x.to_string() +
                   " and " + y.to_string() + " at dimension -" + std::to_string(i + 1));
    }
    out[rank - 1 - i] = is_one(x) ? y : x;
  }
  return out;
}

std::vector<Expr> broadcast_shapes(std::span<const TensorType* const> operands, std::string_view op) {
  std::vector<Expr> shape;
  for (const TensorType* t : operands) {
    if (t != nullptr) shape = broadcast(op, shape, t->shape);
  }
  return shape;
}

}  // namespace litz::ops
