// ATen's nearest upsampling and its reflecting and replicating paddings: reads at places known at compile time.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/aten_context.h"
#include "support/sha256.h"

namespace litz::ops {

namespace {

using Integers = std::vector<int64_t>;

ValueId index_constant(Builder& b, const Integers& values) {
  const auto bytes = std::make_shared<Integers>(values);
  const int64_t size = static_cast<int64_t>(values.size() * sizeof(int64_t));
  const std::string_view view(reinterpret_cast<const char*>(bytes->data()), static_cast<size_t>(size));
  ir::ConstantData data{.digest = sha256_hex(view), .size = size};
  data.bytes = std::shared_ptr<const void>(bytes, bytes->data());
  return b.graph().constant({.dtype = DType::i64, .shape = {Expr(static_cast<int64_t>(values.size()))}},
                            std::move(data));
}

// x with position i along `dim` read from places[i].
ValueId read_at(Builder& b, ValueId x, int64_t dim, const Integers& places) {
  bool same = Expr(static_cast<int64_t>(places.size())) == b.type(x).shape[dim];
  for (size_t i = 0; same && i < places.size(); ++i) same = places[i] == static_cast<int64_t>(i);
  return same ? x : b.add("index_select", {x, index_constant(b, places)}, {{"dim", dim}});
}

// Sizes of the last `count` dimensions.
Integers last_sizes(AtenContext& c, size_t count) {
  const TensorType& type = c.type(0);
  if (static_cast<size_t>(type.rank()) < count) not_imported("its operand has too few dimensions");
  Integers sizes;
  for (size_t d = type.shape.size() - count; d < type.shape.size(); ++d) {
    if (!type.shape[d].is_constant() || type.shape[d].constant() == 0)
      not_imported("it needs sizes known at compile time");
    sizes.push_back(type.shape[d].constant());
  }
  return sizes;
}

AtenResults read_all(AtenContext& c, const std::vector<Integers>& places) {
  ValueId x = c.tensor(0);
  for (size_t k = 0; k < places.size(); ++k) {
    x = read_at(c.b, x, static_cast<int64_t>(c.type(0).shape.size() - places.size() + k), places[k]);
  }
  return {x == c.tensor(0) ? c.b.add("identity", {x}) : x};
}

// Eager computes the place in f32.
Integers nearest(int64_t in, int64_t out, std::optional<double> given, bool exact) {
  const bool usable = given && *given > 0;
  const float scale = usable ? static_cast<float>(1.0 / *given) : static_cast<float>(in) / static_cast<float>(out);
  Integers places;
  for (int64_t i = 0; i < out; ++i) {
    const float at = exact ? (static_cast<float>(i) + 0.5f) * scale : static_cast<float>(i) * scale;
    places.push_back(std::min(static_cast<int64_t>(std::floor(at)), in - 1));
  }
  return places;
}

// Sizes at argument 1, a scale for each dimension after it.
AtenResults upsample(AtenContext& c, size_t count, bool exact) {
  const Integers in = last_sizes(c, count);
  const Integers out = c.repeated(1, count);
  std::vector<Integers> places;
  for (size_t d = 0; d < count; ++d) {
    if (out[d] < 1) not_imported("its output size must be positive");
    places.push_back(nearest(in[d], out[d], c.is_none(2 + d) ? std::nullopt : std::optional(c.real(2 + d)), exact));
  }
  return read_all(c, places);
}

// Sizes at argument 1, or factors at argument 2.
AtenResults upsample_vec(AtenContext& c, size_t count, bool exact) {
  const Integers in = last_sizes(c, count);
  const auto* factors = std::get_if<std::vector<double>>(&c.arg(2));
  std::vector<Integers> places;
  for (size_t d = 0; d < count; ++d) {
    if (factors != nullptr && factors->size() != count) not_imported("it has another number of factors");
    if (c.is_none(1) && factors == nullptr) not_imported("it has neither sizes nor factors");
    const int64_t out =
        c.is_none(1) ? static_cast<int64_t>(static_cast<double>(in[d]) * (*factors)[d]) : c.repeated(1, count)[d];
    places.push_back(nearest(in[d], out, factors == nullptr ? std::nullopt : std::optional((*factors)[d]), exact));
  }
  return read_all(c, places);
}

// `count` dimensions; the list of paddings begins with the last one.
AtenResults pad(AtenContext& c, size_t count, bool reflect) {
  const Integers sizes = last_sizes(c, count);
  const Integers padding = c.repeated(1, 2 * count);
  std::vector<Integers> places;
  for (size_t d = 0; d < count; ++d) {
    const int64_t low = padding[2 * (count - 1 - d)];
    const int64_t high = padding[2 * (count - 1 - d) + 1];
    const int64_t n = sizes[d];
    if (n + low + high < 1) not_imported("nothing is left of a dimension");
    if (reflect && (low >= n || high >= n)) not_imported("a padding is not smaller than its dimension");
    Integers at;
    for (int64_t i = -low; i < n + high; ++i) {
      const int64_t reflected = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
      at.push_back(reflect ? reflected : std::clamp(i, int64_t{0}, n - 1));
    }
    places.push_back(std::move(at));
  }
  return read_all(c, places);
}

}  // namespace

AtenTable aten_resampling() {
  AtenTable t;
  for (size_t count = 1; count <= 3; ++count) {
    const std::string dims = std::to_string(count) + "d";
    for (const bool exact : {false, true}) {
      const std::string name = (exact ? "aten._upsample_nearest_exact" : "aten.upsample_nearest") + dims;
      t.emplace_back(name + ".default", [=](AtenContext& c) { return upsample(c, count, exact); });
      t.emplace_back(name + ".vec", [=](AtenContext& c) { return upsample_vec(c, count, exact); });
    }
    t.emplace_back("aten.reflection_pad" + dims + ".default", [=](AtenContext& c) { return pad(c, count, true); });
    t.emplace_back("aten.replication_pad" + dims + ".default", [=](AtenContext& c) { return pad(c, count, false); });
  }
  return t;
}

}  // namespace litz::ops
