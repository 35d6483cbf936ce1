// Every rule of the verifier: a kernel that breaks it is refused with a message that says so.
#include <gtest/gtest.h>

#include "kernel_ir/kernel.h"
#include "support/check.h"

namespace litz::kernel_ir {
namespace {

struct Case {
  const char* name;
  std::string text;
  const char* message;
};

// A kernel with these statements in one parallel loop.
std::string in_loop(const std::string& body) {
  return "kernel @k(x: f32[8,4] in, j: i64[8] in, h: bf16[8] in, y: f32[8] out, io: f32[8] in_out, t: f32[4] local) {\n"
         "  checks(\"gather: index out of range\")\n"
         "  parallel i < 8 {\n" +
         body + "\n    %90 = const 0.0 : f32 store y[i], %90 store io[i], %90\n  }\n}";
}

class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, WithAReason) {
  const Result<Kernel> k = parse_kernel(GetParam().text);
  ASSERT_TRUE(k) << k.error();
  try {
    verify(*k);
    FAIL() << "accepted:\n" << print(*k);
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().message), std::string::npos) << e.what();
  }
}

const char* kMatmul =
    "kernel @k(a: f32[4,4] in, b: f32[4,4] in, c: f32[4,4] out) { template matmul(m=4, n=4, k=4, LHS, rhs=b strides(0, "
    "4, "
    "1)) epilogue(%0) { store c[m, n], %0 } }";

