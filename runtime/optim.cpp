#include "runtime/optim.h"

#include "runtime/body.h"
#include "runtime/loops.h"
#include "runtime/ops.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace rt {
namespace {

// LibTorch's add with alpha, addcmul and addcdiv: one rounding to the stored type at the end.
template <typename F> Tensor mapped(const Tensor& self, const Tensor& x, const Tensor& y, F f) {
  const DType dtype = self.dtype();
  const auto onHost = [&](const Tensor& t) { return plain(t.to(Device::cpu), dtype); };
  const Tensor in[3] = {onHost(self), onHost(x), onHost(y)};
  Tensor result = emptyTensor(self->sizes, dtype);
  withType(dtype, [&]<typename S>() {
    using T = formula::Math<S>;
    if constexpr (std::is_floating_point_v<T>)
      for (int64_t i = 0, n = self.numel(); i < n; ++i)
        result->data<S>()[i] = S(f(T(in[0]->data<S>()[i]), T(in[1]->data<S>()[i]), T(in[2]->data<S>()[i])));
  });
  return result.to(self.device());
}
// LibTorch's add rounds alpha to the stored type. (For half types it also rounds the product in the elements that are left
// after the last whole vector; how many those are depends on the CPU, and is not imitated.)
Tensor plus(const Tensor& self, const Tensor& x, double alpha) {
  alpha = withType(self.dtype(), [&]<typename S>() { return double(formula::Math<S>(convertTo<S>(alpha))); });
  return mapped(self, x, x, [&]<typename T>(T s, T a, T) { return std::fma(a, T(alpha), s); });
}
Tensor plusProduct(const Tensor& self, const Tensor& x, const Tensor& y, double value) {
  return mapped(self, x, y, [&]<typename T>(T s, T a, T b) { return std::fma(T(value) * a, b, s); });
}
Tensor plusQuotient(const Tensor& self, const Tensor& x, const Tensor& y, double value) {
  return mapped(self, x, y, [&]<typename T>(T s, T a, T b) { return s + T(value) * a / b; });
}

void write(Op op, const Tensor& self, const Tensor& other) { callInPlace(op, self, {&other, 1}); }
void set(const Tensor& self, const Tensor& value) { write(Op::copy, self, value); }
// LibTorch writes some things through .data(): the version does not count it.
void setUnseen(const Tensor& self, const Tensor& value) { copyInto(self, value); }

// average = average * keep + x * (1 - keep), and the same for squares.
void decay(const Tensor& average, double keep, const Tensor& x) {
  write(Op::mul, average, keep);
  set(average, plus(average, x, 1 - keep));
}
void decaySquare(const Tensor& average, double keep, const Tensor& x) {
  write(Op::mul, average, keep);
  set(average, plusProduct(average, x, x, 1 - keep));
}

void need(bool holds, const char* what, double value, const char* range) {
  if (holds) return;
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  throw Error(std::string("optimizer: ") + what + " is " + text + ", not " + range);
}
void needAtLeast0(const char* what, double value) { need(value >= 0, what, value, ">= 0"); }

Tensor norm(const Tensor& a, double type) {
  using namespace ops;
  if (std::isinf(type)) return type > 0 ? max(abs(a)) : min(abs(a));
  if (type == 2) return ops::norm(a);
  if (type == 1) return sum(abs(a));
  Tensor wide = sizeOf(a.dtype()) == 2 ? a.to(DType::float32) : a;  // half types are summed in float
  return pow(sum(pow(abs(wide), type)), 1 / type).to(a.dtype());
}

std::vector<Tensor> gradientsOf(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& p : parameters)
    if (p.grad().defined()) gradients.push_back(p.grad().detach());
  return gradients;
}

Tensor totalNorm(const std::vector<Tensor>& gradients, double type) {
  if (type == 0) return call(Op::full, std::vector<Tensor>{double(gradients.size())});
  std::vector<Tensor> norms;
  for (const Tensor& g : gradients) norms.push_back(norm(g, type));
  return norms.size() == 1 ? norms[0] : norm(call(Op::stack, norms), type);
}

}  // namespace

// --- what optimizers share

Optimizer::Optimizer(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].defined()) throw Error("optimizer: parameter " + std::to_string(i) + " is undefined");
    if (!parameters_[i].isLeaf()) throw Error("optimizer: parameter " + std::to_string(i) + " is not a leaf; only leaves can be optimized");
  }
}

void Optimizer::step() {
  GradMode off(false);
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (Tensor grad = parameters_[i].grad(); grad.defined()) update(i, parameters_[i], grad.detach());
}

void Optimizer::zero_grad() {
  for (Tensor& p : parameters_) p.clearGrad();
}

// --- SGD

SGD::SGD(std::vector<Tensor> parameters, SGDOptions options)
    : Optimizer(std::move(parameters)), options_(options), momenta_(this->parameters().size()) {
  needAtLeast0("lr", options.lr);
  needAtLeast0("momentum", options.momentum);
  needAtLeast0("weight_decay", options.weight_decay);
  if (options.nesterov && !(options.momentum > 0 && options.dampening == 0)) throw Error("optimizer: nesterov needs a momentum above 0 and no dampening");
}

