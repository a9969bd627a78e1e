// Normalizations: mean and variance of a set of elements, and the set made one of mean 0 and variance 1. The sets are the
// channels (batch_norm), what lies behind some dimensions (layer_norm), or groups of channels of a sample (group_norm).
#include "runtime/kernels/formats.h"
#include "runtime/kernels/norm-kernels.h"
#include "runtime/kernels/norm-layers.h"
#include "runtime/launch.h"
#include "runtime/ops.h"

#include <limits>
#include <vector>

namespace rt {
namespace {

[[noreturn]] void refuse(Op op, const std::string& why) { throw Error(std::string(info(op).name) + ": " + why); }
Tensor inputOr(Tensors in, size_t i) { return i < in.size() ? in[i] : Tensor(); }

// Source: mixed_data_type.h. Half types may have parameters in float32; else all are of one dtype.
DType parameterType(Op op, const Tensor& input, std::initializer_list<Tensor> parameters) {
  if (kindOf(input.dtype()) != DTypeKind::floating) refuse(op, std::string("not for tensors of ") + dtypeName(input.dtype()));
  DType dtype = input.dtype();
  for (const Tensor& parameter : parameters)
    if (parameter.defined()) { dtype = parameter.dtype(); break; }
  const bool mixed = dtype != input.dtype();
  const bool takesMixed = since(2, 0) || (op != Op::layer_norm && op != Op::group_norm);
  if (mixed && (!takesMixed || dtype != DType::float32 || computed(input.dtype()) == input.dtype()))
    refuse(op, std::string("parameters of ") + dtypeName(dtype) + " do not fit an input of " + dtypeName(input.dtype()));
  for (const Tensor& parameter : parameters)
    if (parameter.defined() && parameter.dtype() != dtype) refuse(op, "the parameters must be of one dtype");
  return dtype;
}

template <typename F> void withFloating(DType dtype, F f) {
  withType(dtype, [&]<typename S>() {
    if constexpr (std::is_floating_point_v<S>) f.template operator()<S>();
  });
}

void checkVector(Op op, const Tensor& parameter, int64_t channels, const char* what) {
  if (parameter.defined() && (parameter.dim() != 1 || parameter.numel() != channels))
    refuse(op, std::string(what) + " must have " + std::to_string(channels) + " elements, its shape is " + toText(parameter.sizes()));
}

// LibTorch's native_batch_norm writes the running statistics without a version's notice.
void updateRunning(const Tensor& running, const Tensor& found, double momentum) {
  if (!running.defined()) return;
  withType(running.dtype(), [&]<typename S>() {
    if constexpr (!std::is_integral_v<S>) launch(running.device(), found.numel(), UpdateRunning<S>{running->data<S>(), running->strides[0], found->data<double>(), momentum});
  });
}

Tensor plainOr(const Tensor& parameter, DType dtype) { return parameter.defined() ? plain(parameter, dtype) : parameter; }
template <typename T> const T* dataOr(const Tensor& tensor) { return tensor.defined() ? tensor->data<T>() : nullptr; }

// Whether LibTorch sees an input without gaps, in either memory format; where it does not, it computes in another order.
bool inFormat(const Tensor& input, std::initializer_list<Tensor> parameters) {
  for (const Tensor& parameter : parameters)
    if (parameter.defined() && !parameter.isContiguous()) return false;
  if (input.isContiguous()) return true;
  if (input.dim() != 4 && input.dim() != 5) return false;
  const Dims last = channelsLastStrides(input->sizes);
  for (size_t d = 0; d < last.size(); ++d)
    if (input->sizes[d] > 1 && input->strides[d] != last[d]) return false;
  return true;
}

}  // namespace

namespace kernels {

// in: input, weight, bias, running mean and variance. ints[0]: whether it is in training. reals: momentum, eps.
Tensor nativeBatchNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], weight = inputOr(in, 1), bias = inputOr(in, 2), runningMean = inputOr(in, 3), runningVar = inputOr(in, 4);
  const bool training = attributes.integer(0, 0) != 0;
  const double momentum = attributes.real(0, 0.1), eps = attributes.real(1, 1e-5);
  if (input.dim() < 2) refuse(op, "the input must have channels, its shape is " + toText(input.sizes()));
  const int64_t channels = input.size(1), samples = input.size(0), inner = input.numel() / std::max<int64_t>(1, channels * samples), count = samples * inner;
  for (const Tensor& parameter : {weight, bias, runningMean, runningVar}) checkVector(op, parameter, channels, "a parameter");
  if (!training && !(runningMean.defined() && runningVar.defined())) refuse(op, "running statistics are needed outside training");
  if (training && input.numel() == 0) refuse(op, "the input has no element");
  const DType parameters = parameterType(op, input, {weight, bias, runningMean, runningVar}), compute = computed(input.dtype());

