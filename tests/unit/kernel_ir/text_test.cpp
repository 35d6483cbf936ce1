// Print and parse of Kernel IR.
#include <gtest/gtest.h>

#include <random>

#include "kernel_ir/kernel.h"
#include "tests/unit/kernel_ir/random_kernel.h"

namespace litz::kernel_ir {
namespace {

Kernel parsed(const std::string& text) {
  Result<Kernel> k = parse_kernel(text);
  EXPECT_TRUE(k) << (k ? "" : k.error()) << "\n" << text;
  return k ? std::move(*k) : Kernel();
}

TEST(KernelText, Softmax) {
  const std::string text = R"text(kernel @softmax(x: f32[8192,512] in "arg0", y: f32[8192,512] out) {
  ops("softmax (model.py:3)")
  schedule(vector_ranges=[r0, r1, r2], vector_lanes=16, unroll=2, blocks=[1, 512])
  parallel i0 < 8192 {
    %3 = loop r0 < 512 reduce(max f32 %2) { %2 = load x[i0, r0] : f32 }
    %7 = loop r1 < 512 reduce(sum f32 %6) {
      %4 = load x[i0, r1] : f32
      %5 = sub %4, %3 : f32
      %6 = exp %5 : f32
    }
    loop r2 < 512 {
      %8 = load x[i0, r2] : f32
      %9 = sub %8, %3 : f32
      %10 = exp %9 : f32
      %11 = div %10, %7 : f32
      store y[i0, r2], %11
    }
  }
}
)text";
  const Kernel k = parsed(text);
  verify(k);
  EXPECT_EQ(print(k), text);
  EXPECT_EQ(k.next_ref, 12u);
}

TEST(KernelText, EveryStatement) {
  const std::string text = R"text(kernel @"all of it"(
    table: bf16[100,n] strides(2*n, 2) in,
    "odd name": i64[n] in "the indices",
    y: bf16[n] out,
    count: i64[n] in_out,
    row: f32[8] local) {
  ops("a", "b \"c\"")
  checks("embedding: index out of range")
  schedule(task_block=4, num_warps=8)
  refs 40
  parallel i0 < n {
    %0 = load "odd name"[i0] : i64
    %1 = check %0 < 100 # 0
    %2 = load table[%1, i0] : bf16
    %3 = cast %2 : f32
    %4 = index 3*i0 + 1
    %5 = const 7 : i64
    %6 = lt %4, %5 : bool
    %7 = load count[i0] if %6 else -1 : i64
    %8 = const inf : f32
    %9 = const true : bool
    loop w < 8 { store row[w], %3 }
    %20, %21, %22 = loop a < 2, b < 4 reduce(argmax f32 %10, sum f32 %11) {
      %10 = load row[4*a + b] : f32
      %11 = select %9, %10, %8 : f32
    }
    %12 = cast %21 : bf16
    store y[i0], %12 if %6
    store count[i0], %20
  }
  parallel {}
}
)text";
  const Kernel k = parsed(text);
  verify(k);
  EXPECT_EQ(print(k), text);
  EXPECT_EQ(k.next_ref, 40u);
}

TEST(KernelText, Templates) {
  const std::string text =
      R"text(kernel @linear(x: f32[64,768] in, w: f32[24,768,32] in, b: f32[768] in, y: f32[64,768] out) {
  schedule(tile_m=8, tile_n=2, block_k=256, pack_lhs=true, columns_outer=true)
  template matmul(m=64, n=768, k=768, rhs_panel=32,
      lhs=x strides(0, 768, 1),
      rhs=w strides()) epilogue(%0) {
    %1 = load b[n] : f32
    %2 = add %0, %1 : f32
    store y[m, n], %2
  }
}
)text";
  const Kernel k = parsed(text);
  verify(k);
  EXPECT_EQ(print(k), text);
  EXPECT_EQ(std::get<MatmulTemplate>(k.templ->what).rhs_panel, 32);
}

