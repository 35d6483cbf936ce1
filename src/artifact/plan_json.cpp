// Plans as JSON text. Tensors are [dtype, shape, strides], slots [kind, index, offset, bytes]; a size that is not
// constant is a string in the syntax of Expr::parse.
#include <array>
#include <nlohmann/json.hpp>

#include "artifact/plan.h"

namespace litz {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kSlotKinds = {"input", "output", "constant", "prepared", "arena", "foreign"};

json to_json(const Expr& e) { return e.is_constant() ? json(e.constant()) : json(e.to_string()); }

json to_json(const TensorSpec& spec);
json to_json(const Slot& slot);
json to_json(const Phase& phase);
json to_json(const KernelEntry& k);
json to_json(const Step& step);

template <typename T>
json list_to_json(const std::vector<T>& list) {
  json out = json::array();
  for (const T& item : list) out.push_back(to_json(item));
  return out;
}

json to_json(const TensorSpec& spec) {
  json out = {dtype_name(spec.dtype), list_to_json(spec.shape), list_to_json(spec.strides)};
  if (spec.device == DeviceKind::cuda) out.push_back("cuda");
  return out;
}

json to_json(const Slot& slot) {
  return {kSlotKinds[static_cast<size_t>(slot.kind)], slot.index, to_json(slot.offset), to_json(slot.bytes)};
}

json to_json(const Phase& phase) { return {to_json(phase.tasks), phase.grain}; }

json to_json(const KernelEntry& k) {
  return {{"name", k.name},
          {"digest", k.digest},
          {"phases", list_to_json(k.launch.phases)},
          {"thread_scratch", k.launch.thread_scratch_bytes},
          {"shared_scratch", k.launch.shared_scratch_bytes},
          {"may_fault", k.launch.may_fault},
          {"checks", k.checks}};
}

json to_json(const Step& step) {
  json out;
  if (const auto* kernel = std::get_if<KernelStep>(&step.what)) {
    out = {{"kernel", kernel->kernel}, {"args", list_to_json(kernel->args)}};
  } else if (const auto* copy = std::get_if<CopyStep>(&step.what)) {
    out = {{"copy", to_json(copy->from)}, {"to", to_json(copy->to)}};
  } else {
    const auto& foreign = std::get<ForeignStep>(step.what);
    out = {{"foreign", foreign.id},
           {"attributes", foreign.attributes},
           {"args", list_to_json(foreign.args)},
           {"arg_specs", list_to_json(foreign.arg_specs)},
           {"first_result", foreign.first_result},
           {"result_specs", list_to_json(foreign.result_specs)}};
  }
  if (step.device != 0) out["device"] = step.device;
  if (step.queue != 0) out["queue"] = step.queue;
  if (!step.label.empty()) out["label"] = step.label;
  return out;
}

// One element a line, so that people and diffs can read it.
void write_field(std::string& out, std::string_view name, const json& value) {
  out += (out.size() > 1 ? ",\n\"" : "\n\"") + std::string(name) + "\": ";
  const auto text = [](const json& j) { return j.dump(); };
  const bool nested = value.is_array() && !value.empty() && (value[0].is_object() || value[0].is_array());
  if (!nested) {
    out += text(value);
    return;
  }
  for (size_t i = 0; i < value.size(); ++i) out += (i == 0 ? "[\n  " : ",\n  ") + text(value[i]);
  out += "]";
}

// Reads JSON with the path of what is being read, for messages. Throws UserError.
class Reader {
 public:
  Reader(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const { throw UserError("bad plan: " + path_ + " " + what); }

  Reader field(const char* name) const {
    if (!value_.is_object() || !value_.contains(name)) fail(std::string("has no field ") + name);
    return {value_.at(name), path_ + "." + name};
  }
  bool has(const char* name) const { return value_.is_object() && value_.contains(name); }

  Reader item(size_t i) const {
    if (!value_.is_array() || i >= value_.size()) fail("is too short");
    return {value_[i], path_ + "[" + std::to_string(i) + "]"};
  }

  size_t size() const {
    if (!value_.is_array()) fail("is not a list");
    return value_.size();
  }

  template <typename T, typename Read>
  std::vector<T> list(Read read) const {
    std::vector<T> out;
    out.reserve(size());
    for (size_t i = 0; i < value_.size(); ++i) out.push_back(read(item(i)));
    return out;
  }

  std::string text() const {
    if (!value_.is_string()) fail("is not a string");
    return value_.get<std::string>();
  }
  bool boolean() const {
    if (!value_.is_boolean()) fail("is not true or false");
    return value_.get<bool>();
  }
  int64_t integer() const {
    const bool fits = value_.is_number_integer() &&
                      (!value_.is_number_unsigned() || value_.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
    if (!fits) fail("is not a 64-bit integer");
    return value_.get<int64_t>();
  }
  uint32_t index() const {
    const int64_t i = integer();
    if (i < 0 || i > UINT32_MAX) fail("is not an index");
    return static_cast<uint32_t>(i);
  }
  Expr expr() const {
    if (!value_.is_string()) return integer();
    auto e = Expr::parse(text());
    if (!e) fail("is not an expression: " + e.error());
    return *e;
  }
  std::vector<Expr> exprs() const {
    return list<Expr>([](const Reader& r) { return r.expr(); });
  }
  std::vector<std::string> texts() const {
    return list<std::string>([](const Reader& r) { return r.text(); });
  }

 private:
  const json& value_;
  std::string path_;
};

TensorSpec read_spec(const Reader& r) {
  TensorSpec spec;
  auto dtype = parse_dtype(r.item(0).text());
  if (!dtype) r.fail("has an unknown dtype");
  spec.dtype = *dtype;
  spec.shape = r.item(1).exprs();
  spec.strides = r.item(2).exprs();
  if (r.size() > 4 || (r.size() == 4 && r.item(3).text() != "cuda")) r.fail("has an unknown device");
  if (r.size() == 4) spec.device = DeviceKind::cuda;
  return spec;
}

std::vector<TensorSpec> read_specs(const Reader& r) { return r.list<TensorSpec>(read_spec); }

Slot read_slot(const Reader& r) {
  const std::string kind = r.item(0).text();
  size_t k = 0;
  while (k < kSlotKinds.size() && kSlotKinds[k] != kind) ++k;
  if (k == kSlotKinds.size()) r.fail("has an unknown kind");
  return {static_cast<Slot::Kind>(k), r.item(1).index(), r.item(2).expr(), r.item(3).expr()};
}

std::vector<Slot> read_slots(const Reader& r) { return r.list<Slot>(read_slot); }

KernelEntry read_kernel(const Reader& r) {
  KernelEntry k;
  k.name = r.field("name").text();
  k.digest = r.field("digest").text();
  k.launch.phases =
      r.field("phases").list<Phase>([](const Reader& p) { return Phase{p.item(0).expr(), p.item(1).integer()}; });
  k.launch.thread_scratch_bytes = r.field("thread_scratch").integer();
  k.launch.shared_scratch_bytes = r.field("shared_scratch").integer();
  k.launch.may_fault = r.field("may_fault").boolean();
  k.checks = r.field("checks").texts();
  return k;
}

Step read_step(const Reader& r) {
  Step step;
  if (r.has("kernel")) {
    step.what = KernelStep{r.field("kernel").index(), read_slots(r.field("args"))};
  } else if (r.has("copy")) {
    step.what = CopyStep{read_slot(r.field("copy")), read_slot(r.field("to"))};
  } else {
    ForeignStep foreign;
    foreign.id = r.field("foreign").text();
    foreign.attributes = r.field("attributes").text();
    foreign.args = read_slots(r.field("args"));
    foreign.arg_specs = read_specs(r.field("arg_specs"));
    foreign.first_result = r.field("first_result").index();
    foreign.result_specs = read_specs(r.field("result_specs"));
    step.what = std::move(foreign);
  }
  if (r.has("device")) step.device = r.field("device").index();
  if (r.has("queue")) step.queue = r.field("queue").index();
  if (r.has("label")) step.label = r.field("label").text();
  return step;
}

Plan read_plan(const Reader& r) {
  if (r.field("litz_plan").integer() != kRuntimeAbi) r.fail("is of another version of Litz");
  Plan plan;
  plan.name = r.field("name").text();
  plan.inputs = read_specs(r.field("inputs"));
  plan.frozen_inputs = r.field("frozen_inputs").list<bool>([](const Reader& b) { return b.boolean(); });
  plan.outputs = read_specs(r.field("outputs"));
  plan.constants = r.field("constants").texts();
  plan.constant_bytes = r.field("constant_bytes").list<int64_t>([](const Reader& b) { return b.integer(); });
  plan.prepared_bytes = r.field("prepared_bytes").exprs();
  plan.kernels = r.field("kernels").list<KernelEntry>(read_kernel);
  plan.prepare = r.field("prepare").list<Step>(read_step);
  plan.main = r.field("main").list<Step>(read_step);
  plan.arena_bytes = r.field("arena_bytes").expr();
  plan.prepare_arena_bytes = r.field("prepare_arena_bytes").expr();
  plan.foreign_results = r.field("foreign_results").index();
  plan.prepare_foreign_results = r.field("prepare_foreign_results").index();
  return plan;
}

}  // namespace

std::string serialize_plan(const Plan& plan) try {
  std::string out = "{";
  write_field(out, "litz_plan", kRuntimeAbi);
  write_field(out, "name", plan.name);
  write_field(out, "inputs", list_to_json(plan.inputs));
  write_field(out, "frozen_inputs", plan.frozen_inputs);
  write_field(out, "outputs", list_to_json(plan.outputs));
  write_field(out, "constants", plan.constants);
  write_field(out, "constant_bytes", plan.constant_bytes);
  write_field(out, "prepared_bytes", list_to_json(plan.prepared_bytes));
  write_field(out, "kernels", list_to_json(plan.kernels));
  write_field(out, "arena_bytes", to_json(plan.arena_bytes));
  write_field(out, "prepare_arena_bytes", to_json(plan.prepare_arena_bytes));
  write_field(out, "foreign_results", plan.foreign_results);
  write_field(out, "prepare_foreign_results", plan.prepare_foreign_results);
  write_field(out, "prepare", list_to_json(plan.prepare));
  write_field(out, "main", list_to_json(plan.main));
  return out + "\n}\n";
} catch (const json::exception& e) {
  throw InternalError(std::string("a plan holds text that is not UTF-8: ") + e.what());
}

Result<Plan> parse_plan(std::string_view text) {
  const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return Failure{"bad plan: not JSON text"};
  try {
    Plan plan = read_plan(Reader(value, "plan"));
    if (auto error = plan_error(plan)) return Failure{*error};
    return plan;
  } catch (const Error& e) {
    return Failure{e.what()};
  }
}

}  // namespace litz
