// Convolutions over one to three spatial dimensions. Three products share one geometry and are each other's gradients: an
// image and a weight give places, places and a weight give an image (transposed), an image and places give a weight. Each
// unfolds parts of the image into columns, which a product of matrices takes or makes.
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/formats.h"
#include "runtime/kernels/product.h"
#include "runtime/ops.h"
#include "runtime/parallel.h"

#include <array>

namespace rt {
namespace {

using Spatial = std::array<int64_t, 3>;

// All three dimensions are there: missing ones have size 1. Channels are those of a group.
struct Geometry {
  int64_t batch = 0, groups = 1, seen = 0, made = 0;  // channels of the image and of the places
  Spatial image{1, 1, 1}, kernel{1, 1, 1}, places{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1};

  static int64_t product(const Spatial& s) { return s[0] * s[1] * s[2]; }
  int64_t rows() const { return seen * product(kernel); }  // of the columns, each of them what one place sees
  bool isPointwise() const { return product(kernel) == 1 && stride == Spatial{1, 1, 1} && image == places && padding == Spatial{}; }
  /// Whether a place sees what is not in the image.
  bool hasEdges() const {
    for (size_t d = 0; d < 3; ++d)
      if (padding[d] > 0 || (places[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] >= image[d]) return true;
    return false;
  }
};

// A part of the places that is worked on at once: of one sample, or all places of several.
struct Tile {
  int64_t sample, samples, from, count;
  int64_t width() const { return samples * count; }
};

template <typename F> void eachTile(const Geometry& g, F f) {
  constexpr int64_t elements = 1 << 18, fewPlaces = 256;
  const int64_t places = Geometry::product(g.places), width = std::max(fewPlaces, elements / std::max<int64_t>(1, g.rows()));
  const int64_t samples = places < fewPlaces ? std::max<int64_t>(1, width / std::max<int64_t>(1, places)) : 1;
  if (samples > 1)
    for (int64_t n = 0; n < g.batch; n += samples) f(Tile{n, std::min(samples, g.batch - n), 0, places});
  else
    for (int64_t n = 0; n < g.batch; ++n)
      for (int64_t from = 0; from < places; from += width) f(Tile{n, 1, from, std::min(width, places - from)});
}

// f(column, element of the channel's image, number): the runs of neighbouring columns that see the image through one element of
// the kernel. What is in the padding is in no run.
template <typename F> void eachRun(const Geometry& g, const Tile& tile, int64_t element, F f) {
  Spatial shift;
  for (size_t d = 3; d-- > 0; element /= g.kernel[d]) shift[d] = element % g.kernel[d] * g.dilation[d] - g.padding[d];
  // The innermost places from `first` to before `last` see the image.
  const int64_t stride = g.stride[2], inner = g.places[2];
  const int64_t first = std::max<int64_t>(0, (-shift[2] + stride - 1) / stride), last = std::min(inner, (g.image[2] - shift[2] + stride - 1) / stride);
  if (g.image[2] <= shift[2]) return;
  const int64_t plane = g.image[1] * g.image[2], sample = g.groups * g.seen * g.image[0] * plane;
  for (int64_t s = 0; s < tile.samples; ++s) {
    int64_t at = tile.from % inner, y = tile.from / inner % g.places[1], z = tile.from / inner / g.places[1];
    for (int64_t column = s * tile.count, end = column + tile.count; column < end;) {
      const int64_t stop = std::min(inner, at + end - column), begin = std::max(first, at), n = std::min(last, stop) - begin;
      const int64_t row = y * g.stride[1] + shift[1], slice = z * g.stride[0] + shift[0];
      if (n > 0 && row >= 0 && row < g.image[1] && slice >= 0 && slice < g.image[0])
        f(column + begin - at, (tile.sample + s) * sample + slice * plane + row * g.image[2] + begin * stride + shift[2], n);
      column += stop - at;
      at = 0;
      if (++y == g.places[1]) y = 0, ++z;
    }
  }
}

template <typename S> void addScaled(S* __restrict to, int64_t step, const S* __restrict from, int64_t fromStep, S by, int64_t n) {
  if (step == 1 && fromStep == 1) for (int64_t i = 0; i < n; ++i) to[i] = S(to[i] + by * from[i]);
  else for (int64_t i = 0; i < n; ++i) to[i * step] = S(to[i * step] + by * from[i * fromStep]);
}

/// A matrix whose rows are `step` apart: part of a tensor, or a buffer.
template <typename S> struct Matrix {
  S* data;
  int64_t step;
};

template <typename S> class Convolution {
 public:
  explicit Convolution(const Geometry& geometry) : g(geometry), elements_(Geometry::product(g.kernel)), places_(Geometry::product(g.places)), image_(Geometry::product(g.image)), edges_(g.hasEdges()) {}

  /// places = weight * image + bias
  void toPlaces(const S* image, const S* weight, const S* bias, S* places) {
    if (isDepthwise())
      return eachPlane([&](int64_t group, int64_t plane) {
        std::fill_n(places + plane * places_, places_, bias ? bias[group] : S(0));
        eachTap(group, plane, [&](int64_t element, int64_t place, int64_t at, int64_t n) {
          addScaled(places + place, 1, image + at, g.stride[2], weight[element], n);
        });
      });
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> seen = unfolded(image, group, tile), made = inPlace(places, group, tile);
      for (int64_t o = 0; bias && o < g.made; ++o) std::fill_n(made.data + o * made.step, tile.width(), bias[group * g.made + o]);
      multiply<S>({weight + group * g.made * g.rows(), g.rows()}, {seen.data, seen.step}, made.data, made.step, g.made, tile.width(), g.rows(), bias != nullptr);
      store(made, places, group, tile);
    });
  }

