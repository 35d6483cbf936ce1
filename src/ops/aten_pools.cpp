// ATen's pooling.
#include "ops/aten_context.h"

namespace litz::ops {

namespace {

using Integers = std::vector<int64_t>;

// x as [N, C, H, W]: a batch dimension is added where it has none.
struct Batched {
  ValueId x;
  bool added;
};

Batched with_batch(AtenContext& c) {
  const int rank = c.type(0).rank();
  if (rank == 4) return {c.tensor(0), false};
  if (rank != 3) not_imported("its operand has neither 3 nor 4 dimensions");
  return {c.b.add("unsqueeze", {c.tensor(0)}, {{"dim", int64_t{0}}}), true};
}

ValueId without_batch(AtenContext& c, const Batched& batched, ValueId y) {
  return batched.added ? c.b.add("squeeze", {y}, {{"dims", Integers{0}}}) : y;
}

// Kernel, stride and padding at 1, 2 and 3; an absent stride is the kernel.
Attributes window(AtenContext& c) {
  const Integers kernel = c.repeated(1, 2);
  const Integers stride = c.is_none(2) || c.integers(2).empty() ? kernel : c.repeated(2, 2);
  return {{"kernel", kernel}, {"stride", stride}, {"padding", c.is_none(3) ? Integers{0, 0} : c.repeated(3, 2)}};
}

AtenResults max_pool(AtenContext& c, bool with_indices) {
  const Batched x = with_batch(c);
  Attributes attributes = window(c);
  attributes.set("dilation", c.is_none(4) ? Integers{1, 1} : c.repeated(4, 2));
  attributes.set("ceil_mode", c.boolean_or(5, false));
  if (with_indices && c.is_used(1)) {
    AtenResults out;
    for (ValueId y : c.b.add_all("max_pool2d_with_indices", {x.x}, attributes)) out.push_back(without_batch(c, x, y));
    return out;
  }
  AtenResults out = {without_batch(c, x, c.b.add("max_pool2d", {x.x}, attributes))};
  if (with_indices) out.push_back(ir::kNoValue);
  return out;
}

AtenResults avg_pool2d(AtenContext& c) {
  const Batched x = with_batch(c);
  Attributes attributes = window(c);
  attributes.set("ceil_mode", c.boolean_or(4, false));
  attributes.set("count_include_pad", c.boolean_or(5, true));
  if (!c.is_none(6)) attributes.set("divisor", c.integer(6));
  return {without_batch(c, x, c.b.add("avg_pool2d", {x.x}, attributes))};
}

// A 1-d window is a 2-d one of height 1.
AtenResults avg_pool1d(AtenContext& c) {
  Builder& b = c.b;
  const int rank = c.type(0).rank();
  if (rank != 2 && rank != 3) not_imported("its operand has neither 2 nor 3 dimensions");
  ValueId x = b.add("unsqueeze", {c.tensor(0)}, {{"dim", static_cast<int64_t>(rank - 1)}});
  if (rank == 2) x = b.add("unsqueeze", {x}, {{"dim", int64_t{0}}});
  const int64_t kernel = c.repeated(1, 1)[0];
  const int64_t stride = c.is_none(2) || c.integers(2).empty() ? kernel : c.repeated(2, 1)[0];
  const int64_t padding = c.is_none(3) ? 0 : c.repeated(3, 1)[0];
  const ValueId y = b.add("avg_pool2d", {x},
                          {{"kernel", Integers{1, kernel}},
                           {"stride", Integers{1, stride}},
                           {"padding", Integers{0, padding}},
                           {"ceil_mode", c.boolean_or(4, false)},
                           {"count_include_pad", c.boolean_or(5, true)}});
  return {b.add("squeeze", {y}, {{"dims", rank == 2 ? Integers{0, 2} : Integers{2}}})};
}

AtenResults adaptive_avg_pool2d(AtenContext& c) {
  const Batched x = with_batch(c);
  const ValueId y = c.b.add("adaptive_avg_pool2d", {x.x}, {{"output_size", c.repeated(1, 2)}});
  return {without_batch(c, x, y)};
}

AtenResults adaptive_avg_pool1d(AtenContext& c) {
  Builder& b = c.b;
  const int rank = c.type(0).rank();
  if (rank != 3) not_imported("its operand doesn't have 3 dimensions");
  const ValueId x = b.add("unsqueeze", {c.tensor(0)}, {{"dim", int64_t{2}}});
  const ValueId y = b.add("adaptive_avg_pool2d", {x}, {{"output_size", Integers{1, c.repeated(1, 1)[0]}}});
  return {b.add("squeeze", {y}, {{"dims", Integers{2}}})};
}

}  // namespace

AtenTable aten_pools() {
  return {
      {"aten.max_pool2d_with_indices.default", [](AtenContext& c) { return max_pool(c, /*with_indices=*/true); }},
      {"aten.max_pool2d.default", [](AtenContext& c) { return max_pool(c, /*with_indices=*/false); }},
      {"aten.avg_pool2d.default", avg_pool2d},
      {"aten.avg_pool1d.default", avg_pool1d},
      {"aten._adaptive_avg_pool2d.default", adaptive_avg_pool2d},
      {"aten.adaptive_avg_pool2d.default", adaptive_avg_pool2d},
      {"aten.adaptive_avg_pool1d.default", adaptive_avg_pool1d},
  };
}

}  // namespace litz::ops
