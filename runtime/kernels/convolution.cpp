// Convolutions over one to three spatial dimensions: what LibTorch asks of their arguments, and the products of convolving.h.
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/columns.h"
#include "runtime/kernels/formats.h"
#include "runtime/kernels/convolving.h"
#include "runtime/ops.h"

#include <algorithm>

namespace rt {

// A loop that is compiled for wide registers too.
#if defined(__x86_64__) && defined(__linux__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void convolving::addNeighbours(float* to, const float* from, float by, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = to[i] + by * from[i];
}

namespace {

using convolving::Convolution, convolving::Geometry;

Geometry geometryOf(const ConvolutionInts& p, std::span<const int64_t> image, std::span<const int64_t> weight, std::span<const int64_t> places) {
  Geometry g;
  g.batch = image[0];
  g.groups = p.groups;
  g.seen = weight[1];
  g.made = weight[0] / p.groups;
  const size_t rank = weight.size() - 2;
  for (size_t d = 0; d < rank; ++d) {
    const size_t at = 3 - rank + d;
    g.image[at] = image[d + 2], g.kernel[at] = weight[d + 2], g.places[at] = places[d + 2];
    g.stride[at] = p.stride[d], g.padding[at] = p.padding[d], g.dilation[at] = p.dilation[d];
  }
  return g;
}

template <typename F> void withComputed(DType dtype, F f) {
  withType(dtype, [&]<typename S>() {
    if constexpr (std::is_same_v<S, bool> || std::is_same_v<S, Half> || std::is_same_v<S,
        BFloat16>) throw Error(std::string("convolution: not for tensors of ") + dtypeName(dtype));
    else f.template operator()<S>();
  });
}

[[noreturn]] void refuse(const std::string& why) { throw Error("convolution: " + why); }

bool anyNot(const Dims& dims, int64_t usual) { return std::any_of(dims.begin(), dims.end(), [usual](int64_t v) { return v != usual; }); }

// Whether LibTorch, on one thread, leaves the work to oneDNN, which is more lenient about shapes and less about dtypes than its
// own kernels. Source: ConvParams::use_mkldnn.
bool byOneDnn(const ConvolutionInts& p, const Tensor& input, const Tensor& weight) {
  for (size_t d = 0; p.transposed && d < p.stride.size(); ++d)
    if (p.outputPadding[d] >= p.stride[d]) return false;
  if (computed(input.dtype()) != input.dtype()) return true;
  if (input.dtype() != DType::float32) return false;
  auto kernel = [&](int64_t d) { return d + weight.dim() < 2 ? 1 : weight.size(d); };
  const int64_t last = kernel(-1), before = weight.dim() == 3 ? 1 : kernel(-2), plane = weight.dim() == 5 ? input.numel() / input.size(4) : input.numel();
  return (anyNot(p.stride, 1) || anyNot(p.dilation, 1) || input.size(0) >= 16 || last != 1 || before != 1) &&
         (p.groups > 1 || (last > 3 && before > 3) || input.size(0) > 1 || plane > 20480);
}

// Source: check_shape_forward.
void checkShapes(const ConvolutionInts& p, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const size_t rank = size_t(weight.dim()) - 2;
  for (size_t d = 0; d < rank; ++d)
    if (p.padding[d] < 0 || p.outputPadding[d] < 0 || p.stride[d] <= 0 || p.dilation[d] < 0)
      refuse("strides and dilations must be positive, paddings not negative");
  if (p.groups <= 0) refuse("the number of groups must be positive");
  if (weight.dim() != input.dim()) refuse("a weight of shape " + toText(weight.sizes()) + " does not fit an input of shape " + toText(input.sizes()));
  if (weight.size(0) < p.groups || weight.size(0) % p.groups)
    refuse("a weight of shape " + toText(weight.sizes()) + " cannot be taken apart into " + std::to_string(p.groups) + " groups");
  const int64_t channels = p.transposed ? weight.size(0) : weight.size(1) * p.groups, results = p.transposed ? weight.size(1) * p.groups : weight.size(0);
  if (input.size(1) != channels) refuse("the input must have " + std::to_string(channels) + " channels, its shape is " + toText(input.sizes()));
  if (bias.defined() && (bias.dim() != 1 || bias.size(0) != results))
    refuse("the bias must have " + std::to_string(results) + " elements, its shape is " + toText(bias.sizes()));
  for (size_t d = 0; d < rank && !p.transposed; ++d)
    if (input->sizes[d + 2] + 2 * p.padding[d] < p.dilation[d] * (weight->sizes[d + 2] - 1) + 1)
      refuse("the kernel of a weight of shape " + toText(weight.sizes()) + " is larger than the padded input of shape " + toText(input.sizes()));
}

Dims resultSizes(const ConvolutionInts& p, const Tensor& input, const Tensor& weight) {
  Dims sizes{input.size(0), input.size(1) == 0 ? 0 : p.transposed ? weight.size(1) * p.groups : weight.size(0)};
  for (size_t d = 0; d + 2 < weight->sizes.size(); ++d) {
    const int64_t size = input->sizes[d + 2], reach = p.dilation[d] * (weight->sizes[d + 2] - 1) + 1;
    const int64_t stepped = (size + 2 * p.padding[d] - reach) / p.stride[d] + 1;
    const int64_t spread = (size - 1) * p.stride[d] - 2 * p.padding[d] + reach + p.outputPadding[d];
    sizes.push_back(p.transposed ? spread : stepped);
    if (sizes.back() < 0) refuse("the result would have shape " + toText(sizes));
  }
  return sizes;
}

// Where there is no element LibTorch multiplies the input by a number from the weight, and asks for no dtype.
DType dtypeOfNothing(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (input.size(0) != 0 && input.size(1) != 0) refuse("only the batch and the channels may be empty, not in shape " + toText(input.sizes()));
  if (weight.numel() == 0 && input.size(1) != 0) refuse("the weight has no element");
  TypeClass types;
  types.add(input.dtype(), true, false);
  types.add(weight.dtype(), input.size(1) == 0, false);
  if (bias.defined() && kindOf(bias.dtype()) > kindOf(types.result())) refuse("a bias of " + std::string(dtypeName(bias.dtype())) + " cannot be added");
  return types.result();
}

void checkComputes(const ConvolutionInts& p, const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& sizes) {
  const bool lenient = byOneDnn(p, input, weight), dilated = anyNot(p.dilation, 1);
  if (weight.numel() == 0) refuse("the weight has no element");
  const bool strict = lenient || (p.transposed && bias.defined() && (weight.dim() == 5 || kindOf(bias.dtype()) > kindOf(input.dtype())));
  for (const Tensor& other : {weight, strict ? bias : Tensor()})
    if (other.defined() && other.dtype() != input.dtype())
      refuse("expected tensors of one dtype, not " + std::string(dtypeName(input.dtype())) + " and " + dtypeName(other.dtype()));
  if ((p.transposed || dilated) && kindOf(input.dtype()) == DTypeKind::integer && input.dtype() != DType::int64)
    refuse("dilated or transposed, not for tensors of " + std::string(dtypeName(input.dtype())));
  for (size_t d = 0; d < p.stride.size(); ++d) {
    if (p.dilation[d] == 0) refuse("dilations must be positive");
    if (!lenient && sizes[d + 2] < 1) refuse("the result would have shape " + toText(sizes));
    if (p.transposed && p.outputPadding[d] >= std::max(p.stride[d], p.dilation[d]))
      refuse("the output padding must be smaller than the stride or the dilation");
  }
}

// Lines are planes of height 1. Channels stay next to each other in memory if they are so in the input or the weight.
Dims resultStrides(const ConvolutionInts& p, const Dims& sizes, const Tensor& input, const Tensor& weight) {
  if (sizes.size() == 5 && !byOneDnn(p, input, weight)) return contiguousStrides(sizes);
  const bool line = sizes.size() == 3;
  auto plane = [line](Dims dims, int64_t v) { if (line) dims.insert(2, v); return dims; };
  auto last = [&](const Tensor& t) { return isChannelsLast(plane(t->sizes, 1), plane(t->strides, t->sizes[2] * t->strides[2])); };
  if (!(line ? last(ops::contiguous(input)) : last(input)) && !last(weight)) return contiguousStrides(sizes);
  Dims strides = channelsLastStrides(plane(sizes, 1));
  if (line) strides.erase(2);
  return strides;
}

}  // namespace