  /// image = weight^T * places + bias
  void toImage(const S* places, const S* weight, const S* bias, S* image) {
    const int64_t channels = g.batch * g.groups * g.seen;
    for (int64_t c = 0; c < channels; ++c) std::fill_n(image + c * image_, image_, bias ? bias[c % (g.groups * g.seen)] : S(0));
    if (isDepthwise())
      return eachPlane([&](int64_t group, int64_t plane) {
        eachTap(group, plane, [&](int64_t element, int64_t place, int64_t at, int64_t n) {
          addScaled(image + at, g.stride[2], places + place, 1, weight[element], n);
        });
      });
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> made = loaded(places, group, tile), seen = columns(tile);
      multiply<S>({weight + group * g.made * g.rows(), g.rows(), true}, {made.data, made.step}, seen.data, seen.step, g.rows(), tile.width(), g.made);
      fold(seen, image, group, tile);
    });
  }

  /// weight = places * image^T
  void toWeight(const S* image, const S* places, S* weight) {
    std::fill_n(weight, g.groups * g.made * g.rows(), S(0));
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> seen = unfolded(image, group, tile), made = loaded(places, group, tile);
      multiply<S>({made.data, made.step}, {seen.data, seen.step, true}, weight + group * g.made * g.rows(), g.rows(), g.made, g.rows(), tile.width(), true);
    });
  }

 private:
  static constexpr int64_t worthAThread = 1 << 15;

  // One channel a group: there is nothing to multiply matrices for.
  bool isDepthwise() const { return g.seen == 1 && g.made == 1; }
  template <typename F> void eachPlane(F f) {
    parallelFor(g.batch * g.groups, std::max<int64_t>(1, worthAThread / (places_ * elements_)), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) f(plane % g.groups, plane);
    });
  }
  template <typename F> void eachTap(int64_t group, int64_t plane, F f) {
    for (int64_t e = 0; e < elements_; ++e)
      eachRun(g, Tile{plane / g.groups, 1, 0, places_}, e, [&](int64_t column, int64_t at, int64_t n) { f(group * elements_ + e, plane * places_ + column, group * image_ + at, n); });
  }

  template <typename F> void eachPart(F f) {
    eachTile(g, [&](const Tile& tile) { for (int64_t group = 0; group < g.groups; ++group) f(group, tile); });
  }
  int64_t placesAt(int64_t group, const Tile& tile) const { return (tile.sample * g.groups + group) * g.made * places_ + tile.from; }

  Matrix<S> columns(const Tile& tile) {
    columns_.resize(size_t(std::max(int64_t(columns_.size()), g.rows() * tile.width())));
    return {columns_.data(), tile.width()};
  }

  // What each place of the tile sees, a column a place.
  Matrix<S> unfolded(const S* image, int64_t group, const Tile& tile) {
    const S* from = image + group * g.seen * image_;
    if (g.isPointwise() && tile.samples == 1) return {const_cast<S*>(from) + tile.sample * g.groups * g.seen * image_ + tile.from, image_};
    const Matrix<S> seen = columns(tile);
    parallelFor(g.rows(), std::max<int64_t>(1, worthAThread / tile.width()), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        S* to = seen.data + row * seen.step;
        if (edges_) std::fill_n(to, tile.width(), S(0));
        eachRun(g, tile, row % elements_, [&](int64_t column, int64_t at, int64_t n) {
          const S* source = from + row / elements_ * image_ + at;
          if (g.stride[2] == 1) std::copy_n(source, n, to + column);
          else for (int64_t i = 0; i < n; ++i) to[column + i] = source[i * g.stride[2]];
        });
      }
    });
    return seen;
  }

  // The adjoint of unfolded: adds the columns to the image. A channel is one thread's.
  void fold(const Matrix<S>& seen, S* image, int64_t group, const Tile& tile) {
    parallelFor(g.seen, std::max<int64_t>(1, worthAThread / (tile.width() * elements_)), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * elements_; row < end * elements_; ++row)
        eachRun(g, tile, row % elements_, [&](int64_t column, int64_t at, int64_t n) {
          S* to = image + (group * g.seen + row / elements_) * image_ + at;
          const S* source = seen.data + row * seen.step + column;
          addScaled(to, g.stride[2], source, 1, S(1), n);
        });
    });
  }

  // The tile's places as a matrix of a row a channel: where they lie, or, of several samples, in a buffer.
  Matrix<S> inPlace(S* places, int64_t group, const Tile& tile) {
    if (tile.samples == 1) return {places + placesAt(group, tile), places_};
    buffer_.resize(size_t(std::max(int64_t(buffer_.size()), g.made * tile.width())));
    return {buffer_.data(), tile.width()};
  }
  template <typename F> void eachLine(int64_t group, const Tile& tile, F f) {
    for (int64_t s = 0; s < tile.samples; ++s)
      for (int64_t o = 0; o < g.made; ++o) f(placesAt(group, tile) + (s * g.groups * g.made + o) * places_, o * tile.width() + s * tile.count);
  }
  Matrix<S> loaded(const S* places, int64_t group, const Tile& tile) {
    const Matrix<S> made = inPlace(const_cast<S*>(places), group, tile);
    if (tile.samples > 1) eachLine(group, tile, [&](int64_t at, int64_t inBuffer) { std::copy_n(places + at, tile.count, made.data + inBuffer); });
    return made;
  }
  void store(const Matrix<S>& made, S* places, int64_t group, const Tile& tile) {
    if (tile.samples > 1) eachLine(group, tile, [&](int64_t at, int64_t inBuffer) { std::copy_n(made.data + inBuffer, tile.count, places + at); });
  }

  const Geometry g;
  const int64_t elements_, places_, image_;  // numbers of elements of the kernel, and of a channel
  const bool edges_;
  std::vector<S> columns_, buffer_;
};

