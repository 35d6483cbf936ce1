#include "fusion/body.h"

#include <algorithm>
#include <bit>

namespace litz::fusion {

using ir::Scalar;
using kernel_ir::Ref;

namespace {

// Local buffers are numbered from here until the kernel is complete, then follow the arguments.
constexpr uint32_t kLocal = 1U << 30;

std::string text_of(const ir::ScalarValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return "i" + std::to_string(*i);
  return "f" + std::to_string(std::bit_cast<uint64_t>(std::get<double>(value)));
}

std::string text_of(const std::vector<Expr>& index) {
  std::string out;
  for (const Expr& e : index) out += e.to_string() + ",";
  return out;
}

}  // namespace

Body::Body(const ir::Graph& graph, const Views& views, kernel_ir::Kernel* kernel, BoundsMap bounds)
    : graph_(graph), views_(views), kernel_(kernel), bounds_(std::move(bounds)) {
  scopes_.emplace_back();
}

Ref Body::new_ref(DType dtype, size_t depth) {
  ref_depth_.push_back(depth);
  ref_dtype_.push_back(dtype);
  return kernel_->next_ref++;
}

size_t Body::depth_of(const Expr& e) const {
  size_t depth = 0;
  for (const std::string& s : e.symbols()) {
    if (const auto ref = kernel_ir::symbol_ref(s)) {
      depth = std::max(depth, ref_depth_.at(*ref));
    } else if (auto it = range_depth_.find(s); it != range_depth_.end()) {
      depth = std::max(depth, it->second);
    }
  }
  return depth;
}

size_t Body::depth_of(const std::vector<Expr>& index) const {
  size_t depth = 0;
  for (const Expr& e : index) depth = std::max(depth, depth_of(e));
  return depth;
}

Scalar Body::constant(DType dtype, ir::ScalarValue value) {
  Ref& known = scopes_[0]
                   .known.try_emplace("const " + std::string(dtype_name(dtype)) + text_of(value), kernel_ir::kNoRef)
                   .first->second;
  if (known == kernel_ir::kNoRef) {
    known = new_ref(dtype, 0);
    scopes_[0].loop.body.statements.emplace_back(kernel_ir::Constant{known, dtype, value});
  }
  return {known, dtype};
}

Scalar Body::emit(ir::ScalarOp op, DType dtype, std::span<const Scalar> args) {
  size_t depth = 0;
  std::string key = std::string(ir::scalar_op_name(op)) + " " + std::string(dtype_name(dtype));
  std::vector<Ref> refs;
  for (const Scalar& a : args) {
    depth = std::max(depth, ref_depth_.at(a.id));
    key += " " + std::to_string(a.id);
    refs.push_back(a.id);
  }
  LITZ_CHECK(depth < scopes_.size(), "operand of a closed loop");
  Ref& known = scopes_[depth].known.try_emplace(key, kernel_ir::kNoRef).first->second;
  if (known == kernel_ir::kNoRef) {
    known = new_ref(dtype, depth);
    scopes_[depth].loop.body.statements.emplace_back(kernel_ir::Compute{known, dtype, op, std::move(refs)});
  }
  return {known, dtype};
}

Scalar Body::index_value(const Expr& e) {
  if (e.is_constant()) return constant(DType::i64, e.constant());
  if (const auto name = e.symbol_name()) {
    if (const auto ref = kernel_ir::symbol_ref(*name)) return {*ref, DType::i64};
  }
  const size_t depth = depth_of(e);
  Ref& known = scopes_[depth].known.try_emplace("index " + e.to_string(), kernel_ir::kNoRef).first->second;
  if (known == kernel_ir::kNoRef) {
    known = new_ref(DType::i64, depth);
    scopes_[depth].loop.body.statements.emplace_back(kernel_ir::Index{known, e});
  }
  return {known, DType::i64};
}

uint32_t Body::buffer_of(ir::ValueId value) {
  auto [it, added] = buffers_.try_emplace(value, static_cast<uint32_t>(arguments_.size()));
  if (added) {
    const ir::Value& v = graph_.value(value);
    kernel_ir::Buffer buffer;
    buffer.name = v.name;
    buffer.source = v.name;
    buffer.dtype = v.type.dtype;
    buffer.shape = ir::physical_shape(v.type);
    buffer.strides = ir::contiguous_strides(buffer.shape);
    for (const ir::Input& input : graph_.inputs()) {
      if (input.value == value && !input.strides.empty()) buffer.strides = input.strides;
    }
    for (const ir::Output& output : graph_.outputs()) {
      if (output.value == value && !output.strides.empty()) buffer.strides = output.strides;
    }
    kernel_->buffers.push_back(std::move(buffer));
    arguments_.push_back(value);
  }
  return it->second;
}

std::pair<uint32_t, std::vector<Expr>> Body::place(ir::ValueId value, const Index& index) {
  const auto at = views_.resolve(value, index, bounds_);
  const ir::TensorType& type = graph_.type(at.value);
  return {buffer_of(at.value), ir::physical_index(type, at.index, bounds_)};
}

Scalar Body::load_at(uint32_t buffer, std::vector<Expr> index, const Scalar* mask, ir::ScalarValue otherwise) {
  const kernel_ir::Buffer& b = buffer >= kLocal ? locals_[buffer - kLocal] : kernel_->buffers[buffer];
  index = simplify_all(std::move(index), bounds_);
  size_t depth = depth_of(index);
  std::string key = "load " + std::to_string(buffer) + "[" + text_of(index) + "]";
  if (mask != nullptr) {
    depth = std::max(depth, ref_depth_.at(mask->id));
    key += " if " + std::to_string(mask->id) + " else " + text_of(otherwise);
  }
  LITZ_CHECK(depth < scopes_.size(), "index of a closed loop");
  Ref& known = scopes_[depth].known.try_emplace(key, kernel_ir::kNoRef).first->second;
  if (known == kernel_ir::kNoRef) {
    known = new_ref(b.dtype, depth);
    const Ref m = mask == nullptr ? kernel_ir::kNoRef : mask->id;
    scopes_[depth].loop.body.statements.emplace_back(
        kernel_ir::Load{known, b.dtype, buffer, std::move(index), m, otherwise});
  }
  return {known, b.dtype};
}

Scalar Body::load(ir::ValueId value, const Index& index) {
  auto [buffer, at] = place(value, index);
  return load_at(buffer, std::move(at), nullptr, int64_t{0});
}

Scalar Body::masked_load(ir::ValueId value, const Index& index, Scalar mask, ir::ScalarValue otherwise) {
  auto [buffer, at] = place(value, index);
  return load_at(buffer, std::move(at), &mask, otherwise);
}

Scalar Body::check(Scalar index, const Expr& size, bool wraps, const std::string& what) {
  const size_t depth = ref_depth_.at(index.id);
  const Ref ref = new_ref(DType::i64, depth);
  const auto number = static_cast<uint32_t>(kernel_->checks.size());
  kernel_->checks.push_back(what);
  scopes_[depth].loop.body.statements.emplace_back(kernel_ir::Check{ref, index.id, size, wraps, number});
  if (size.is_constant()) {
    bounds_[*kernel_ir::ref_symbol(ref).symbol_name()] = {0, std::max<int64_t>(size.constant() - 1, 0)};
  }
  return {ref, DType::i64};
}

void Body::store(ir::ValueId value, const Index& index, Scalar scalar) {
  const ir::TensorType& type = graph_.type(value);
  const uint32_t buffer = buffer_of(value);
  kernel_->buffers[buffer].role = kernel_ir::BufferRole::out;
  store_buffer(buffer, ir::physical_index(type, index, bounds_), scalar);
}

uint32_t Body::local_buffer(DType dtype, std::vector<Expr> shape, const std::string& name) {
  kernel_ir::Buffer buffer;
  buffer.name = name;
  buffer.source = name;
  buffer.dtype = dtype;
  buffer.strides = ir::contiguous_strides(shape);
  buffer.shape = std::move(shape);
  buffer.role = kernel_ir::BufferRole::local;
  locals_.push_back(std::move(buffer));
  return kLocal + static_cast<uint32_t>(locals_.size()) - 1;
}

Scalar Body::load_buffer(uint32_t buffer, std::vector<Expr> index) {
  return load_at(buffer, std::move(index), nullptr, int64_t{0});
}

void Body::store_buffer(uint32_t buffer, std::vector<Expr> index, Scalar scalar) {
  scopes_.back().loop.body.statements.emplace_back(
      kernel_ir::Store{buffer, simplify_all(std::move(index), bounds_), scalar.id, kernel_ir::kNoRef});
}

void Body::open(kernel_ir::RangeKind kind, std::vector<kernel_ir::Range> ranges) {
  Scope scope;
  scope.loop.kind = kind;
  for (const kernel_ir::Range& r : ranges) {
    range_depth_[r.name] = scopes_.size();
    if (r.extent.is_constant()) bounds_[r.name] = {0, r.extent.constant() == 0 ? 1 : r.extent.constant() - 1};
  }
  scope.loop.ranges = std::move(ranges);
  scopes_.push_back(std::move(scope));
}

uint32_t Body::reduce(ir::ReduceOp op, DType dtype, Scalar input) {
  kernel_ir::Loop& loop = scopes_.back().loop;
  loop.reductions.push_back({op, dtype, input.id, {}});
  return static_cast<uint32_t>(loop.reductions.size()) - 1;
}

std::vector<std::vector<Scalar>> Body::close() {
  kernel_ir::Loop loop = std::move(scopes_.back().loop);
  scopes_.pop_back();
  const size_t depth = scopes_.size() - 1;
  std::vector<std::vector<Scalar>> results;
  for (kernel_ir::Reduction& r : loop.reductions) {
    std::vector<Scalar> of;
    const bool finds_index = r.op == ir::ReduceOp::argmax || r.op == ir::ReduceOp::argmin;
    if (finds_index) of.push_back({new_ref(DType::i64, depth), DType::i64});
    of.push_back({new_ref(r.dtype, depth), r.dtype});
    for (const Scalar& s : of) r.results.push_back(s.id);
    results.push_back(std::move(of));
  }
  scopes_.back().loop.body.statements.emplace_back(std::move(loop));
  return results;
}

Scalar Body::given(DType dtype) { return {new_ref(dtype, 0), dtype}; }

std::string Body::fresh_range(const std::string& stem) {
  int n = 0;
  std::string name = stem + "0";
  while (range_depth_.contains(name) || bounds_.contains(name)) name = stem + std::to_string(++n);
  range_depth_[name] = SIZE_MAX;
  return name;
}

namespace {

void renumber(kernel_ir::Block* block, uint32_t arguments) {
  for (auto& statement : block->statements) {
    if (auto* load = std::get_if<kernel_ir::Load>(&statement)) {
      if (load->buffer >= kLocal) load->buffer = load->buffer - kLocal + arguments;
    } else if (auto* store = std::get_if<kernel_ir::Store>(&statement)) {
      if (store->buffer >= kLocal) store->buffer = store->buffer - kLocal + arguments;
    } else if (auto* loop = std::get_if<kernel_ir::Loop>(&statement)) {
      renumber(&loop->body, arguments);
    }
  }
}

}  // namespace

kernel_ir::Block Body::take() {
  LITZ_CHECK(scopes_.size() == 1, "a loop is still open");
  kernel_ir::Block block = std::move(scopes_[0].loop.body);
  renumber(&block, static_cast<uint32_t>(arguments_.size()));
  for (kernel_ir::Buffer& b : locals_) kernel_->buffers.push_back(std::move(b));
  return block;
}

}  // namespace litz::fusion
