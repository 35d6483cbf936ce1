// Kernel IR to text. parse.cpp states the grammar.
#include "ir/text.h"
#include "kernel_ir/fields.h"
#include "kernel_ir/kernel.h"
#include "kernel_ir/walk.h"

namespace litz::kernel_ir {

namespace {

using ir::join;
using ir::name_text;

constexpr size_t kWidth = 110;

std::string text(Ref ref) { return ref == kNoRef ? "_" : "%" + std::to_string(ref); }

std::string_view role_name(BufferRole role) {
  switch (role) {
    case BufferRole::in:
      return "in";
    case BufferRole::out:
      return "out";
    case BufferRole::in_out:
      return "in_out";
    case BufferRole::local:
      break;
  }
  return "local";
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string print() {
    out_ = "kernel @" + name_text(kernel_.name) + header() + " {\n";
    for (const std::string& note : kernel_.notes) out_ += "  // " + one_line(note) + "\n";
    strings("ops", kernel_.source_ops);
    strings("checks", kernel_.checks);
    const std::vector<std::string> schedule = fields_text(kernel_.schedule);
    if (!schedule.empty()) out_ += "  schedule(" + join(schedule, ", ") + ")\n";
    if (kernel_.next_ref != used_refs(kernel_)) out_ += "  refs " + std::to_string(kernel_.next_ref) + "\n";
    if (kernel_.templ) templ(*kernel_.templ);
    block(kernel_.body, "  ");
    out_ += "}\n";
    return std::move(out_);
  }

  std::string simple(const Constant& s) const {
    return text(s.result) + " = const " + ir::scalar_text(s.dtype, s.value) + " : " + std::string(dtype_name(s.dtype));
  }
  std::string simple(const Index& s) const { return text(s.result) + " = index " + s.value.to_string(); }
  std::string simple(const Compute& s) const {
    std::vector<std::string> args;
    for (const Ref arg : s.args) args.push_back(text(arg));
    return text(s.result) + " = " + std::string(ir::scalar_op_name(s.op)) + " " + join(args, ", ") + " : " +
           std::string(dtype_name(s.dtype));
  }
  std::string simple(const Load& s) const {
    std::string out = text(s.result) + " = load " + place(s.buffer, s.index);
    if (s.mask != kNoRef) out += " if " + text(s.mask);
    const bool stated = s.mask != kNoRef || !ir::same_value(s.otherwise, int64_t{0});
    if (stated) out += " else " + ir::scalar_text(s.dtype, s.otherwise);
    return out + " : " + std::string(dtype_name(s.dtype));
  }
  std::string simple(const Store& s) const {
    std::string out = "store " + place(s.buffer, s.index) + ", " + text(s.value);
    if (s.mask != kNoRef) out += " if " + text(s.mask);
    return out;
  }
  std::string simple(const Check& s) const {
    return text(s.result) + " = check " + text(s.value) + " < " + s.size.to_string() + (s.wraps ? " wraps" : "") +
           " # " + std::to_string(s.check);
  }
  // All but the body.
  std::string simple(const Loop& loop) const {
    std::vector<std::string> results, reductions, ranges;
    for (const Reduction& r : loop.reductions) {
      for (const Ref result : r.results) results.push_back(text(result));
      reductions.push_back(std::string(ir::reduce_op_name(r.op)) + " " + std::string(dtype_name(r.dtype)) + " " +
                           text(r.input));
    }
    for (const Range& r : loop.ranges) ranges.push_back(name_text(r.name) + " < " + r.extent.to_string());
    std::string out = results.empty() ? "" : join(results, ", ") + " = ";
    out += loop.kind == RangeKind::parallel ? "parallel" : "loop";
    if (!ranges.empty()) out += " " + join(ranges, ", ");
    if (loop.kind == RangeKind::reduction) out += " reduce(" + join(reductions, ", ") + ")";
    return out;
  }

 private:
  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    return text;
  }

  std::string buffer_name(uint32_t buffer) const {
    return buffer < kernel_.buffers.size() ? name_text(kernel_.buffers[buffer].name) : "?" + std::to_string(buffer);
  }

  std::string place(uint32_t buffer, const std::vector<Expr>& index) const {
    return buffer_name(buffer) + "[" + ir::expr_list(index) + "]";
  }

  std::string buffer_text(const Buffer& b) const {
    std::string out = name_text(b.name) + ": " + ir::to_string(ir::TensorType{.dtype = b.dtype, .shape = b.shape});
    if (b.strides != ir::contiguous_strides(b.shape)) out += " strides(" + ir::expr_list(b.strides) + ")";
    out += " " + std::string(role_name(b.role));
    if (!b.source.empty()) out += " " + ir::quote(b.source);
    return out;
  }