// --- from tensors

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
    if constexpr (std::is_same_v<S, bool> || std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>) throw Error(std::string("convolution: not for tensors of ") + dtypeName(dtype));
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
    if (p.padding[d] < 0 || p.outputPadding[d] < 0 || p.stride[d] <= 0 || p.dilation[d] < 0) refuse("strides and dilations must be positive, paddings not negative");
  if (p.groups <= 0) refuse("the number of groups must be positive");
  if (weight.dim() != input.dim()) refuse("a weight of shape " + toText(weight.sizes()) + " does not fit an input of shape " + toText(input.sizes()));
  if (weight.size(0) < p.groups || weight.size(0) % p.groups) refuse("a weight of shape " + toText(weight.sizes()) + " cannot be taken apart into " + std::to_string(p.groups) + " groups");
  const int64_t channels = p.transposed ? weight.size(0) : weight.size(1) * p.groups, results = p.transposed ? weight.size(1) * p.groups : weight.size(0);
  if (input.size(1) != channels) refuse("the input must have " + std::to_string(channels) + " channels, its shape is " + toText(input.sizes()));
  if (bias.defined() && (bias.dim() != 1 || bias.size(0) != results)) refuse("the bias must have " + std::to_string(results) + " elements, its shape is " + toText(bias.sizes()));
  for (size_t d = 0; d < rank && !p.transposed; ++d)
    if (input->sizes[d + 2] + 2 * p.padding[d] < p.dilation[d] * (weight->sizes[d + 2] - 1) + 1)
      refuse("the kernel of a weight of shape " + toText(weight.sizes()) + " is larger than the padded input of shape " + toText(input.sizes()));
}

