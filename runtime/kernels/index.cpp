// cat, and reading and adding by an index tensor along one dimension.
#include "runtime/body.h"
#include "runtime/formula.h"
#include "runtime/ops.h"

namespace rt {
namespace {

size_t dimensionOf(Op op, const Tensor& tensor, const Attributes& attributes) {
  auto d = wrapDimension(info(op).name, attributes.ints.empty() ? 0 : attributes.ints[0], tensor.sizes());
  if (!d) throw Error(d.error);
  return size_t(d.value);
}

// Walks row-major over `sizes`; gives the index of each dimension.
template <typename F> void eachIndex(const Dims& sizes, F body) {
  int64_t n = numelOf(sizes);
  for (int64_t i = 0; i < n; ++i) {
    Dims index(sizes.size(), 0);
    int64_t rest = i;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    body(i, index);
  }
}

int64_t offsetOf(const Dims& index, const Dims& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

int64_t checkedIndex(Op op, int64_t index, int64_t size) {
  if (index < 0 || index >= size) throw Error(std::string(info(op).name) + ": index " + std::to_string(index) + " is out of range for size " + std::to_string(size));
  return index;
}

// Does the index tensor name one place per element, or one per slice?
bool isElementwise(Op op) { return op == Op::gather || op == Op::scatter_add; }

void checkIndex(Op op, const Tensor& self, const Tensor& index) {
  if (index.dtype() != DType::int64 && !(index.dtype() == DType::int32 && !isElementwise(op)))
    throw Error(std::string(info(op).name) + ": the index must be int64, not " + dtypeName(index.dtype()));
  if (isElementwise(op) ? index.dim() != self.dim() : index.dim() > 1)
    throw Error(std::string(info(op).name) + ": the index has shape " + toText(index.sizes()) + ", the tensor " + toText(self.sizes()));
}

}  // namespace

Tensor cat(Tensors in, const Attributes& attributes) {
  TypeClass types;
  std::vector<Tensor> parts;
  for (const Tensor& tensor : in) {
    types.add(tensor.dtype(), tensor.dim() > 0, tensor.isWrappedNumber());
    if (tensor.dim() == 0) throw Error("cat: a 0-dim tensor cannot be concatenated");
    if (!(tensor->sizes == Dims{0})) parts.push_back(tensor);  // LibTorch skips empty vectors whatever the others' rank
  }
  DType dtype = types.result();
  if (parts.empty()) return emptyTensor({0}, dtype);
  size_t d = dimensionOf(Op::cat, parts[0], attributes);
  Dims sizes = parts[0]->sizes;
  for (size_t i = 1; i < parts.size(); ++i) {
    Dims other = parts[i]->sizes;
    bool fits = other.size() == sizes.size();
    for (size_t k = 0; fits && k < sizes.size(); ++k) fits = k == d || other[k] == sizes[k];
    if (!fits) throw Error("cat: shapes " + toText(sizes) + " and " + toText(other) + " do not fit along dimension " + std::to_string(d));
    sizes[d] += other[d];
  }
  Tensor result = emptyTensor(sizes, dtype);
  int64_t start = 0;
  for (const Tensor& part : parts) {
    int64_t length = part->sizes[d];
    copyInto(viewOf(Op::narrow, result, {{int64_t(d), start, length}, false, {}}), part);
    start += length;
  }
  return result;
}

Tensor gather(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& self = in[0];
  checkIndex(op, self, in[1]);
  size_t d = dimensionOf(op, self, attributes);
  Tensor from = plain(self, self.dtype()), index = plain(in[1], DType::int64);
  Dims sizes = op == Op::gather ? index->sizes : self->sizes;
  if (op == Op::index_select && !sizes.empty()) sizes[d] = index.numel();
  for (size_t k = 0; op == Op::gather && k < sizes.size(); ++k)
    if (k != d && sizes[k] > self->sizes[k]) throw Error("gather: the index has shape " + toText(sizes) + ", the tensor " + toText(self.sizes()));
  Tensor result = emptyTensor(sizes, self.dtype());
  int64_t limit = self.dim() ? self->sizes[d] : 1;
  withType(self.dtype(), [&]<typename S>() {
    eachIndex(sizes, [&](int64_t i, Dims at) {
      int64_t place = checkedIndex(op, index->data<int64_t>()[op == Op::gather ? i : (at.empty() ? 0 : at[d])], limit);
      if (!at.empty()) at[d] = place;
      result->data<S>()[i] = from->data<S>()[offsetOf(at, from->strides)];
    });
  });
  return result;
}

Tensor scatter(Op op, Tensors in, const Attributes& attributes) {
  checkIndex(op, in[0], in[1]);
  size_t d = dimensionOf(op, in[0], attributes);
  Tensor result = emptyTensor(in[0]->sizes, in[0].dtype()), index = plain(in[1], DType::int64);
  copyInto(result, in[0]);
  Tensor from = plain(in[2], in[0].dtype());
  int64_t limit = result.dim() ? result->sizes[d] : 1;
  withType(result.dtype(), [&]<typename S>() {
    using T = formula::Math<S>;
    eachIndex(op == Op::scatter_add ? index->sizes : from->sizes, [&](int64_t i, Dims at) {
      int64_t value = offsetOf(at, from->strides);
      int64_t place = checkedIndex(op, index->data<int64_t>()[op == Op::scatter_add ? i : (at.empty() ? 0 : at[d])], limit);
      if (!at.empty()) at[d] = place;
      S& target = result->data<S>()[offsetOf(at, result->strides)];
      target = S(T(T(target) + T(from->data<S>()[value])));
    });
  });
  return result;
}

}  // namespace rt