void SGD::update(size_t i, Tensor p, Tensor grad) {
  const SGDOptions& o = options_;
  Tensor& momentum = momenta_[i];
  if (o.weight_decay != 0) grad = plus(grad, p, o.weight_decay);
  if (o.momentum != 0) {
    if (!momentum.defined()) {
      momentum = grad.clone();
    } else {
      write(Op::mul, momentum, o.momentum);
      set(momentum, plus(momentum, grad, 1 - o.dampening));
    }
    grad = o.nesterov ? plus(grad, momentum, o.momentum) : momentum;
  }
  setUnseen(p, plus(p, grad, -o.lr));
}

// --- Adam, AdamW

Adam::Adam(std::vector<Tensor> parameters, AdamOptions options, bool decoupled)
    : Optimizer(std::move(parameters)), options_(options), decoupled_(decoupled), states_(this->parameters().size()) {
  needAtLeast0("lr", options.lr);
  needAtLeast0("eps", options.eps);
  needAtLeast0("weight_decay", options.weight_decay);
  for (double beta : {options.betas.first, options.betas.second}) need(beta >= 0 && beta < 1, "a beta", beta, "in [0, 1)");
}

void Adam::update(size_t i, Tensor p, Tensor grad) {
  const AdamOptions& o = options_;
  State& state = states_[i];
  if (state.step == 0) {
    state.average = ops::zeros_like(p);
    state.square = ops::zeros_like(p);
    if (o.amsgrad) state.largest = ops::zeros_like(p);
  }
  ++state.step;
  const double correction = 1 - std::pow(o.betas.first, double(state.step)), squareCorrection = 1 - std::pow(o.betas.second, double(state.step));
  if (o.weight_decay != 0) {
    if (decoupled_) write(Op::mul, p, 1 - o.lr * o.weight_decay);
    else grad = plus(grad, p, o.weight_decay);
  }
  decay(state.average, o.betas.first, grad);
  decaySquare(state.square, o.betas.second, grad);
  if (o.amsgrad) state.largest = ops::maximum(state.square, state.largest);
  const Tensor denominator = ops::sqrt(o.amsgrad ? state.largest : state.square) / std::sqrt(squareCorrection) + o.eps;
  set(p, plusQuotient(p, state.average, denominator, -(o.lr / correction)));
}

// --- RMSprop

RMSprop::RMSprop(std::vector<Tensor> parameters, RMSpropOptions options)
    : Optimizer(std::move(parameters)), options_(options), states_(this->parameters().size()) {
  needAtLeast0("lr", options.lr);
  needAtLeast0("eps", options.eps);
  needAtLeast0("momentum", options.momentum);
  needAtLeast0("weight_decay", options.weight_decay);
  needAtLeast0("alpha", options.alpha);
}

void RMSprop::update(size_t i, Tensor p, Tensor grad) {
  const RMSpropOptions& o = options_;
  State& state = states_[i];
  if (!state.square.defined()) {
    state.square = ops::zeros_like(p);
    if (o.momentum > 0) state.momentum = ops::zeros_like(p);
    if (o.centered) state.average = ops::zeros_like(p);
  }
  if (o.weight_decay != 0) grad = plus(grad, p, o.weight_decay);
  decaySquare(state.square, o.alpha, grad);
  Tensor variance = state.square;
  if (o.centered) {
    decay(state.average, o.alpha, grad);
    variance = plusProduct(state.square, state.average, state.average, -1);
  }
  const Tensor denominator = ops::sqrt(variance) + o.eps;
  if (o.momentum > 0) {
    write(Op::mul, state.momentum, o.momentum);
    set(state.momentum, plusQuotient(state.momentum, grad, denominator, 1));
    set(p, plus(p, state.momentum, -o.lr));
  } else {
    set(p, plusQuotient(p, grad, denominator, -o.lr));
  }
}

// --- clipping

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type, bool error_if_nonfinite) {
  GradMode off(false);
  const std::vector<Tensor> gradients = gradientsOf(parameters);
  if (gradients.empty()) return 0;
  const Tensor total = totalNorm(gradients, norm_type);
  if (error_if_nonfinite && !std::isfinite(total.item().toDouble()))
    throw Error("clip_grad_norm_: the norm of order " + std::to_string(norm_type) + " of all gradients is " +
                std::to_string(total.item().toDouble()) + ", so they cannot be scaled");
  const Tensor scale = ops::clamp_max(ops::reciprocal(total + 1e-6) * max_norm, 1.0);
  for (const Tensor& g : gradients) setUnseen(g, g * scale);
  return total.item().toDouble();
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  GradMode off(false);
  for (const Tensor& g : gradientsOf(parameters)) setUnseen(g, ops::clamp(g, -clip_value, clip_value));
}

}  // namespace rt
