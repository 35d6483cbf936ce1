// The meaning of scalar ops, and bodies as programs that run on values.
#pragma once

#include <span>
#include <vector>

#include "ir/scalar.h"

namespace litz::interp {

// A value with its dtype.
struct Typed {
  DType dtype;
  ir::ScalarValue value;
};

// One scalar op. `dtype` is the result's.
ir::ScalarValue evaluate(ir::ScalarOp op, DType dtype, std::span<const Typed> args);

// Records a body; runs it any number of times.
class ScalarProgram final : public ir::ScalarBuilder {
 public:
  // An argument of the program, in the order of `run`'s.
  ir::Scalar argument(DType dtype);
  ir::Scalar constant(DType dtype, ir::ScalarValue value) override;
  ir::Scalar emit(ir::ScalarOp op, DType dtype, std::span<const ir::Scalar> args) override;

  ir::ScalarValue run(std::span<const ir::ScalarValue> args, ir::Scalar result);

 private:
  struct Instruction {
    ir::ScalarOp op;
    uint32_t result;
    std::vector<uint32_t> args;
  };
  ir::Scalar fresh(DType dtype, ir::ScalarValue value);

  std::vector<uint32_t> arguments_;
  std::vector<Instruction> instructions_;
  std::vector<Typed> values_;
  std::vector<Typed> scratch_;
};

}  // namespace litz::interp
