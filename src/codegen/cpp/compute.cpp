#include "codegen/cpp/compute.h"

#include "codegen/cpp/magnitude.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using ir::ScalarOp;

std::string_view infix(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
      return " + ";
    case ScalarOp::sub:
      return " - ";
    case ScalarOp::mul:
      return " * ";
    case ScalarOp::div:
      return " / ";
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

// A lane's boolean is 0 or -1: true is the smaller number, so the order turns round.
ScalarOp swapped(ScalarOp op) {
  switch (op) {
    case ScalarOp::lt:
      return ScalarOp::gt;
    case ScalarOp::le:
      return ScalarOp::ge;
    case ScalarOp::gt:
      return ScalarOp::lt;
    case ScalarOp::ge:
      return ScalarOp::le;
    default:
      return op;
  }
}

std::string compare_text(ScalarOp op, DType dtype, const std::vector<std::string>& args, bool vector) {
  if (is_half(dtype)) {
    const std::string tag(helper_tag(dtype));
    const std::string cast = "cast_" + tag + "_f32" + (vector ? "v(" : "(");
    return cast + args[0] + ")" + std::string(infix(op)) + cast + args[1] + ")";
  }
  if (!vector) return args[0] + std::string(infix(op)) + args[1];
  if (dtype == DType::boolean) op = swapped(op);
  const std::string text = args[0] + std::string(infix(op)) + args[1];
  return dtype_size(dtype) == 4 || dtype == DType::boolean ? text : "__builtin_convertvector(" + text + ", i32v)";
}

std::string boolean_text(ScalarOp op, const std::vector<std::string>& args, bool vector) {
  const auto join = [&](std::string_view sign) {
    const std::string text = args[0] + std::string(sign) + args[1];
    return vector ? text : "(bool)(" + text + ")";
  };
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::max:
    case ScalarOp::bit_or:
      return join(" | ");
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::bit_and:
      return join(" & ");
    case ScalarOp::sub:
    case ScalarOp::bit_xor:
      return join(" ^ ");
    case ScalarOp::bit_not:
      return (vector ? "~" : "!") + args[0];
    case ScalarOp::abs:
    case ScalarOp::sign:
    case ScalarOp::neg:
      return args[0];
    default:
      break;
  }
  throw UnsupportedError("cpp-boolean-op",
                         std::string(ir::scalar_op_name(op)) + " of booleans has no meaning in generated C++", "");
}

std::string bitcast_text(const Value& value, DType to, bool vector) {
  LITZ_CHECK((value.dtype == DType::boolean) == (to == DType::boolean), "bitcast of a boolean");
  const std::string type = register_type(to, vector);
  if (value.dtype == to || register_type(value.dtype, vector) == type) return value.text;
  return vector ? "(" + type + ")" + value.text : "__builtin_bit_cast(" + type + ", " + value.text + ")";
}

std::string call(std::string_view name, std::string_view tag, const std::vector<std::string>& args, bool vector) {
  std::string text = std::string(name) + "_" + std::string(tag) + (vector ? "v(" : "(");
  for (size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i];
  return text + ")";
}

}  // namespace

std::string_view helper_tag(DType dtype, bool in_registers) {
  if (dtype == DType::boolean) return "b1";
  if (in_registers && is_half(dtype)) return "u16";
  return dtype_name(dtype);
}

std::string cast_text(const Value& value, DType to) {
  if (value.dtype == to) return value.text;
  const bool direct = (!is_half(value.dtype) || to == DType::f32) && (!is_half(to) || value.dtype == DType::f32);
  if (!direct) {
    // As eager does: a half is widened to f32 first, and made from f32.
    const Value middle = {cast_text(value, DType::f32), DType::f32, value.vector};
    return cast_text(middle, to);
  }
  return "cast_" + std::string(helper_tag(value.dtype)) + "_" + std::string(helper_tag(to)) +
         (value.vector ? "v(" : "(") + value.text + ")";
}

std::string compute_text(const BlockEmitter& block, const kernel_ir::Compute& s, const std::vector<Value>& args,
                         bool vector) {
  std::vector<std::string> texts;
  for (const Value& arg : args) texts.push_back(vector ? block.broadcast(arg) : arg.text);
  if (s.op == ScalarOp::cast) return cast_text({texts[0], args[0].dtype, vector}, s.dtype);
  if (s.op == ScalarOp::bitcast) return bitcast_text({texts[0], args[0].dtype, vector}, s.dtype, vector);
  if (ir::is_comparison(s.op)) return compare_text(s.op, args[0].dtype, texts, vector);
  if (s.op == ScalarOp::select) {
    const bool inline_form = !vector || dtype_size(s.dtype) == 4 || s.dtype == DType::boolean;
    if (inline_form) return texts[0] + " ? " + texts[1] + " : " + texts[2];
    return call("sel", helper_tag(s.dtype, true), texts, vector);
  }
  if (s.dtype == DType::boolean) return boolean_text(s.op, texts, vector);
  const bool is_f = s.dtype == DType::f32 || s.dtype == DType::f64;
  if (!is_f && !is_integral(s.dtype)) {
    throw UnsupportedError("cpp-half-arithmetic",
                           std::string(ir::scalar_op_name(s.op)) + " in " + std::string(dtype_name(s.dtype)),
                           "the body should cast to f32 and back");
  }
  if (is_f && s.op >= ScalarOp::add && s.op <= ScalarOp::div) {
    if (s.op == ScalarOp::div && args[0].vector && !args[1].vector) {
      return call("quotient", helper_tag(s.dtype), {args[0].text, args[1].text}, true);
    }
    // A literal or a scalar operand is broadcast by the language.
    const auto plain = [&](size_t i) { return args[i].vector || args[1 - i].vector ? args[i].text : texts[i]; };
    return plain(0) + std::string(infix(s.op)) + plain(1);
  }
  if (is_f && s.op == ScalarOp::neg) return "-" + texts[0];
  return call(function_name(s, args), helper_tag(s.dtype), texts, vector);
}

}  // namespace litz::codegen::cpp
