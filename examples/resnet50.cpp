// torchvision's resnet50, inference, written with litz::conv2d and friends.
//
//   resnet50 [--weights FILE] [--input FILE] [--output FILE] [--batch N] [--size N] [--runs N] [--report]
//
// FILEs hold named tensors (tensor_file.h). --weights: torchvision's state_dict, as export_weights.py writes it;
// without it weights are random, from a fixed seed. --input: a tensor "input" [N, 3, H, W]. --output: gets a tensor
// "output", the logits [N, classes]. Prints the likeliest class of each image and the time of a call.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tensor_file.h"

namespace {

using litz::Tensor;

constexpr int kBlocks[] = {3, 4, 6, 3};  // bottlenecks of each stage
constexpr int64_t kExpansion = 4;        // of a bottleneck's channels

// Weights by their names in torchvision's state_dict.
struct Weights {
  TensorMap tensors;
  const Tensor& at(const std::string& name) const {
    const auto it = tensors.find(name);
    if (it == tensors.end()) throw std::runtime_error("the weights have no " + name);
    return it->second;
  }
};

Tensor conv_norm(const Weights& w, const std::string& conv, const std::string& norm, const Tensor& x,
                 const litz::ConvOptions& options) {
  const Tensor y = litz::conv2d(x, w.at(conv + ".weight"), {}, options);
  return litz::batch_norm(y, w.at(norm + ".running_mean"), w.at(norm + ".running_var"), w.at(norm + ".weight"),
                          w.at(norm + ".bias"));
}

// 1x1, 3x3 and 1x1 convolutions beside a shortcut; the 3x3 one has the stride.
Tensor bottleneck(const Weights& w, const std::string& name, const Tensor& x, int64_t stride) {
  Tensor y = litz::relu(conv_norm(w, name + ".conv1", name + ".bn1", x, {}));
  y = litz::relu(conv_norm(w, name + ".conv2", name + ".bn2", y, {.stride = stride, .padding = 1}));
  y = conv_norm(w, name + ".conv3", name + ".bn3", y, {});
  const bool projects = w.tensors.count(name + ".downsample.0.weight") > 0;
  const Tensor shortcut =
      projects ? conv_norm(w, name + ".downsample.0", name + ".downsample.1", x, {.stride = stride}) : x;
  return litz::relu(y + shortcut);
}

Tensor resnet50(const Weights& w, const Tensor& image) {
  Tensor x = litz::relu(conv_norm(w, "conv1", "bn1", image, {.stride = 2, .padding = 3}));
  x = litz::max_pool2d(x, 3, {.stride = 2, .padding = 1});
  for (int stage = 0; stage < 4; ++stage) {
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      x = bottleneck(w, name, x, block == 0 && stage > 0 ? 2 : 1);
    }
  }
  x = litz::flatten(litz::adaptive_avg_pool2d(x, 1), 1);
  return litz::linear(x, w.at("fc.weight"), w.at("fc.bias"));
}

// Random weights of the right shapes, scaled so that activations keep their size.
class RandomWeights {
 public:
  Weights make() {
    conv_norm("conv1", "bn1", 3, 64, 7);
    int64_t in = 64;
    for (int stage = 0; stage < 4; ++stage) {
      const int64_t width = int64_t{64} << stage;
      for (int block = 0; block < kBlocks[stage]; ++block) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
        conv_norm(name + ".conv1", name + ".bn1", in, width, 1);
        conv_norm(name + ".conv2", name + ".bn2", width, width, 3);
        conv_norm(name + ".conv3", name + ".bn3", width, width * kExpansion, 1, /*gain=*/0.25);
        if (block == 0) conv_norm(name + ".downsample.0", name + ".downsample.1", in, width * kExpansion, 1);
        in = width * kExpansion;
      }
    }
    normal("fc.weight", {1000, in}, 1 / std::sqrt(static_cast<double>(in)));
    weights_.tensors["fc.bias"] = litz::zeros(1000);
    return std::move(weights_);
  }

 private:
  void normal(const std::string& name, const litz::Sizes& shape, double scale) {
    weights_.tensors[name] = litz::randn(shape, litz::DType::f32, seed_++) * scale;
  }
  void conv_norm(const std::string& conv, const std::string& norm, int64_t in, int64_t out, int64_t kernel,
                 double gain = 1) {
    const double fan = static_cast<double>(in * kernel * kernel);
    normal(conv + ".weight", {out, in, kernel, kernel}, std::sqrt(2 / fan));
    weights_.tensors[norm + ".weight"] = litz::full(out, gain);
    weights_.tensors[norm + ".bias"] = litz::zeros(out);
    weights_.tensors[norm + ".running_mean"] = litz::zeros(out);
    weights_.tensors[norm + ".running_var"] = litz::ones(out);
  }

  Weights weights_;
  uint64_t seed_ = 1;
};

struct Arguments {
  std::string weights, input, output;
  int64_t batch = 1, size = 64;
  int runs = 3;
  bool report = false;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  const auto is = [&](int i, const char* name) { return std::strcmp(argv[i], name) == 0; };
  for (int i = 1; i < argc; ++i) {
    if (is(i, "--report")) {
      a.report = true;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(std::string("no value after ") + argv[i]);
    const std::string value = argv[i + 1];
    if (is(i, "--weights")) {
      a.weights = value;
    } else if (is(i, "--input")) {
      a.input = value;
    } else if (is(i, "--output")) {
      a.output = value;
    } else if (is(i, "--batch")) {
      a.batch = std::stol(value);
    } else if (is(i, "--size")) {
      a.size = std::stol(value);
    } else if (is(i, "--runs")) {
      a.runs = std::stoi(value);
    } else {
      throw std::runtime_error(std::string("unknown argument ") + argv[i]);
    }
    ++i;
  }
  return a;
}

int run(const Arguments& a) {
  using Clock = std::chrono::steady_clock;
  const auto milliseconds = [](Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  };
  const Weights weights = a.weights.empty() ? RandomWeights().make() : Weights{read_tensor_file(a.weights)};
  const Tensor x = a.input.empty() ? litz::randn({a.batch, 3, a.size, a.size}, litz::DType::f32, 0)
                                   : read_tensor_file(a.input).at("input");

  auto model = litz::compile([&](const Tensor& image) { return resnet50(weights, image); });
  auto start = Clock::now();
  Tensor y = model(x);
  const double first = milliseconds(start);
  double best = first;
  for (int i = 0; i < a.runs; ++i) {
    start = Clock::now();
    y = model(x);
    best = std::min(best, milliseconds(start));
  }

  const Tensor top = litz::argmax(y, 1);
  const Tensor score = litz::amax(litz::softmax(y, 1), 1);
  for (int64_t i = 0; i < y.size(0); ++i) {
    std::printf("image %d: class %d, probability %.4f\n", static_cast<int>(i),
                static_cast<int>(top.data<const int64_t>()[i]), static_cast<double>(score.data<const float>()[i]));
  }
  std::printf("first call %.0f ms, with compilation; best of %d more: %.2f ms\n", first, a.runs, best);
  if (a.report) std::printf("%s", litz::to_string(litz::report(model)).c_str());
  if (!a.output.empty()) write_tensor_file(a.output, {{"output", y}});
  return litz::all(litz::isfinite(y)).item<bool>() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "resnet50: %s\n", e.what());
    return 1;
  }
}
