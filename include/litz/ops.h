// Ops. Names, argument orders and meanings are PyTorch's; results are new row-major tensors but for the views, which
// share memory with their operand. Outside a function that litz::compile traces they run at once.
//
// A bad argument is a UserError that names the op, its place in the program and what was expected; a bad index an
// IndexError. Dimensions may be negative: they count from the end. `Operand` is a Tensor or a number; where an op has a
// single operand it must be a Tensor. An undefined Tensor ({}) stands for an optional one that is absent.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "litz/create.h"
#include "litz/operand.h"
#include "litz/tensor.h"

namespace litz {

// ---- One operand, element by element. Integers give f32 where the function is not one of integers.
LITZ_API Tensor abs(const Operand& x);
LITZ_API Tensor neg(const Operand& x);
LITZ_API Tensor sign(const Operand& x);
LITZ_API Tensor floor(const Operand& x);
LITZ_API Tensor ceil(const Operand& x);
LITZ_API Tensor trunc(const Operand& x);
LITZ_API Tensor round(const Operand& x);  // half to even
LITZ_API Tensor frac(const Operand& x);
LITZ_API Tensor reciprocal(const Operand& x);
LITZ_API Tensor square(const Operand& x);
LITZ_API Tensor sqrt(const Operand& x);
LITZ_API Tensor rsqrt(const Operand& x);
LITZ_API Tensor exp(const Operand& x);
LITZ_API Tensor exp2(const Operand& x);
LITZ_API Tensor expm1(const Operand& x);
LITZ_API Tensor log(const Operand& x);
LITZ_API Tensor log2(const Operand& x);
LITZ_API Tensor log10(const Operand& x);
LITZ_API Tensor log1p(const Operand& x);
LITZ_API Tensor sin(const Operand& x);
LITZ_API Tensor cos(const Operand& x);
LITZ_API Tensor tan(const Operand& x);
LITZ_API Tensor asin(const Operand& x);
LITZ_API Tensor acos(const Operand& x);
LITZ_API Tensor atan(const Operand& x);
LITZ_API Tensor sinh(const Operand& x);
LITZ_API Tensor cosh(const Operand& x);
LITZ_API Tensor tanh(const Operand& x);
LITZ_API Tensor asinh(const Operand& x);
LITZ_API Tensor acosh(const Operand& x);
LITZ_API Tensor atanh(const Operand& x);
LITZ_API Tensor erf(const Operand& x);
LITZ_API Tensor erfc(const Operand& x);
LITZ_API Tensor isnan(const Operand& x);  // these six give booleans
LITZ_API Tensor isinf(const Operand& x);
LITZ_API Tensor isfinite(const Operand& x);
LITZ_API Tensor signbit(const Operand& x);
LITZ_API Tensor logical_not(const Operand& x);
LITZ_API Tensor bitwise_not(const Operand& x);  // of booleans; of integers it gives integers
// NaN and the infinities replaced; infinities by the dtype's extremes unless said.
LITZ_API Tensor nan_to_num(const Operand& x, double nan = 0, std::optional<double> positive_infinity = {},
                           std::optional<double> negative_infinity = {});

// ---- Activations.
LITZ_API Tensor relu(const Operand& x);
LITZ_API Tensor relu6(const Operand& x);
LITZ_API Tensor sigmoid(const Operand& x);
LITZ_API Tensor log_sigmoid(const Operand& x);
LITZ_API Tensor silu(const Operand& x);
LITZ_API Tensor gelu(const Operand& x, std::string_view approximate = "none");  // or "tanh"
LITZ_API Tensor mish(const Operand& x);
LITZ_API Tensor hardswish(const Operand& x);
LITZ_API Tensor hardsigmoid(const Operand& x);
LITZ_API Tensor hardtanh(const Operand& x, double min = -1, double max = 1);
LITZ_API Tensor leaky_relu(const Operand& x, double slope = 0.01);
LITZ_API Tensor elu(const Operand& x, double alpha = 1);
LITZ_API Tensor selu(const Operand& x);
LITZ_API Tensor softplus(const Operand& x, double beta = 1, double threshold = 20);
LITZ_API Tensor glu(const Operand& x, int64_t dim = -1);
LITZ_API Tensor clamp(const Operand& x, std::optional<Operand> min, std::optional<Operand> max = {});
LITZ_API Tensor softmax(const Operand& x, int64_t dim);
LITZ_API Tensor log_softmax(const Operand& x, int64_t dim);

// ---- Two and three operands, element by element: shapes broadcast, dtypes promote.
LITZ_API Tensor add(const Operand& a, const Operand& b);
LITZ_API Tensor sub(const Operand& a, const Operand& b);
LITZ_API Tensor mul(const Operand& a, const Operand& b);
LITZ_API Tensor div(const Operand& a, const Operand& b);  // of integers: f32
LITZ_API Tensor floor_divide(const Operand& a, const Operand& b);
LITZ_API Tensor fmod(const Operand& a, const Operand& b);       // the sign of a
LITZ_API Tensor remainder(const Operand& a, const Operand& b);  // the sign of b
LITZ_API Tensor pow(const Operand& a, const Operand& b);
LITZ_API Tensor minimum(const Operand& a, const Operand& b);
LITZ_API Tensor maximum(const Operand& a, const Operand& b);
LITZ_API Tensor atan2(const Operand& a, const Operand& b);
LITZ_API Tensor hypot(const Operand& a, const Operand& b);
LITZ_API Tensor copysign(const Operand& a, const Operand& b);
LITZ_API Tensor xlogy(const Operand& a, const Operand& b);
LITZ_API Tensor eq(const Operand& a, const Operand& b);
LITZ_API Tensor ne(const Operand& a, const Operand& b);
LITZ_API Tensor lt(const Operand& a, const Operand& b);
LITZ_API Tensor le(const Operand& a, const Operand& b);
LITZ_API Tensor gt(const Operand& a, const Operand& b);
LITZ_API Tensor ge(const Operand& a, const Operand& b);
LITZ_API Tensor logical_and(const Operand& a, const Operand& b);
LITZ_API Tensor logical_or(const Operand& a, const Operand& b);
LITZ_API Tensor logical_xor(const Operand& a, const Operand& b);
LITZ_API Tensor bitwise_and(const Operand& a, const Operand& b);
LITZ_API Tensor bitwise_or(const Operand& a, const Operand& b);
LITZ_API Tensor bitwise_xor(const Operand& a, const Operand& b);
LITZ_API Tensor bitwise_left_shift(const Operand& a, const Operand& b);
LITZ_API Tensor bitwise_right_shift(const Operand& a, const Operand& b);
LITZ_API Tensor where(const Operand& condition, const Operand& a, const Operand& b);
LITZ_API Tensor masked_fill(const Operand& x, const Tensor& mask, const Operand& value);
LITZ_API Tensor lerp(const Operand& start, const Operand& end, const Operand& weight);
LITZ_API Tensor addcmul(const Operand& x, const Operand& a, const Operand& b, double value = 1);  // x + value * a * b
LITZ_API Tensor addcdiv(const Operand& x, const Operand& a, const Operand& b, double value = 1);  // x + value * a / b

inline Tensor operator+(const Operand& a, const Operand& b) { return add(a, b); }
inline Tensor operator-(const Operand& a, const Operand& b) { return sub(a, b); }
inline Tensor operator*(const Operand& a, const Operand& b) { return mul(a, b); }
inline Tensor operator/(const Operand& a, const Operand& b) { return div(a, b); }
inline Tensor operator-(const Operand& a) { return neg(a); }
inline Tensor operator<(const Operand& a, const Operand& b) { return lt(a, b); }
inline Tensor operator<=(const Operand& a, const Operand& b) { return le(a, b); }
inline Tensor operator>(const Operand& a, const Operand& b) { return gt(a, b); }
inline Tensor operator>=(const Operand& a, const Operand& b) { return ge(a, b); }
inline Tensor operator&(const Operand& a, const Operand& b) { return bitwise_and(a, b); }
inline Tensor operator|(const Operand& a, const Operand& b) { return bitwise_or(a, b); }
inline Tensor operator^(const Operand& a, const Operand& b) { return bitwise_xor(a, b); }
inline Tensor operator~(const Operand& a) { return bitwise_not(a); }

// ---- Views.
LITZ_API Tensor reshape(const Operand& x, const Sizes& shape);  // one size may be -1; a copy where no view can be
LITZ_API Tensor flatten(const Operand& x, int64_t start_dim = 0, int64_t end_dim = -1);
LITZ_API Tensor permute(const Operand& x, const Sizes& dims);
LITZ_API Tensor transpose(const Operand& x, int64_t dim0, int64_t dim1);
LITZ_API Tensor expand(const Operand& x, const Sizes& shape);  // -1 keeps a size
LITZ_API Tensor slice(const Operand& x, int64_t dim, std::optional<int64_t> start = {}, std::optional<int64_t> end = {},
                      int64_t step = 1);
LITZ_API Tensor select(const Operand& x, int64_t dim, int64_t index);
LITZ_API Tensor squeeze(const Operand& x, const Sizes& dims);  // those of size 1 among them
LITZ_API Tensor squeeze(const Operand& x);                     // all of size 1
LITZ_API Tensor unsqueeze(const Operand& x, int64_t dim);
LITZ_API Tensor unfold(const Operand& x, int64_t dim, int64_t size, int64_t step);
LITZ_API std::vector<Tensor> split(const Operand& x, int64_t size, int64_t dim = 0);
LITZ_API std::vector<Tensor> chunk(const Operand& x, int64_t count, int64_t dim = 0);
LITZ_API std::vector<Tensor> unbind(const Operand& x, int64_t dim = 0);

// ---- Elements elsewhere.
LITZ_API Tensor cat(const std::vector<Tensor>& parts, int64_t dim = 0,
                    std::source_location at = std::source_location::current());
LITZ_API Tensor stack(const std::vector<Tensor>& parts, int64_t dim = 0,
                      std::source_location at = std::source_location::current());
LITZ_API Tensor pad(const Operand& x, const Sizes& padding, double value = 0);  // pairs, the last dimension first
LITZ_API Tensor flip(const Operand& x, const Sizes& dims);
LITZ_API Tensor roll(const Operand& x, const Sizes& shifts, const Sizes& dims = {});
LITZ_API Tensor repeat(const Operand& x, const Sizes& counts);
LITZ_API Tensor diagonal(const Operand& x, int64_t offset = 0, int64_t dim0 = 0, int64_t dim1 = 1);  // a copy
LITZ_API Tensor tril(const Operand& x, int64_t diagonal = 0);
LITZ_API Tensor triu(const Operand& x, int64_t diagonal = 0);
LITZ_API Tensor pixel_shuffle(const Operand& x, int64_t factor);
LITZ_API Tensor zeros_like(const Operand& x);
LITZ_API Tensor ones_like(const Operand& x);
LITZ_API Tensor full_like(const Operand& x, const Operand& value);

// ---- Reductions. No dims: over all.
LITZ_API Tensor sum(const Operand& x, const Sizes& dims = {}, bool keepdim = false);  // of integers: i64
LITZ_API Tensor prod(const Operand& x, std::optional<int64_t> dim = {}, bool keepdim = false);
LITZ_API Tensor mean(const Operand& x, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor amax(const Operand& x, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor amin(const Operand& x, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor any(const Operand& x, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor all(const Operand& x, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor argmax(const Operand& x, std::optional<int64_t> dim = {}, bool keepdim = false);  // i64
LITZ_API Tensor argmin(const Operand& x, std::optional<int64_t> dim = {}, bool keepdim = false);
LITZ_API Tensor var(const Operand& x, const Sizes& dims = {}, double correction = 1, bool keepdim = false);
LITZ_API Tensor stddev(const Operand& x, const Sizes& dims = {}, double correction = 1, bool keepdim = false);
LITZ_API Tensor logsumexp(const Operand& x, const Sizes& dims, bool keepdim = false);
LITZ_API Tensor norm(const Operand& x, double p = 2, const Sizes& dims = {}, bool keepdim = false);
LITZ_API Tensor cumsum(const Operand& x, int64_t dim);

// ---- Products and convolutions, f32, f64, f16 and bf16; all operands of one dtype.
LITZ_API Tensor matmul(const Operand& a, const Tensor& b);
LITZ_API Tensor linear(const Operand& x, const Tensor& weight, const Tensor& bias = {});  // [.., K], [N, K], [N]
LITZ_API Tensor addmm(const Operand& bias, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);

// One entry stands for all spatial dimensions.
struct ConvOptions {
  Sizes stride = 1;
  Sizes padding = 0;
  Sizes dilation = 1;
  int64_t groups = 1;
  Sizes output_padding = 0;  // of transposed convolutions
};
// x [N, C, spatial…], weight [O, C / groups, spatial…], bias [O]:
//   auto y = litz::conv2d(x, weight, {}, {.stride = 2, .padding = 1});
LITZ_API Tensor conv1d(const Operand& x, const Tensor& weight, const Tensor& bias = {}, const ConvOptions& o = {});
LITZ_API Tensor conv2d(const Operand& x, const Tensor& weight, const Tensor& bias = {}, const ConvOptions& o = {});
LITZ_API Tensor conv3d(const Operand& x, const Tensor& weight, const Tensor& bias = {}, const ConvOptions& o = {});
// weight [C, O / groups, H, W]
LITZ_API Tensor conv_transpose2d(const Operand& x, const Tensor& weight, const Tensor& bias = {},
                                 const ConvOptions& o = {});

struct AttentionOptions {
  Tensor mask = {};  // boolean (true: seen) or added to the scores; expands to [B, H, Q, K]
  bool causal = false;
  std::optional<double> scale = {};  // 1 / sqrt(D) if absent
};
// softmax(scale * q k^T + mask) v; q [B, H, Q, D], k [B, Hkv, K, D], v [B, Hkv, K, Dv]. H is a multiple of Hkv.
LITZ_API Tensor scaled_dot_product_attention(const Operand& q, const Tensor& k, const Tensor& v,
                                             const AttentionOptions& o = {});

// ---- Pooling, x [N, C, H, W] or [C, H, W].
struct PoolOptions {
  Sizes stride = {};  // that of the kernel if empty
  Sizes padding = 0;
  Sizes dilation = 1;  // max_pool2d
  bool ceil_mode = false;
  bool count_include_pad = true;  // avg_pool2d
};
LITZ_API Tensor max_pool2d(const Operand& x, const Sizes& kernel, const PoolOptions& o = {});
LITZ_API Tensor avg_pool2d(const Operand& x, const Sizes& kernel, const PoolOptions& o = {});
LITZ_API Tensor adaptive_avg_pool2d(const Operand& x, const Sizes& output_size);
LITZ_API Tensor upsample_nearest2d(const Operand& x, const Sizes& output_size);  // whole multiples of the size

// ---- Normalisations. f16 and bf16 compute in f32 and round once.
// For each channel of x [N, C, …], with fixed statistics (inference); all others are [C].
LITZ_API Tensor batch_norm(const Operand& x, const Tensor& mean, const Tensor& var, const Tensor& weight = {},
                           const Tensor& bias = {}, double eps = 1e-5);
// Over the last dimensions, of these sizes.
LITZ_API Tensor layer_norm(const Operand& x, const Sizes& normalized_shape, const Tensor& weight = {},
                           const Tensor& bias = {}, double eps = 1e-5);
LITZ_API Tensor rms_norm(const Operand& x, const Sizes& normalized_shape, const Tensor& weight = {},
                         std::optional<double> eps = {});
LITZ_API Tensor group_norm(const Operand& x, int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                           double eps = 1e-5);

// ---- Reads and writes at computed indices, i64 or i32, checked. Negative ones are out of range but for `index` and
// `index_put`, where they count from the end.
LITZ_API Tensor embedding(const Operand& weight, const Tensor& indices);  // rows of [V, D]
LITZ_API Tensor index_select(const Operand& x, int64_t dim, const Tensor& index);
LITZ_API Tensor gather(const Operand& x, int64_t dim, const Tensor& index);
// x[indices[0], indices[1], …]; an undefined Tensor takes the whole dimension. Indices broadcast.
LITZ_API Tensor index(const Operand& x, const std::vector<Tensor>& indices);
// Copies of x with `values` written (or added) there.
LITZ_API Tensor index_put(const Operand& x, const std::vector<Tensor>& indices, const Tensor& values,
                          bool accumulate = false);
LITZ_API Tensor scatter(const Operand& x, int64_t dim, const Tensor& index, const Tensor& source);
LITZ_API Tensor scatter_add(const Operand& x, int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace litz