ConvolutionInts::ConvolutionInts(const Ints& ints, size_t rank) {
  auto read = [&](size_t part, Dims& into) {
    for (size_t at = part * rank; at < (part + 1) * rank; ++at) into.push_back(at < ints.size() ? ints[at] : part % 2 ? 0 : 1);
  };
  read(0, stride), read(1, padding), read(2, dilation), read(3, outputPadding);
  if (ints.size() > 4 * rank) groups = ints[4 * rank];
  if (ints.size() > 4 * rank + 1) transposed = ints[4 * rank + 1] != 0;
}

Ints ConvolutionInts::ints() const {
  Ints all;
  for (const Dims* part : {&stride, &padding, &dilation, &outputPadding})
    for (int64_t v : *part) all.push_back(v);
  all.push_back(groups);
  all.push_back(transposed);
  return all;
}

namespace kernels {

Tensor convolution(Op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], &weight = in[1], bias = in.size() > 2 ? in[2] : Tensor();
  if (weight.dim() < 3 || weight.dim() > 5) refuse("the weight must have one to three spatial dimensions, its shape is " + toText(weight.sizes()));
  const ConvolutionInts p(attributes.ints, size_t(weight.dim()) - 2);
  checkShapes(p, input, weight, bias);
  const Dims sizes = resultSizes(p, input, weight);
  if (input.numel() == 0) return emptyTensor(sizes, dtypeOfNothing(input, weight, bias), input.device());
  checkComputes(p, input, weight, bias, sizes);
  const DType dtype = input.dtype(), compute = computed(dtype);
  const Tensor from = plain(input, compute), by = plain(weight, compute), plus = bias.defined() ? plain(bias, compute) : bias;
  const Geometry g = p.transposed ? geometryOf(p, sizes, by.sizes(), from.sizes()) : geometryOf(p, from.sizes(), by.sizes(), sizes);
  if (input.device() != Device::cpu) {
    const Tensor volume = p.transposed ? convolving::imageOf(g, from, by, plus) : convolving::placesOf(g, from, by, plus);
    return laidOut(ops::reshape(volume, sizes), dtype, resultStrides(p, sizes, input, weight));
  }
  const Tensor to = emptyTensor(sizes, compute);
  withComputed(compute, [&]<typename S>() {
    const S* added = plus.defined() ? plus->data<S>() : nullptr;
    if (p.transposed) Convolution<S>(g).toImage(from->data<S>(), by->data<S>(), added, to->data<S>());
    else Convolution<S>(g).toPlaces(from->data<S>(), by->data<S>(), added, to->data<S>());
  });
  return laidOut(to, dtype, resultStrides(p, sizes, input, weight));
}

