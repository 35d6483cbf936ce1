#include "codegen/triton/value.h"

#include <cmath>

#include "ir/text.h"
#include "support/check.h"

namespace litz::codegen::triton {

using ir::ReduceOp;
using ir::ScalarOp;

std::string_view triton_dtype(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "tl.float64";
    case DType::f32:
      return "tl.float32";
    case DType::bf16:
      return "tl.bfloat16";
    case DType::f16:
      return "tl.float16";
    case DType::i64:
      return "tl.int64";
    case DType::i32:
      return "tl.int32";
    case DType::i16:
      return "tl.int16";
    case DType::i8:
      return "tl.int8";
    case DType::u8:
      return "tl.uint8";
    case DType::boolean:
      return "tl.int1";
    case DType::token:
      break;
  }
  LITZ_CHECK(false, "a token has no Triton type");
  return "";
}

std::string_view pointer_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "*fp64";
    case DType::f32:
      return "*fp32";
    case DType::bf16:
      return "*bf16";
    case DType::f16:
      return "*fp16";
    case DType::i64:
      return "*i64";
    case DType::i32:
      return "*i32";
    case DType::i16:
      return "*i16";
    case DType::i8:
      return "*i8";
    case DType::u8:
      return "*u8";
    case DType::boolean:
      return "*i1";
    case DType::token:
      break;
  }
  LITZ_CHECK(false, "a token has no Triton type");
  return "";
}

std::string python_number(const ir::ScalarValue& value, DType dtype) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (dtype == DType::boolean) return *integer != 0 ? "True" : "False";
    if (is_floating(dtype)) return ir::float_text(static_cast<double>(*integer));
    return std::to_string(*integer);
  }
  const double number = std::get<double>(value);
  if (std::isnan(number)) return "float(\"nan\")";
  if (std::isinf(number)) return number > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  // f32 prints short: rounding the text to double and then to f32 gives the value again.
  return dtype == DType::f32 ? ir::scalar_text(dtype, ir::scalar_value(dtype, number)) : ir::float_text(number);
}

std::string typed_literal(const std::string& literal, DType dtype) {
  const DType made = dtype == DType::bf16 ? DType::f32 : dtype;
  std::string text = "tl.full([], " + literal + ", " + std::string(triton_dtype(made)) + ")";
  return made == dtype ? text : text + ".to(tl.bfloat16)";
}

namespace {

std::string to(const std::string& text, DType dtype) { return text + ".to(" + std::string(triton_dtype(dtype)) + ")"; }

// Conversions that eager makes in two steps are made in two steps: through f32 to and from the 16-bit floats, through
// a wide integer from floats to the narrow ones.
std::string cast_text(const Value& from, DType target) {
  if (from.dtype == target && !from.narrow) return from.text;
  if (target == DType::boolean)
    return is_half(from.dtype) ? to(from.text, DType::f32) + " != 0.0" : from.text + " != 0";
  std::string text = from.text;
  DType have = from.dtype;
  if (is_half(have) && target != DType::f32) {
    text = to(text, DType::f32);
    have = DType::f32;
  }
  if (is_half(target) && have != DType::f32) text = to(text, DType::f32);
  if (is_floating(have) && target == DType::u8) text = to(text, DType::i64);
  if (is_floating(have) && (target == DType::i8 || target == DType::i16)) text = to(text, DType::i32);
  return to(text, target);
}

std::string_view device_function(ScalarOp op) {
  switch (op) {
    case ScalarOp::fmod:
      return "fmod";
    case ScalarOp::pow:
      return "pow";
    case ScalarOp::atan2:
      return "atan2";
    case ScalarOp::round:
      return "rint";
    case ScalarOp::trunc:
      return "trunc";
    default:
      return ir::scalar_op_name(op);  // exp, sin, …: the same names
  }
}

std::string call(const std::string& function, const std::vector<Value>& args) {
  std::string out = function + "(";
  for (size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i].text;
  return out + ")";
}

std::string_view infix(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
      return " + ";
    case ScalarOp::sub:
      return " - ";
    case ScalarOp::mul:
      return " * ";
    case ScalarOp::bit_and:
      return " & ";
    case ScalarOp::bit_or:
      return " | ";
    case ScalarOp::bit_xor:
      return " ^ ";
    case ScalarOp::eq:
      return " == ";
    case ScalarOp::ne:
      return " != ";
    case ScalarOp::lt:
      return " < ";
    case ScalarOp::le:
      return " <= ";
    case ScalarOp::gt:
      return " > ";
    case ScalarOp::ge:
      return " >= ";
    default:
      return "";
  }
}

