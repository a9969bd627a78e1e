// cat, and reading and writing by an index tensor along one dimension.
#include "runtime/body.h"
#include "runtime/kernels/places.h"
#include "runtime/launch.h"
#include "runtime/ops.h"

#include <algorithm>

namespace rt {
namespace {

// Does the index tensor name one place per element, or one per slice?
bool isElementwise(Op op) { return op == Op::gather || op == Op::scatter_add || op == Op::scatter; }

// A dense int64 index on the device of `self`, whose values lie inside its dimension. The values are looked at on the host.
Tensor checkedIndex(Op op, const Tensor& self, const Tensor& index, size_t d) {
  if (index.dtype() != DType::int64 && (index.dtype() != DType::int32 || (isElementwise(op) && !since(2, 0)))) throw Error(std::string(info(op).name) + ": the index must be int64, not " + dtypeName(index.dtype()));
  if (isElementwise(op) ? std::max<int64_t>(index.dim(), 1) != std::max<int64_t>(self.dim(), 1) : index.dim() > 1)
    throw Error(std::string(info(op).name) + ": the index has shape " + toText(index.sizes()) + ", the tensor " + toText(self.sizes()));
  Tensor onHost = plain(index.to(Device::cpu), DType::int64);
  int64_t limit = self.dim() ? self->sizes[d] : 1;
  for (int64_t i = 0, n = onHost.numel(); i < n; ++i)
    if (int64_t place = onHost->data<int64_t>()[i]; place < 0 || place >= limit)
      throw Error(std::string(info(op).name) + ": index " + std::to_string(place) + " is out of range for size " + std::to_string(limit));
  return onHost.to(self.device());
}

// What is put must fit the tensor, but for the dimension along which it goes.
void checkSource(Op op, Tensors in, size_t d) {
  const Tensor &self = in[0], &index = in[1], &source = in[2];
  auto refuse = [&] {
    throw Error(std::string(info(op).name) + ": an index of shape " + toText(index.sizes()) + " and a source of " + dtypeName(source.dtype()) + toText(source.sizes()) + " do not fit a tensor of " +
                dtypeName(self.dtype()) + toText(self.sizes()));
  };
  if (!source.isWrappedNumber() && source.dtype() != self.dtype()) refuse();
  if (op == Op::index_add) {
    if (index.dtype() != DType::int64 && index.dtype() != DType::int32) refuse();
    Dims mine = self->sizes, theirs = source->sizes;
    if (index.numel() != (theirs.empty() ? 1 : d < theirs.size() ? theirs[d] : -1)) refuse();
    if (!mine.empty() && !theirs.empty()) mine.erase(d), theirs.erase(d);
    if (!(mine == theirs)) refuse();
    return;
  }
  if (index.numel() == 0 || source.isWrappedNumber()) return;
  auto wide = [](const Tensor& tensor) { return tensor.dim() ? tensor->sizes : Dims{1}; };
  const Dims mine = wide(self), theirs = wide(source), places = wide(index);
  if (mine.size() != places.size() || theirs.size() != places.size()) refuse();
  for (size_t k = 0; k < places.size(); ++k)
    if (places[k] > theirs[k] || (k != d && places[k] > mine[k])) refuse();
}

// The parts that count; LibTorch skips empty vectors whatever the others' rank.
Dims sizesOfCat(const std::vector<Tensor>& parts, size_t d) {
  Dims sizes = parts[0]->sizes;
  for (size_t i = 1; i < parts.size(); ++i) {
    Dims other = parts[i]->sizes;
    bool fits = other.size() == sizes.size();
    for (size_t k = 0; fits && k < sizes.size(); ++k) fits = k == d || other[k] == sizes[k];
    if (!fits) throw Error("cat: shapes " + toText(sizes) + " and " + toText(other) + " do not fit along dimension " + std::to_string(d));
    sizes[d] += other[d];
  }
  return sizes;
}

}  // namespace

namespace kernels {

Tensor cat(Op, Tensors in, const Attributes& attributes) {
  TypeClass types;
  std::vector<Tensor> parts;
  for (const Tensor& tensor : in) {
    types.add(tensor.dtype(), tensor.dim() > 0, tensor.isWrappedNumber());
    if (tensor.dim() == 0) throw Error("cat: a 0-dim tensor cannot be concatenated");
    if (!(tensor->sizes == Dims{0})) parts.push_back(tensor);
  }
  DType dtype = types.result();
  if (parts.empty()) return emptyTensor({0}, dtype, in[0].device());
  size_t d = dimensionOf(Op::cat, parts[0], attributes.integer(0, 0));
  const Dims sizes = sizesOfCat(parts, d);
  const bool channelsLast = std::all_of(in.begin(), in.end(), [](const Tensor& part) { return isChannelsLast(part->sizes, part->strides); });
  Tensor result = emptyStrided(sizes, channelsLast ? channelsLastStrides(sizes) : contiguousStrides(sizes), dtype, parts[0].device());
  int64_t start = 0;
  for (const Tensor& part : parts) {
    int64_t length = part->sizes[d];
    copyInto(viewOf(Op::narrow, result, {{int64_t(d), start, length}}), part);
    start += length;
  }
  return result;
}

Tensor gather(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& self = in[0];
  size_t d = dimensionOf(op, self, attributes.integer(0, 0));
  if (op == Op::index_select && self.dim() == 0 && in[1].numel() != 1) throw Error("index_select: the index of a 0-dim tensor has 1 value, not " + std::to_string(in[1].numel()));
  if (op == Op::gather && in[1].numel() == 0) return emptyTensor(in[1]->sizes, self.dtype(), self.device());
  Tensor index = checkedIndex(op, self, in[1], d), from = plain(self, self.dtype());
  Dims sizes = op == Op::gather ? index->sizes : self->sizes;
  if (op == Op::index_select && !sizes.empty()) sizes[d] = index.numel();
  for (size_t k = 0; op == Op::gather && k < sizes.size() && self.dim(); ++k)
    if (k != d && sizes[k] > self->sizes[k]) throw Error("gather: the index has shape " + toText(sizes) + ", the tensor " + toText(self.sizes()));
  Tensor result = emptyTensor(sizes, self.dtype(), self.device());
  Dims strides = self.dim() ? from->strides : Dims(sizes.size(), 0);
  withType(self.dtype(), [&]<typename S>() {
    launch(self.device(), result.numel(), TakePlaces<S>{from->data<S>(), index->data<int64_t>(), result->data<S>(), sizes, strides, d, op == Op::gather}, 8);
  });
  return result;
}

Tensor scatter(Op op, Tensors in, const Attributes& attributes) {
  size_t d = dimensionOf(op, in[0], attributes.integer(0, 0));
  Tensor result = emptyTensor(in[0]->sizes, in[0].dtype(), in[0].device());
  copyInto(result, in[0]);
  checkSource(op, in, d);
  if (in[1].numel() == 0 || (op == Op::index_add && result.numel() == 0 && result.dim() > 1)) return result;
  Tensor index = checkedIndex(op, in[0], in[1], d), from = plain(in[2], in[0].dtype());
  bool elementwise = isElementwise(op);
  if (elementwise && (result.dim() == 0 || index.dim() == 0)) {  // a 0-dim tensor is one of a single element
    Tensor flat = alias(result);
    flat->sizes = flat->strides = {1};
    if (from.dim() == 0) from = plain(viewOf(Op::expand, from, {{index.numel()}}), from.dtype());
    const Tensor parts[] = {flat, ops::reshape(index, {index.numel()}), ops::reshape(from, {from.numel()})};
    Tensor put = scatter(op, parts, {{0}});
    put->sizes = put->strides = result->sizes;
    return put;
  }
  const bool scalar = result.dim() == 0;
  if (elementwise && from.dim() == 0 && index.dim() > 0) from = plain(viewOf(Op::expand, from, {Ints(index->sizes)}), from.dtype());
  Dims lines = elementwise ? index->sizes : from->sizes;
  int64_t length = elementwise ? (lines.empty() ? 1 : lines[d]) : index.numel();
  if (lines.empty() || scalar) lines = Dims();
  else lines[d] = 1;
  // LibTorch sums half types in float.
  const DType stored = result.dtype(), sums = op == Op::scatter_add && sizeOf(stored) == 2 && kindOf(stored) == DTypeKind::floating ? DType::float32 : stored;
  result = plain(result, sums), from = plain(from, sums);
  withType(sums, [&]<typename S>() {
    launch(result.device(), numelOf(lines), PutPlaces<S>{from->data<S>(), index->data<int64_t>(), result->data<S>(), lines, from->strides, index->strides,
           result->strides, d, scalar ? 1 : length, elementwise, op == Op::scatter ? Put::set : Put::add}, length * 8);
  });
  return plain(result, stored);
}

}  // namespace kernels
}  // namespace rt
