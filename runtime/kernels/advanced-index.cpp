// Indexing by tensors: several of them, masks among them. As in LibTorch, the indexed dimensions become one, which a flat index
// reads or writes; what an index names is checked on the host.
#include "runtime/body.h"
#include "runtime/ops.h"

#include <algorithm>

namespace rt {
namespace {

// Which elements are not zero: one row of coordinates an element, in order. Their number is data: the host reads it.
std::vector<int64_t> coordinatesOf(const Tensor& tensor) {
  const Tensor mask = plain(ops::ne(tensor.detach(), 0).to(Device::cpu), DType::boolean);
  std::vector<int64_t> result;
  for (int64_t i = 0, n = mask.numel(); i < n; ++i) {
    if (!mask->data<bool>()[i]) continue;
    const size_t start = result.size();
    result.resize(start + mask->sizes.size());
    for (size_t d = mask->sizes.size(), rest = size_t(i); d-- > 0; rest /= size_t(mask->sizes[d])) result[start + d] = int64_t(rest) % mask->sizes[d];
  }
  return result;
}

Tensor integers(const std::vector<int64_t>& values, Dims sizes) {
  Tensor result = emptyTensor(sizes, DType::int64);
  std::copy(values.begin(), values.end(), result->data<int64_t>());
  return result;
}

// A mask stands for one index tensor per dimension of it.
std::vector<Tensor> withoutMasks(Op op, const Tensor& self, Tensors indices) {
  std::vector<Tensor> result;
  for (const Tensor& index : indices) {
    if (!index.defined() || !isMask(index)) {
      if (index.defined() && index.dtype() != DType::int64 && (index.dtype() != DType::int32 || !since(2, 0)))
        throw Error(std::string(info(op).name) + ": an index tensor must be of int64, int32, uint8 or bool, not of " + dtypeName(index.dtype()));
      result.push_back(index);
      continue;
    }
    const size_t rank = index->sizes.size();
    for (size_t d = 0; d < rank; ++d)
      if (result.size() + d >= self->sizes.size() || index->sizes[d] != self->sizes[result.size() + d])
        throw Error(std::string(info(op).name) + ": a mask of shape " + toText(index.sizes()) + " does not fit dimension " + std::to_string(result.size()) + " on of shape " + toText(self.sizes()));
    const std::vector<int64_t> found = coordinatesOf(index);
    const int64_t count = rank ? int64_t(found.size() / rank) : index.item().toDouble() != 0;
    if (rank == 0) throw Error(std::string(info(op).name) + ": a mask without dimensions is not supported");
    for (size_t d = 0; d < rank; ++d) {
      std::vector<int64_t> column;
      for (int64_t i = 0; i < count; ++i) column.push_back(found[size_t(i) * rank + d]);
      result.push_back(integers(column, {count}));
    }
  }
  if (result.size() > self->sizes.size()) throw Error(std::string(info(op).name) + ": " + std::to_string(result.size()) + " indices are too many for a tensor of shape " + toText(self.sizes()));
  return result;
}

struct Indexed {
  Ints order;                                // of self's dimensions: before, indexed, after
  int64_t before = 1, count = 1, after = 1;  // elements of each
  Ints shape;                                // of the result
  Tensor places;                             // flat, into `count`; one an element of the broadcast index
  std::vector<Dims> strides;                 // of self and of each index, as they are walked together
};

// The strides of an index that broadcasts to `wide`, seen with the result's rank, as TensorIterator has them.
Dims walkedStrides(const Tensor& index, const Dims& wide, const Ints& shape, size_t front) {
  Ints sizes(shape.size(), 1);
  for (size_t d = 0; d < wide.size(); ++d) sizes[front + d] = wide[d];
  const ViewLayout expanded{wide, expandedStrides(index->sizes, index->strides, wide), 0};
  const auto seen = viewLayout(Op::reshape, expanded, std::span<const int64_t>(sizes.begin(), sizes.size()));
  Dims strides = seen ? seen.value.strides : contiguousStrides(std::span<const int64_t>(sizes.begin(), sizes.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (sizes[d] == 1 && shape[d] != 1) strides[d] = 0;
  return strides;
}

// The indexed dimensions stay where they are if they are neighbours; otherwise they come first.
Indexed indexedBy(Op op, const Tensor& self, Tensors given) {
  std::vector<Tensor> indices = withoutMasks(op, self, given);
  indices.resize(self->sizes.size());
  std::vector<size_t> named, others;
  Dims wide;
  for (size_t d = 0; d < indices.size(); ++d) {
    (indices[d].defined() ? named : others).push_back(d);
    if (!indices[d].defined()) continue;
    auto both = broadcast(info(op).name, wide, indices[d].sizes());
    if (!both) throw Error(both.error);
    wide = both.value;
  }
  const size_t front = named.empty() || named.back() - named.front() + 1 == named.size() ? (named.empty() ? others.size() : named.front()) : 0;
  Indexed result;
  result.strides.resize(named.size() + 1);
  for (size_t i = 0; i < others.size() + 1; ++i) {
    if (i == front) {
      for (size_t d : named) result.order.push_back(int64_t(d)), result.count *= self->sizes[d];
      for (int64_t size : wide) result.shape.push_back(size), result.strides[0].push_back(0);
    }
    if (i == others.size()) break;
    result.order.push_back(int64_t(others[i]));
    result.shape.push_back(self->sizes[others[i]]);
    result.strides[0].push_back(self->strides[others[i]]);
    (i < front ? result.before : result.after) *= self->sizes[others[i]];
  }
  for (size_t k = 0; k < named.size(); ++k) result.strides[k + 1] = walkedStrides(indices[named[k]], wide, result.shape, front);
  result.places = emptyTensor({numelOf(wide)}, DType::int64);
  int64_t* flat = result.places->data<int64_t>();
  std::fill(flat, flat + result.places.numel(), 0);
  for (size_t d : named) {
    const Tensor one = plain(ops::expand(indices[d].to(Device::cpu), Ints(wide)), DType::int64);
    const int64_t size = self->sizes[d];
    for (int64_t i = 0; i < result.places.numel(); ++i) {
      const int64_t place = one->data<int64_t>()[i];
      if (place < -size || place >= size)
        throw Error(std::string(info(op).name) + ": index " + std::to_string(place) + " is out of bounds for dimension " + std::to_string(d) + " with size " + std::to_string(size));
      flat[i] = flat[i] * size + (place < 0 ? place + size : place);
    }
  }
  result.places = result.places.to(self.device());
  return result;
}

}  // namespace

namespace kernels {

Tensor index(Op op, Tensors in, const Attributes&) {
  const Indexed to = indexedBy(op, in[0], in.subspan(1));
  const Tensor flat = ops::reshape(ops::permute(in[0], to.order), {to.before, to.count, to.after});
  const Tensor taken = ops::reshape(ops::index_select(flat, to.places, {1}), to.shape);
  std::vector<const Dims*> walked;
  for (const Dims& strides : to.strides) walked.push_back(&strides);
  Tensor result = emptyStrided(taken->sizes, iteratedStrides(taken->sizes, walked), taken.dtype(), taken.device());
  copyInto(result, taken);
  return result;
}

// ints[0]: whether to add. Without it, of what names one place several times the last is kept, as on LibTorch's CPU.
Tensor indexPut(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &self = in[0], &values = in[1];
  if (values.dtype() != self.dtype()) throw Error(std::string("index_put: values of ") + dtypeName(values.dtype()) + " do not go into a tensor of " + dtypeName(self.dtype()));
  const Indexed to = indexedBy(op, self, in.subspan(2));
  Tensor result = convertedCopy(self, self.dtype()), view = ops::permute(result, to.order);
  const int64_t n = to.places.numel();
  const auto shape = broadcast("index_put", std::span<const int64_t>(to.shape.begin(), to.shape.size()), values.sizes());
  if (!shape || !(Ints(shape.value) == to.shape)) throw Error("index_put: values of shape " + toText(values.sizes()) + " do not fit a place of shape " + toText(std::span<const int64_t>(to.shape.begin(), to.shape.size())));
  if (n * to.before * to.after == 0) return result;
  const Tensor from = ops::reshape(ops::expand(values, to.shape), {to.before, n, to.after}), flat = ops::reshape(view, {to.before, to.count, to.after});
  Tensor put;
  if (attributes.integer(0, 0)) put = ops::index_add(flat, to.places, from, {1});
  else put = ops::scatter(flat, ops::expand(ops::reshape(to.places, {1, n, 1}), {to.before, n, to.after}), from, {1});
  copyInto(view, ops::reshape(put, Ints(view->sizes)));
  return result;
}

Tensor nonzero(Op, Tensors in, const Attributes&) {
  const int64_t rank = in[0].dim();
  const std::vector<int64_t> found = coordinatesOf(in[0]);
  const int64_t count = rank ? int64_t(found.size()) / rank : in[0].item().toDouble() != 0;
  Tensor result = emptyStrided({count, rank}, {1, std::max<int64_t>(count, 1)}, DType::int64);  // by columns, as LibTorch has it
  copyInto(result, integers(found, {count, rank}));
  return result.to(in[0].device());
}

Tensor maskedSelect(Op, Tensors in, const Attributes&) {
  if (in[1].dtype() != DType::boolean) throw Error(std::string("masked_select: the mask must be a bool tensor, not one of ") + dtypeName(in[1].dtype()));
  const auto shape = broadcast("masked_select", in[0].sizes(), in[1].sizes());
  if (!shape) throw Error(shape.error);
  const int64_t n = numelOf(shape.value);
  const Tensor values = ops::reshape(ops::expand(in[0], Ints(shape.value)), {n}), mask = ops::reshape(ops::expand(in[1], Ints(shape.value)), {n});
  return ops::index_select(values, ops::reshape(ops::nonzero(mask), {-1}), {0});
}

// Like gather, but the index broadcasts; without a dimension, both are flat.
Tensor takeAlongDim(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &self = in[0], &index = in[1];
  if (attributes.ints.empty()) return ops::gather(ops::view(self, {-1}), ops::view(index, {-1}), {0});
  if (index.dtype() != DType::int64) throw Error(std::string("take_along_dim: the index must be int64, not ") + dtypeName(index.dtype()));
  if (self.dim() == 0) throw Error("take_along_dim: dimension " + std::to_string(attributes.ints[0]) + " was named but the tensor has none");
  if (self.dim() != index.dim()) throw Error("take_along_dim: the tensor and the index need one rank, not the shapes " + toText(self.sizes()) + " and " + toText(index.sizes()));
  const size_t d = dimensionOf(op, self, attributes.ints[0]);
  Dims one = self->sizes, other = index->sizes;
  if (!one.empty()) one[d] = other[d] = 1;
  const auto wide = broadcast("take_along_dim", one, other);
  if (!wide) throw Error(wide.error);
  Ints selfShape(wide.value), indexShape(wide.value);
  if (!one.empty()) selfShape[d] = self->sizes[d], indexShape[d] = index->sizes[d];
  return ops::gather(ops::expand(self, selfShape), ops::expand(index, indexShape), {int64_t(d)});
}

// ints[0]: the number of classes; -1: one more than the largest.
Tensor oneHot(Op, Tensors in, const Attributes& attributes) {
  if (in[0].dtype() != DType::int64) throw Error(std::string("one_hot: the index must be int64, not ") + dtypeName(in[0].dtype()));
  const Tensor classes = plain(in[0].to(Device::cpu), DType::int64);
  int64_t n = attributes.integer(0, -1), largest = -1;
  if (classes.numel() == 0 && n <= 0) throw Error("one_hot: the number of classes cannot be told from an empty tensor");
  for (int64_t i = 0; i < classes.numel(); ++i) {
    const int64_t one = classes->data<int64_t>()[i];
    if (one < 0) throw Error("one_hot: class " + std::to_string(one) + " is negative");
    largest = std::max(largest, one);
  }
  if (n == -1) n = largest + 1;
  else if (n < 1 || largest >= n) throw Error("one_hot: class " + std::to_string(largest) + " does not fit " + std::to_string(n) + " classes");
  Dims sizes = classes->sizes;
  if (sizes.size() == Dims::capacity) throw Error("one_hot: more than " + std::to_string(Dims::capacity) + " dimensions are not supported");
  sizes.push_back(n);
  Tensor result = emptyTensor(sizes, DType::int64);
  int64_t* out = result->data<int64_t>();
  std::fill(out, out + result.numel(), 0);
  for (int64_t i = 0; i < classes.numel(); ++i) out[i * n + classes->data<int64_t>()[i]] = 1;
  return result.to(in[0].device());
}

}  // namespace kernels
}  // namespace rt