  const bool tight = inFormat(input, {weight, bias, runningMean, runningVar});
  const Device device = input.device();
  const Tensor from = plain(input, compute), result = emptyTensor(input->sizes, compute, device), scale = plainOr(weight, compute), shift = plainOr(bias, compute);
  const Tensor means = emptyTensor({channels}, DType::float64, device), variances = emptyTensor({channels}, DType::float64, device);
  const Tensor mean = training ? Tensor() : plain(runningMean, compute), variance = training ? Tensor() : plain(runningVar, compute);
  withFloating(compute, [&]<typename T>() {
    const NormalizeChannel<T> kernel{from->data<T>(), dataOr<T>(scale), dataOr<T>(shift), dataOr<T>(mean), dataOr<T>(variance), result->data<T>(), means->data<double>(),
                                     variances->data<double>(), samples, channels, inner, eps, parameters, training, tight};
    launch(device, channels, kernel, count);
  });
  if (training) updateRunning(runningMean, means, momentum), updateRunning(runningVar, variances, momentum);
  const Dims& sizes = input->sizes;
  return laidOut(result, input.dtype(), !tight ? stridesLike(input, sizes) : input.isContiguous() ? contiguousStrides(sizes) : channelsLastStrides(sizes));
}

// in: input, weight, bias. ints: the sizes of the dimensions that a set has. reals[0]: eps.
Tensor layerNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], weight = inputOr(in, 1), bias = inputOr(in, 2);
  checkNormalized(op, input, attributes.ints, {weight, bias});
  parameterType(op, input, {weight, bias});
  const DType compute = computed(input.dtype());
  const int64_t length = numelOf(attributes.ints), sets = length ? input.numel() / length : 0;
  const Tensor from = plain(input, compute), result = emptyTensor(input->sizes, compute, input.device()), scale = plainOr(weight, compute), shift = plainOr(bias, compute);
  withFloating(compute, [&]<typename T>() {
    launch(input.device(), sets, NormalizeSet<T>{from->data<T>(), dataOr<T>(scale), dataOr<T>(shift), result->data<T>(), length, attributes.real(0, 1e-5)}, length);
  });
  return laidOut(result, input.dtype(), contiguousStrides(input->sizes));
}

// in: input, weight, bias. ints[0]: the number of groups. reals[0]: eps.
Tensor groupNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], weight = inputOr(in, 1), bias = inputOr(in, 2);
  const int64_t groups = attributes.integer(0, 1);
  if (input.dim() < 2) refuse(op, "the input must have channels, its shape is " + toText(input.sizes()));
  const int64_t channels = input.size(1);
  if (groups <= 0 || channels % groups) refuse(op, std::to_string(channels) + " channels cannot be taken apart into " + std::to_string(groups) + " groups");
  if (numelOf(input.sizes().subspan(1)) == 0) refuse(op, "nothing but the batch may be empty, not in shape " + toText(input.sizes()));
  checkVector(op, weight, channels, "the weight");
  checkVector(op, bias, channels, "the bias");
  parameterType(op, input, {weight, bias});
  const DType compute = computed(input.dtype());
  const int64_t sets = input.size(0) * groups, members = channels / groups, length = sets ? input.numel() / sets : 0, inner = members ? length / members : 0;
  const Tensor from = plain(input, compute), result = emptyTensor(input->sizes, compute, input.device()), scale = plainOr(weight, compute), shift = plainOr(bias, compute);
  withFloating(compute, [&]<typename T>() {
    const NormalizeGroup<T> kernel{from->data<T>(), dataOr<T>(scale), dataOr<T>(shift), result->data<T>(), groups, members, inner, attributes.real(0, 1e-5)};
    launch(input.device(), sets, kernel, length);
  });
  return laidOut(result, input.dtype(), stridesLike(input, input->sizes));
}

