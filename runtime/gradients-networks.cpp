#include "runtime/gradients-networks.h"

#include "runtime/body.h"
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/pooling.h"
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
  Ints others{0};
  for (int64_t d = 2; d < g.dim(); ++d) others.push_back(d);
  return sum(g, others);
}

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

}  // namespace rt
