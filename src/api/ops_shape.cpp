// Views, and ops that put elements elsewhere.
#include <algorithm>

#include "api/call.h"
#include "api/state.h"
#include "litz/ops.h"

namespace litz {

namespace {

using api::call;
using api::CallSite;
using api::tensor_of;
using api::view;
using api::wrap_dim;

std::vector<Expr> to_exprs(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

[[noreturn]] void fail(const CallSite& site, const std::string& what) {
  throw UserError(api::site_text(site) + ": " + what);
}

Tensor reshape_to(const CallSite& site, const Tensor& x, const std::vector<int64_t>& shape) {
  return view(site.function, site.at, x, "reshape", {{"shape", to_exprs(shape)}});
}

// `shape` with its -1, if it has one, worked out.
std::vector<int64_t> resolved(const CallSite& site, const Tensor& x, std::vector<int64_t> shape) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& size : shape) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 0) {
      fail(site, "shape " + api::list_text(shape) + " may have one -1, and no other negative size");
    } else {
      known *= size;
    }
  }
  const int64_t elements = x.elements();
  if (open != nullptr && known != 0 && elements % known == 0) *open = elements / known;
  if (trace::element_count(shape) != elements || (open != nullptr && *open < 0)) {
    fail(site, "a tensor of shape " + api::list_text(x.shape()) + " has " + std::to_string(elements) +
                   " elements; shape " + api::list_text(shape) + " does not hold them");
  }
  return shape;
}

std::vector<int64_t> wrapped(const CallSite& site, const Sizes& dims, int64_t rank) {
  std::vector<int64_t> out;
  for (int64_t dim : dims) out.push_back(wrap_dim(site, dim, rank));
  return out;
}

Tensor slice_of(const CallSite& site, const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  return view(site.function, site.at, x, "slice", {{"dim", dim}, {"start", start}, {"end", end}, {"step", step}});
}

void check_has_dims(const CallSite& site, const Tensor& x) {
  if (x.rank() == 0) fail(site, "the tensor has no dimension");
}

std::vector<Tensor> parts_of(const CallSite& site, const Tensor& x, int64_t dim, int64_t size) {
  std::vector<Tensor> out;
  const int64_t total = x.size(dim);
  for (int64_t start = 0; start < std::max<int64_t>(total, 1); start += size) {
    out.push_back(slice_of(site, x, dim, start, std::min(start + size, total)));
  }
  return out;
}

Tensor like(const char* function, const char* aten, const Operand& x, double value) {
  const Tensor& tensor = tensor_of(function, x);
  if (!api::is_tracing()) return full(tensor.shape(), value, tensor.dtype());
  return call(function, x.at(), aten, {tensor});
}

}  // namespace

Tensor reshape(const Operand& x, const Sizes& shape) {
  const CallSite site{"reshape", x.at()};
  const Tensor& tensor = tensor_of("reshape", x);
  return reshape_to(site, tensor, resolved(site, tensor, shape));
}

Tensor flatten(const Operand& x, int64_t start_dim, int64_t end_dim) {
  const CallSite site{"flatten", x.at()};
  const Tensor& tensor = tensor_of("flatten", x);
  const auto shape = tensor.shape();
  if (shape.empty()) return reshape_to(site, tensor, {1});
  const int64_t first = wrap_dim(site, start_dim, tensor.rank());
  const int64_t last = wrap_dim(site, end_dim, tensor.rank());
  if (first > last) fail(site, "start_dim comes after end_dim");
  std::vector<int64_t> sizes(shape.begin(), shape.begin() + first);
  sizes.push_back(
      trace::element_count(shape.subspan(static_cast<size_t>(first), static_cast<size_t>(last - first + 1))));
  sizes.insert(sizes.end(), shape.begin() + last + 1, shape.end());
  return reshape_to(site, tensor, sizes);
}

Tensor permute(const Operand& x, const Sizes& dims) {
  const CallSite site{"permute", x.at()};
  const Tensor& tensor = tensor_of("permute", x);
  return view("permute", x.at(), tensor, "permute", {{"dims", wrapped(site, dims, tensor.rank())}});
}

Tensor transpose(const Operand& x, int64_t dim0, int64_t dim1) {
  const CallSite site{"transpose", x.at()};
  const Tensor& tensor = tensor_of("transpose", x);
  const int64_t a = wrap_dim(site, dim0, tensor.rank());
  const int64_t b = wrap_dim(site, dim1, tensor.rank());
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < tensor.rank(); ++d) dims.push_back(d == a ? b : d == b ? a : d);
  return view("transpose", x.at(), tensor, "permute", {{"dims", dims}});
}

Tensor expand(const Operand& x, const Sizes& shape) {
  const CallSite site{"expand", x.at()};
  const Tensor& tensor = tensor_of("expand", x);
  std::vector<int64_t> sizes = shape;
  const auto own = tensor.shape();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != -1) continue;
    const size_t added = sizes.size() - std::min(sizes.size(), own.size());
    if (i < added) fail(site, "-1 stands for a dimension that the tensor does not have");
    sizes[i] = own[i - added];
  }
  return view("expand", x.at(), tensor, "expand", {{"shape", to_exprs(sizes)}});
}

Tensor slice(const Operand& x, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  const CallSite site{"slice", x.at()};
  const Tensor& tensor = tensor_of("slice", x);
  check_has_dims(site, tensor);
  return slice_of(site, tensor, wrap_dim(site, dim, tensor.rank()), start.value_or(0), end.value_or(INT64_MAX), step);
}

Tensor select(const Operand& x, int64_t dim, int64_t index) {
  const CallSite site{"select", x.at()};
  const Tensor& tensor = tensor_of("select", x);
  check_has_dims(site, tensor);
  return view("select", x.at(), tensor, "select", {{"dim", wrap_dim(site, dim, tensor.rank())}, {"index", index}});
}