std::string matmul(const std::string& lhs, const std::string& more = "") {
  std::string text = kMatmul;
  text.replace(text.find("LHS"), 3, lhs + more);
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Refused,
    testing::Values(
        Case{"no_loops", "kernel @k() {}", "a kernel without loops"},
        Case{"statement_outside", "kernel @k() { %0 = const 1 : i64 }", "the outermost statements are parallel loops"},
        Case{"serial_outermost", "kernel @k() { loop i < 2 {} }", "the outermost statements are parallel loops"},
        Case{"nested_parallel", in_loop("parallel q < 2 {}"), "parallel loops are outermost, and only they"},
        Case{"undefined", in_loop("%0 = neg %1 : f32"), "%1 is not defined here"},
        Case{"use_before_definition", in_loop("%0 = neg %1 : f32 %1 = const 1.0 : f32"), "%1 is not defined here"},
        Case{"defined_twice", in_loop("%0 = const 1.0 : f32 %0 = const 1.0 : f32"), "%0 is defined twice"},
        Case{"out_of_scope", in_loop("loop q < 2 { %0 = const 1.0 : f32 } %1 = neg %0 : f32"),
             "%0 is not defined here"},
        Case{"other_phase",
             "kernel @k(y: f32[1] out) { parallel { %0 = const 1.0 : f32 } parallel { store y[0], %0 } }",
             "%0 is not defined here"},
        Case{"arity", in_loop("%0 = const 1.0 : f32 %1 = add %0 : f32"), "the op takes 2 operands"},
        Case{"operand_dtype", in_loop("%0 = const 1.0 : f64 %1 = neg %0 : f32"), "an operand is f64, the result f32"},
        Case{"integer_sine", in_loop("%0 = const 1 : i32 %1 = sin %0 : i32"), "the op is not defined on i32"},
        Case{"float_bits", in_loop("%0 = const 1.0 : f32 %1 = bit_not %0 : f32"), "the op is not defined on f32"},
        Case{"half_arithmetic", in_loop("%0 = load h[i] : bf16 %1 = neg %0 : bf16"), "the op is not defined on bf16"},
        Case{"half_comparison", in_loop("%0 = load h[i] : bf16 %1 = lt %0, %0 : bool"),
             "f16 and bf16 carry no arithmetic"},
        Case{"boolean_sum", in_loop("%0 = const true : bool %1 = add %0, %0 : bool"), "the op is not defined on bool"},
        Case{"comparison_result", in_loop("%0 = const 1.0 : f32 %1 = lt %0, %0 : f32"), "a comparison gives bool"},
        Case{"comparison_operands", in_loop("%0 = const 1.0 : f32 %1 = const 1 : i32 %2 = lt %0, %1 : bool"),
             "comparison of f32 and i32"},
        Case{"select_condition", in_loop("%0 = const 1.0 : f32 %1 = select %0, %0, %0 : f32"),
             "the condition is f32, expected bool"},
        Case{"select_values", in_loop("%0 = const true : bool %1 = const 1.0 : f32 %2 = select %0, %1, %1 : f64"),
             "select of other dtypes than its result's"},
        Case{"bitcast_size", in_loop("%0 = const 1.0 : f32 %1 = bitcast %0 : i64"),
             "bitcast between dtypes of different sizes"},
        Case{"bitcast_boolean", in_loop("%0 = const true : bool %1 = bitcast %0 : i8"), "bitcast of a boolean"},
        Case{"token", in_loop("%0 = const 1.0 : f32 %1 = cast %0 : token"), "a scalar value is a token"},
        Case{"constant_kind", in_loop("%0 = const 1 : f32"), "a constant of another kind than its dtype"},
        Case{"constant_range", in_loop("%0 = const 256 : u8"), "u8 cannot hold the constant"},
        Case{"constant_rounding", in_loop("%0 = const 0x1.999999999999ap-4 : f32"), "f32 cannot hold the constant"},
        Case{"unknown_range", in_loop("%0 = load j[q] : i64"), "'q' is no range here and no size of a buffer"},
        Case{"range_out_of_scope", in_loop("loop q < 2 {} %0 = load j[q] : i64"), "'q' is no range here"},
        Case{"index_rank", in_loop("%0 = load x[i] : f32"), "buffer 'x' has 2 dimensions, the index has 1"},
        Case{"index_high", in_loop("%0 = load j[i + 1] : i64"), "index i + 1 runs from 1 to 8 in a dimension of 8"},
        Case{"index_low", in_loop("%0 = load j[i - 1] : i64"), "index i - 1 runs from -1 to 6 in a dimension of 8"},
        Case{"index_two_ranges", in_loop("loop q < 2 { %0 = load j[4*q + i] : i64 }"), "runs from 0 to 11"},
        Case{"index_value_dtype", in_loop("%0 = const 1 : i32 %1 = load j[%0] : i64"),
             "a value in an index is i32, expected i64"},
        Case{"load_dtype", in_loop("%0 = load j[i] : i32"), "a load of i32 from a buffer of i64"},
        Case{"load_output", in_loop("%0 = load y[i] : f32"), "buffer 'y' is read before it is written"},
        Case{"load_local", in_loop("%0 = load t[0] : f32"), "buffer 't' is read before it is written"},
        Case{"load_mask", in_loop("%0 = const 1.0 : f32 %1 = load j[i] if %0 else 0 : i64"),
             "the mask is f32, expected bool"},
        Case{"load_otherwise", in_loop("%0 = const true : bool %1 = load j[i] if %0 else 0.5 : i64"),
             "a constant of another kind than its dtype"},
        Case{"store_input", in_loop("%0 = const 1 : i64 store j[i], %0"), "a store to the input 'j'"},
        Case{"store_dtype", in_loop("%0 = const 1.0 : f64 store y[i], %0"), "the stored value is f64, expected f32"},
        Case{"store_race", in_loop("%0 = const 1.0 : f32 store y[0], %0"),
             "iterations of the parallel range 'i' write to one place"},
        Case{"never_written", "kernel @k(y: f32[1] out) { parallel { %0 = const 1.0 : f32 } }",
             "buffer 'y' is never written"},
        Case{"check_number", in_loop("%0 = load j[i] : i64 %1 = check %0 < 8 # 1"), "no check 1"},
        Case{"check_dtype", in_loop("%0 = const 1 : i32 %1 = check %0 < 8 # 0"),
             "the checked index is i32, expected i64"},
        Case{"check_size", in_loop("%0 = load j[i] : i64 %1 = check %0 < i # 0"), "'i' is no size of a buffer"},
        Case{"range_twice", in_loop("loop q < 2, q < 3 {}"), "two ranges have the name 'q'"},
        Case{"range_reused", in_loop("loop q < 2 {} loop q < 2 {}"), "two ranges have the name 'q'"},
        Case{"range_is_size", "kernel @k(y: f32[n] out) { parallel n < 4 { %0 = const 1.0 : f32 store y[n], %0 } }",
             "range 'n' has the name of a size"},
        Case{"extent_by_range", in_loop("loop q < i {}"), "'i' is no size of a buffer"},
        Case{"extent_negative", in_loop("loop q < -1 {}"), "range 'q' has a negative extent"},
        Case{"reduction_dtype", in_loop("%1 = loop q < 2 reduce(sum f64 %0) { %0 = const 1.0 : f32 }"),
             "a reduction's input is f32, expected f64"},
        Case{"reduction_half", in_loop("%1 = loop q < 2 reduce(max bf16 %0) { %0 = load h[i] : bf16 }"),
             "max is not defined on bf16"},
        Case{"reduction_boolean", in_loop("%1 = loop q < 2 reduce(sum bool %0) { %0 = const true : bool }"),
             "sum is not defined on bool"},
        Case{"reduction_any", in_loop("%1 = loop q < 2 reduce(any f32 %0) { %0 = const 1.0 : f32 }"),
             "any is not defined on f32"},
        Case{"reduction_inside",
             in_loop("%1 = loop q < 2 reduce(sum f32 %0) { %0 = const 1.0 : f32 %2 = neg %1 : f32 }"),
             "%1 is not defined here"},
        Case{"reduction_body_after",
             in_loop("%1 = loop q < 2 reduce(sum f32 %0) { %0 = const 1.0 : f32 } %2 = neg %0 : f32"),
             "%0 is not defined here"},
        Case{"buffer_token", "kernel @k(x: token in) { parallel {} }", "buffer 'x' holds tokens"},
        Case{"local_before", "kernel @k(t: f32[1] local, x: f32[1] in) { parallel {} }", "stands after a local one"},
        Case{"vector_range", "kernel @k() { schedule(vector_ranges=[q]) parallel {} }",
             "the schedule names a range 'q' that the kernel lacks"},
        Case{"schedule_zero", "kernel @k() { schedule(unroll=0) parallel {} }",
             "a number of the schedule is not positive"},
        Case{"schedule_negative", "kernel @k() { schedule(tile_m=-1) parallel {} }",
             "a number of the schedule is negative"},
        Case{"schedule_block", "kernel @k() { schedule(blocks=[0]) parallel {} }",
             "a block of the schedule is not positive"},
        Case{"template_strides", matmul("lhs=a strides(4, 1)"), "operand 'lhs' has 2 strides, expected 3"},
        Case{"template_output", matmul("lhs=c strides(0, 4, 1)"), "operand 'lhs' is not read from an input"},
        Case{"template_dtype", matmul("lhs=a strides(0, 4, 1)", ", dtype=bf16"), "operand 'lhs' is f32, expected bf16"},
        Case{"template_integer", matmul("lhs=a strides(0, 4, 1)", ", dtype=i32"), "a matrix product of i32"},
        Case{"template_batch_range", matmul("lhs=a strides(16, 4, 1)", ", batch=2"),
             "iterations of the parallel range 'b' write to one place"},
        Case{"template_packed_batch", matmul("lhs=a strides(16, 4, 1)", ", batch=2, rhs_panel=8"),
             "a packed rhs has batch 1"},
        Case{"template_part_starts", matmul("lhs=a strides(0, 4, 1)", ", more_rhs=[b strides(0, 1, 4)]"),
             "each part of rhs after the first has a first column"},
        Case{"template_part_order", matmul("lhs=a strides(0, 4, 1)", ", more_rhs=[b strides(0, 1, 4)], rhs_starts=[0]"),
             "parts of rhs begin in order"},
        Case{"template_part_output",
             matmul("lhs=a strides(0, 4, 1)", ", more_rhs=[c strides(0, 1, 4)], rhs_starts=[2]"),
             "operand 'more_rhs' is not read from an input"},
        Case{"template_size", matmul("lhs=a strides(0, q, 1)"), "'q' is no size of a buffer"}),
    [](const auto& param) { return param.param.name; });

