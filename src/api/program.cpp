#include "api/program.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "api/eager.h"
#include "api/options.h"
#include "api/report.h"
#include "api/warnings.h"
#include "runtime/memory.h"

namespace litz::api {

namespace {

constexpr size_t kKept = 64;  // variants of one function

// "sincos_12" for line 12 of sincos.cpp.
std::string graph_name(const std::source_location& at) {
  const char* slash = std::strrchr(at.file_name(), '/');
  std::string stem = slash != nullptr ? slash + 1 : at.file_name();
  stem = stem.substr(0, stem.find('.'));
  for (char& c : stem) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (stem.empty() || std::isdigit(static_cast<unsigned char>(stem[0])) != 0) stem = "f_" + stem;
  return stem + "_" + std::to_string(at.line());
}

const TensorLayout& layout_of(const Tensor& tensor) { return *Access::get(tensor)->layout; }

// What the user's function does to `arguments`.
std::vector<Tensor> run_body(Body body, std::span<const Tensor> arguments, std::span<const size_t> lengths) {
  return body.run(body.function, arguments, lengths);
}

std::string difference(const TensorLayout& now, const TensorLayout& before) {
  if (now.dtype != before.dtype) {
    return "dtype " + std::string(dtype_name(now.dtype)) + " instead of " + std::string(dtype_name(before.dtype));
  }
  if (now.shape != before.shape) return "shape " + list_text(now.shape) + " instead of " + list_text(before.shape);
  return "strides " + list_text(now.strides) + " instead of " + list_text(before.strides);
}

}  // namespace

Program::Program(const CompileOptions& options, std::source_location at)
    : options_(to_options(options)), name_(graph_name(at)) {}

bool Program::Variant::fits(std::span<const Tensor* const> arguments, std::span<const size_t> own_lengths) const {
  if (arguments.size() != layouts.size()) return false;
  if (!std::equal(own_lengths.begin(), own_lengths.end(), lengths.begin(), lengths.end())) return false;
  for (size_t i = 0; i < layouts.size(); ++i) {
    if (!layouts[i]->same_as(layout_of(*arguments[i]))) return false;
  }
  return true;
}

std::vector<Tensor> Program::call(std::span<const Tensor* const> arguments, std::span<const size_t> lengths,
                                  Body body) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i]->defined()) {
      throw UserError("the compiled function " + name_ + ": argument " + std::to_string(i) + " is an undefined tensor");
    }
  }
  if (is_tracing()) {
    std::vector<Tensor> own;
    for (const Tensor* argument : arguments) own.push_back(*argument);
    return run_body(body, own, lengths);
  }
  for (const Tensor* argument : arguments) real_state(*argument, name_.c_str());
  VariantPtr variant = find(arguments, lengths);
  if (!variant) variant = compile(arguments, lengths, body);
  return variant->runnable->run(arguments);
}

Program::VariantPtr Program::find(std::span<const Tensor* const> arguments, std::span<const size_t> lengths) {
  const std::lock_guard lock(mutex_);
  if (last_ && last_->fits(arguments, lengths)) {
    last_->used = ++clock_;
    return last_;
  }
  for (const VariantPtr& variant : variants_) {
    if (!variant->fits(arguments, lengths)) continue;
    variant->used = ++clock_;
    last_ = variant;
    return variant;
  }
  return nullptr;
}

Program::VariantPtr Program::compile(std::span<const Tensor* const> arguments, std::span<const size_t> lengths,
                                     Body body) {
  const std::lock_guard lock(compile_mutex_);
  if (VariantPtr variant = find(arguments, lengths)) return variant;  // another thread was first
  auto variant = std::make_shared<Variant>();
  variant->lengths.assign(lengths.begin(), lengths.end());
  for (const Tensor* argument : arguments) variant->layouts.push_back(Access::get(*argument)->layout);

  const auto session = std::make_shared<Session>(name_, Session::Config{.freeze = options_.freeze});
  std::vector<Tensor> stand_ins;
  for (const auto& layout : variant->layouts) stand_ins.push_back(session->argument(*layout));
  Trace trace = [&] {
    const Session::Scope scope(session.get());
    const std::vector<Tensor> results = run_body(body, stand_ins, lengths);
    return session->finish(results);
  }();
  variant->runnable = std::make_unique<Runnable>(std::move(trace), options_);
  if (const driver::Compiled* compiled = variant->runnable->compiled()) {
    variant->report = to_graph_report(compiled->report);
    if (options_.fallback == "warn") warn_of_fallbacks(compiled->report);
  }
  variant->report.name = name_;
  for (const auto& layout : variant->layouts) {
    variant->report.arguments += (variant->report.arguments.empty() ? "" : ", ") + type_text(*layout);
  }
  add(variant);
  return variant;
}

// Against the variant that was called last.
std::string Program::reason(const Variant& variant) const {
  if (!last_) return "first call";
  const Variant& before = *last_;
  if (variant.layouts.size() != before.layouts.size() || variant.lengths != before.lengths) {
    return std::to_string(variant.layouts.size()) + " tensors instead of " + std::to_string(before.layouts.size()) +
           ", or in other lists";
  }
  for (size_t i = 0; i < variant.layouts.size(); ++i) {
    if (variant.layouts[i]->same_as(*before.layouts[i])) continue;
    return "argument " + std::to_string(i) + " has " + difference(*variant.layouts[i], *before.layouts[i]);
  }
  return "it was dropped before";
}

void Program::add(VariantPtr variant) {
  const std::lock_guard lock(mutex_);
  variant->report.reason = reason(*variant);
  variant->used = ++clock_;
  ++compilations_;
  if (variants_.size() >= kKept) {
    variants_.erase(std::min_element(variants_.begin(), variants_.end(),
                                     [](const VariantPtr& a, const VariantPtr& b) { return a->used < b->used; }));
    ++dropped_;
  }
  variants_.push_back(variant);
  last_ = std::move(variant);
}

Report Program::report() const {
  const std::lock_guard lock(mutex_);
  Report out;
  for (const VariantPtr& variant : variants_) out.graphs.push_back(variant->report);
  out.compilations = compilations_;
  out.dropped = dropped_;
  return out;
}

void Program::refresh() const {
  const std::lock_guard lock(mutex_);
  for (const VariantPtr& variant : variants_) variant->runnable->refresh();
}

}  // namespace litz::api

namespace litz {

CompiledFunction::CompiledFunction(const CompileOptions& options, std::source_location at)
    : program_(std::make_shared<api::Program>(options, at)) {}
CompiledFunction::~CompiledFunction() = default;
CompiledFunction::CompiledFunction(const CompiledFunction&) = default;
CompiledFunction& CompiledFunction::operator=(const CompiledFunction&) = default;

std::vector<Tensor> CompiledFunction::call(std::span<const Tensor* const> arguments, std::span<const size_t> lengths,
                                           api::Body body) const {
  return program_->call(arguments, lengths, body);
}

Report report(const CompiledFunction& function) { return function.program_->report(); }
void refresh(const CompiledFunction& function) { function.program_->refresh(); }

void empty_cache() { runtime::empty_cache(); }

void reset() {
  api::reset_eager();
  driver::reset();
}

std::string version() { return LITZ_VERSION; }

}  // namespace litz
