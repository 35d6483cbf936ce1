#include "codegen/cpp/access.h"

#include "codegen/cpp/index_text.h"
#include "codegen/cpp/prelude.h"
#include "support/check.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::Buffer;
using kernel_ir::BufferRole;
using kernel_ir::kNoRef;

// The vectorised range v is multiple_of * kBlock + kLane: this turns v / 16 and v % 16 into plain symbols.
constexpr const char* kBlock = "v.block";
constexpr const char* kLane = "v.lane";

std::string pointer_name(uint32_t buffer) { return "b" + std::to_string(buffer); }

int64_t constant(const Expr& e) {
  LITZ_CHECK(e.is_constant(), "a size that is not known: " + e.to_string());
  return e.constant();
}

}  // namespace

bool AccessPrinter::varies(const Expr& e) const {
  if (state_.vector_range.empty()) return false;
  for (const std::string& symbol : e.symbols()) {
    if (symbol == state_.vector_range) return true;
    const auto ref = kernel_ir::symbol_ref(symbol);
    if (ref && block_.value(*ref).vector) return true;
  }
  return false;
}

// With `lanes`, the vectorised range stands for the indices of all lanes, otherwise for that of lane 0.
std::string AccessPrinter::text(const Expr& e, bool lanes) const {
  const auto symbol = [&](const std::string& name) -> IndexText {
    if (const auto ref = kernel_ir::symbol_ref(name)) {
      const Value& value = block_.value(*ref);
      return {value.text, value.vector, /*non_negative=*/false};
    }
    const bool is_block = name == kBlock;
    const auto it = state_.ranges.find(is_block ? state_.vector_range : name);
    LITZ_CHECK(it != state_.ranges.end(), "range " + name + " is not bound");
    if (is_block) return {"(" + it->second.text + " / " + std::to_string(it->second.multiple_of) + ")", false, true};
    if (lanes && name == state_.vector_range) return {"(" + it->second.text + " + iota_i64v())", true, true};
    return {it->second.text, false, true};
  };
  return index_text(e, symbol).text;
}

Value AccessPrinter::index_value(const Expr& e) const {
  const bool vector = varies(e);
  std::string result = text(e, vector);
  return {std::move(result), DType::i64, vector};
}

Access AccessPrinter::classify(const Buffer& buffer, const std::vector<Expr>& index) const {
  Expr offset = kernel_ir::linear_offset(buffer, index);
  Access access;
  if (!varies(offset)) {
    access.offset = text(offset, false);
  } else {
    bool indirect = false;
    for (const std::string& symbol : offset.symbols()) {
      const auto ref = kernel_ir::symbol_ref(symbol);
      indirect = indirect || (ref && block_.value(*ref).vector);
    }
    const RangeBinding& v = state_.ranges.at(state_.vector_range);
    auto linear = as_linear(offset, state_.vector_range);
    if (!linear && !indirect && v.multiple_of % block_.lanes() == 0) {
      const Expr split = Expr::symbol(kBlock) * v.multiple_of + Expr::symbol(kLane);
      BoundsMap bounds = {{kLane, {0, block_.lanes() - 1}}, {kBlock, {0, constant(v.extent) / v.multiple_of}}};
      for (const auto& [name, range] : state_.ranges) {
        if (name != state_.vector_range) bounds[name] = {0, std::max<int64_t>(constant(range.extent) - 1, 0)};
      }
      const Expr simple = simplify(offset.substitute({{state_.vector_range, split}}), bounds);
      linear = as_linear(simple, kLane);
      if (linear && linear->coefficient == Expr(0)) {
        access.offset = text(simple, false);
      } else if (linear) {
        offset = simple;
      }
    } else if (linear) {
      linear->rest = linear->rest + linear->coefficient * Expr::symbol(state_.vector_range);  // lane 0
    }
    if (!access.offset.empty()) {
      access.kind = Access::Kind::uniform;
    } else if (linear && !indirect && linear->coefficient.is_constant()) {
      access.stride = linear->coefficient.constant();
      access.kind = access.stride == 1 ? Access::Kind::contiguous : Access::Kind::strided;
      access.offset = text(linear->rest, false);
    } else {
      access.kind = Access::Kind::scattered;
      access.offset = text(offset, true);
    }
  }
  if (buffer.role == BufferRole::local && !state_.vector_range.empty() && block_.interleaved_locals()) {
    // Every lane has a copy of its own, beside the other lanes'.
    LITZ_CHECK(access.kind == Access::Kind::uniform, "a local buffer is indexed by the vectorised range");
    access.kind = Access::Kind::contiguous;
    access.offset = "(" + access.offset + ") * " + std::to_string(block_.lanes());
    access.stride = 1;
  }
  return access;
}