TEST(KernelText, ConvAndAttentionKeepEveryField) {
  Kernel k;
  k.name = "conv";
  for (const char* name : {"x", "w", "y"}) k.buffers.push_back({.name = name, .shape = {1}, .strides = {1}});
  Template& t = k.templ.emplace();
  t.accumulator = 0;
  k.next_ref = 1;
  t.what = ConvTemplate{.batch = Expr::symbol("n"),
                        .groups = 2,
                        .in_channels = 6,
                        .out_channels = 8,
                        .in_h = 10,
                        .in_w = 11,
                        .out_h = 5,
                        .out_w = 6,
                        .kernel_h = 3,
                        .kernel_w = 2,
                        .stride_h = 2,
                        .stride_w = 3,
                        .pad_h = 1,
                        .pad_w = 4,
                        .dilation_h = 5,
                        .dilation_w = 7,
                        .dtype = DType::bf16,
                        .in_block = 8,
                        .input = {.buffer = 0, .offset = 5, .strides = {1, 2, 3, 4, 5}},
                        .out_block = 8,
                        .panel = 24,
                        .weight = {.buffer = 1, .offset = 7, .strides = {18, 9, 3, 1}}};
  EXPECT_EQ(parsed(print(k)), k);
  t.what = MatmulTemplate{.batch = 1,
                          .m = 3,
                          .n = 96,
                          .k = 5,
                          .dtype = DType::bf16,
                          .lhs = {.buffer = 0, .strides = {0, 5, 1}},
                          .rhs = {.buffer = 1, .strides = {0, 1, 5}},
                          .more_rhs = {{.buffer = 1, .offset = 4, .strides = {0, 1, 5}}, {.buffer = 2}},
                          .rhs_starts = {32, 64}};
  EXPECT_EQ(parsed(print(k)), k);
  t.what = AttentionTemplate{.batch = 2,
                             .heads = 12,
                             .queries = 128,
                             .keys = Expr::symbol("s") + 1,
                             .head_dim = 64,
                             .value_dim = 32,
                             .head_group = 3,
                             .dtype = DType::f16,
                             .scale = 0.1,
                             .causal = true,
                             .query = {.buffer = 0, .offset = Expr::symbol("s"), .strides = {1, 2, 3, 4}},
                             .key = {.buffer = 1},
                             .value = {.buffer = 2},
                             .mask = Operand{.buffer = 1, .offset = 3, .strides = {0, 0, 1, 2}},
                             .mask_dtype = DType::boolean};
  EXPECT_EQ(parsed(print(k)), k);
}

TEST(KernelText, NotesAreComments) {
  Kernel k = parsed("kernel @k(x: f32[1] out) { parallel { %0 = const 1.0 : f32 store x[0], %0 } }");
  k.notes = {"fused sin: one reader", "two\nlines"};
  const std::string text = print(k);
  EXPECT_NE(text.find("  // fused sin: one reader\n  // two lines\n"), std::string::npos) << text;
  Kernel read = parsed(text);
  EXPECT_TRUE(read.notes.empty());
  read.notes = k.notes;
  EXPECT_EQ(read, k);
}

TEST(KernelText, ConstantsKeepTheirBits) {
  for (const char* text : {"-0.0 : f32", "nan : f32", "-inf : f64", "0.1 : f32", "0.1 : bf16", "1e-45 : f32",
                           "5e-324 : f64", "-9223372036854775808 : i64", "255 : u8", "false : bool"}) {
    const Kernel k = parsed("kernel @k() { parallel { %0 = const " + std::string(text) + " } }");
    EXPECT_EQ(print(k), "kernel @k() {\n  parallel { %0 = const " + std::string(text) + " }\n}\n");
    EXPECT_EQ(parsed(print(k)), k);
  }
  EXPECT_NE(parsed("kernel @k() { parallel { %0 = const 0.0 : f32 } }"),
            parsed("kernel @k() { parallel { %0 = const -0.0 : f32 } }"));
}

TEST(KernelText, RandomKernelsRoundTrip) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const Kernel k = RandomKernel(seed).make();
    const std::string text = print(k);
    ASSERT_NO_THROW(verify(k)) << "seed " << seed << "\n" << text;
    Result<Kernel> read = parse_kernel(text);
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error() << "\n" << text;
    ASSERT_EQ(*read, k) << "seed " << seed << "\n" << text;
    ASSERT_EQ(print(*read), text) << "seed " << seed;
  }
}

