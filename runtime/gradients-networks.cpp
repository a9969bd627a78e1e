#include "runtime/gradients-networks.h"

#include "runtime/autograd.h"
#include "runtime/body.h"
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/pooling.h"
#include "runtime/gradients-losses.h"
#include "runtime/ops.h"

namespace rt {

using namespace ops;

namespace {

// What a convolution leaves at the end of the image, because the stride does not fit, comes back as output padding.
Tensor toImage(const Tensor& places, const Tensor& weight, std::span<const int64_t> sizes, ConvolutionInts p) {
  p.transposed = true;
  for (size_t d = 0; d < p.stride.size(); ++d)
    p.outputPadding[d] = sizes[d + 2] - ((places->sizes[d + 2] - 1) * p.stride[d] - 2 * p.padding[d] + p.dilation[d] * (weight->sizes[d + 2] - 1) + 1);
  const Tensor in[] = {places, weight};
  return call(Op::convolution, in, {p.ints()});
}

// An output padding may have made the image large enough for more places than there were.
Tensor toPlaces(const Tensor& image, const Tensor& weight, std::span<const int64_t> sizes, ConvolutionInts p) {
  p.transposed = false;
  p.outputPadding = Dims(p.stride.size(), 0);
  const Tensor in[] = {image, weight};
  Tensor result = call(Op::convolution, in, {p.ints()});
  for (size_t d = 2; d < sizes.size(); ++d)
    if (result->sizes[d] > sizes[d]) result = narrow(result, {int64_t(d), 0, sizes[d]});
  return result;
}

Tensor toWeight(const Tensor& image, const Tensor& places, std::span<const int64_t> sizes, ConvolutionInts p) {
  p.outputPadding = Dims(sizes.subspan(2));
  const Tensor in[] = {image, places};
  return call(Op::convolution_weight, in, {p.ints()});
}

Ints allButChannels(const Tensor& t) {
  Ints others{0};
  for (int64_t d = 2; d < t.dim(); ++d) others.push_back(d);
  return others;
}

ConvolutionInts argumentsOf(const Tensor& image, const Ints& ints) { return ConvolutionInts(ints, image->sizes.size() - 2); }

}  // namespace

Tensor convolutionInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints) {
  if (a.numel() == 0 || g.numel() == 0) return zeros_like(a.detach());
  const ConvolutionInts p = argumentsOf(a, ints);
  return p.transposed ? toPlaces(g, b, a.sizes(), p) : toImage(g, b, a.sizes(), p);
}

Tensor convolutionWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints) {
  if (a.numel() == 0 || g.numel() == 0) return zeros_like(b.detach());
  const ConvolutionInts p = argumentsOf(a, ints);
  return p.transposed ? toWeight(g, a, b.sizes(), p) : toWeight(a, g, b.sizes(), p);
}

Tensor convolutionBiasSlope(const Tensor& g, const Dims& sizes) {
  if (g.numel() == 0) {
    const Tensor in[] = {g.detach()};
    return call(Op::new_zeros, in, {vectorOf(sizes)});
  }
  return sumOverChannels(g);
}

Tensor sumOverChannels(const Tensor& g) { return sum(g, allButChannels(g)); }

Tensor weightImageSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints) { return toImage(b, g, a.sizes(), argumentsOf(a, ints)); }
Tensor weightPlacesSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints) { return toPlaces(a, g, b.sizes(), argumentsOf(a, ints)); }

// Each plane as a line.
Tensor pooledSlope(const Tensor& g, const Tensor& places, const Dims& sizes, size_t rank) {
  Ints lines;
  int64_t elements = 1;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (d + rank < sizes.size()) lines.push_back(sizes[d]);
    else elements *= sizes[d];
  Ints image = lines, window = lines;
  image.push_back(elements);
  window.push_back(numelOf(std::span<const int64_t>(g.sizes()).last(rank)));
  const Tensor like[] = {g.detach()};
  const Tensor sums = scatter_add(call(Op::new_zeros, like, {image}), reshape(places, window), reshape(g, window), {-1});
  return reshape(sums, vectorOf(sizes));
}

Tensor adaptivePooledSlope(const Tensor& g, const Tensor& places, const Dims& sizes, size_t rank) {
  checkNotEmpty(rank == 2 ? Op::adaptive_max_pool2d : Op::adaptive_max_pool3d, g);
  return pooledSlope(g, places, sizes, rank);
}

Tensor meanPoolSlope(Op backward, const Tensor& g, const Dims& sizes, size_t rank, const Ints& ints) {
  Ints all(std::span<const int64_t>(sizes).last(rank));
  for (int64_t v : ints) all.push_back(v);
  const Tensor in[] = {g};
  return call(backward, in, {all});
}
Tensor meanPoolAgain(Op forward, const Tensor& g, size_t rank, const Ints& ints) {
  const Tensor in[] = {g};
  return call(forward, in, {Ints(std::span<const int64_t>(ints).subspan(rank))});
}
Tensor adaptiveAgain(Op forward, const Tensor& g, const Dims& sizes, size_t rank) {
  const Tensor in[] = {g};
  return call(forward, in, {Ints(std::span<const int64_t>(sizes).last(rank))});
}

// --- normalizations

