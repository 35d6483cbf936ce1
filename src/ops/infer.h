// Shared parts of the records: argument checks, result types, dimension arithmetic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/record.h"

namespace litz::ops {

// Throws UserError "<op>: <what>".
[[noreturn]] void fail(std::string_view op, const std::string& what);

// The attribute, or `otherwise` where it is absent.
template <typename T>
T attribute_or(const Attributes& attributes, std::string_view name, const T& otherwise) {
  return attributes.has(name) ? attributes.get<T>(name) : otherwise;
}

inline bool has_operand(const InferArgs& args, size_t i) {
  return i < args.operands.size() && args.operands[i] != nullptr;
}
inline const TensorType& operand(const InferArgs& args, size_t i) { return *args.operands[i]; }
// Shape and dtype on the device of the first operand, in the default layout.
TensorType make_type(const InferArgs& args, DType dtype, std::vector<Expr> shape);

// f32 for integers, else the dtype itself.
constexpr DType float_of(DType dtype) { return is_floating(dtype) ? dtype : DType::f32; }

bool is_zero(const Expr& size);
bool is_one(const Expr& size);
std::string shape_text(const std::vector<Expr>& shape);

// UserError unless 0 <= dim < rank.
void check_dim(std::string_view op, std::string_view name, int64_t dim, int rank);
// UserError unless sorted, distinct and in range.
void check_dims(std::string_view op, const std::vector<int64_t>& dims, int rank);
void check_rank(std::string_view op, std::string_view operand, const TensorType& type, int rank);
void check_same_size(std::string_view op, const Expr& a, std::string_view a_name, const Expr& b,
                     std::string_view b_name);
void check_floating(std::string_view op, std::string_view operand, const TensorType& type);
void check_index_dtype(std::string_view op, std::string_view operand, const TensorType& type);  // i64 or i32
void check_same_dtype(std::string_view op, const InferArgs& args);  // of all operands that are there
// UserError unless the attribute has `count` entries.
void check_count(std::string_view op, std::string_view attribute, const std::vector<int64_t>& values, size_t count);

bool contains(const std::vector<int64_t>& dims, int64_t dim);
// Sizes after reducing `dims`.
std::vector<Expr> reduced_shape(const std::vector<Expr>& shape, const std::vector<int64_t>& dims, bool keepdim);
std::vector<int64_t> all_dims(int rank);
std::vector<int64_t> one_to(int64_t first, int64_t last);  // first, first + 1, …, last - 1

// Shapes broadcast by NumPy's rules; UserError names `op`.
std::vector<Expr> broadcast(std::string_view op, const std::vector<Expr>& a, const std::vector<Expr>& b);

}  // namespace litz::ops