std::optional<Access> AccessPrinter::square(const kernel_ir::Load& load, const std::string& range) const {
  const Buffer& buffer = block_.kernel().buffers[load.buffer];
  if (load.mask != kNoRef || buffer.role != BufferRole::in || buffer.dtype == DType::boolean) return std::nullopt;
  const Expr offset = kernel_ir::linear_offset(buffer, load.index);
  for (const std::string& symbol : offset.symbols()) {
    const auto ref = kernel_ir::symbol_ref(symbol);
    if (ref && (!state_.values.contains(*ref) || block_.value(*ref).vector)) return std::nullopt;
  }
  const auto lanes = as_linear(offset, state_.vector_range), rows = as_linear(offset, range);
  if (!lanes || !rows || !lanes->coefficient.is_constant() || !(rows->coefficient == Expr(1))) return std::nullopt;
  const int64_t stride = lanes->coefficient.constant();
  if (stride == 0 || stride == 1) return std::nullopt;
  return Access{.kind = Access::Kind::strided, .offset = text(offset, false), .stride = stride};
}

std::string AccessPrinter::offsets(const Access& access) const {
  switch (access.kind) {
    case Access::Kind::scattered:
      return access.offset;
    case Access::Kind::uniform:
      return "splat_i64v(" + access.offset + ")";
    case Access::Kind::contiguous:
      return "(" + access.offset + " + iota_i64v())";
    case Access::Kind::strided:
      break;
  }
  return "(" + access.offset + " + iota_i64v() * " + std::to_string(access.stride) + ")";
}

// Lanes that exist and for which `mask` (a vector, or null) holds; "" for all.
std::string AccessPrinter::lane_mask(const Value* mask) const {
  const bool tail = !state_.valid_lanes.empty();
  if (!mask) return tail ? "belowv(" + state_.valid_lanes + ")" : "";
  return tail ? "(" + mask->text + " & belowv(" + state_.valid_lanes + "))" : mask->text;
}

std::string AccessPrinter::vector_load(const std::string& type, const std::string& pointer, const Access& access,
                                       const kernel_ir::Load& load, const std::string& otherwise) const {
  const Value* mask = load.mask == kNoRef ? nullptr : &block_.value(load.mask);
  const Value* vector_mask = mask && mask->vector ? mask : nullptr;
  const std::string& n = state_.valid_lanes;
  std::string text;
  if (access.kind == Access::Kind::contiguous) {
    const std::string p = pointer + " + " + access.offset;
    if (vector_mask) {
      text = "ldm_" + type + "v(" + p + ", " + lane_mask(vector_mask) + ", " + otherwise + ")";
    } else {
      text = n.empty() ? "*(const " + type + "u*)(" + p + ")" : "ldp_" + type + "v(" + p + ", " + n + ")";
    }
  } else if (access.kind == Access::Kind::strided && !vector_mask) {
    const std::string p = pointer + " + " + access.offset + ", " + std::to_string(access.stride);
    text = n.empty() ? "lds_" + type + "v(" + p + ")" : "ldsp_" + type + "v(" + p + ", " + n + ")";
  } else if (vector_mask || !n.empty()) {
    text = "ldgm_" + type + "v(" + pointer + ", " + offsets(access) + ", " + lane_mask(vector_mask) + ", " + otherwise +
           ")";
  } else {
    text = "ldg_" + type + "v(" + pointer + ", " + offsets(access) + ")";
  }
  if (mask && !vector_mask) text = mask->text + " ? (" + type + "v)" + text + " : " + otherwise;
  return text;
}