// in: the image and the places. ints: as of a convolution, with the sizes of the kernel in the place of the output's padding.
Tensor convolutionWeight(Op, Tensors in, const Attributes& attributes) {
  const Tensor &image = in[0], &places = in[1];
  const size_t rank = image->sizes.size() - 2;
  const ConvolutionInts p(attributes.ints, rank);
  if (p.groups <= 0 || image.size(0) != places.size(0) || image.size(1) % p.groups || places.size(1) % p.groups)
    refuse("the groups do not fit the image and the places");
  Dims sizes{places.size(1), image.size(1) / p.groups};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t room = image->sizes[d + 2] + 2 * p.padding[d] - p.dilation[d] * (p.outputPadding[d] - 1) - 1;
    if (p.stride[d] <= 0 || p.padding[d] < 0 || p.outputPadding[d] < 1 || places->sizes[d + 2] > room / p.stride[d] + 1)
      refuse("places of shape " + toText(places.sizes()) + " do not fit an image of shape " + toText(image.sizes()));
    sizes.push_back(p.outputPadding[d]);
  }
  const DType compute = computed(image.dtype());
  const Tensor seen = plain(image, compute), made = plain(places, compute), weight = emptyTensor(sizes, compute, image.device());
  if (image.numel() == 0 || places.numel() == 0) {
    copyInto(weight, Tensor(0));
    return laidOut(weight, image.dtype(), contiguousStrides(sizes));
  }
  const Geometry g = geometryOf(p, seen.sizes(), sizes, made.sizes());
  if (image.device() != Device::cpu) return laidOut(ops::reshape(convolving::weightOf(g, seen, made), sizes), image.dtype(), contiguousStrides(sizes));
  withComputed(compute, [&]<typename S>() {
    Convolution<S>(g).toWeight(seen->data<S>(), made->data<S>(), weight->data<S>());
  });
  return laidOut(weight, image.dtype(), contiguousStrides(sizes));
}

}  // namespace kernels
}  // namespace rt