// in, ints, reals: as of native_batch_norm. Without an element it is an affine map by the first weight.
Tensor batchNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], weight = inputOr(in, 1), bias = inputOr(in, 2);
  if (input.dim() < 2) refuse(op, "the input must have channels, its shape is " + toText(input.sizes()));
  if (input.numel() > 0) return call(Op::native_batch_norm, in, attributes);
  Tensor result = input.clone();
  if (weight.defined()) result = result * ops::select(weight, {0, 0});
  if (bias.defined()) result = result + ops::select(bias, {0, 0});
  return result;
}

// Channels of a sample as channels of a batch of one; the running statistics are the means of what each sample made of them.
Tensor instanceNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& input = in[0];
  if (input.dim() < 2) refuse(op, "the input must have channels, its shape is " + toText(input.sizes()));
  const int64_t samples = input.size(0), channels = input.size(1);
  if (!attributes.integer(0, 1) && !(inputOr(in, 3).defined() && inputOr(in, 4).defined()))
    refuse(op, "running statistics are needed where the input's are not used");
  Ints shape(input.sizes());
  shape[0] = 1, shape[1] = samples * channels;
  std::vector<Tensor> operands = {ops::view(ops::contiguous(input), shape)};
  for (size_t i = 1; i < in.size(); ++i) {
    const Tensor parameter[] = {in[i]};
    const Tensor each = in[i].defined() ? call(Op::repeat, parameter, {{samples}}) : in[i];
    operands.push_back(i > 2 && each.defined() ? each.to(in[1].defined() ? in[1].dtype() : input.dtype()) : each);
  }
  const Tensor result = call(Op::batch_norm, operands, {{attributes.integer(0, 1)}, false, {}, attributes.reals});
  for (size_t i = 3; i < in.size() && attributes.integer(0, 1); ++i) {
    if (!in[i].defined()) continue;
    GradMode off(false);
    const Tensor mean[] = {ops::mean(ops::view(operands[i], {samples, channels}), {0})};
    callInPlace(Op::copy, in[i], mean);
  }
  return ops::view(result, input.sizes());
}

// in: input, weight. ints: the sizes of the dimensions that a set has. reals[0]: eps, the machine's where it is absent.
Tensor rmsNorm(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], weight = inputOr(in, 1);
  checkNormalized(op, input, attributes.ints, {weight});
  if (kindOf(input.dtype()) != DTypeKind::floating) refuse(op, std::string("not for tensors of ") + dtypeName(input.dtype()));
  const Tensor wide = input.to(computed(input.dtype()));
  const bool single = wide.dtype() == DType::float32;
  const double eps = attributes.real(0, single ? double(std::numeric_limits<float>::epsilon()) : std::numeric_limits<double>::epsilon());
  Ints dims;
  for (size_t d = 0; d < attributes.ints.size(); ++d) dims.push_back(input.dim() - int64_t(d) - 1);
  Tensor result = wide * ops::rsqrt(ops::mean(ops::pow(wide, 2), dims, true) + (single ? double(float(eps)) : eps));
  if (weight.defined()) result = result * weight;
  return (isChannelsLast(input->sizes, input->strides) ? result : ops::contiguous(result)).to(input.dtype());
}

}  // namespace kernels

void checkNormalized(Op op, const Tensor& input, const Ints& sizes, std::initializer_list<Tensor> parameters) {
  if (sizes.empty() || int64_t(sizes.size()) > input.dim() || !(Ints(input.sizes().last(sizes.size())) == sizes))
    refuse(op, "an input of shape " + toText(input.sizes()) + " does not end in " + toText(sizes));
  for (const Tensor& parameter : parameters)
    if (parameter.defined() && !(Ints(parameter.sizes()) == sizes))
      refuse(op, "a parameter must be of shape " + toText(sizes) + ", not " + toText(parameter.sizes()));
}

}  // namespace rt