Value AccessPrinter::load(const kernel_ir::Load& load) const {
  const Buffer& buffer = block_.kernel().buffers[load.buffer];
  const Access access = classify(buffer, load.index);
  const std::string type(storage_type(buffer.dtype));
  const bool is_bool = buffer.dtype == DType::boolean;
  std::string otherwise = literal(is_bool ? DType::u8 : buffer.dtype, load.otherwise);
  const bool vector_mask = load.mask != kNoRef && block_.value(load.mask).vector;
  if (access.kind == Access::Kind::uniform && !vector_mask) {
    std::string text = pointer_name(load.buffer) + "[" + access.offset + "]";
    if (is_bool) text += " != 0";
    if (load.mask != kNoRef) {
      if (is_bool) otherwise = otherwise == "0" ? "false" : "true";
      text =
          block_.value(load.mask).text + " ? (" + register_type(buffer.dtype, false) + ")(" + text + ") : " + otherwise;
    }
    return {std::move(text), buffer.dtype, false};
  }
  std::string text =
      vector_load(type, pointer_name(load.buffer), access, load, "splat_" + type + "v(" + otherwise + ")");
  if (is_bool) text = "cast_u8_b1v(" + text + ")";
  return {std::move(text), buffer.dtype, true};
}

std::string AccessPrinter::store(const kernel_ir::Store& store) const {
  const Buffer& buffer = block_.kernel().buffers[store.buffer];
  const Access access = classify(buffer, store.index);
  const std::string type(storage_type(buffer.dtype));
  const std::string pointer = pointer_name(store.buffer);
  const Value* mask = store.mask == kNoRef ? nullptr : &block_.value(store.mask);
  const Value* vector_mask = mask && mask->vector ? mask : nullptr;
  const Value& value = block_.value(store.value);
  std::string text;
  if (access.kind == Access::Kind::uniform && !value.vector && !vector_mask) {
    text = pointer + "[" + access.offset + "] = " + value.text + ";";
  } else {
    std::string v = block_.broadcast(value);
    if (buffer.dtype == DType::boolean) v = "cast_b1_u8v(" + v + ")";
    const std::string& n = state_.valid_lanes;
    if (access.kind == Access::Kind::contiguous) {
      const std::string p = pointer + " + " + access.offset;
      text = vector_mask ? "stm_" + type + "v(" + p + ", " + v + ", " + lane_mask(vector_mask) + ");"
             : n.empty() ? "*(" + type + "u*)(" + p + ") = " + v + ";"
                         : "stp_" + type + "v(" + p + ", " + v + ", " + n + ");";
    } else if (access.kind == Access::Kind::strided && !vector_mask) {
      const std::string p = pointer + " + " + access.offset + ", " + std::to_string(access.stride) + ", " + v;
      text = n.empty() ? "sts_" + type + "v(" + p + ");" : "stsp_" + type + "v(" + p + ", " + n + ");";
    } else if (vector_mask || !n.empty()) {
      text = "stgm_" + type + "v(" + pointer + ", " + offsets(access) + ", " + v + ", " + lane_mask(vector_mask) + ");";
    } else {
      text = "stg_" + type + "v(" + pointer + ", " + offsets(access) + ", " + v + ");";
    }
  }
  if (mask && !vector_mask) text = "if (" + mask->text + ") " + text;
  return text;
}

}  // namespace litz::codegen::cpp
