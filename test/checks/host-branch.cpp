// RUN: expect 1 torch-tidy --checks=host-branch %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// RUN: cp %s %t.cpp
// RUN: expect 1 torch-tidy --checks=host-branch --fix %t.cpp -- %torch-flags > %t.out
// RUN: FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
// REQUIRES: torch
#include <torch/torch.h>

#include <iostream>
#include <map>

using torch::Tensor;

struct BranchesImpl : torch::nn::Module {
  Tensor scale_ = register_parameter("scale", torch::ones({}));
  Tensor cache_;
  torch::nn::Linear head_{nullptr};
  torch::nn::Dropout drop_{nullptr};
  bool train_ = false;
  int64_t keepTop_ = 3;

  void record(const Tensor&);

  // One finding for the branch and the read in it; the rewrite holds.
  Tensor forward(Tensor u, Tensor v) {
    u = u + 33;
    auto total = u.sum();
    if ((total < 0).item<bool>()) u = u + 55;
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value makes the host wait for the device [host-branch]
    // CHECK: u = torch::where(total < 0, u + 55, u);
    // CHECK: note: verified: the rewrite gives the same values, shapes, dtypes and gradients on {{[0-9]+}} inputs (float32, float64, float16, bfloat16, int64) [torch 2.
    // FIXED: {{^}}    u = torch::where(total < 0, u + 55, u);
    return u + v;
  }

  // The arm that is not taken leaves the domain of log: 0 * inf is NaN in the gradient, so it computes with another number.
  Tensor forward_log(Tensor x) {
    Tensor y = x * 0;
    if (x.min().item<float>() > 0) y = torch::log(x);
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: auto condition = x.min() > 0; auto safeX = torch::where(condition, x, 1); y = torch::where(condition, torch::log(safeX), y);
    // CHECK: note: verified:
    // FIXED: {{^}}    auto safeX = torch::where(condition, x, 1);
    // FIXED-NEXT: {{^}}    y = torch::where(condition, torch::log(safeX), y);
    return y;
  }

  // Both arms, through a local that is read nowhere else; the local goes.
  Tensor forward_both(Tensor x) {
    const bool negative = (x.sum() < 0).item<bool>();
    if (negative) {
      x = x * 2;
    } else {
      x = x - 1;  // keep this comment
    }
    // CHECK: [[@LINE-5]]:5: warning: branch on a tensor value
    // CHECK: x = torch::where(x.sum() < 0, x * 2, x - 1);
    // CHECK: [[@LINE-8]]:27: note: 'negative' is read from the tensor here
    // CHECK: note: verified
    // FIXED-NOT: const bool negative
    // FIXED: {{^}}    // keep this comment
    // FIXED-NEXT: {{^}}    x = torch::where(x.sum() < 0, x * 2, x - 1);
    return x;
  }

  // A module's own parameter: without the branch its gradient is undefined, with where it is zeros.
  Tensor forward_parameter(Tensor x) {
    if (x.sum().item<float>() > 1) x = x * scale_;
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: note: no fix: where(x.sum() > 1, x * scale_, x) differs: at {{.*}} the gradient of scale_ is
    return x;
  }

  // A layer has parameters, an unknown call may have effects: found, never rewritten.
  Tensor forward_layer(Tensor x, Tensor gate) {
    if (gate.sum().item<float>() > 0) x = head_->forward(x);
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: note: no fix: where(gate.sum() > 0, head_->forward(x), x) differs:
    return x;
  }
  Tensor forward_unknown(Tensor x, Tensor gate) {
    if (gate.sum().item<float>() > 0) x = drop_->forward(x);
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: [[@LINE-2]]:43: note: no fix: 'drop_->forward(x)' draws random numbers: the rewrite would draw them in either case
    if (gate.item<float>() > 0.5f) record(x);
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: note: no fix: 'record' may have side effects
    return x;
  }

