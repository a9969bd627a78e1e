#include "runtime/kernels/columns.h"

#include "runtime/body.h"
#include "runtime/ops.h"

namespace rt::convolving {
namespace {

Spatial paddedSizes(const Geometry& g) {
  Spatial padded;
  for (size_t d = 0; d < 3; ++d) padded[d] = g.image[d] + 2 * g.padding[d];
  return padded;
}

// Which element of a padded channel each element of the kernel sees from each place: [elements * places].
Tensor seenIndex(const Geometry& g, Device device) {
  const Spatial padded = paddedSizes(g);
  const int64_t elements = Geometry::product(g.kernel), places = Geometry::product(g.places);
  Tensor index = emptyTensor({elements * places}, DType::int64);
  for (int64_t e = 0; e < elements; ++e)
    for (int64_t p = 0; p < places; ++p) {
      int64_t at = 0, step = 1, element = e, place = p;
      for (size_t d = 3; d-- > 0; step *= padded[d], element /= g.kernel[d], place /= g.places[d])
        at += (place % g.places[d] * g.stride[d] + element % g.kernel[d] * g.dilation[d]) * step;
      index->data<int64_t>()[e * places + p] = at;
    }
  return index.to(device);
}

// [N, groups, seen * elements, places]
Tensor columnsOf(const Geometry& g, const Tensor& image) {
  const int64_t channels = g.groups * g.seen;
  const Tensor volume = ops::reshape(image, {g.batch, channels, g.image[0], g.image[1], g.image[2]});
  const Ints pads = {g.padding[2], g.padding[2], g.padding[1], g.padding[1], g.padding[0], g.padding[0]};
  const Tensor padded = ops::reshape(ops::constant_pad_nd(volume, Tensor(0), pads), {g.batch, channels, Geometry::product(paddedSizes(g))});
  return ops::reshape(ops::index_select(padded, seenIndex(g, image.device()), {2}), {g.batch, g.groups, g.rows(), Geometry::product(g.places)});
}

Tensor groupsOf(const Geometry& g, const Tensor& weight) { return ops::reshape(weight, {g.groups, g.made, g.rows()}); }
Tensor placesByGroup(const Geometry& g, const Tensor& places) { return ops::reshape(places, {g.batch, g.groups, g.made, Geometry::product(g.places)}); }

// [N, channels, ...], with the bias added.
Tensor finished(const Tensor& volume, const Tensor& bias) {
  return bias.defined() ? volume + ops::reshape(bias, {1, bias.numel(), 1, 1, 1}) : volume;
}

}  // namespace

Tensor placesOf(const Geometry& g, const Tensor& image, const Tensor& weight, const Tensor& bias) {
  const Tensor product = ops::matmul(groupsOf(g, weight), columnsOf(g, image));
  return finished(ops::reshape(product, {g.batch, g.groups * g.made, g.places[0], g.places[1], g.places[2]}), bias);
}

Tensor imageOf(const Geometry& g, const Tensor& places, const Tensor& weight, const Tensor& bias) {
  const Spatial padded = paddedSizes(g);
  const int64_t channels = g.groups * g.seen, index = Geometry::product(g.kernel) * Geometry::product(g.places);
  const Tensor columns = ops::reshape(ops::matmul(ops::transpose(groupsOf(g, weight), {1, 2}), placesByGroup(g, places)), {g.batch, channels, index});
  const Tensor nothing = ops::new_zeros(places, {g.batch, channels, Geometry::product(padded)});
  Tensor volume = ops::reshape(ops::index_add(nothing, seenIndex(g, places.device()), columns, {2}), {g.batch, channels, padded[0], padded[1], padded[2]});
  for (size_t d = 0; d < 3; ++d) volume = ops::narrow(volume, {int64_t(d) + 2, g.padding[d], g.image[d]});
  return finished(ops::contiguous(volume), bias);
}

Tensor weightOf(const Geometry& g, const Tensor& image, const Tensor& places) {
  return ops::sum(ops::matmul(placesByGroup(g, places), ops::transpose(columnsOf(g, image), {2, 3})), {0});
}

}  // namespace rt::convolving