Dims resultSizes(const ConvolutionInts& p, const Tensor& input, const Tensor& weight) {
  Dims sizes{input.size(0), input.size(1) == 0 ? 0 : p.transposed ? weight.size(1) * p.groups : weight.size(0)};
  for (size_t d = 0; d + 2 < weight->sizes.size(); ++d) {
    const int64_t size = input->sizes[d + 2], reach = p.dilation[d] * (weight->sizes[d + 2] - 1) + 1;
    sizes.push_back(p.transposed ? (size - 1) * p.stride[d] - 2 * p.padding[d] + reach + p.outputPadding[d] : (size + 2 * p.padding[d] - reach) / p.stride[d] + 1);
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
    if (other.defined() && other.dtype() != input.dtype()) refuse("expected tensors of one dtype, not " + std::string(dtypeName(input.dtype())) + " and " + dtypeName(other.dtype()));
  if ((p.transposed || dilated) && kindOf(input.dtype()) == DTypeKind::integer && input.dtype() != DType::int64)
    refuse("dilated or transposed, not for tensors of " + std::string(dtypeName(input.dtype())));
  for (size_t d = 0; d < p.stride.size(); ++d) {
    if (p.dilation[d] == 0) refuse("dilations must be positive");
    if (!lenient && sizes[d + 2] < 1) refuse("the result would have shape " + toText(sizes));
    if (p.transposed && p.outputPadding[d] >= std::max(p.stride[d], p.dilation[d])) refuse("the output padding must be smaller than the stride or the dilation");
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
  auto read = [&](size_t part, Dims& into) { for (size_t d = 0; d < rank; ++d) into.push_back(part * rank + d < ints.size() ? ints[part * rank + d] : part % 2 ? 0 : 1); };
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
  if (input.numel() == 0) return emptyTensor(sizes, dtypeOfNothing(input, weight, bias));
  checkComputes(p, input, weight, bias, sizes);
  const DType dtype = input.dtype(), compute = computed(dtype);
  const Tensor from = plain(input, compute), by = plain(weight, compute), plus = bias.defined() ? plain(bias, compute) : bias, to = emptyTensor(sizes, compute);
  withComputed(compute, [&]<typename S>() {
    const S* added = plus.defined() ? plus->data<S>() : nullptr;
    if (p.transposed) Convolution<S>(geometryOf(p, sizes, by.sizes(), from.sizes())).toImage(from->data<S>(), by->data<S>(), added, to->data<S>());
    else Convolution<S>(geometryOf(p, from.sizes(), by.sizes(), sizes)).toPlaces(from->data<S>(), by->data<S>(), added, to->data<S>());
  });
  return laidOut(to, dtype, resultStrides(p, sizes, input, weight));
}

// in: the image and the places. ints: as of a convolution, with the sizes of the kernel in the place of the output's padding.
Tensor convolutionWeight(Op, Tensors in, const Attributes& attributes) {
  const Tensor &image = in[0], &places = in[1];
  const size_t rank = image->sizes.size() - 2;
  const ConvolutionInts p(attributes.ints, rank);
  if (p.groups <= 0 || image.size(0) != places.size(0) || image.size(1) % p.groups || places.size(1) % p.groups) refuse("the groups do not fit the image and the places");
  Dims sizes{places.size(1), image.size(1) / p.groups};
  for (size_t d = 0; d < rank; ++d) {
    if (p.stride[d] <= 0 || p.padding[d] < 0 || p.outputPadding[d] < 1 || places->sizes[d + 2] > (image->sizes[d + 2] + 2 * p.padding[d] - p.dilation[d] * (p.outputPadding[d] - 1) - 1) / p.stride[d] + 1)
      refuse("places of shape " + toText(places.sizes()) + " do not fit an image of shape " + toText(image.sizes()));
    sizes.push_back(p.outputPadding[d]);
  }
  const DType compute = computed(image.dtype());
  const Tensor seen = plain(image, compute), made = plain(places, compute), weight = emptyTensor(sizes, compute);
  withComputed(compute, [&]<typename S>() { Convolution<S>(geometryOf(p, seen.sizes(), sizes, made.sizes())).toWeight(seen->data<S>(), made->data<S>(), weight->data<S>()); });
  return laidOut(weight, image.dtype(), contiguousStrides(sizes));
}

}  // namespace kernels
}  // namespace rt