  // A loop: found, never rewritten.
  Tensor forward_refused(Tensor x) {
    while (x.abs().sum().item<float>() > 1) x = x / 2;
    // CHECK: [[@LINE-1]]:12: warning: loop on a tensor value makes the host wait for the device in every round
    // CHECK: note: no fix: the number of rounds depends on the data
    switch (x.argmax().item<int64_t>()) {
      // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
      // CHECK: torch::where(x.argmax() == 0, x, -x)
      case 0: return x;
      default: return -x;
    }
  }

  // A check macro: the value is the place, where has no part in it.
  Tensor forward_check(Tensor t) {
    TORCH_CHECK((t > 0).all().item<bool>(), "need positive");
    // CHECK: [[@LINE-1]]:17: warning: check on a tensor value makes the host wait for the device
    // CHECK: note: no fix: what the check does when it fails is not a choice between tensors
    return t.log();
  }

  // The choice is the value of an expression.
  Tensor forward_choice(Tensor x) {
    return (x.mean() > 0).item<bool>() ? x : -x;
    // CHECK: [[@LINE-1]]:12: warning: branch on a tensor value
    // CHECK: torch::where(x.mean() > 0, x, -x)
    // CHECK: note:
  }

  // `1 - x` keeps the dtype of x, integers too; the gradient of `1 / x` at 0 is not finite.
  Tensor forward_number_first(Tensor x) {
    if ((x.sum() < 0).item<bool>()) x = 0.5 - x;
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: x = torch::where(x.sum() < 0, 0.5 - x, x);
    // CHECK: note: verified: {{.*}}int64
    return x;
  }
  Tensor forward_inverse(Tensor x) {
    if ((x.sum() < 0).item<bool>()) x = 1 / x;
    // CHECK: [[@LINE-1]]:5: warning: branch on a tensor value
    // CHECK: x = torch::where(condition, 1 / safeX, x);
    // CHECK: note: verified, where the tensors are floating point:
    return x;
  }

  // Host facts, sizes and metadata are no tensor values.
  Tensor forward_silent(Tensor x, Tensor bias, const std::map<std::string, bool>& flags) {
    if (train_) x = x * 2;
    if (x.dim() < 3) x = x.unsqueeze(0);
    if (keepTop_ > 0 && x.size(0) > keepTop_) x = x.narrow(0, 0, keepTop_);
    if (bias.defined()) x = x + bias;
    if (is_training()) x = x + 1;
    if (flags.at("double")) x = x * 2;
    for (int64_t i = 0; i < x.size(0); ++i) x = x + i;
    TORCH_CHECK(x.size(-1) % 2 == 0, "width");
    if (x.min().item<float>() < 0) x = -x;  // NOLINT(host-branch)
    return x;
  }
};
TORCH_MODULE(Branches);

// A function that computes tensors is model code; two inputs may have different shapes.
Tensor pick(Tensor a, Tensor b) {
  if ((a == b).all().item<bool>()) return a;
  // CHECK: [[@LINE-1]]:3: warning: branch on a tensor value
  // CHECK: return torch::where((a == b).all(), a, a + b);
  // CHECK: note: verified, where 'a' and 'b' have the same shape:
  return a + b;
}

// A template is found once, whatever it is instantiated with.
template <typename Layer>
Tensor run(Layer& layer, Tensor x) {
  if (x.sum().template item<float>() > 0) return layer->forward(x);
  // CHECK: [[@LINE-1]]:3: warning: branch on a tensor value
  // CHECK: note: no fix:
  return x;
}

// The driver may look: it is not model code.
int main() {
  Branches net;
  torch::nn::Linear linear(2, 2);
  torch::nn::Linear other(2, 2);
  run(linear, torch::ones({2}));
  run(other, torch::ones({2}));
  auto loss = net->forward(torch::ones({2}), torch::ones({2})).sum();
  if (loss.item<float>() < 1) std::cout << loss.item<float>() << "\n";
}
// CHECK: {{^}}{{[0-9]+}} warnings, {{[0-9]+}} fixable with --fix
