// Softmax and normalisations.
#include "tests/ops/case_list.h"

namespace litz::op_cases {

namespace {

void softmaxes(CaseList& list) {
  for (const char* op : {"softmax", "log_softmax"}) {
    const Near near{.ulps = 16, .absolute = 1e-6};
    list.add(op, "last", {f32({9, 67})}, {{"dim", int64_t{1}}}, near);
    list.add(op, "first", {f32({17, 9})}, {{"dim", int64_t{0}}}, near);
    list.add(op, "middle", {f32({3, 17, 5})}, {{"dim", int64_t{1}}}, near);
    list.add(op, "f64", {in(DType::f64, {3, 19})}, {{"dim", int64_t{1}}}, {.ulps = 16, .absolute = 1e-14});
    list.add(op, "bf16", {in(DType::bf16, {5, 65})}, {{"dim", int64_t{1}}}, near);
    list.add(op, "f16", {in(DType::f16, {5, 33})}, {{"dim", int64_t{1}}}, near);
    list.add(op, "special", {f32({24, 3}, Fill::special)}, {{"dim", int64_t{1}}}, near);
    list.add(op, "scalar", {f32({})}, {{"dim", int64_t{0}}}, near);
    list.add(op, "nothing", {f32({3, 0})}, {{"dim", int64_t{1}}}, near);
    list.add(op, "one", {f32({7, 1})}, {{"dim", int64_t{1}}}, near);
  }
}

void layer_norms(CaseList& list) {
  const Attributes last{{"normalized_dims", int64_t{1}}, {"eps", 1e-5}};
  const Attributes two{{"normalized_dims", int64_t{2}}, {"eps", 1e-5}};
  const Near near{.ulps = 64, .absolute = 4e-6};
  for (const char* op : {"layer_norm", "native_layer_norm"}) {
    list.add(op, "affine", {f32({7, 67}), f32({67}), f32({67})}, last, near);
    list.add(op, "plain", {f32({3, 5, 33}), absent(), absent()}, last, near);
    list.add(op, "two-dims", {f32({4, 5, 9}), f32({5, 9}), f32({5, 9})}, two, near);
    list.add(op, "bf16", {in(DType::bf16, {5, 65}), in(DType::bf16, {65}), in(DType::bf16, {65})}, last, near);
    list.add(op, "bf16-f32-weights", {in(DType::bf16, {5, 65}), f32({65}), f32({65})}, last, near);
    list.add(op, "only-bias", {f32({3, 9}), absent(), f32({9})}, last, near);
    list.add(op, "no-rows", {f32({0, 9}), f32({9}), f32({9})}, last, near);
  }
  list.add("rms_norm", "affine", {f32({7, 67}), f32({67})}, last, near);
  list.add("rms_norm", "plain", {f32({3, 33}), absent()}, last, near);
  list.add("rms_norm", "bf16", {in(DType::bf16, {5, 65}), in(DType::bf16, {65})}, last, near);
}

void channel_norms(CaseList& list) {
  const Near near{.ulps = 64, .absolute = 4e-6};
  const Attributes groups{{"groups", int64_t{3}}, {"eps", 1e-5}};
  list.add("group_norm", "affine", {f32({2, 6, 5, 7}), f32({6}), f32({6})}, groups, near);
  list.add("group_norm", "plain", {f32({2, 9, 11}), absent(), absent()}, groups, near);
  list.add("group_norm", "bf16", {in(DType::bf16, {2, 6, 9}), in(DType::bf16, {6}), in(DType::bf16, {6})}, groups,
           near);
  const Attributes eps{{"eps", 1e-5}};
  const Input variance = f32({5}, Fill::positive);
  list.add("batch_norm_inference", "affine", {f32({2, 5, 4, 7}), f32({5}), f32({5}), f32({5}), variance}, eps, near);
  list.add("batch_norm_inference", "plain", {f32({3, 5}), absent(), absent(), f32({5}), variance}, eps, near);
  list.add("batch_norm_inference", "only-weight", {f32({3, 5, 9}), f32({5}), absent(), f32({5}), variance}, eps, near);
  list.add("batch_norm_inference", "bf16-f32-statistics",
           {in(DType::bf16, {2, 5, 3, 3}), f32({5}), f32({5}), f32({5}), variance}, eps, near);
}

}  // namespace

void normalization_cases(CaseList& list) {
  softmaxes(list);
  layer_norms(list);
  channel_norms(list);
}

}  // namespace litz::op_cases
