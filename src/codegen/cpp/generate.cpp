#include "codegen/cpp/generate.h"

#include "codegen/cpp/attention.h"
#include "codegen/cpp/conv.h"
#include "codegen/cpp/helpers.h"
#include "codegen/cpp/loops.h"
#include "codegen/cpp/matmul.h"
#include "codegen/cpp/prelude.h"
#include "codegen/cpp/writer.h"
#include "support/check.h"
#include "support/sha256.h"

namespace litz::codegen::cpp {
namespace {

using kernel_ir::Kernel;

constexpr std::string_view kPlaceholder = "litz_ENTRY";

void require_constant(const Expr& e, const char* what) {
  for (const std::string& symbol : e.symbols()) {
    throw UnsupportedError("cpp-symbolic-kernel", std::string(what) + " depends on " + symbol,
                           "put sizes into the kernel before generating code");
  }
}

void require_constant_ranges(const kernel_ir::Block& block) {
  for (const kernel_ir::Statement& statement : block.statements) {
    const auto* loop = std::get_if<kernel_ir::Loop>(&statement);
    if (!loop) continue;
    for (const kernel_ir::Range& range : loop->ranges) require_constant(range.extent, "the extent of a range");
    require_constant_ranges(loop->body);
  }
}

void require_constant_sizes(const Kernel& kernel) {
  for (const kernel_ir::Buffer& buffer : kernel.buffers) {
    for (const Expr& e : buffer.shape) require_constant(e, "the shape of a buffer");
    for (const Expr& e : buffer.strides) require_constant(e, "the strides of a buffer");
  }
  require_constant_ranges(kernel.body);
}

int lanes_of(const Kernel& kernel, const Target& target) {
  const bool own = !kernel.templ && !kernel.schedule.vector_ranges.empty();
  return own ? static_cast<int>(kernel.schedule.vector_lanes) : target.vector_bytes() / 4;
}

LaunchSpec print_kernel(const Kernel& kernel, const Target& target, Writer* out) {
  const std::string entry(kPlaceholder);
  if (!kernel.templ) return print_loops(kernel, entry, out);
  if (std::holds_alternative<kernel_ir::MatmulTemplate>(kernel.templ->what))
    return print_matmul(kernel, target, entry, out);
  if (std::holds_alternative<kernel_ir::ConvTemplate>(kernel.templ->what))
    return print_conv(kernel, target, entry, out);
  return print_attention(kernel, target, entry, out);
}

// What a reader wants to know first: where the kernel comes from.
std::string heading(const Kernel& kernel) {
  Writer out(/*readable=*/true);
  out.comment(kernel.name);
  for (const std::string& op : kernel.source_ops) out.comment("  " + op);
  for (const std::string& note : kernel.notes) out.comment("note: " + note);
  return out.take();
}

std::string with_entry(std::string text, const std::string& entry) {
  return replace_all(std::move(text), {{kPlaceholder, entry}});
}

}  // namespace

Generated generate(const Kernel& kernel, const Target& target, const Options& options) {
  (void)options;
  require_constant_sizes(kernel);
  const int lanes = lanes_of(kernel, target);
  Generated result;
  Writer canonical, readable(/*readable=*/true);
  result.launch = print_kernel(kernel, target, &canonical);
  print_kernel(kernel, target, &readable);
  // Operations that the program keeps apart round apart.
  const std::string head =
      "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n" + prelude(canonical.text() + " f32 i8 i64", lanes);
  std::string text = head + canonical.text();
  result.source.kind = SourceKind::cpp;
  result.source.entry = "litz_" + sha256_hex(text).substr(0, 16);
  result.source.text = with_entry(std::move(text), result.source.entry);
  result.source.readable = heading(kernel) + head + with_entry(readable.take(), result.source.entry);
  return result;
}

}  // namespace litz::codegen::cpp
