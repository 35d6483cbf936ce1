// Runs the text tests: see README.md.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "ops/record.h"
#include "passes/dead_code.h"
#include "passes/own_outputs.h"

namespace {

using namespace litz;

struct Section {
  std::string name;  // empty: the input
  std::string text;
};

std::vector<Section> read_sections(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UserError("cannot read " + file);
  std::vector<Section> sections{{}};
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("==== ")) {
      sections.push_back({line.substr(5), ""});
    } else {
      sections.back().text += line + "\n";
    }
  }
  return sections;
}

ir::Graph parse(const std::string& text) {
  Result<ir::Graph> graph = ir::parse_graph(text);
  if (!graph) throw UserError(graph.error());
  ops::verify(*graph);
  return std::move(*graph);
}

// The target of all text tests, whatever machine runs them.
Target test_target() {
  Target target;
  target.isa = Isa::avx512;
  target.threads = 2;
  return target;
}

std::string kernels_text(const ir::Graph& graph) {
  std::string out;
  for (auto& call : fusion::fuse(graph, test_target()).calls) {
    if (auto* kernel = std::get_if<fusion::KernelCall>(&call)) {
      kernel_ir::verify(kernel->kernel);
      out += kernel_ir::print(kernel->kernel) + "\n";
    } else {
      out += "foreign " + graph.nodes()[std::get<fusion::ForeignCall>(call).node].op + "\n";
    }
  }
  return out;
}

// What the stage named by a section makes of `graph`; graphs replace `graph`.
std::string run_stage(const std::string& name, ir::Graph* graph) {
  if (name == "kernels") return kernels_text(*graph);
  const Target target = test_target();
  Options options;
  options.pack_weights = name == "split_packed";
  const passes::PassContext context = driver::pass_context(target, options);
  if (name == "split" || name == "split_packed") {
    const passes::SplitGraph split = passes::split_prepare(*graph, context.layouts.reads_plain);
    *graph = passes::own_outputs(split.main);
    return ir::print(passes::dead_code(split.prepare, context)) + ir::print(*graph);
  }
  for (const passes::Pass& pass : passes::pipeline()) {
    if (pass.name != name) continue;
    *graph = pass.run(*graph, context);
    ops::verify(*graph);
    return ir::print(*graph);
  }
  throw UserError("no stage '" + name + "'");
}

std::string stripped(const std::string& text) {
  const size_t end = text.find_last_not_of(" \n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

bool agrees(const std::string& name, const std::string& want, const std::string& got) {
  if (stripped(want) == stripped(got)) return true;
  if (name == "kernels" || name.starts_with("split")) return false;
  Result<ir::Graph> a = ir::parse_graph(want);
  Result<ir::Graph> b = ir::parse_graph(got);
  return a && b && ir::structurally_equal(*a, *b);
}

int run_file(const std::string& file, bool update) {
  std::vector<Section> sections = read_sections(file);
  ir::Graph graph = parse(sections[0].text);
  int failures = 0;
  for (size_t i = 1; i < sections.size(); ++i) {
    const std::string got = run_stage(sections[i].name, &graph);
    if (update) {
      sections[i].text = stripped(got) + "\n";
    } else if (!agrees(sections[i].name, sections[i].text, got)) {
      std::cerr << file << ": " << sections[i].name << " gives\n" << got << "\nexpected\n" << sections[i].text;
      ++failures;
    }
  }
  if (sections.size() < 2) {
    std::cerr << file << ": no section\n";
    ++failures;
  }
  if (update) {
    std::ofstream out(file);
    out << sections[0].text;
    for (size_t i = 1; i < sections.size(); ++i) out << "==== " << sections[i].name << "\n" << sections[i].text;
  }
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const bool update = argc > 1 && std::string(argv[1]) == "--update";
  int failures = argc > (update ? 2 : 1) ? 0 : 1;
  for (int i = update ? 2 : 1; i < argc; ++i) {
    try {
      failures += run_file(argv[i], update);
    } catch (const std::exception& error) {
      std::cerr << argv[i] << ": " << error.what() << "\n";
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
