// One step on each side: arguments, the call, the cotangent.
#include "test/conformance/session.h"

#include "runtime/backend.h"
#include "runtime/body.h"

#include <ATen/ScalarOps.h>

#include <limits>

namespace samples {
namespace {

template <typename F> void withTorchType(at::ScalarType type, F&& f) {
  switch (type) {
    case at::kBool: return f.template operator()<bool>();
    case at::kByte: return f.template operator()<uint8_t>();
    case at::kChar: return f.template operator()<int8_t>();
    case at::kShort: return f.template operator()<int16_t>();
    case at::kInt: return f.template operator()<int32_t>();
    case at::kLong: return f.template operator()<int64_t>();
    case at::kHalf: return f.template operator()<at::Half>();
    case at::kBFloat16: return f.template operator()<at::BFloat16>();
    case at::kFloat: return f.template operator()<float>();
    case at::kDouble: return f.template operator()<double>();
    default: throw std::logic_error("a dtype that the generator does not know");
  }
}

at::Scalar scalarOf(const rt::Scalar& v) {
  return v.kind == rt::Scalar::Kind::boolean ? at::Scalar(v.b) : v.kind == rt::Scalar::Kind::integer ? at::Scalar(v.i) : at::Scalar(v.d);
}

template <typename S> S storedAs(const rt::Scalar& v) {
  if (v.kind == rt::Scalar::Kind::integer) return S(v.i);
  return v.kind == rt::Scalar::Kind::boolean ? S(v.b) : S(v.d);
}

int64_t offsetOf(const at::Tensor& t, int64_t i) {
  int64_t offset = 0;
  for (int64_t d = t.dim(); d-- > 0; i /= t.size(d)) offset += i % t.size(d) * t.stride(d);
  return offset;
}

// Cotangents: small exact numbers; with what is not finite; ones that are one number repeated.
std::vector<double> cotangentValues(int64_t mode, int64_t n) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static const double special[] = {1, 0, -2, inf, std::numeric_limits<double>::quiet_NaN(), -0.0, 0.5};
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(mode == 1 ? special[i % 7] : mode == 0 ? 0.5 + 0.25 * double(i % 7) : 1);
  return values;
}

void backwardOurs(const rt::Tensor& y, int64_t mode) {
  std::vector<int64_t> shape(y.sizes().begin(), y.sizes().end());
  std::vector<double> values = cotangentValues(mode, y.numel());
  std::vector<rt::Scalar> scalars(values.begin(), values.end());
  rt::Tensor cotangent = rt::fromValues(scalars, shape, y.dtype());
  if (mode == 2) {
    rt::Scalar one(1.0);
    cotangent = rt::fromStrided({&one, 1}, shape, std::vector<int64_t>(shape.size(), 0), y.dtype());
  }
  cotangent = cotangent.to(y.device());
  rt::backward({&y, 1}, {&cotangent, 1});
}

void backwardTheirs(const at::Tensor& y, int64_t mode) {
  at::Tensor cotangent = mode == 2 ? at::ones({}, y.scalar_type()).expand(y.sizes()) : at::empty(y.sizes(), y.scalar_type());
  if (mode != 2) {
    std::vector<double> values = cotangentValues(mode, y.numel());
    withTorchType(y.scalar_type(), [&]<typename S>() {
      for (size_t i = 0; i < values.size(); ++i) static_cast<S*>(cotangent.data_ptr())[i] = S(values[i]);
    });
  }
  y.backward(cotangent, true);
}

}  // namespace

rt::Device device = rt::Device::cpu;

