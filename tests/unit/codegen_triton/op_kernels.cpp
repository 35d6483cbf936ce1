#include "tests/unit/codegen_triton/op_kernels.h"

#include "kernel_ir/kernel.h"
#include "support/check.h"

namespace litz::tests {

namespace {

using ir::ScalarOp;

constexpr DType kAll[] = {DType::f64, DType::f32, DType::bf16, DType::f16, DType::i64,
                          DType::i32, DType::i16, DType::i8,   DType::u8,  DType::boolean};
constexpr int kElements = 200;  // no multiple of a block: tails are masked

std::string name_of(DType dtype) { return std::string(dtype_name(dtype)); }

// A kernel that applies `op` to operands of the dtypes given.
std::string kernel(ScalarOp op, DType result, const std::vector<DType>& operands) {
  const std::string n = std::to_string(kElements);
  std::string header = "kernel @op(", body, args;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string a = "a" + std::to_string(i), ref = "%" + std::to_string(i);
    header += a + ": " + name_of(operands[i]) + "[" + n + "] in, ";
    body += "    " + ref + " = load " + a + "[i] : " + name_of(operands[i]) + "\n";
    args += (i == 0 ? "" : ", ") + ref;
  }
  header += "y: " + name_of(result) + "[" + n + "] out) {\n  parallel i < " + n + " {\n";
  body += "    %9 = " + std::string(ir::scalar_op_name(op)) + " " + args + " : " + name_of(result) + "\n";
  return header + body + "    store y[i], %9\n  }\n}\n";
}

// The verifier says on which dtypes an op is defined.
void add_if_legal(std::vector<TextCase>* cases, const std::string& name, const std::string& text) {
  const Result<kernel_ir::Kernel> k = kernel_ir::parse_kernel(text);
  LITZ_CHECK(k, k ? "" : k.error());
  try {
    kernel_ir::verify(*k);
  } catch (const InternalError&) {
    return;
  }
  cases->push_back({name, text});
}

// A float beyond an integer's range becomes what the hardware makes of it.
bool same_everywhere(DType from, DType to) { return !is_floating(from) || is_floating(to) || to == DType::boolean; }

}  // namespace

std::vector<TextCase> op_kernels() {
  std::vector<TextCase> cases;
  for (int i = 0; i <= static_cast<int>(ScalarOp::bitcast); ++i) {
    const auto op = static_cast<ScalarOp>(i);
    const std::string op_name(ir::scalar_op_name(op));
    for (const DType d : kAll) {
      if (op == ScalarOp::cast || op == ScalarOp::bitcast) {
        for (const DType from : kAll) {
          if (op == ScalarOp::cast && !same_everywhere(from, d)) continue;
          add_if_legal(&cases, op_name + "_" + name_of(from) + "_" + name_of(d), kernel(op, d, {from}));
        }
        continue;
      }
      std::vector<DType> operands(static_cast<size_t>(ir::scalar_op_arity(op)), d);
      if (op == ScalarOp::select) operands[0] = DType::boolean;
      add_if_legal(&cases, op_name + "_" + name_of(d),
                   kernel(op, ir::is_comparison(op) ? DType::boolean : d, operands));
    }
  }
  return cases;
}

std::vector<TextCase> reduction_kernels() {
  struct Nest {
    const char* name;
    const char* shape;     // of the input
    const char* outer;     // parallel ranges
    const char* inner;     // reduced ranges
    const char* index;     // of the input
    const char* result;    // shape of the output
    const char* place;     // index of the output
    const char* schedule;  // blocks: x, y, r
  };
  static const Nest nests[] = {
      {"rows", "3,20", "i < 3", "r < 20", "i, r", "3", "i", ""},
      {"blocks_of_rows", "3,40", "i < 3", "r < 40", "i, r", "3", "i", "  schedule(blocks=[2, 1, 16])\n"},
      {"columns", "20,6", "i < 6", "r < 20", "r, i", "6", "i", ""},
      {"window", "8,9", "i < 4, j < 3", "a < 2, b < 3", "2*i + a, 3*j + b", "4,3", "i, j", ""},
      {"all", "30", "", "r < 30", "r", "", "", ""},
      {"two_ranges", "4,2,5", "i < 2", "a < 4, b < 5", "a, i, b", "2", "i", ""},
      {"empty", "4,0", "i < 4", "r < 0", "i, r", "4", "i", ""},
  };
  std::vector<TextCase> cases;
  for (const Nest& n : nests) {
    for (int i = 0; i <= static_cast<int>(ir::ReduceOp::argmin); ++i) {
      const auto op = static_cast<ir::ReduceOp>(i);
      const std::string op_name(ir::reduce_op_name(op));
      for (const DType d : kAll) {
        const std::string t = name_of(d);
        const bool place = op == ir::ReduceOp::argmax || op == ir::ReduceOp::argmin;
        if (place && std::string(n.name) == "empty") continue;  // eager refuses it; the place is undefined
        // Every dtype in rows, a few elsewhere: the interpreter of Triton is slow.
        const bool few = d == DType::f32 || d == DType::i64 || d == DType::u8 || d == DType::boolean;
        if (!few && std::string(n.name) != "rows") continue;
        std::string text = "kernel @reduce(x: " + t + "[" + n.shape + "] in, y: " + t + "[" + n.result + "] out" +
                           (place ? std::string(", at: i64[") + n.result + "] out" : "") + ") {\n  parallel " +
                           n.outer + " {\n    " + (place ? "%2, " : "") + "%1 = loop " + n.inner + " reduce(" +
                           op_name + " " + t + " %0) { %0 = load x[" + n.index + "] : " + t + " }\n    store y[" +
                           n.place + "], %1\n" + (place ? std::string("    store at[") + n.place + "], %2\n" : "") +
                           "  }\n}\n";
        add_if_legal(&cases, std::string(n.name) + "_" + op_name + "_" + t, text);
      }
    }
  }
  return cases;
}

}  // namespace litz::tests
