#include "codegen/triton/generate.h"

#include <cctype>
#include <set>

#include "codegen/triton/forward_locals.h"
#include "codegen/triton/helpers.h"
#include "codegen/triton/phase.h"
#include "codegen/triton/tiling.h"
#include "codegen/triton/value.h"
#include "ir/text.h"
#include "kernel_ir/canonical.h"
#include "support/check.h"
#include "support/sha256.h"

namespace litz::codegen::triton {

namespace {

using kernel_ir::Kernel;
using kernel_ir::Loop;

// Stands for the kernel's name until its text is known.
constexpr std::string_view kEntry = "litz_ENTRY";

void require_constant(const Expr& e) {
  if (e.is_constant()) return;
  throw UnsupportedError("triton-symbolic-kernel", "a size of the kernel is " + e.to_string() + ", not a number",
                         "put sizes into the kernel before generating code");
}

void require_constant_ranges(const kernel_ir::Block& block) {
  for (const kernel_ir::Statement& s : block.statements) {
    const Loop* loop = std::get_if<Loop>(&s);
    if (loop == nullptr) continue;
    for (const kernel_ir::Range& r : loop->ranges) require_constant(r.extent);
    require_constant_ranges(loop->body);
  }
}

void require_supported(const Kernel& kernel) {
  if (kernel.templ) {
    throw UnsupportedError("triton-template", "matrix products, convolutions and attention have no Triton form",
                           "generate C++, or call a library");
  }
  for (const kernel_ir::Buffer& b : kernel.buffers) {
    for (const Expr& e : b.shape) require_constant(e);
    for (const Expr& e : b.strides) require_constant(e);
  }
  require_constant_ranges(kernel.body);
}

struct Phase {
  std::string entry;
  Tiling tiling;
};

std::vector<const Axis*> axes_of(const Tiling& tiling) {
  std::vector<const Axis*> axes;
  for (auto a = tiling.outer.rbegin(); a != tiling.outer.rend(); ++a) axes.push_back(&*a);
  for (const Axis& a : tiling.inner) axes.push_back(&a);
  return axes;
}

std::string print_text(const Kernel& kernel, const std::vector<Phase>& phases,
                       const std::vector<std::string>& pointers) {
  Helpers helpers;
  std::string functions;
  for (size_t i = 0; i < phases.size(); ++i) {
    std::vector<std::string> parameters = pointers;
    if (!kernel.checks.empty()) parameters.push_back("fault");
    for (const Axis* a : axes_of(phases[i].tiling)) parameters.push_back(a->block + ": tl.constexpr");
    functions += "\n\n@triton.jit\ndef " + phases[i].entry + "(" + ir::join(parameters, ", ") + "):\n";
    functions +=
        PhaseEmitter(kernel, phases[i].tiling, pointers, &helpers).run(std::get<Loop>(kernel.body.statements[i]));
  }
  return helpers.text() + functions;
}

// A word of letters, digits and '_' that no other name of the text is: they lack the ending "_ptr".
std::string pointer_name(const std::string& buffer, std::set<std::string>* taken) {
  std::string word = buffer.empty() || std::isdigit(static_cast<unsigned char>(buffer[0])) ? "b" : "";
  for (const char c : buffer) word += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  std::string name = word + "_ptr";
  for (int i = 1; !taken->insert(name).second; ++i) name = word + "_" + std::to_string(i) + "_ptr";
  return name;
}

std::string heading(const Kernel& kernel) {
  std::string out = "# " + ir::name_text(kernel.name) + "\n";
  auto comment = [&](const std::string& prefix, std::string text) {
    for (char& c : text) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    out += "# " + prefix + text + "\n";
  };
  for (const std::string& op : kernel.source_ops) comment("  ", op);
  for (const std::string& note : kernel.notes) comment("note: ", note);
  return out;
}

std::string replace_entry(std::string text, const std::string& entry) {
  for (size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at + entry.size())) {
    text.replace(at, kEntry.size(), entry);
  }
  return text;
}

std::string constexprs_json(const Tiling& tiling) {
  std::vector<std::string> parts;
  for (const Axis* a : axes_of(tiling)) parts.push_back("\"" + a->block + "\": " + std::to_string(a->block_size));
  return "{" + ir::join(parts, ", ") + "}";
}

std::string launch_json(const Kernel& kernel, const std::vector<Phase>& phases,
                        const std::vector<std::string>& pointers) {
  std::vector<std::string> signature, launches;
  for (size_t i = 0; i < pointers.size(); ++i) {
    signature.push_back("\"" + pointers[i] + "\": \"" + std::string(pointer_type(kernel.buffers[i].dtype)) + "\"");
  }
  if (!kernel.checks.empty()) signature.push_back("\"fault\": \"*i64\"");
  for (const Phase& p : phases) {
    launches.push_back("{\"entry\": \"" + p.entry + "\", \"programs\": " + std::to_string(p.tiling.programs()) +
                       ", \"constexprs\": " + constexprs_json(p.tiling) +
                       ", \"num_warps\": " + std::to_string(p.tiling.warps) + "}");
  }
  return "{\"signature\": {" + ir::join(signature, ", ") + "}, \"phases\": [" + ir::join(launches, ", ") +
         "], \"num_stages\": " + std::to_string(kernel.schedule.num_stages) +
         ", \"enable_fp_fusion\": false, \"enable_reflect_ftz\": false}";
}

}  // namespace

Generated generate(const Kernel& kernel, const Target& target, const Options& options) {
  (void)target;
  (void)options;
  require_supported(kernel);
  const Kernel plain = kernel_ir::canonical(forward_locals(kernel));
  std::vector<Phase> phases;
  const size_t count = plain.body.statements.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string number = count == 1 ? "" : "_" + std::to_string(i);
    phases.push_back({std::string(kEntry) + number, choose_tiling(plain, std::get<Loop>(plain.body.statements[i]))});
  }
  std::vector<std::string> pointers, readable_pointers;
  std::set<std::string> taken, readable_taken;
  for (size_t i = 0; i < plain.buffers.size(); ++i) {
    pointers.push_back(pointer_name(plain.buffers[i].name, &taken));
    readable_pointers.push_back(pointer_name(kernel.buffers[i].name, &readable_taken));
  }

  Generated result;
  const std::string text = print_text(plain, phases, pointers);
  const std::string launch = launch_json(plain, phases, pointers);
  const std::string entry = "litz_" + sha256_hex(text + launch).substr(0, 16);
  result.source.kind = SourceKind::triton;
  result.source.text = replace_entry(text, entry);
  result.source.entry = replace_entry(phases[0].entry, entry);
  result.source.readable = heading(kernel) + replace_entry(print_text(plain, phases, readable_pointers), entry);
  result.source.launch_json = replace_entry(launch, entry);
  result.launch.phases.clear();
  for (const Phase& p : phases) result.launch.phases.push_back({.tasks = p.tiling.programs(), .grain = 1});
  result.launch.may_fault = !kernel.checks.empty();
  return result;
}

}  // namespace litz::codegen::triton
