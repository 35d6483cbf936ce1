// Every scalar operation in every dtype that has it, against the interpreter.
#include <gtest/gtest.h>

#include "tests/kernels/execute.h"

namespace litz::tests {
namespace {

constexpr const char* kAll[] = {"f64", "f32", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "bool"};
constexpr const char* kIntegers[] = {"i64", "i32", "i16", "i8", "u8"};

// One kernel with a result for each of several statements.
std::string unary_kernel(const char* from, const std::vector<std::pair<std::string, std::string>>& results) {
  std::string buffers, body;
  int ref = 1;
  for (const auto& [op, dtype] : results) {
    const std::string name = "y" + std::to_string(ref);
    buffers += ", " + name + ": " + dtype + "[53] out";
    body += "    %" + std::to_string(ref) + " = " + op + " %0 : " + dtype + "\n";
    body += "    store " + name + "[i0], %" + std::to_string(ref) + "\n";
    ++ref;
  }
  return "kernel @k(x: " + std::string(from) + "[53] in" + buffers +
         ") {\n  parallel i0 < 53 {\n    %0 = load x[i0] : " + from + "\n" + body + "  }\n}\n";
}

TEST(Dtypes, EveryCast) {
  for (const char* from : kAll) {
    SCOPED_TRACE(from);
    std::vector<std::pair<std::string, std::string>> results;
    for (const char* to : kAll) {
      if (std::string(from) != to) results.emplace_back("cast", to);
    }
    execute(unary_kernel(from, results), {.max_schedules = 1});
  }
}

TEST(Dtypes, Bitcasts) {
  execute(unary_kernel("f32", {{"bitcast", "i32"}}), {.max_schedules = 1});
  execute(unary_kernel("i32", {{"bitcast", "f32"}}), {.max_schedules = 1});
  execute(unary_kernel("f64", {{"bitcast", "i64"}}), {.max_schedules = 1});
  execute(unary_kernel("i16", {{"bitcast", "bf16"}, {"bitcast", "f16"}}), {.max_schedules = 1});
  execute(unary_kernel("u8", {{"bitcast", "i8"}}), {.max_schedules = 1});
}

TEST(Dtypes, IntegerArithmetic) {
  for (const char* dtype : kIntegers) {
    SCOPED_TRACE(dtype);
    std::string body;
    int ref = 2;
    for (const char* op :
         {"add", "sub", "mul", "div", "fmod", "min", "max", "bit_and", "bit_or", "bit_xor", "shl", "shr"}) {
      body += with("    %$R = $O %0, %1 : $D\n    store y[$I, i0], %$R\n",
                   {{"$R", std::to_string(ref)}, {"$I", std::to_string(ref - 2)}, {"$O", op}, {"$D", dtype}});
      ++ref;
    }
    for (const char* op : {"neg", "abs", "bit_not", "sign"}) {
      body += with("    %$R = $O %0 : $D\n    store y[$I, i0], %$R\n",
                   {{"$R", std::to_string(ref)}, {"$I", std::to_string(ref - 2)}, {"$O", op}, {"$D", dtype}});
      ++ref;
    }
    execute(with("kernel @k(a: $D[200] in, b: $D[200] in, y: $D[16,200] out) {\n  parallel i0 < 200 {\n"
                 "    %0 = load a[i0] : $D\n    %1 = load b[i0] : $D\n" +
                     body + "  }\n}\n",
                 {{"$D", dtype}}),
            {.max_schedules = 1});
  }
}

TEST(Dtypes, ComparisonAndSelect) {
  for (const char* dtype : kAll) {
    if (std::string(dtype).ends_with("16") && dtype[0] != 'i') continue;  // halves are compared as f32
    SCOPED_TRACE(dtype);
    std::string body;
    int ref = 2;
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      body += with(
          "    %$R = $O %0, %1 : bool\n    %$S = select %$R, %0, %1 : $D\n    store y[$I, i0], %$S\n"
          "    store m[$I, i0], %$R\n",
          {{"$R", std::to_string(ref)},
           {"$S", std::to_string(ref + 1)},
           {"$I", std::to_string(ref / 2 - 1)},
           {"$O", op}});
      ref += 2;
    }
    execute(with("kernel @k(a: $D[77] in, b: $D[77] in, y: $D[6,77] out, m: bool[6,77] out) {\n  parallel i0 < 77 {\n"
                 "    %0 = load a[i0] : $D\n    %1 = load b[i0] : $D\n" +
                     body + "  }\n}\n",
                 {{"$D", dtype}}),
            {.max_schedules = 1});
  }
}

TEST(Dtypes, Booleans) {
  execute(
      R"(kernel @k(a: bool[77] in, b: bool[77] in, x: bool[77] out, y: bool[77] out, z: bool[77] out, w: bool[77] out) {
    parallel i0 < 77 {
      %0 = load a[i0] : bool
      %1 = load b[i0] : bool
      %2 = bit_and %0, %1 : bool
      %3 = bit_or %0, %1 : bool
      %4 = bit_xor %0, %1 : bool
      %5 = bit_not %0 : bool
      store x[i0], %2
      store y[i0], %3
      store z[i0], %4
      store w[i0], %5
    }
  })");
}

TEST(Dtypes, FloatArithmetic) {
  for (const char* dtype : {"f32", "f64"}) {
    execute(with(R"(kernel @k(a: $D[300] in, b: $D[300] in, y: $D[13,300] out) {
      parallel i0 < 300 {
        %0 = load a[i0] : $D
        %1 = load b[i0] : $D
        %2 = min %0, %1 : $D
        %3 = max %0, %1 : $D
        %4 = floor %0 : $D
        %5 = ceil %0 : $D
        %6 = trunc %0 : $D
        %7 = round %0 : $D
        %8 = sign %0 : $D
        %9 = fma %0, %1, %0 : $D
        %10 = abs %0 : $D
        %11 = neg %0 : $D
        %12 = sqrt %0 : $D
        %13 = fmod %0, %1 : $D
        %14 = div %0, %1 : $D
        store y[0, i0], %2
        store y[1, i0], %3
        store y[2, i0], %4
        store y[3, i0], %5
        store y[4, i0], %6
        store y[5, i0], %7
        store y[6, i0], %8
        store y[7, i0], %9
        store y[8, i0], %10
        store y[9, i0], %11
        store y[10, i0], %12
        store y[11, i0], %13
        store y[12, i0], %14
      }
    })",
                 {{"$D", dtype}}),
            {.max_schedules = 2});
  }
}

}  // namespace
}  // namespace litz::tests