Tensor squeeze(const Operand& x, const Sizes& dims) {
  const CallSite site{"squeeze", x.at()};
  const Tensor& tensor = tensor_of("squeeze", x);
  const std::vector<int64_t> wanted = wrapped(site, dims, tensor.rank());
  std::vector<int64_t> ones;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    if (tensor.size(d) == 1 && std::find(wanted.begin(), wanted.end(), d) != wanted.end()) ones.push_back(d);
  }
  return view("squeeze", x.at(), tensor, "squeeze", {{"dims", ones}});
}

Tensor squeeze(const Operand& x) {
  const Tensor& tensor = tensor_of("squeeze", x);
  std::vector<int64_t> ones;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    if (tensor.size(d) == 1) ones.push_back(d);
  }
  return view("squeeze", x.at(), tensor, "squeeze", {{"dims", ones}});
}

Tensor unsqueeze(const Operand& x, int64_t dim) {
  const CallSite site{"unsqueeze", x.at()};
  const Tensor& tensor = tensor_of("unsqueeze", x);
  return view("unsqueeze", x.at(), tensor, "unsqueeze", {{"dim", wrap_dim(site, dim, tensor.rank() + 1)}});
}

Tensor unfold(const Operand& x, int64_t dim, int64_t size, int64_t step) {
  const CallSite site{"unfold", x.at()};
  const Tensor& tensor = tensor_of("unfold", x);
  check_has_dims(site, tensor);
  return view("unfold", x.at(), tensor, "unfold",
              {{"dim", wrap_dim(site, dim, tensor.rank())}, {"size", size}, {"step", step}});
}

std::vector<Tensor> split(const Operand& x, int64_t size, int64_t dim) {
  const CallSite site{"split", x.at()};
  const Tensor& tensor = tensor_of("split", x);
  check_has_dims(site, tensor);
  if (size < 1) fail(site, "the size of a part must be positive, got " + std::to_string(size));
  return parts_of(site, tensor, wrap_dim(site, dim, tensor.rank()), size);
}

std::vector<Tensor> chunk(const Operand& x, int64_t count, int64_t dim) {
  const CallSite site{"chunk", x.at()};
  const Tensor& tensor = tensor_of("chunk", x);
  check_has_dims(site, tensor);
  if (count < 1) fail(site, "the number of parts must be positive, got " + std::to_string(count));
  const int64_t d = wrap_dim(site, dim, tensor.rank());
  return parts_of(site, tensor, d, std::max<int64_t>((tensor.size(d) + count - 1) / count, 1));
}

std::vector<Tensor> unbind(const Operand& x, int64_t dim) {
  const CallSite site{"unbind", x.at()};
  const Tensor& tensor = tensor_of("unbind", x);
  check_has_dims(site, tensor);
  const int64_t d = wrap_dim(site, dim, tensor.rank());
  std::vector<Tensor> out;
  for (int64_t i = 0; i < tensor.size(d); ++i) {
    out.push_back(view("unbind", x.at(), tensor, "select", {{"dim", d}, {"index", i}}));
  }
  return out;
}

Tensor cat(const std::vector<Tensor>& parts, int64_t dim, std::source_location at) {
  if (parts.empty()) fail({"cat", at}, "needs a tensor");
  return call("cat", at, "aten.cat.default", {parts, dim});
}

Tensor stack(const std::vector<Tensor>& parts, int64_t dim, std::source_location at) {
  if (parts.empty()) fail({"stack", at}, "needs a tensor");
  return call("stack", at, "aten.stack.default", {parts, dim});
}

Tensor pad(const Operand& x, const Sizes& padding, double value) {
  return call("pad", x.at(), "aten.constant_pad_nd.default", {tensor_of("pad", x), padding, value});
}

Tensor flip(const Operand& x, const Sizes& dims) {
  return call("flip", x.at(), "aten.flip.default", {tensor_of("flip", x), dims});
}

Tensor roll(const Operand& x, const Sizes& shifts, const Sizes& dims) {
  return call("roll", x.at(), "aten.roll.default", {tensor_of("roll", x), shifts, dims});
}

Tensor repeat(const Operand& x, const Sizes& counts) {
  return call("repeat", x.at(), "aten.repeat.default", {tensor_of("repeat", x), counts});
}

Tensor diagonal(const Operand& x, int64_t offset, int64_t dim0, int64_t dim1) {
  return call("diagonal", x.at(), "aten.diagonal_copy.default", {tensor_of("diagonal", x), offset, dim0, dim1});
}

Tensor tril(const Operand& x, int64_t diagonal) {
  return call("tril", x.at(), "aten.tril.default", {tensor_of("tril", x), diagonal});
}

Tensor triu(const Operand& x, int64_t diagonal) {
  return call("triu", x.at(), "aten.triu.default", {tensor_of("triu", x), diagonal});
}

Tensor pixel_shuffle(const Operand& x, int64_t factor) {
  return call("pixel_shuffle", x.at(), "aten.pixel_shuffle.default", {tensor_of("pixel_shuffle", x), factor});
}

Tensor zeros_like(const Operand& x) { return like("zeros_like", "aten.zeros_like.default", x, 0); }
Tensor ones_like(const Operand& x) { return like("ones_like", "aten.ones_like.default", x, 1); }

Tensor full_like(const Operand& x, const Operand& value) {
  const Tensor& tensor = tensor_of("full_like", x);
  if (value.tensor() != nullptr) return call("full_like", x.at(), "aten.fill.Tensor", {tensor, value});
  return call("full_like", x.at(), "aten.full_like.default", {tensor, value});
}

}  // namespace litz
