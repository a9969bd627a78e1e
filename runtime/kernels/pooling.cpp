// Pooling over one to three dimensions: the largest element of each window with its place, or the mean.
#include "runtime/kernels/formats.h"
#include "runtime/kernels/window-kernels.h"
#include "runtime/launch.h"
#include "runtime/ops.h"

#include <algorithm>

namespace rt {

using namespace pooling;

namespace {

[[noreturn]] void refuse(Op op, const std::string& why) { throw Error(std::string(info(op).name) + ": " + why); }

// The digit in the row's name.
size_t rankOf(Op op) {
  const std::string_view name = info(op).name;
  return size_t(name[name.find_first_of("123")] - '0');
}

// `first`: the first dimension that must not be empty, counted from the channels.
void checkInput(Op op, const Tensor& input, size_t rank, int64_t first = 0) {
  const int64_t dims = int64_t(rank);
  if (input.dim() != dims + 1 && input.dim() != dims + 2)
    refuse(op, "the input must have " + std::to_string(dims + 1) + " dimensions, or one more for a batch, not shape " + toText(input.sizes()));
  for (int64_t d = std::min(first + input.dim() - dims - 1, input.dim() - dims); d < input.dim(); ++d)
    if (input.size(d) == 0) refuse(op, "nothing but the batch may be empty, not in shape " + toText(input.sizes()));
}

Dims pooledSizes(Op op, const PoolInts& p, const Dims& input) {
  const size_t rank = p.kernel.size(), before = input.size() - rank;
  Dims sizes = input;
  for (size_t d = 0; d < rank; ++d) {
    if (p.kernel[d] <= 0 || p.stride[d] <= 0 || p.dilation[d] <= 0) refuse(op, "kernels, strides and dilations must be positive");
    if (p.padding[d] < 0 || p.padding[d] > p.kernel[d] / 2) refuse(op, "a padding must lie between 0 and half of the kernel");
    sizes[before + d] = placesAlong(input[before + d], p.kernel[d], p.stride[d], p.padding[d], p.dilation[d], p.ceil);
    if (sizes[before + d] < 1) refuse(op, "the result of shape " + toText(input) + " would have shape " + toText(sizes));
  }
  return sizes;
}

Dims adaptiveSizes(Op op, const Ints& ints, const Tensor& input, size_t rank) {
  if (ints.size() != rank) refuse(op, "sizes for " + std::to_string(rank) + " dimensions are needed");
  Dims sizes = input->sizes;
  for (size_t d = 0; d < rank; ++d) {
    if (ints[d] < 0) refuse(op, "sizes must not be negative: " + toText(ints));
    sizes[sizes.size() - rank + d] = ints[d];
  }
  return sizes;
}

std::span<const int64_t> spatial(std::span<const int64_t> sizes, size_t rank) { return sizes.last(rank); }
int64_t planesOf(std::span<const int64_t> sizes, size_t rank) { return numelOf(sizes.first(sizes.size() - rank)); }

// Over planes LibTorch keeps the memory format; over volumes only for a maximum of parts.
Dims resultStrides(Op op, const Tensor& input, const Dims& sizes) {
  if (rankOf(op) == 2) return stridesLike(input, sizes);
  if (op != Op::max_pool3d && op != Op::max_pool3d_indices) return contiguousStrides(sizes);
  if (input.dim() == 5) return stridesLike(input, sizes);
  if (isChannelsLast(input->sizes, input->strides)) refuse(op, "a volume without a batch lies in memory as if its depth were channels");
  Dims batched = sizes;
  batched.insert(0, 1);
  Dims strides = stridesLike(ops::unsqueeze(input.detach(), {0}), batched);
  strides.erase(0);
  return strides;
}

// The windows in memory of a device.
struct Placed {
  Placed(const Windows& windows, Device device) {
    std::vector<int64_t> numbers;
    for (const auto& dimension : windows.parts)
      for (const Part& part : dimension) numbers.insert(numbers.end(), {part.begin, part.end, part.extent});
    parts = emptyTensor({int64_t(numbers.size())}, DType::int64);
    std::copy(numbers.begin(), numbers.end(), parts->data<int64_t>());
    parts = parts.to(device);
    view.parts = parts->data<int64_t>();
    for (size_t d = 0; d < 3; ++d) view.counts[d] = int64_t(windows.parts[d].size()), view.image[d] = windows.image[d], view.step[d] = windows.step[d];
    view.dividesInTurn = windows.dividesInTurn, view.divisor = windows.divisor;
  }
  int64_t cost() const { return view.elements() / std::max<int64_t>(1, view.places()) + 1; }

