// Templates' shapes and operands: which strided part of which buffer each operand is.
#include <cmath>

#include "fusion/group_start.h"
#include "fusion/lower.h"

namespace litz::fusion {
namespace {

using kernel_ir::Operand;

// The access of `value` at `index` as offset + sum of stride * symbol; nothing if it is not of that form.
std::optional<Operand> strided(const ir::Graph& graph, const Views& views, ir::ValueId value, const Index& index,
                               const std::vector<std::string>& symbols, Body* body, const BoundsMap& bounds) {
  const auto at = views.resolve(value, index, bounds);
  if (views.is_generated(at.value)) return std::nullopt;
  Operand operand;
  operand.buffer = body->buffer_of(at.value);
  const ir::TensorType& type = graph.type(at.value);
  std::vector<Expr> strides = ir::contiguous_strides(ir::physical_shape(type));
  for (const ir::Input& input : graph.inputs()) {
    if (input.value == at.value && !input.strides.empty()) strides = input.strides;
  }
  Expr rest = 0;
  const std::vector<Expr> physical = ir::physical_index(type, at.index, bounds);
  for (size_t d = 0; d < physical.size(); ++d) rest = rest + physical[d] * strides[d];
  rest = simplify(rest, bounds);
  for (const std::string& s : symbols) {
    if (s.empty()) {
      operand.strides.emplace_back(0);
      continue;
    }
    const std::optional<Linear> linear = as_linear(rest, s);
    if (!linear || !linear->coefficient.is_constant()) return std::nullopt;
    operand.strides.push_back(linear->coefficient);
    rest = linear->rest;
  }
  if (!rest.is_constant()) return std::nullopt;
  operand.offset = rest;
  return operand;
}

BoundsMap bounds_for(const std::vector<std::pair<std::string, Expr>>& extents) {
  BoundsMap bounds;
  for (const auto& [name, extent] : extents) {
    if (extent.is_constant()) bounds[name] = {0, extent.constant() == 0 ? 1 : extent.constant() - 1};
  }
  return bounds;
}

struct TemplateMaker {
  const ir::Graph& graph;
  const Views& views;
  const ir::Node& node;
  Body* body;
  uint32_t* operand;
  std::string* why_not;

  const ir::TensorType& type(uint32_t o) const { return graph.type(node.operands[o]); }

  std::optional<Operand> access(uint32_t o, const Index& index, const std::vector<std::string>& symbols,
                                const BoundsMap& bounds) const {
    return access(o, node.operands[o], index, symbols, bounds);
  }

  // `value` is operand `o` or a part of it.
  std::optional<Operand> access(uint32_t o, ir::ValueId value, const Index& index,
                                const std::vector<std::string>& symbols, const BoundsMap& bounds) const {
    auto found = strided(graph, views, value, index, symbols, body, bounds);
    if (!found) {
      *operand = o;
      *why_not = "operand " + std::to_string(o) + " of " + node.op + " is not a strided view of a buffer";
    }
    return found;
  }

  std::optional<kernel_ir::MatmulTemplate> product() const {
    const std::vector<Expr>& lhs = type(0).shape;
    kernel_ir::MatmulTemplate t;
    t.dtype = type(0).dtype;
    t.k = lhs.back();
    const bool linear = node.op == "linear";
    const std::vector<Expr> lead(lhs.begin(), lhs.end() - (linear ? 1 : 2));
    t.m = linear ? product_of(lead) : lhs[lhs.size() - 2];
    t.batch = linear ? Expr(1) : product_of(lead);
    t.n = linear ? type(1).shape[0] : type(1).shape.back();
    const BoundsMap bounds = bounds_for({{"b", t.batch}, {"m", t.m}, {"n", t.n}, {"k", t.k}});
    const Expr m = Expr::symbol("m");
    const Expr n = Expr::symbol("n");
    const Expr k = Expr::symbol("k");
    Index batch = linear ? delinearize(m, lead, bounds) : delinearize(Expr::symbol("b"), lead, bounds);
    Index lhs_index = batch;
    if (!linear) lhs_index.push_back(m);
    lhs_index.push_back(k);
    auto a = access(0, lhs_index, {"b", "m", "k"}, bounds);
    if (!a) return std::nullopt;
    t.lhs = *a;
    Index rhs_index;
    if (linear) {
      rhs_index = {n, k};
    } else {
      rhs_index = batch;
      rhs_index.push_back(k);
      rhs_index.push_back(n);
    }
    const ir::Layout& layout = type(1).layout;
    if (!layout.splits.empty() && !views.is_absorbed(node.operands[1])) {
      t.rhs_panel = layout.splits[0].block;
      t.rhs.buffer = body->buffer_of(views.base(node.operands[1]));
      t.rhs.strides = {0, 0, 0};
      return t;
    }
    int64_t column = 0;
    for (const ir::ValueId part : views.parts(node.operands[1])) {
      auto b = access(1, part, rhs_index, {"b", "k", "n"}, bounds);
      if (!b) return std::nullopt;
      if (column == 0) {
        t.rhs = *b;
      } else if (b->strides != t.rhs.strides) {
        *operand = 1;
        *why_not = "weights side by side differ in their strides";
        return std::nullopt;
      } else {
        t.more_rhs.push_back(*b);
        t.rhs_starts.push_back(column);
      }
      if (linear) column += graph.type(part).shape[0].constant();
    }
    return t;
  }

  static Expr product_of(const std::vector<Expr>& shape) { return litz::product(shape); }

