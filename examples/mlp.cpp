// A small network: weights are captured by the function, packed once, and packed again when they change.
#include <litz/litz.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct Layer {
  litz::Tensor weight;  // [out, in]
  litz::Tensor bias;    // [out]
};

Layer make_layer(int64_t in, int64_t out, uint64_t seed) {
  const double scale = 1 / std::sqrt(static_cast<double>(in));
  return {litz::randn({out, in}, litz::DType::f32, seed) * scale, litz::zeros(out)};
}

litz::Tensor forward(const std::vector<Layer>& layers, litz::Tensor x) {
  for (size_t i = 0; i < layers.size(); ++i) {
    x = litz::linear(x, layers[i].weight, layers[i].bias);
    if (i + 1 < layers.size()) x = litz::gelu(x);
  }
  return litz::softmax(x, -1);
}

double largest_difference(const litz::Tensor& a, const litz::Tensor& b) {
  return litz::amax(litz::abs(a - b)).item<double>();
}

}  // namespace

int main() {
  const std::vector<Layer> layers = {make_layer(64, 256, 1), make_layer(256, 256, 2), make_layer(256, 10, 3)};
  auto model = litz::compile([&](const litz::Tensor& x) { return forward(layers, x); });
  const litz::Tensor x = litz::randn({32, 64}, litz::DType::f32, 4);

  // The same ops without compile run at once, one by one.
  const double error = largest_difference(model(x), forward(layers, x));

  // A new bias for the last layer is seen at the next call.
  layers.back().bias.copy_from(litz::arange(10, litz::DType::f32));
  const litz::Tensor changed = model(x);
  const double error_after = largest_difference(changed, forward(layers, x));
  const int64_t likely = litz::argmax(litz::sum(changed, 0)).item<int64_t>();

  std::printf("largest differences from eager: %.3g and, after a change of a weight, %.3g; most likely class %d\n\n%s",
              error, error_after, static_cast<int>(likely), litz::to_string(litz::report(model)).c_str());
  return error < 1e-5 && error_after < 1e-5 && likely == 9 ? 0 : 1;
}