void accept(const std::string& text) {
  const Result<Kernel> k = parse_kernel(text);
  ASSERT_TRUE(k) << k.error();
  EXPECT_NO_THROW(verify(*k)) << text;
}

TEST(Accepted, Template) { accept(matmul("lhs=a strides(0, 4, 1)")); }

TEST(Accepted, MaskedAccessMayRunOut) {
  accept(in_loop("%0 = index i %1 = const 3 : i64 %2 = lt %0, %1 : bool %3 = load j[i + 5] if %2 else 0 : i64"));
}

TEST(Accepted, EmptyRangeMayRunOut) { accept(in_loop("loop q < 0 { %0 = load j[q + 100] : i64 }")); }

TEST(Accepted, IndirectStoreIsTheProducersWord) {
  accept(in_loop("%0 = load j[i] : i64 %1 = check %0 < 8 # 0 %2 = const 1.0 : f32 store io[%1], %2"));
}

TEST(Accepted, LaterPhaseReadsAnOutput) {
  accept(
      "kernel @k(p: f32[4] out, y: f32[1] out) { parallel i < 4 { %0 = const 1.0 : f32 store p[i], %0 } "
      "parallel { %2 = loop r < 4 reduce(sum f32 %1) { %1 = load p[r] : f32 } store y[0], %2 } }");
}

TEST(Accepted, SymbolicSizes) {
  accept(
      "kernel @k(x: f32[n,m] in, y: f32[n,m] out) { parallel i < n, j < m { %0 = load x[i, j] : f32 store y[i, j], %0 "
      "} }");
}

TEST(Verify, RefsAreBelowNextRef) {
  Result<Kernel> k = parse_kernel(in_loop(""));
  ASSERT_TRUE(k);
  k->next_ref = 3;
  EXPECT_THROW(verify(*k), InternalError);
}

TEST(Verify, BuffersNeedNamesAndStrides) {
  Result<Kernel> k = parse_kernel(in_loop(""));
  ASSERT_TRUE(k);
  Kernel unnamed = *k, twice = *k, short_strides = *k, missing = *k;
  unnamed.buffers[0].name = "";
  twice.buffers[0].name = "y";
  short_strides.buffers[0].strides.pop_back();
  std::get<Store>(std::get<Loop>(missing.body.statements[0]).body.statements[1]).buffer = 99;
  EXPECT_THROW(verify(unnamed), InternalError);
  EXPECT_THROW(verify(twice), InternalError);
  EXPECT_THROW(verify(short_strides), InternalError);
  EXPECT_THROW(verify(missing), InternalError);
}

}  // namespace
}  // namespace litz::kernel_ir
