#include "ops/document.h"

#include <map>
#include <vector>

#include "ops/aten.h"

namespace litz::ops {

namespace {

struct Section {
  OpKind kind;
  std::string_view title;
  std::string_view text;
};

constexpr Section kSections[] = {
    {OpKind::pointwise, "Pointwise", "Operands broadcast. f16 and bf16 are computed in f32 and rounded once."},
    {OpKind::view, "Views", "Each element of the result is an element of the operand; no data moves by itself."},
    {OpKind::shuffle, "Moving elements", ""},
    {OpKind::generator, "Generators", "No operands."},
    {OpKind::reduction, "Reductions", "`dims` are sorted and not negative; `keepdim` keeps them with size 1."},
    {OpKind::scan, "Scans", ""},
    {OpKind::matmul, "Matrix products", ""},
    {OpKind::convolution, "Convolution", ""},
    {OpKind::attention, "Attention", ""},
    {OpKind::window, "Pooling", ""},
    {OpKind::gather, "Reads at computed indices", "Indices are checked: one out of range is an IndexError."},
    {OpKind::scatter, "Writes at computed indices", "Indices are checked before anything is written."},
    {OpKind::composite, "Composite", "Taken apart into the ops above before kernels are made."},
    {OpKind::foreign, "Outside of Litz", ""},
};

std::string_view kind_name(AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean:
      return "boolean";
    case AttrKind::integer:
      return "integer";
    case AttrKind::number:
      return "number";
    case AttrKind::text:
      return "text";
    case AttrKind::integers:
      return "integers";
    case AttrKind::numbers:
      return "numbers";
    case AttrKind::dtype:
      return "dtype";
    case AttrKind::exprs:
      return "sizes";
    case AttrKind::layout:
      return "layout";
  }
  return "";
}

std::string operands_text(const OpRecord& r) {
  std::string out;
  for (const OperandSpec& o : r.operands) {
    if (!out.empty()) out += ", ";
    out += o.name;
    if (o.kind == OperandKind::optional) out += "?";
    if (o.kind == OperandKind::variadic) out += "…";
  }
  return out;
}

std::string attributes_text(const OpRecord& r) {
  std::string out;
  for (const AttrSpec& a : r.attributes) {
    out += (out.empty() ? "" : ", ") + std::string(a.name) + (a.required ? "" : "?") + ": " +
           std::string(kind_name(a.kind));
  }
  return out;
}

// A bar would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string section_text(const Section& section) {
  std::string out = "## " + std::string(section.title) + "\n\n";
  if (!section.text.empty()) out += std::string(section.text) + "\n\n";
  out += "| op | operands | attributes | result |\n|---|---|---|---|\n";
  for (const OpRecord& r : all_records()) {
    if (r.kind != section.kind) continue;
    out += "| `" + std::string(r.name) + "` | " + operands_text(r) + " | " + attributes_text(r) + " | " + cell(r.doc) +
           " |\n";
  }
  return out + "\n";
}

// Overloads by op: "`aten.add` Scalar, Tensor".
std::string aten_text() {
  std::map<std::string, std::string> overloads;
  for (std::string_view name : aten_names()) {
    const size_t dot = name.rfind('.');
    std::string& list = overloads[std::string(name.substr(0, dot))];
    const std::string overload(name.substr(dot + 1));
    if (overload != "default") list += (list.empty() ? "" : ", ") + overload;
  }
  std::string out = "## ATen calls that are imported\n\nOverloads other than `default` in brackets.\n\n";
  bool first = true;
  for (const auto& [op, list] : overloads) {
    out += (first ? "" : " ·\n") + std::string("`") + op + "`" + (list.empty() ? "" : " (" + list + ")");
    first = false;
  }
  return out + "\n";
}

}  // namespace

std::string document_ops() {
  std::string out =
      "# Ops of a graph\n\n"
      "Written from the op records in `src/ops` by the test `ops_doc` (`LITZ_UPDATE_DOCS=1` rewrites it). `?` marks "
      "what\n"
      "may be absent, `…` any number.\n\n";
  for (const Section& s : kSections) out += section_text(s);
  return out + aten_text();
}

}  // namespace litz::ops
