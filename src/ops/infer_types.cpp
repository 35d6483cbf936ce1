// Checks of operands and attributes against a record, inferred types, and the meaning of a pointwise op's element.
#include <algorithm>

#include "ops/infer.h"

namespace litz::ops {

namespace {

bool has_kind(const ir::Attribute& a, AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean:
      return std::holds_alternative<bool>(a);
    case AttrKind::integer:
      return std::holds_alternative<int64_t>(a);
    case AttrKind::number:
      return std::holds_alternative<double>(a);
    case AttrKind::text:
      return std::holds_alternative<std::string>(a);
    case AttrKind::integers:
      return std::holds_alternative<std::vector<int64_t>>(a);
    case AttrKind::numbers:
      return std::holds_alternative<std::vector<double>>(a);
    case AttrKind::dtype:
      return std::holds_alternative<DType>(a);
    case AttrKind::exprs:
      return std::holds_alternative<std::vector<Expr>>(a);
    case AttrKind::layout:
      return std::holds_alternative<ir::Layout>(a);
  }
  return false;
}

std::string_view kind_text(AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean:
      return "a boolean";
    case AttrKind::integer:
      return "an integer";
    case AttrKind::number:
      return "a number (a float)";
    case AttrKind::text:
      return "a text";
    case AttrKind::integers:
      return "a list of integers";
    case AttrKind::numbers:
      return "a list of numbers (floats)";
    case AttrKind::dtype:
      return "a dtype";
    case AttrKind::exprs:
      return "a list of sizes";
    case AttrKind::layout:
      return "a layout";
  }
  return "";
}

void check_attributes(const OpRecord& record, const Attributes& attributes) {
  for (const AttrSpec& spec : record.attributes) {
    const ir::Attribute* a = attributes.find(spec.name);
    if (a == nullptr) {
      LITZ_CHECK(!spec.required, std::string(record.name) + " needs the attribute '" + std::string(spec.name) + "'");
    } else {
      LITZ_CHECK(has_kind(*a, spec.kind), "attribute '" + std::string(spec.name) + "' of " + std::string(record.name) +
                                              " must be " + std::string(kind_text(spec.kind)));
    }
  }
  for (const auto& [name, value] : attributes.items()) {
    const bool known = std::any_of(record.attributes.begin(), record.attributes.end(),
                                   [&name = name](const AttrSpec& s) { return s.name == name; });
    LITZ_CHECK(known, std::string(record.name) + " has no attribute '" + name + "'");
  }
}

bool is_variadic(const OpRecord& record) {
  return !record.operands.empty() && record.operands.back().kind == OperandKind::variadic;
}

void check_operands(const OpRecord& record, const InferArgs& args) {
  const size_t declared = record.operands.size();
  const size_t given = args.operands.size();
  for (size_t i = 0; i < declared; ++i) {
    const OperandSpec& spec = record.operands[i];
    if (spec.kind == OperandKind::required && !has_operand(args, i)) {
      fail(record.name, "operand '" + std::string(spec.name) + "' is missing");
    }
  }
  if (given > declared && !is_variadic(record)) {
    fail(record.name, "takes " + std::to_string(declared) + " operands, but got " + std::to_string(given));
  }
  if (record.effect || record.kind == OpKind::foreign || record.name == "call") return;
  for (const TensorType* t : args.operands) {
    if (t != nullptr && t->dtype == DType::token) fail(record.name, "an operand is a token");
  }
}

// The operands that take part in promotion.
std::vector<const TensorType*> promoted_operands(const OpRecord& record, const InferArgs& args) {
  std::vector<const TensorType*> out;
  for (size_t i = 0; i < args.operands.size(); ++i) {
    const size_t spec = std::min(i, record.operands.size() - 1);
    if (!record.operands[spec].keep_dtype) out.push_back(args.operands[i]);
  }
  return out;
}

}  // namespace

std::vector<TensorType> infer_types(const OpRecord& record, const InferArgs& args) {
  check_attributes(record, args.attributes);
  check_operands(record, args);
  if (record.infer) return record.infer(args);
  LITZ_CHECK(record.kind == OpKind::pointwise, std::string(record.name) + " has no rule for its result types");
  return {make_type(args, promote(promoted_operands(record, args)), broadcast_shapes(args.operands, record.name))};
}

DType body_dtype(const OpRecord& record, const InferArgs& args) {
  if (record.body_dtype) return record.body_dtype(args);
  return compute_dtype(promote(promoted_operands(record, args)));
}

ir::Scalar apply_body(const OpRecord& record, ir::ScalarBuilder& builder, std::span<const ir::Scalar> args,
                      const InferArgs& infer, DType result) {
  LITZ_CHECK(record.kind == OpKind::pointwise && record.body, std::string(record.name) + " has no scalar body");
  const DType dtype = body_dtype(record, infer);
  std::vector<ir::Scalar> converted;
  for (size_t i = 0; i < args.size(); ++i) {
    converted.push_back(record.operands[i].keep_dtype ? args[i] : builder.cast(args[i], dtype));
  }
  return builder.cast(record.body(builder, converted, infer.attributes), result);
}

}  // namespace litz::ops
