#include "tools/opt.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include "codegen/cpp/generate.h"
#include "codegen/triton/generate.h"
#include "driver/driver.h"
#include "driver/dump.h"
#include "driver/pipeline.h"
#include "ops/record.h"
#include "passes/dead_code.h"
#include "passes/own_outputs.h"
#include "runtime/executable.h"
#include "schedule/schedule.h"

namespace litz::tools {
namespace {

std::string read_all(const std::string& file) {
  std::stringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UserError("litz-opt: cannot read '" + file + "'");
  text << in.rdbuf();
  return text.str();
}

bool is_kernel(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || line.starts_with("//")) continue;
    return line.starts_with("kernel");
  }
  return false;
}

void emit_kernel(kernel_ir::Kernel kernel, const OptArguments& arguments, const Target& target,
                 const Options& options) {
  if (arguments.emit != "graph" && kernel.schedule == kernel_ir::Schedule{}) schedule::schedule(kernel, target);
  if (arguments.emit == "cpp") {
    fmt::print("{}\n", codegen::cpp::generate(kernel, target, options).source.readable);
  } else if (arguments.emit == "triton") {
    fmt::print("{}\n", codegen::triton::generate(kernel, target, options).source.text);
  } else {
    fmt::print("{}\n", kernel_ir::print(kernel));
  }
}

const passes::Pass& find_pass(const std::string& name) {
  std::string known;
  for (const passes::Pass& pass : passes::pipeline()) {
    if (pass.name == name) return pass;
    known += (known.empty() ? "" : ", ") + std::string(pass.name);
  }
  throw UserError("litz-opt: no pass '" + name + "'; there are: " + known);
}

ir::Graph apply_passes(ir::Graph graph, const OptArguments& arguments, const passes::PassContext& context) {
  ops::verify(graph);
  const bool all = arguments.all_passes || (arguments.passes.empty() && arguments.emit != "graph");
  if (all) return driver::run_passes(graph, context, nullptr);
  for (const std::string& name : arguments.passes) {
    graph = find_pass(name).run(graph, context);
    ops::verify(graph);
  }
  return graph;
}

// The constants of a graph read from text have no contents: it gets zeros.
ir::Graph with_constants(const ir::Graph& graph) {
  ir::GraphBuilder builder(graph.name());
  std::vector<ir::ValueId> map(graph.values().size(), ir::kNoValue);
  for (const ir::Input& input : graph.inputs()) {
    map[input.value] =
        builder.input(graph.type(input.value), graph.value(input.value).name, input.strides, input.frozen);
  }
  for (ir::ValueId v = 0; v < graph.values().size(); ++v) {
    const int32_t c = graph.value(v).constant;
    if (c < 0) continue;
    ir::ConstantData data = graph.constants()[c];
    data.size = graph.type(v).elements().constant() * dtype_size(graph.type(v).dtype);
    data.bytes = std::shared_ptr<char[]>(new char[static_cast<size_t>(data.size) + 1]());
    map[v] = builder.constant(graph.type(v), std::move(data), graph.value(v).name);
  }
  for (const ir::Node& node : graph.nodes()) {
    ir::Node copy = node;
    std::vector<ir::TensorType> types;
    std::vector<std::string> names;
    for (ir::ValueId& o : copy.operands) o = o == ir::kNoValue ? o : map[o];
    for (ir::ValueId r : node.results) {
      types.push_back(graph.type(r));
      names.push_back(graph.value(r).name);
    }
    copy.results.clear();
    const auto results = builder.add(std::move(copy), types, names);
    for (size_t i = 0; i < results.size(); ++i) map[node.results[i]] = results[i];
  }
  for (const ir::Output& output : graph.outputs())
    builder.output({map[output.value], output.strides, output.written_to});
  return std::move(builder).finish();
}

void fill_random(runtime::OwnedTensor* tensor, std::mt19937* random) {
  int64_t elements = 1;
  for (int64_t s : tensor->shape) elements *= s;
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < elements; ++i) {
    switch (tensor->dtype) {
      case DType::f64:
        static_cast<double*>(tensor->data)[i] = normal(*random);
        break;
      case DType::f32:
        static_cast<float*>(tensor->data)[i] = static_cast<float>(normal(*random));
        break;
      default:
        static_cast<char*>(tensor->data)[i * dtype_size(tensor->dtype)] = 1;
        break;
    }
  }
}