std::string integer_text(ScalarOp op, DType dtype, const std::vector<Value>& args, Helpers* helpers) {
  const bool is_unsigned = dtype == DType::u8;
  const std::string width = ", " + std::to_string(8 * dtype_size(dtype)) + ")";
  const std::string& a = args[0].text;
  switch (op) {
    case ScalarOp::div:
      return call(helpers->use(is_unsigned ? "_udiv" : "_div"), args);
    case ScalarOp::fmod:
      return call(helpers->use(is_unsigned ? "_urem" : "_rem"), args);
    case ScalarOp::shl:
      return helpers->use("_shl") + "(" + a + ", " + args[1].text + width;
    case ScalarOp::shr:
      return helpers->use("_shr") + "(" + a + ", " + args[1].text + width;
    case ScalarOp::min:
      return dtype == DType::boolean ? a + " & " + args[1].text : call("tl.minimum", args);
    case ScalarOp::max:
      return dtype == DType::boolean ? a + " | " + args[1].text : call("tl.maximum", args);
    case ScalarOp::neg:
      return "0 - " + a;
    case ScalarOp::abs:
      return is_unsigned ? a : call("tl.abs", args);
    case ScalarOp::bit_not:
      return dtype == DType::boolean ? a + " == 0" : is_unsigned ? a + " ^ 255" : "~" + a;
    default:
      LITZ_CHECK(false, "no integer form of " + std::string(ir::scalar_op_name(op)));
  }
  return "";
}

std::string float_text(ScalarOp op, DType dtype, const std::vector<Value>& args, Helpers* helpers) {
  const std::string& a = args[0].text;
  switch (op) {
    // `/` and tl.sqrt are approximate on f32.
    case ScalarOp::div:
      return dtype == DType::f32 ? call("tl.div_rn", args) : a + " / " + args[1].text;
    case ScalarOp::sqrt:
      return call(dtype == DType::f32 ? "tl.sqrt_rn" : "tl.sqrt", args);
    case ScalarOp::rsqrt:
      return call("tl.rsqrt", args);
    case ScalarOp::min:
      return call(helpers->use("_minimum"), args);
    case ScalarOp::max:
      return call(helpers->use("_maximum"), args);
    case ScalarOp::neg:
      return a + " * -1.0";  // keeps the sign of zero
    case ScalarOp::abs:
      return call("tl.abs", args);
    case ScalarOp::floor:
      return call("tl.floor", args);
    case ScalarOp::ceil:
      return call("tl.ceil", args);
    case ScalarOp::fma:
      return call("tl.fma", args);
    default:
      return call(helpers->device(device_function(op)), args);
  }
}

}  // namespace

bool allows_literal(ScalarOp op, DType operand) {
  if (!infix(op).empty() || op == ScalarOp::select) return true;
  const bool plain = operand == DType::f32 || operand == DType::i32 || operand == DType::i64;
  return plain && (op == ScalarOp::min || op == ScalarOp::max);
}

std::string op_text(ScalarOp op, DType result, const std::vector<Value>& args, Helpers* helpers) {
  if (op == ScalarOp::cast) return cast_text(args[0], result);
  if (op == ScalarOp::bitcast) return args[0].text + ".to(" + std::string(triton_dtype(result)) + ", bitcast=True)";
  if (op == ScalarOp::select) return call("tl.where", args);
  if (op == ScalarOp::sign) {
    return to("(" + args[0].text + " > 0)", result) + " - " + to("(" + args[0].text + " < 0)", result);
  }
  if (const std::string_view between = infix(op); !between.empty()) {
    return args[0].text + std::string(between) + args[1].text;
  }
  return is_floating(result) ? float_text(op, result, args, helpers) : integer_text(op, result, args, helpers);
}

std::string combine_function(ReduceOp op, Helpers* helpers) {
  switch (op) {
    case ReduceOp::sum:
      return helpers->use("_add");
    case ReduceOp::prod:
      return helpers->use("_mul");
    case ReduceOp::max:
      return helpers->use("_maximum");
    case ReduceOp::min:
      return helpers->use("_minimum");
    case ReduceOp::any:
      return helpers->use("_or");
    case ReduceOp::all:
      return helpers->use("_and");
    case ReduceOp::argmax:
      return helpers->use("_argmax");
    case ReduceOp::argmin:
      break;
  }
  return helpers->use("_argmin");
}

std::string combine_text(ReduceOp op, const std::string& acc, const std::string& value, Helpers* helpers) {
  switch (op) {
    case ReduceOp::sum:
      return acc + " + " + value;
    case ReduceOp::prod:
      return acc + " * " + value;
    case ReduceOp::any:
      return acc + " | " + value;
    case ReduceOp::all:
      return acc + " & " + value;
    default:
      return combine_function(op, helpers) + "(" + acc + ", " + value + ")";
  }
}

}  // namespace litz::codegen::triton