// The backtrace of LibTorch's exceptions takes longer than the case.
std::string thrownBy(const std::function<void()>& f) {
  try {
    f();
  } catch (const c10::Error& error) {
    return std::string(error.what_without_backtrace()).substr(0, 160);
  } catch (const rt::Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return {};
}

rt::Tensor makeOurs(const Argument& argument) {
  if (argument.kind == Argument::Kind::undefined) return {};
  if (argument.kind == Argument::Kind::number) return rt::Tensor(argument.values[0]);
  rt::Tensor tensor = rt::fromStrided(argument.values, argument.shape, argument.strides, argument.dtype);
  tensor->offset = argument.offset;
  tensor = tensor.to(device);
  tensor.setRequiresGrad(argument.requiresGrad && rt::kindOf(argument.dtype) == rt::DTypeKind::floating);
  return tensor;
}

at::Tensor makeTheirs(const Argument& argument) {
  if (argument.kind == Argument::Kind::undefined) return {};
  if (argument.kind == Argument::Kind::number) {
    at::Tensor number = c10::scalar_to_tensor(scalarOf(argument.values[0]));
    number.unsafeGetTensorImpl()->set_wrapped_number(true);
    return number;
  }
  at::Tensor tensor = at::empty({int64_t(argument.values.size())}, torchType(argument.dtype));
  withTorchType(tensor.scalar_type(), [&]<typename S>() {
    for (size_t i = 0; i < argument.values.size(); ++i) static_cast<S*>(tensor.data_ptr())[i] = storedAs<S>(argument.values[i]);
  });
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(at::IntArrayRef(argument.shape), at::IntArrayRef(argument.strides), argument.offset);
  return argument.requiresGrad && tensor.is_floating_point() ? tensor.requires_grad_(true) : tensor;
}

rt::Tensor runOurs(const Step& step, const std::vector<rt::Tensor>& in) {
  rt::GradMode mode(step.grad);
  if (step.kind == Step::Kind::input) return in[0];
  if (step.kind == Step::Kind::call && rt::info(step.row->op).kind == rt::OpKind::create) return rt::call(step.row->op, in, step.attributes).to(device);
  if (step.kind == Step::Kind::call) return rt::call(step.row->op, in, step.attributes);
  if (step.kind == Step::Kind::inPlace) return rt::callInPlace(step.row->op, in[0], std::span(in).subspan(1), step.attributes), in[0];
  return backwardOurs(in[0], step.attributes.ints[0]), rt::Tensor();
}

at::Tensor runTheirs(const Step& step, const std::vector<at::Tensor>& in) {
  c10::AutoGradMode mode(step.grad);
  if (step.kind == Step::Kind::input) return in[0];
  if (step.kind == Step::Kind::call) return step.row->theirs ? step.row->theirs(in, step.attributes) : callByName(step.row->op, false, in);
  if (step.kind == Step::Kind::inPlace) return step.row->inPlace ? step.row->inPlace(in, step.attributes) : callByName(step.row->op, true, in), in[0];
  return backwardTheirs(in[0], step.attributes.ints[0]), at::Tensor();
}

Magnitudes magnitudesOf(const Program& program) {
  Magnitudes magnitudes;
  std::vector<at::Tensor> leaves;
  for (Step step : program) {
    for (double& real : step.attributes.reals)
      if (step.row && step.row->sums) real = std::abs(real);
    std::vector<at::Tensor> in;
    for (Argument argument : step.arguments) {
      for (rt::Scalar& v : argument.values)
        if (v.kind == rt::Scalar::Kind::floating) v = std::isfinite(v.d) ? std::abs(v.d) : 0.0;
      in.push_back(argument.from >= 0 ? magnitudes.results[size_t(argument.from)] : makeTheirs(argument));
      if (argument.from < 0) leaves.push_back(in.back());
    }
    at::Tensor result;
    try { result = runTheirs(step, in); } catch (const std::exception&) {}
    magnitudes.results.push_back(result);
  }
  for (const at::Tensor& leaf : leaves) magnitudes.gradients.push_back(leaf.defined() ? leaf.grad() : leaf);
  return magnitudes;
}

at::Tensor magnitudeOf(const Step& step, const std::vector<at::Tensor>& in) {
  c10::AutoGradMode off(false);
  std::vector<at::Tensor> magnitudes;
  for (const at::Tensor& t : in) {
    if (!t.defined() || isNumber(t)) magnitudes.push_back(t);
    else magnitudes.push_back(t.is_floating_point() ? t.detach().abs().nan_to_num(0, 0, 0) : step.row->draw ? t.detach().clone() : t.detach().abs());
  }
  Step once = step;
  once.grad = false;
  for (double& real : once.attributes.reals) real = std::abs(real);
  try {
    return runTheirs(once, magnitudes);
  } catch (const std::exception&) {
    return {};
  }
}

rt::Scalar elementOf(const at::Tensor& t, int64_t i) {
  rt::Scalar result(0.0);
  if (t._is_zerotensor()) return t.is_floating_point() ? result : rt::Scalar(int64_t(0));
  withTorchType(t.scalar_type(), [&]<typename S>() {
    S v = static_cast<const S*>(t.data_ptr())[offsetOf(t, i)];
    if constexpr (std::is_same_v<S, bool>) result = rt::Scalar(v);
    else if constexpr (std::is_integral_v<S>) result = rt::Scalar(int64_t(v));
    else result = rt::Scalar(double(v));
  });
  return result;
}

void assign(const rt::Tensor& to, const at::Tensor& from) {
  if (to.device() != rt::Device::cpu) {
    const rt::Tensor host = to.to(rt::Device::cpu);
    assign(host, from);
    return rt::backendOf(to.device()).fromHost(to->storage->data, host->storage->data, host->storage->bytes);
  }
  rt::withType(to.dtype(), [&]<typename S>() {
    for (int64_t i = 0, n = to.numel(); i < n; ++i) {
      int64_t offset = 0, rest = i;
      for (int64_t d = to.dim(); d-- > 0; rest /= to.size(d)) offset += rest % to.size(d) * to.strides()[size_t(d)];
      rt::Scalar v = elementOf(from, i);
      if constexpr (std::is_integral_v<S>) to->data<S>()[offset] = storedAs<S>(v);
      else to->data<S>()[offset] = S(sizeof(S) == 8 ? v.d : float(v.d));
    }
  });
}

}  // namespace samples
