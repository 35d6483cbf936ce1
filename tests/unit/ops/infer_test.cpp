// Result types, and what bad operands are told.
#include <gtest/gtest.h>

#include "ops/record.h"

namespace litz::ops {
namespace {

using Integers = std::vector<int64_t>;

TensorType type(DType dtype, std::vector<Expr> shape) { return {.dtype = dtype, .shape = std::move(shape)}; }
TensorType f32(std::vector<Expr> shape) { return type(DType::f32, std::move(shape)); }

std::vector<TensorType> infer(std::string_view op, const std::vector<TensorType>& operands, const Attributes& a = {}) {
  std::vector<const TensorType*> pointers;
  for (const TensorType& t : operands) pointers.push_back(&t);
  return infer_types(record(op), {.operands = pointers, .attributes = a});
}

std::string error_of(std::string_view op, const std::vector<TensorType>& operands, const Attributes& a = {}) {
  try {
    infer(op, operands, a);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Infer, PointwiseBroadcastsAndPromotes) {
  EXPECT_EQ(infer("add", {type(DType::i32, {3, 1}), type(DType::i64, {4})})[0], type(DType::i64, {3, 4}));
  EXPECT_EQ(infer("sin", {type(DType::i64, {3})})[0], f32({3}));
  EXPECT_EQ(infer("lt", {f32({3}), f32({})})[0], type(DType::boolean, {3}));
  EXPECT_EQ(infer("div", {type(DType::i64, {2}), type(DType::i64, {2})})[0], f32({2}));
  EXPECT_EQ(infer("div", {type(DType::i64, {2}), type(DType::i64, {2})}, {{"rounding", std::string("floor")}})[0],
            type(DType::i64, {2}));
  const Expr s = Expr::symbol("s");
  EXPECT_EQ(infer("mul", {f32({s, 8}), f32({8})})[0], f32({s, 8}));
}

TEST(Infer, NamesTheOpAndTheOperandsThatDontFit) {
  EXPECT_EQ(error_of("add", {f32({3}), f32({4})}),
            "add: shapes [3] and [4] do not broadcast: sizes 3 and 4 at dimension -1");
  EXPECT_EQ(error_of("neg", {type(DType::boolean, {3})}), "neg: is not defined for booleans");
  EXPECT_EQ(error_of("add", {f32({3})}), "add: operand 'b' is missing");
  EXPECT_EQ(error_of("sin", {f32({3}), f32({3})}), "sin: takes 1 operands, but got 2");
  EXPECT_EQ(error_of("linear", {f32({2, 5}), f32({7, 6})}),
            "linear: the last size of 'x' is 5, but the last of 'weight' is 6");
  EXPECT_EQ(error_of("where", {f32({3}), f32({3}), f32({3})}), "where: 'condition' must be boolean, but is f32[3]");
  EXPECT_EQ(error_of("embedding", {f32({9, 3}), f32({2})}), "embedding: 'indices' must be i64 or i32, but is f32[2]");
  EXPECT_EQ(error_of("amax", {f32({3, 0})}, {{"dims", Integers{1}}, {"keepdim", false}}),
            "amax: dimension 1 of f32[3,0] has no elements to reduce");
}

TEST(Infer, BadAttributesAreInternalErrors) {
  EXPECT_THROW(infer("softmax", {f32({3})}), InternalError);
  EXPECT_THROW(infer("sin", {f32({3})}, {{"dim", int64_t{0}}}), InternalError);
  EXPECT_THROW(infer("softmax", {f32({3})}, {{"dim", 0.0}}), InternalError);
}

TEST(Infer, SlicesClampAndKeepSymbols) {
  const Expr s = Expr::symbol("s");
  const auto sliced = [&](const Expr& size, int64_t start, int64_t end, int64_t step = 1) {
    return infer("slice", {f32({size})}, {{"dim", int64_t{0}}, {"start", start}, {"end", end}, {"step", step}})[0]
        .shape[0];
  };
  EXPECT_EQ(sliced(10, -3, INT64_MAX), Expr(3));
  EXPECT_EQ(sliced(10, 2, 9, 3), Expr(3));
  EXPECT_EQ(sliced(10, 8, 3), Expr(0));
  EXPECT_EQ(sliced(s, 0, INT64_MAX), s);
}

TEST(Infer, ConvolutionSizes) {
  const Attributes a{{"stride", Integers{2, 2}}, {"padding", Integers{3, 3}}, {"dilation", Integers{1, 1}},
                     {"groups", int64_t{1}},     {"transposed", false},       {"output_padding", Integers{0, 0}}};
  EXPECT_EQ(infer("convolution", {f32({1, 3, 224, 224}), f32({64, 3, 7, 7})}, a)[0], f32({1, 64, 112, 112}));
  EXPECT_EQ(error_of("convolution", {f32({1, 4, 9, 9}), f32({64, 3, 7, 7})}, a),
            "convolution: the number of channels of 'x' is 4, but that of 'weight' is 3");
}

TEST(Infer, SelectAndAsStridedCheckBounds) {
  EXPECT_THROW(infer("select", {f32({3, 5})}, {{"dim", int64_t{0}}, {"index", int64_t{3}}}), IndexError);
  EXPECT_THROW(infer("as_strided", {f32({6})},
                     {{"shape", std::vector<Expr>{3}}, {"strides", Integers{3}}, {"offset", int64_t{0}}}),
               IndexError);
}

TEST(Records, AreWellFormed) {
  for (const OpRecord& r : all_records()) {
    SCOPED_TRACE(r.name);
    EXPECT_FALSE(r.doc.empty());
    EXPECT_EQ(r.kind == OpKind::pointwise, static_cast<bool>(r.body));
    EXPECT_EQ(r.kind == OpKind::view, static_cast<bool>(r.map));
    EXPECT_EQ(r.kind == OpKind::reduction, r.reduce.has_value());
    if (r.kind == OpKind::composite && r.name != "call") {
      EXPECT_TRUE(r.decompose);
    }
    for (size_t i = 0; i + 1 < r.operands.size(); ++i) EXPECT_NE(r.operands[i].kind, OperandKind::variadic);
    EXPECT_EQ(find_record(r.name), &r);
  }
  EXPECT_EQ(find_record("no such op"), nullptr);
}

}  // namespace
}  // namespace litz::ops