// Random input: normal for f32 and f64; ones in the lowest byte of everything else.
std::vector<runtime::OwnedTensor> random_inputs(const Plan& plan) {
  std::mt19937 random(0);
  std::vector<runtime::OwnedTensor> inputs;
  for (const TensorSpec& spec : plan.inputs) {
    const int64_t elements = extent_bytes(spec).value() / dtype_size(spec.dtype);
    runtime::OwnedTensor tensor = runtime::empty_tensor(spec.dtype, {elements});
    std::memset(tensor.data, 0, static_cast<size_t>(elements * dtype_size(spec.dtype)));
    fill_random(&tensor, &random);
    tensor.shape.clear();
    tensor.strides.clear();
    for (const Expr& e : spec.shape) tensor.shape.push_back(e.constant());
    for (const Expr& e : spec.strides) tensor.strides.push_back(e.constant());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void run_graph(const ir::Graph& graph, const Options& options) {
  ops::verify(graph);
  const auto compiled = driver::compile(with_constants(graph), options);
  for (const driver::StageTime& s : compiled->report.stages) fmt::print("{:<10} {:8.1f} ms\n", s.stage, s.milliseconds);
  const std::vector<runtime::OwnedTensor> inputs = random_inputs(compiled->executable->plan());
  std::vector<runtime::TensorView> views;
  for (const runtime::OwnedTensor& t : inputs) views.push_back(t.view());
  constexpr int kCalls = 5;
  for (int call = 0; call < kCalls; ++call) {
    const auto start = std::chrono::steady_clock::now();
    const auto outputs = compiled->executable->run(views);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    fmt::print("call {}: {:.3f} ms, {} outputs\n", call, time.count(), outputs.size());
  }
}

void emit_graph(const ir::Graph& parsed, const OptArguments& arguments, const Target& target, const Options& options) {
  const passes::PassContext context = driver::pass_context(target, options);
  const ir::Graph graph = apply_passes(parsed, arguments, context);
  if (arguments.emit == "graph") {
    fmt::print("{}", ir::print(graph));
    return;
  }
  if (arguments.emit == "plan") {
    fmt::print("{}", driver::plan_text(driver::compile(with_constants(parsed), options)->executable->plan()));
    return;
  }
  passes::SplitGraph split = passes::split_prepare(graph, context.layouts.reads_plain);
  for (const ir::Graph& half : {passes::dead_code(split.prepare, context), passes::own_outputs(split.main)}) {
    const fusion::Program program = fusion::fuse(half, target);
    for (const auto& call : program.calls) {
      if (const auto* kernel = std::get_if<fusion::KernelCall>(&call)) {
        emit_kernel(kernel->kernel, arguments, target, options);
      } else {
        fmt::print("// foreign: {}\n", half.nodes()[std::get<fusion::ForeignCall>(call).node].op);
      }
    }
  }
}

}  // namespace

int run_opt(const OptArguments& arguments) {
  try {
    Options options = options_from_environment();
    options.set("isa", arguments.isa);
    const Target target = driver::target_of(options);
    const std::string text = read_all(arguments.file);
    if (is_kernel(text)) {
      Result<kernel_ir::Kernel> kernel = kernel_ir::parse_kernel(text);
      if (!kernel) throw UserError(arguments.file + ": " + kernel.error());
      kernel_ir::verify(*kernel);
      emit_kernel(*kernel, arguments, target, options);
      return 0;
    }
    Result<ir::Graph> graph = ir::parse_graph(text);
    if (!graph) throw UserError(arguments.file + ": " + graph.error());
    if (arguments.run) {
      run_graph(*graph, options);
    } else {
      emit_graph(*graph, arguments, target, options);
    }
    return 0;
  } catch (const Error& error) {
    std::fflush(stdout);
    std::cerr << error.what() << "\n";
    return 1;
  }
}

}  // namespace litz::tools