namespace {

// A number a channel, as a tensor that broadcasts over the others.
Tensor overChannels(const Tensor& t, const Tensor& like) {
  Ints shape(size_t(like.dim()), 1);
  shape[1] = t.numel();
  return reshape(widened(t), shape);
}

/// What a set was made into: x less its mean, and the factor that gives it variance 1.
struct Normalized { Tensor centred, inverse; };
Normalized normalized(const Tensor& a, const Ints& dims, double eps) {
  const Tensor x = widened(a), centred = x - mean(x, dims, true);
  return {centred, rsqrt(mean(centred * centred, dims, true) + eps)};
}

// Through mean and variance of a set, as LibTorch's layer_norm and group_norm compute it: from the sums of the gradient, and of
// the gradient times the input, both with the weight.
Tensor throughMoments(const Tensor& direct, const Tensor& total, const Tensor& product, const Tensor& x, const Normalized& n, const Ints& dims) {
  const Tensor share = Tensor(1.0 / double(x.numel() / std::max<int64_t>(1, n.inverse.numel()))), middle = mean(x, dims, true);
  const Tensor slope = (total * middle - product) * n.inverse * n.inverse * n.inverse * share;
  return direct + slope * x + (neg(slope) * middle - total * n.inverse * share);
}

Normalized batchNormalized(const Tensor& a, std::span<const Tensor> in, bool training, double eps) {
  if (training) return normalized(a, allButChannels(a), eps);
  return {widened(a) - overChannels(in[3].detach(), a), rsqrt(overChannels(in[4].detach(), a) + eps)};
}

Ints lastDims(const Tensor& a, size_t count) {
  Ints dims;
  for (size_t d = 0; d < count; ++d) dims.push_back(a.dim() - 1 - int64_t(d));
  return dims;
}


}  // namespace

Tensor batchNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, std::span<const Tensor> in, bool training, double eps) {
  const Normalized n = batchNormalized(a, in, training, eps);
  const Tensor by = b.defined() ? n.inverse * overChannels(b, a) : n.inverse, wide = widened(g);
  if (!training) return (wide * by).to(a.dtype());
  const Ints dims = allButChannels(a);
  const Tensor share = mean(n.centred * wide, dims, true) * (n.inverse * n.inverse);
  return ((wide - mean(wide, dims, true) - n.centred * share) * by).to(a.dtype());
}

Tensor batchNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, std::span<const Tensor> in, bool training, double eps) {
  const Normalized n = batchNormalized(a, in, training, eps);
  return (sumOverChannels(n.centred * widened(g)) * reshape(n.inverse, {a.size(1)})).to(b.dtype());
}

Tensor layerNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double eps) {
  if (a.numel() == 0) return zeros_like(a.detach());
  const Ints dims = lastDims(a, ints.size());
  const Normalized n = normalized(a, dims, eps);
  const Tensor x = widened(a), wide = widened(g);
  auto weighted = [&](const Tensor& t) { return b.defined() ? t * widened(b) : t; };
  return throughMoments(weighted(n.inverse * wide), sum(weighted(wide), dims, true), sum(weighted(wide * x), dims, true), x, n, dims).to(a.dtype());
}
Tensor layerNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double eps) {
  if (a.numel() == 0) return zeros_like(b.detach());
  const Ints dims = lastDims(a, ints.size());
  const Normalized n = normalized(a, dims, eps);
  const Tensor x = widened(a);
  return sumTo(widened(g) * (n.inverse * x + neg(n.inverse) * mean(x, dims, true)), b.sizes()).to(b.dtype());
}

// Sums over a channel come before the weight.
Tensor groupNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, int64_t groups, double eps) {
  if (a.numel() == 0) return zeros_like(a.detach());
  const int64_t members = a.size(1) / groups;
  auto inMembers = [&](const Tensor& t) { return reshape(widened(t), {t.size(0), groups, members, -1}); };
  const Tensor x = inMembers(a), wide = inMembers(g), weight = b.defined() ? reshape(widened(b), {1, groups, members, 1}) : Tensor(1.0);
  const Ints dims{2, 3};
  const Normalized n = normalized(x, dims, eps);
  auto total = [&](const Tensor& t) { return sum(sum(t, {3}, true) * weight, {2}, true); };
  return reshape(throughMoments(n.inverse * weight * wide, total(wide), total(wide * x), x, n, dims), a.sizes()).to(a.dtype());
}
Tensor groupNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, int64_t groups, double eps) {
  if (a.numel() == 0) return zeros_like(b.detach());
  auto inMembers = [&](const Tensor& t) { return reshape(widened(t), {t.size(0), groups, t.size(1) / groups, -1}); };
  const Tensor x = inMembers(a), wide = inMembers(g);
  const Normalized n = normalized(x, {2, 3}, eps);
  const Tensor each = (sum(wide * x, {3}, true) - sum(wide, {3}, true) * mean(x, {2, 3}, true)) * n.inverse;
  return reshape(sum(each, {0}), b.sizes()).to(b.dtype());
}

Tensor embeddingSlope(const Tensor& g, const Tensor& numbers, const Dims& sizes, const Ints& ints) {
  const Tensor flat = reshape(numbers.to(DType::int64), {numbers.numel()}), like[] = {g.detach()};
  Tensor rows = reshape(g, {numbers.numel(), sizes[1]});
  if (ints.size() > 0 && ints[0] >= 0) rows = where(unsqueeze(ne(flat, Tensor(Scalar(ints[0]))), {1}), rows, 0);
  if (ints.size() > 1 && ints[1]) {
    const Attributes counted{{sizes[0]}, false, DType::float64}, ones{{numbers.numel()}, false, DType::float64};
    const Tensor counts = index_add(call(Op::zeros, {}, counted).to(g.device()), flat, call(Op::ones, {}, ones).to(g.device()), {0});
    rows = rows * unsqueeze(reciprocal(index_select(counts, flat, {0})), {1}).to(g.dtype());
  }
  return index_add(call(Op::new_zeros, like, {vectorOf(sizes)}), flat, rows, {0});
}

}  // namespace rt