// Whatever the text, the parser answers with a kernel or a message, and the verifier with an exception at worst.
TEST(KernelText, DamagedTextNeverCrashes) {
  std::mt19937 rng(11);
  int refused = 0, rejected = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string text = print(RandomKernel(seed).make());
    for (int i = 0; i < 20; ++i) {
      std::string damaged = text;
      const size_t at = rng() % damaged.size();
      switch (rng() % 4) {
        case 0:
          damaged.erase(at, 1 + rng() % 8);
          break;
        case 1:
          damaged[at] = static_cast<char>(rng() % 256);
          break;
        case 2:
          damaged[at] = static_cast<char>('0' + rng() % 10);
          break;
        default:
          damaged.insert(at, damaged.substr(rng() % damaged.size(), rng() % 16));
          break;
      }
      const Result<Kernel> read = parse_kernel(damaged);
      if (!read) {
        ++refused;
        EXPECT_EQ(read.error().substr(0, 5), "line ") << read.error();
        continue;
      }
      try {
        verify(*read);
      } catch (const Error&) {
        ++rejected;
      }
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(rejected, 100);
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(KernelText, ErrorsSayWhereAndWhat) {
  const Bad cases[] = {
      {"kernel @k(x: f32[2]) {}", "line 1, column 20: expected the buffer's role (in, out, in_out, local)"},
      {"kernel @k(x: f32[2]{|0:2} in) {}", "line 1, column 11: a buffer has physical dimensions only, no layout"},
      {"kernel @k(x: f32[2] in, x: f32[2] in) {}", "line 1, column 25: two buffers have the name 'x'"},
      {"kernel @k(x: f32[2] strides(1, 2) in) {}", "line 1, column 11: a buffer has as many strides as dimensions"},
      {"kernel @k() { parallel { store z[0], %0 } }", "line 1, column 32: no buffer has this name"},
      {"kernel @k() { parallel {\n %0 = foo %1 : f32 } }", "line 2, column 7: no scalar op 'foo'"},
      {"kernel @k() { parallel { %0, %1 = add %1, %2 : f32 } }", "line 1, column 26: only a loop has several results"},
      {"kernel @k() { %0 = parallel { } }", "line 1, column 15: a loop without reduce(…) has no results"},
      {"kernel @k() { parallel { %0 = loop r < 2 reduce(argmax f32 %1) {} } }",
       "line 1, column 26: fewer results than the reductions have"},
      {"kernel @k() { parallel { %0, %2 = loop r < 2 reduce(sum f32 %1) {} } }",
       "line 1, column 26: more results than the reductions have"},
      {"kernel @k() { parallel { %0 = loop r < 2 reduce(mean f32 %1) {} } }", "line 1, column 49: no reduction 'mean'"},
      {"kernel @k() { schedule(lanes=2) }", "line 1, column 24: no field 'lanes' here"},
      {"kernel @k() { schedule(unroll=2, unroll=2) }", "line 1, column 34: field 'unroll' is given twice"},
      {"kernel @k() { template fft() }", "line 1, column 24: expected a template (matmul, conv, attention)"},
      {"kernel @k() { parallel { %99999999 = index 1 } }",
       "line 1, column 26: the number of a scalar value is out of range"},
      {"kernel @k() { parallel i < 2*", "line 1, column 28: unexpected end at character 3 of \"2*\""},
      {"kernel @k() { hello }", "line 1, column 15: expected a statement (%n = …, store, loop, parallel) or '}'"},
      {"kernel @k() {} x", "line 1, column 16: expected the end of the text after the kernel"},
  };
  for (const Bad& bad : cases) {
    const Result<Kernel> k = parse_kernel(bad.text);
    ASSERT_FALSE(k) << bad.text;
    EXPECT_EQ(k.error(), bad.message) << bad.text;
  }
}

TEST(KernelText, DeepNestingIsRefused) {
  std::string text = "kernel @k() { ";
  for (int i = 0; i < 100000; ++i) text += "loop { ";
  EXPECT_FALSE(parse_kernel(text));
}

TEST(RefSymbol, AndBack) {
  EXPECT_EQ(ref_symbol(12).to_string(), "%12");
  EXPECT_EQ(symbol_ref("%12"), Ref{12});
  EXPECT_EQ(symbol_ref("%0"), Ref{0});
  for (const char* none : {"", "%", "i0", "%x", "%012", "%99999999999", "%1x", "12"}) {
    EXPECT_FALSE(symbol_ref(none).has_value()) << none;
  }
}

TEST(LinearOffset, IsIndexTimesStride) {
  const Buffer b{.name = "x", .shape = {4, 5}, .strides = {10, 2}};
  EXPECT_EQ(linear_offset(b, {Expr::symbol("i"), Expr::symbol("j") + 1}),
            10 * Expr::symbol("i") + 2 * Expr::symbol("j") + 2);
}

}  // namespace
}  // namespace litz::kernel_ir