  std::string header() const {
    std::vector<std::string> buffers;
    for (const Buffer& b : kernel_.buffers) buffers.push_back(buffer_text(b));
    const std::string line = "(" + join(buffers, ", ") + ")";
    return line.size() + kernel_.name.size() <= kWidth ? line : "(\n    " + join(buffers, ",\n    ") + ")";
  }

  void strings(std::string_view keyword, const std::vector<std::string>& items) {
    if (items.empty()) return;
    std::vector<std::string> quoted;
    for (const std::string& i : items) quoted.push_back(ir::quote(i));
    out_ += "  " + std::string(keyword) + "(" + join(quoted, ", ") + ")\n";
  }

  std::string value(const Expr& v) const { return v.to_string(); }
  std::string value(int64_t v) const { return std::to_string(v); }
  std::string value(bool v) const { return v ? "true" : "false"; }
  std::string value(double v) const { return ir::float_text(v); }
  std::string value(DType v) const { return std::string(dtype_name(v)); }
  std::string value(const std::vector<int64_t>& v) const {
    std::vector<std::string> parts;
    for (const int64_t i : v) parts.push_back(std::to_string(i));
    return "[" + join(parts, ", ") + "]";
  }
  std::string value(const std::vector<std::string>& v) const {
    std::vector<std::string> parts;
    for (const std::string& s : v) parts.push_back(name_text(s));
    return "[" + join(parts, ", ") + "]";
  }
  std::string value(const Operand& v) const {
    std::string out = buffer_name(v.buffer);
    if (v.offset != Expr(0)) out += " offset " + v.offset.to_string();
    return out + " strides(" + ir::expr_list(v.strides) + ")";
  }
  std::string value(const std::vector<Operand>& v) const {
    std::vector<std::string> parts;
    for (const Operand& o : v) parts.push_back(value(o));
    return "[" + join(parts, ", ") + "]";
  }
  std::string value(const std::optional<Operand>& v) const { return v ? value(*v) : "none"; }

  // "name=value" of the operands, and of the fields that are not as a new object has them.
  template <typename T>
  std::vector<std::string> fields_text(const T& object) const {
    std::vector<std::string> defaults, parts;
    const T fresh{};
    for_each_field(fresh, [&](std::string_view, const auto& v) { defaults.push_back(value(v)); });
    size_t i = 0;
    for_each_field(object, [&](std::string_view name, const auto& v) {
      const bool operand = std::is_same_v<decltype(v), const Operand&>;
      const std::string text = value(v);
      if (text != defaults[i++] || operand)
        parts.push_back((operand ? "\n      " : "") + std::string(name) + "=" + text);
    });
    return parts;
  }

  void templ(const Template& t) {
    struct Name {
      std::string operator()(const MatmulTemplate&) const { return "matmul"; }
      std::string operator()(const ConvTemplate&) const { return "conv"; }
      std::string operator()(const AttentionTemplate&) const { return "attention"; }
    };
    std::string fields = std::visit([&](const auto& what) { return join(fields_text(what), ", "); }, t.what);
    for (size_t at = fields.find(" \n"); at != std::string::npos; at = fields.find(" \n")) fields.erase(at, 1);
    out_ += "  template " + std::visit(Name{}, t.what) + "(" + fields + ") epilogue(" + text(t.accumulator) + ") {\n";
    block(t.epilogue, "    ");
    out_ += "  }\n";
  }

  void block(const Block& b, const std::string& indent) {
    for (const Statement& statement : b.statements) {
      out_ += indent + std::visit([&](const auto& s) { return simple(s); }, statement);
      if (const Loop* l = std::get_if<Loop>(&statement)) body(*l, indent);
      out_ += "\n";
    }
  }

  // On the loop's own line if it is a single short statement.
  void body(const Loop& loop, const std::string& indent) {
    if (loop.body.statements.empty()) {
      out_ += " {}";
      return;
    }
    if (loop.body.statements.size() == 1 && !std::holds_alternative<Loop>(loop.body.statements[0])) {
      const std::string only = std::visit([&](const auto& s) { return simple(s); }, loop.body.statements[0]);
      const size_t start = out_.rfind('\n') + 1;
      if (out_.size() - start + only.size() + 6 <= kWidth) {
        out_ += " { " + only + " }";
        return;
      }
    }
    out_ += " {\n";
    block(loop.body, indent + "  ");
    out_ += indent + "}";
  }

  const Kernel& kernel_;
  std::string out_;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).print(); }

std::string statement_text(const Kernel& kernel, const Statement& statement) {
  const Printer printer(kernel);
  return std::visit([&](const auto& s) { return printer.simple(s); }, statement);
}

}  // namespace litz::kernel_ir