  Tensor parts;
  WindowView view;
};

template <typename F> void withPooled(Op op, DType dtype, F f) {
  withType(dtype, [&]<typename S>() {
    if constexpr (std::is_same_v<S, bool> || std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>) refuse(op, "not for tensors of boolean");
    else f.template operator()<S>();
  });
}

Tensor largestOf(Op op, const Tensor& input, const Dims& sizes, const Windows& windows, bool places) {
  const Dims strides = resultStrides(op, input, sizes);
  const Tensor from = plain(input, computed(input.dtype())), out = emptyTensor(sizes, places ? DType::int64 : from.dtype(), input.device());
  const Placed placed(windows, input.device());
  withPooled(op, from.dtype(), [&]<typename S>() {
    const LargestInWindow<S> kernel{placed.view, from->data<S>(), places ? nullptr : out->data<S>(), places ? out->data<int64_t>() : nullptr};
    launch(input.device(), out.numel(), kernel, placed.cost());
  });
  return laidOut(out, places ? DType::int64 : input.dtype(), strides);
}

Tensor meansOf(Op op, const Tensor& input, const Dims& sizes, const Windows& windows) {
  const Tensor from = plain(input, computed(input.dtype())), out = emptyTensor(sizes, from.dtype(), input.device());
  const Placed placed(windows, input.device());
  withPooled(op, from.dtype(), [&]<typename S>() { launch(input.device(), out.numel(), MeanOfWindow<S>{placed.view, from->data<S>(), out->data<S>()}, placed.cost()); });
  return laidOut(out, input.dtype(), resultStrides(op, input, sizes));
}

Tensor sharesOf(Op op, const Tensor& g, const Dims& sizes, const Windows& windows) {
  const Tensor from = plain(g, computed(g.dtype())), out = emptyTensor(sizes, from.dtype(), g.device());
  const Placed placed(windows, g.device());
  withPooled(op, from.dtype(), [&]<typename S>() {
    launch(g.device(), planesOf(sizes, rankOf(op)), SharesOfWindows<S>{placed.view, from->data<S>(), out->data<S>()}, placed.view.elements());
  });
  return laidOut(out, g.dtype(), contiguousStrides(sizes));
}

// Means exist of floating types, and, of strided windows, of int64.
void checkMeans(Op op, DType dtype, bool alsoWhole) {
  if (kindOf(dtype) != DTypeKind::floating && !(alsoWhole && dtype == DType::int64)) refuse(op, std::string("not for tensors of ") + dtypeName(dtype));
}

}  // namespace

PoolInts::PoolInts(const Ints& ints, size_t rank, bool mean) {
  auto read = [&](size_t part, const Dims& otherwise) {
    Dims dims = otherwise;
    for (size_t d = 0; d < rank && part * rank + d < ints.size(); ++d) dims[d] = ints[part * rank + d];
    return dims;
  };
  kernel = read(0, Dims(rank, 1));
  stride = read(1, kernel);
  padding = read(2, Dims(rank, 0));
  dilation = mean ? Dims(rank, 1) : read(3, Dims(rank, 1));
  const size_t rest = (mean ? 3 : 4) * rank;
  ceil = ints.size() > rest && ints[rest];
  if (mean && ints.size() > rest + 1) countsPadding = ints[rest + 1] != 0;
  if (mean && ints.size() > rest + 2) divisor = ints[rest + 2], overrides = true;
}

void checkNotEmpty(Op op, const Tensor& g) {
  for (int64_t d = 1; d < g.dim(); ++d)
    if (g.size(d) == 0) throw Error(std::string(info(op).name) + ": nothing of the gradient but its batch may be empty, not in shape " + toText(g.sizes()));
}

namespace kernels {

Tensor maxPool(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  const PoolInts p(attributes.ints, rank, false);
  checkInput(op, in[0], rank);
  const Dims sizes = pooledSizes(op, p, in[0]->sizes);
  const Windows windows = stridedWindows(p, spatial(in[0].sizes(), rank), spatial(sizes, rank), true);
  return largestOf(op, in[0], sizes, windows, op == Op::max_pool2d_indices || op == Op::max_pool3d_indices);
}

Tensor adaptiveMaxPool(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  checkInput(op, in[0], rank, in[0].dim() == int64_t(rank) + 1 ? 1 : 0);  // the first dimension may be, whether or not it is a batch
  const Dims sizes = adaptiveSizes(op, attributes.ints, in[0], rank);
  checkMeans(op, in[0].dtype(), false);
  const Windows windows = adaptiveWindows(spatial(in[0].sizes(), rank), spatial(sizes, rank));
  return largestOf(op, in[0], sizes, windows, op == Op::adaptive_max_pool2d_indices || op == Op::adaptive_max_pool3d_indices);
}

Tensor avgPool(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  const PoolInts p(attributes.ints, rank, true);
  if (p.overrides && p.divisor == 0) refuse(op, "the divisor must not be 0");
  checkInput(op, in[0], rank);
  const Dims sizes = pooledSizes(op, p, in[0]->sizes);
  for (size_t d = 0; d < rank && rank == 3; ++d)
    if (spatial(in[0].sizes(), rank)[d] < p.kernel[d]) refuse(op, "an input of shape " + toText(in[0].sizes()) + " is smaller than the kernel");
  if (rank == 3 && computed(in[0].dtype()) != in[0].dtype()) refuse(op, std::string("not for tensors of ") + dtypeName(in[0].dtype()));
  checkMeans(op, in[0].dtype(), true);
  const Windows windows = stridedWindows(p, spatial(in[0].sizes(), rank), spatial(sizes, rank), !p.countsPadding);
  return meansOf(op, in[0], sizes, windows);
}

// in: the gradient. ints: as of the pooling, and before them the sizes of its input.
Tensor avgPoolBackward(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  if (attributes.ints.size() < 2 * rank || in[0].dim() < int64_t(rank)) refuse(op, "sizes and a kernel are needed");
  if (rank == 3 && computed(in[0].dtype()) != in[0].dtype()) refuse(op, std::string("not for tensors of ") + dtypeName(in[0].dtype()));
  const Ints rest(std::span<const int64_t>(attributes.ints).subspan(rank));
  const PoolInts p(rest, rank, true);
  Dims sizes = in[0]->sizes;
  for (size_t d = 0; d < rank; ++d) sizes[sizes.size() - rank + d] = attributes.ints[d];
  if (!(pooledSizes(op, p, sizes) == in[0]->sizes))
    refuse(op, "a gradient of shape " + toText(in[0].sizes()) + " does not fit an input of shape " + toText(sizes));
  const Windows windows = stridedWindows(p, spatial(sizes, rank), spatial(in[0].sizes(), rank), !p.countsPadding);
  return sharesOf(op, in[0], sizes, windows);
}

Tensor adaptiveAvgPool(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  checkInput(op, in[0], rank, rank == 2 || in[0].dim() == 4 ? 1 : 0);
  const Dims sizes = adaptiveSizes(op, attributes.ints, in[0], rank);
  if (rank == 2 && numelOf(sizes) == 0) return emptyTensor(sizes, in[0].dtype(), in[0].device());  // before it looks at the dtype
  checkMeans(op, in[0].dtype(), false);
  const Windows windows = adaptiveWindows(spatial(in[0].sizes(), rank), spatial(sizes, rank));
  return meansOf(op, in[0], sizes, windows);
}

// in: the gradient. ints: the sizes of the input.
Tensor adaptiveAvgPoolBackward(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  const Dims sizes = adaptiveSizes(op, attributes.ints, in[0], rank);
  checkNotEmpty(op, in[0]);
  const Windows windows = adaptiveWindows(spatial(sizes, rank), spatial(in[0].sizes(), rank));
  return sharesOf(op, in[0], sizes, windows);
}

// Over a line: that of a plane of height 1.
Tensor pool1d(Op op, Tensors in, const Attributes& attributes) {
  if (op != Op::adaptive_avg_pool1d) checkInput(op, in[0], 1, op == Op::adaptive_max_pool1d && in[0].dim() == 2 ? 1 : 0);
  else if (in[0].dim() != 2 && in[0].dim() != 3) refuse(op, "the input must have two dimensions, or three, not shape " + toText(in[0].sizes()));
  const bool strided = op == Op::max_pool1d || op == Op::avg_pool1d;
  Ints ints;
  if (op == Op::max_pool1d && kindOf(in[0].dtype()) != DTypeKind::floating) refuse(op, std::string("not for tensors of ") + dtypeName(in[0].dtype()));
  if (strided) {
    const PoolInts p(attributes.ints, 1, op == Op::avg_pool1d);
    ints = {1, p.kernel[0], 1, p.stride[0], 0, p.padding[0]};
    if (op == Op::max_pool1d) ints.push_back(1), ints.push_back(p.dilation[0]);
    ints.push_back(p.ceil);
    if (op == Op::avg_pool1d) ints.push_back(p.countsPadding);
  } else {
    if (attributes.ints.size() != 1) refuse(op, "one size is needed");
    ints = {1, attributes.ints[0]};
  }
  const Op plane = op == Op::max_pool1d            ? Op::max_pool2d
                   : op == Op::avg_pool1d          ? Op::avg_pool2d
                   : op == Op::adaptive_max_pool1d ? Op::adaptive_max_pool2d
                                                   : Op::adaptive_avg_pool2d;
  const Tensor operands[] = {ops::unsqueeze(in[0], {-2})};
  Tensor result = ops::squeeze(call(plane, operands, {ints}), {-2});
  const bool kept = op != Op::max_pool1d || (GradMode::enabled() && in[0].requiresGrad());  // without a gradient LibTorch has a kernel of its own
  return kept ? result : ops::contiguous(result);
}

// One mean of everything is a mean; else the row with the underscore.
Tensor adaptiveAvgPoolForm(Op op, Tensors in, const Attributes& attributes) {
  const size_t rank = rankOf(op);
  const Ints& ints = attributes.ints;
  adaptiveSizes(op, ints, in[0], std::min(rank, in[0]->sizes.size()));
  const Tensor operands[] = {in[0]};
  if (std::any_of(ints.begin(), ints.end(), [](int64_t size) { return size != 1; }))
    return call(rank == 2 ? Op::_adaptive_avg_pool2d : Op::_adaptive_avg_pool3d, operands, attributes);
  Ints dims;
  for (size_t d = 0; d < rank; ++d) dims.push_back(-1 - int64_t(d));
  const Tensor mean = ops::mean(in[0], dims, true);
  const Dims strides = stridesLike(in[0], mean->sizes);
  if (strides == contiguousStrides(mean->sizes)) return mean;
  Ints layout(mean->sizes);
  for (int64_t stride : strides) layout.push_back(stride);
  return ops::as_strided(mean, layout);
}

}  // namespace kernels
}  // namespace rt
