// Views and generators.
#include <algorithm>

#include "interp/kernels.h"

namespace litz::interp {

namespace {

using Results = std::vector<Tensor>;

Results reshape(const Call& c) {
  return {c.in(0).reshaped(c.result().shape())};  // reshape, squeeze and unsqueeze keep the row-major order
}

Results permute(const Call& c) {
  const auto& dims = c.integers("dims");
  return {rearranged(c.in(0), c.types[0], [&](const Index& index) {
    Index source(index.size());
    for (size_t i = 0; i < dims.size(); ++i) source[dims[i]] = index[i];
    return source;
  })};
}

Results expand(const Call& c) {
  const auto& shape = c.in(0).shape();
  return {rearranged(c.in(0), c.types[0], [&](const Index& index) {
    Index source(index.end() - static_cast<int64_t>(shape.size()), index.end());
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) source[d] = 0;
    }
    return source;
  })};
}

int64_t slice_start(const Call& c) {
  const int64_t size = c.in(0).shape()[c.integer("dim")];
  const int64_t start = c.integer("start");
  return std::clamp(start < 0 ? start + size : start, int64_t{0}, size);
}

Results slice(const Call& c) {
  const int64_t dim = c.integer("dim");
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    index[dim] = slice_start(c) + index[dim] * c.integer("step");
    return index;
  })};
}

int64_t selected(const Call& c) {
  return wrap_index(c.op, c.integer("index"), c.in(0).shape()[c.integer("dim")], c.integer("dim"));
}

Results select(const Call& c) {
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    index.insert(index.begin() + c.integer("dim"), selected(c));
    return index;
  })};
}

Results flip(const Call& c) {
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    for (int64_t d : c.integers("dims")) index[d] = c.in(0).shape()[d] - 1 - index[d];
    return index;
  })};
}

Results unfold(const Call& c) {
  return {rearranged(c.in(0), c.types[0], [&](Index index) {
    const int64_t place = index.back();
    index.pop_back();
    index[c.integer("dim")] = index[c.integer("dim")] * c.integer("step") + place;
    return index;
  })};
}

Results as_strided(const Call& c) {
  const Tensor flat = c.in(0).reshaped({c.in(0).elements()});
  const auto& strides = c.integers("strides");
  return {rearranged(flat, c.types[0], [&](const Index& index) {
    int64_t offset = c.integer("offset");
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    return Index{offset};
  })};
}

Results slice_scatter(const Call& c) {
  Tensor out = c.in(0);
  const int64_t dim = c.integer("dim");
  for_each_index(c.in(1).shape(), [&](const Index& index, int64_t i) {
    Index target = index;
    target[dim] = slice_start(c) + index[dim] * c.integer("step");
    out.set(out.offset(target), c.in(1).get(i));
  });
  return {out};
}

Results select_scatter(const Call& c) {
  Tensor out = c.in(0);
  for_each_index(c.in(1).shape(), [&](const Index& index, int64_t i) {
    Index target = index;
    target.insert(target.begin() + c.integer("dim"), selected(c));
    out.set(out.offset(target), c.in(1).get(i));
  });
  return {out};
}

Results cat(const Call& c) {
  Tensor out = c.result();
  const int64_t dim = c.integer("dim");
  int64_t start = 0;
  for (const Tensor* part : c.operands) {
    for_each_index(part->shape(), [&](const Index& index, int64_t i) {
      Index target = index;
      target[dim] += start;
      out.set(out.offset(target), part->get(i));
    });
    start += part->shape()[dim];
  }
  return {out};
}

Results pad(const Call& c) {
  Tensor out = c.result();
  const auto& padding = c.integers("padding");
  for_each_index(out.shape(), [&](const Index& index, int64_t i) {
    Index source = index;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      source[d] -= padding[2 * d];
      inside = inside && source[d] >= 0 && source[d] < c.in(0).shape()[d];
    }
    if (inside) {
      out.set(i, c.in(0).get(c.in(0).offset(source)));
    } else {
      set_number(out, i, c.number("value"));
    }
  });
  return {out};
}

Results layout_convert(const Call& c) { return {c.in(0)}; }

Results full(const Call& c) {
  Tensor out = c.result();
  for (int64_t i = 0; i < out.elements(); ++i) {
    if (c.attributes.has("int_value")) {
      out.set(i, ir::scalar_value(out.dtype(), c.integer("int_value")));
    } else {
      set_number(out, i, c.number("value"));
    }
  }
  return {out};
}

Results iota(const Call& c) {
  Tensor out = c.result();
  for (int64_t i = 0; i < out.elements(); ++i) {
    out.set(i, ir::scalar_value(out.dtype(), c.integer("start") + i * c.integer("step")));
  }
  return {out};
}

Results size(const Call& c) {
  Tensor out = c.result();
  out.set(0, ir::scalar_value(out.dtype(), c.attributes.get<std::vector<Expr>>("value")[0].constant()));
  return {out};
}

Results token(const Call& c) { return {c.result()}; }

Results assert_true(const Call& c) {
  if (c.in(0).integer(0) == 0) throw UserError("assertion failed: " + c.attributes.get<std::string>("message"));
  return {c.in(1)};
}

constexpr std::pair<std::string_view, Kernel> kViews[] = {
    {"reshape", reshape}, {"squeeze", reshape},      {"unsqueeze", reshape}, {"permute", permute},
    {"expand", expand},   {"slice", slice},          {"select", select},     {"flip", flip},
    {"unfold", unfold},   {"as_strided", as_strided}};

constexpr std::pair<std::string_view, Kernel> kGenerators[] = {
    {"full", full}, {"iota", iota}, {"size", size}, {"token", token}, {"assert", assert_true}};

constexpr std::pair<std::string_view, Kernel> kShuffles[] = {{"slice_scatter", slice_scatter},
                                                             {"select_scatter", select_scatter},
                                                             {"cat", cat},
                                                             {"pad", pad},
                                                             {"layout_convert", layout_convert}};

}  // namespace

KernelTable view_kernels() { return kViews; }
KernelTable generator_kernels() { return kGenerators; }
KernelTable shuffle_kernels() { return kShuffles; }

}  // namespace litz::interp
