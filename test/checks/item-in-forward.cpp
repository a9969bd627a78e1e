// RUN: expect 1 torch-tidy --checks=item-in-forward %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// REQUIRES: torch
#include <torch/torch.h>

#include <iostream>
#include <string>

using torch::Tensor;

struct ScaledImpl : torch::nn::Cloneable<ScaledImpl> {
  void reset() override {}

  Tensor forward(Tensor h) {
    const float peak = h.max().item<float>();
    // CHECK: [[@LINE-1]]:24: warning: 'item' in 'forward' makes the host wait for the device [item-in-forward]
    auto mean = h.mean().item().toDouble();
    // CHECK: [[@LINE-1]]:17: warning: 'item' in 'forward'
    auto shift = [&](const Tensor& t) { return t - t.min().item<double>(); };
    // CHECK: [[@LINE-1]]:52: warning: 'item' in 'forward'
    return shift(h / peak) - mean;
  }

  // Each read is a finding of its own.
  Tensor forward_three(Tensor x, Tensor p, Tensor q, Tensor r) {
    float a = p.item<float>(), b = q.item<float>();
    // CHECK: [[@LINE-1]]:15: warning: 'item' in 'forward_three'
    // CHECK: [[@LINE-2]]:36: warning: 'item' in 'forward_three'
    auto c = r.item().toDouble();
    // CHECK: [[@LINE-1]]:14: warning: 'item' in 'forward_three'
    return x * a + b + c;
  }
};
TORCH_MODULE(Scaled);

// Derived over a base of one's own; defined out of line; a template.
struct BaseImpl : torch::nn::Module {
  virtual Tensor forward(Tensor) = 0;
};
struct LeafImpl : BaseImpl {
  Tensor forward(Tensor x) override;
};
Tensor LeafImpl::forward(Tensor x) {
  return x * x.sum().item<float>();
  // CHECK: [[@LINE-1]]:14: warning: 'item' in 'forward'
}

template <typename T>
struct GenericImpl : torch::nn::Module {
  template <typename V>
  T forward(V x) {
    return x * x.sum().template item<float>();
    // CHECK: [[@LINE-1]]:16: warning: 'item' in 'forward'
  }
};
Tensor use() {
  GenericImpl<Tensor> generic;
  return generic.forward(torch::ones({2}));
}

// Another library's item; a class of one's own with a forward; a box for which the template is never a tensor's.
struct Json {
  Json operator[](const std::string&) const { return {}; }
  float item() const { return 1; }
  template <typename T> T item() const { return T(1); }
};
struct Config {
  float forward(const Json& json) { return json["rate"].item(); }
};
template <typename T> float value(const T& box) { return box.template item<float>(); }

struct SilentImpl : torch::nn::Module {
  static constexpr bool debug = false;
  Tensor forward(Tensor x, const Json& json) {
    x = x * json["scale"].item<float>() + value(json);
    if (x.sum().item<float>() > 0) x = -x;          // the branch's finding
    bool hot = x.max().item<float>() > 0.5f;         // the comparison's finding
    if constexpr (debug) std::cout << x.sum().item<float>();
    x = x * x.mean().item<float>();                  // NOLINT(torch-item-in-forward)
    // NOLINTNEXTLINE
    x = x * x.mean().item<float>();
    return hot ? x : x + 1;
  }
};

int main() {
  auto loss = use().sum();
  std::cout << loss.item<float>() << "\n";  // a driver may look
}