  std::optional<kernel_ir::ConvTemplate> convolution() const {
    const ir::TensorType& in = type(0);
    const ir::TensorType& weight = type(1);
    const ir::TensorType& out = graph.type(node.results[0]);
    kernel_ir::ConvTemplate t;
    t.dtype = in.dtype;
    t.batch = in.shape[0];
    t.groups = node.attributes.get<int64_t>("groups");
    t.in_channels = in.shape[1].constant();
    t.out_channels = out.shape[1].constant();
    t.in_h = in.shape[2].constant();
    t.in_w = in.shape[3].constant();
    t.out_h = out.shape[2].constant();
    t.out_w = out.shape[3].constant();
    t.kernel_h = weight.shape[2].constant();
    t.kernel_w = weight.shape[3].constant();
    const auto pair = [&](const char* name, int64_t* h, int64_t* w) {
      const auto& v = node.attributes.get<std::vector<int64_t>>(name);
      *h = v[0];
      *w = v[1];
    };
    pair("stride", &t.stride_h, &t.stride_w);
    pair("padding", &t.pad_h, &t.pad_w);
    pair("dilation", &t.dilation_h, &t.dilation_w);
    const ir::TensorType& base = graph.type(views.base(node.operands[0]));
    t.in_block = base.layout.splits.empty() ? 1 : base.layout.splits[0].block;
    t.out_block = convolution_out_block(graph, node);
    t.panel = weight.layout.splits[0].block;
    const BoundsMap bounds = bounds_for(
        {{"b", t.batch}, {"c", ceil_div(t.in_channels, t.in_block)}, {"h", t.in_h}, {"w", t.in_w}, {"ci", t.in_block}});
    const Expr channel = t.in_block == 1 ? Expr::symbol("c") : Expr::symbol("c") * t.in_block + Expr::symbol("ci");
    auto input = access(0, {Expr::symbol("b"), channel, Expr::symbol("h"), Expr::symbol("w")},
                        {"b", "c", "h", "w", "ci"}, bounds);
    if (!input) return std::nullopt;
    t.input = *input;
    if (views.is_absorbed(node.operands[1])) {
      const std::vector<Expr>& w = weight.shape;
      const BoundsMap taps = bounds_for({{"o", w[0]}, {"i", w[1]}, {"kh", w[2]}, {"kw", w[3]}});
      auto plain = access(1, {Expr::symbol("o"), Expr::symbol("i"), Expr::symbol("kh"), Expr::symbol("kw")},
                          {"o", "i", "kh", "kw"}, taps);
      if (!plain) return std::nullopt;
      t.weight = *plain;
    } else {
      t.weight.buffer = body->buffer_of(views.base(node.operands[1]));
    }
    return t;
  }

  std::optional<kernel_ir::AttentionTemplate> attention() const {
    const std::vector<Expr>& q = type(0).shape;
    const std::vector<Expr>& k = type(1).shape;
    const std::vector<Expr>& v = type(2).shape;
    kernel_ir::AttentionTemplate t;
    t.dtype = type(0).dtype;
    t.batch = q[0];
    t.heads = q[1];
    t.queries = q[2];
    t.keys = k[2];
    t.head_dim = q[3].constant();
    t.value_dim = v[3].constant();
    t.head_group = q[1].constant() / k[1].constant();
    const ir::Attribute* scale = node.attributes.find("scale");
    t.scale = scale == nullptr ? 1 / std::sqrt(static_cast<double>(t.head_dim)) : std::get<double>(*scale);
    t.causal = node.attributes.has("causal") && node.attributes.get<bool>("causal");
    const auto position = [](const char* s) { return Expr::symbol(s); };
    auto operand_of = [&](uint32_t o, const std::vector<Expr>& shape) {
      const BoundsMap bounds = bounds_for({{"b", shape[0]}, {"h", shape[1]}, {"s", shape[2]}, {"d", shape[3]}});
      return access(o, {position("b"), position("h"), position("s"), position("d")}, {"b", "h", "s", "d"}, bounds);
    };
    auto query = operand_of(0, q);
    if (!query) return std::nullopt;
    auto key = operand_of(1, k);
    if (!key) return std::nullopt;
    auto value = operand_of(2, v);
    if (!value) return std::nullopt;
    t.query = *query;
    t.key = *key;
    t.value = *value;
    if (node.operands.size() > 3 && node.operands[3] != ir::kNoValue) {
      const BoundsMap bounds = bounds_for({{"b", q[0]}, {"h", q[1]}, {"q", q[2]}, {"k", k[2]}});
      const Index full{position("b"), position("h"), position("q"), position("k")};
      auto mask = access(3, broadcast_index(full, type(3).shape), {"b", "h", "q", "k"}, bounds);
      if (!mask) return std::nullopt;
      t.mask = *mask;
      t.mask_dtype = type(3).dtype;
    }
    return t;
  }
};

}  // namespace

std::optional<kernel_ir::Template> make_template(const ir::Graph& graph, const Views& views, const ir::Node& node,
                                                 Body* body, uint32_t* operand, std::string* why_not) {
  const TemplateMaker maker{graph, views, node, body, operand, why_not};
  kernel_ir::Template t;
  if (node.op == "convolution") {
    auto what = maker.convolution();
    if (!what) return std::nullopt;
    t.what = *what;
  } else if (node.op == "attention") {
    auto what = maker.attention();
    if (!what) return std::nullopt;
    t.what = *what;
  } else {
    auto what = maker.product();
    if (!what) return std::nullopt;
    t.what = *what;
  }
  return t;
}

}  // namespace litz::fusion
