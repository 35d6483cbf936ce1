#include "api/runnable.h"

#include <array>

#include "runtime/executable.h"
#include "support/check.h"
#include "support/diagnostics.h"

namespace litz::api {

namespace {

// A list that needs no memory of its own while it is short.
template <typename T, size_t N>
class ShortList {
 public:
  explicit ShortList(size_t size) : size_(size) {
    if (size > N) long_.resize(size);
  }
  T& operator[](size_t i) { return size_ > N ? long_[i] : short_[i]; }
  std::span<T> span() { return {size_ > N ? long_.data() : short_.data(), size_}; }

 private:
  size_t size_;
  std::array<T, N> short_;
  std::vector<T> long_;
};

// Says it when a captured tensor changed unseen. Has nothing to run: a traced program has no foreign ops but Litz's
// own.
class WeightWatcher final : public runtime::ForeignRunner {
 public:
  WeightWatcher(std::string graph, size_t arguments) : graph_(std::move(graph)), arguments_(arguments) {}

  void run(const ForeignStep& step, std::span<const runtime::TensorView>, std::vector<runtime::OwnedTensor>&) override {
    throw UnsupportedError("foreign-op", "nothing here can run " + step.id, "use the ops of litz/ops.h");
  }

  void frozen_changed(size_t input) override {
    warn("captured tensor " + std::to_string(input - arguments_) + " of " + graph_ +
         " was written through a pointer that was taken before it was packed; it is packed again, but earlier calls "
         "may have used the old values. Call litz::refresh after such writes, or compile with {\"freeze\", false}");
  }

 private:
  const std::string graph_;
  const size_t arguments_;
};

bool is_row_major(const runtime::OutputLayout& layout) { return trace::is_row_major(layout.shape, layout.strides); }

}  // namespace

Runnable::Runnable(Trace trace, const Options& options) : captured_(std::move(trace.captured)) {
  const ir::Graph& graph = trace.graph;
  const size_t arguments = graph.inputs().size() - captured_.size();
  std::vector<DType> output_dtypes;
  for (const ir::Output& output : graph.outputs()) output_dtypes.push_back(graph.type(output.value).dtype);
  for (trace::Result& where : trace.results) {
    const ir::ValueId input = where.is_input ? graph.inputs()[where.index].value : ir::kNoValue;
    const DType dtype = where.is_input ? graph.type(input).dtype : output_dtypes[where.index];
    bool is_handle = false;
    if (where.is_input) {
      trace::Strided own{.shape = {}, .strides = {}};
      for (const Expr& e : graph.type(input).shape) own.shape.push_back(e.constant());
      own.strides = trace::row_major_strides(own.shape);
      if (const auto& strides = graph.inputs()[where.index].strides; !strides.empty()) {
        for (size_t d = 0; d < strides.size(); ++d) own.strides[d] = strides[d].constant();
      }
      is_handle = trace::same_window(where.window, own);
    }
    auto layout = make_layout(dtype, where.window.shape, where.window.strides);
    results_.push_back({std::move(where), is_handle, std::move(layout)});
  }
  if (graph.outputs().empty()) return;
  compiled_ = driver::compile(graph, options, std::make_shared<WeightWatcher>(graph.name(), arguments));
  for (const runtime::OutputLayout& layout :
       *compiled_->executable->output_layouts(std::vector<runtime::TensorView>(graph.inputs().size()))) {
    LITZ_CHECK(is_row_major(layout), "outputs are row-major");
    outputs_.push_back({static_cast<size_t>(layout.bytes)});
  }
}

const Tensor& Runnable::source(const trace::Result& where, std::span<const Tensor* const> arguments) const {
  return where.index < arguments.size() ? *arguments[where.index] : captured_[where.index - arguments.size()];
}

std::vector<Tensor> Runnable::run(std::span<const Tensor* const> arguments) const {
  ShortList<std::shared_ptr<Storage>, 4> storages(outputs_.size());
  if (compiled_) {
    ShortList<runtime::TensorView, 8> views(arguments.size() + captured_.size());
    size_t next = 0;
    for (const Tensor* argument : arguments) views[next++] = view_of(*Access::get(*argument));
    for (const Tensor& tensor : captured_) views[next++] = view_of(*Access::get(tensor));
    ShortList<void*, 4> pointers(outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      storages[i] = std::make_shared<Storage>(runtime::Block(outputs_[i].bytes));
      pointers[i] = storages[i]->block.data();
    }
    compiled_->executable->run_into(views.span(), pointers.span());
  }
  std::vector<Tensor> out;
  out.reserve(results_.size());
  for (const Result& result : results_) {
    const trace::Result& where = result.where;
    if (result.is_handle) {
      out.push_back(source(where, arguments));
    } else if (where.is_input) {
      out.push_back(make_window(source(where, arguments), where.window));
    } else {
      std::shared_ptr<Storage>& storage = storages[where.index];
      std::byte* data = storage->block.data() + where.window.offset * dtype_size(result.layout->dtype);
      out.push_back(make_real(result.layout, storage, data));
    }
  }
  return out;
}

void Runnable::refresh() const {
  if (compiled_) compiled_->executable->refresh();
}

}  // namespace litz::api
