// The same elements in another order, or several times: repeat, roll, triangles, sort, topk.
#include "runtime/body.h"
#include "runtime/formula.h"
#include "runtime/kernels/runs.h"
#include "runtime/ops.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <numeric>

namespace rt {

using namespace ops;

namespace {

// Along each line, the places of its elements in order; equal ones stay in theirs. NaN counts as the largest.
Tensor order(const Tensor& tensor, size_t d, bool descending) {
  const Tensor from = plain(tensor.to(Device::cpu), tensor.dtype());
  Tensor places = emptyTensor(tensor->sizes, DType::int64);
  const Lines lines = linesOf(from, d);
  withType(from.dtype(), [&]<typename S>() {
    const S* values = from->data<S>();
    int64_t* out = places->data<int64_t>();
    parallelFor(lines.count, std::max<int64_t>(1, 4096 / std::max<int64_t>(lines.length, 1)), [&](int64_t begin, int64_t end) {
      std::vector<int64_t> line(size_t(lines.length));
      for (int64_t l = begin; l < end; ++l) {
        std::iota(line.begin(), line.end(), int64_t(0));
        auto value = [&](int64_t i) { return formula::Math<S>(values[lines.start(l) + i * lines.step]); };
        std::sort(line.begin(), line.end(), [&](int64_t i, int64_t j) {
          const auto a = value(descending ? j : i), b = value(descending ? i : j);
          const bool before = a < b || (a == a && b != b), after = b < a || (b == b && a != a);
          return before || (!after && i < j);
        });
        for (int64_t i = 0; i < lines.length; ++i) out[lines.start(l) + i * lines.step] = line[size_t(i)];
      }
    });
  });
  return places.to(tensor.device());
}

Tensor shifted(const Tensor& tensor, int64_t by, int64_t dim) {
  if (tensor.dim() == 0) throw Error("roll: dimension " + std::to_string(dim) + " was named but the tensor has none");
  const size_t d = dimensionOf(Op::roll, tensor, dim);
  const int64_t size = tensor->sizes[d], start = ((size - by) % size + size) % size;
  const Tensor parts[] = {narrow(tensor, {int64_t(d), start, size - start}), narrow(tensor, {int64_t(d), 0, start})};
  return call(Op::cat, parts, {{int64_t(d)}});
}

}  // namespace

namespace kernels {

// How often along each dimension; more of them than the tensor has come first.
Tensor repeat(Op, Tensors in, const Attributes& attributes) {
  const Tensor& self = in[0];
  const Ints& times = attributes.ints;
  if (times.size() < self->sizes.size()) throw Error("repeat: " + toText(times) + " names fewer dimensions than shape " + toText(self.sizes()) + " has");
  if (times.size() > Dims::capacity) throw Error("repeat: more than " + std::to_string(Dims::capacity) + " dimensions are not supported");
  for (int64_t n : times)
    if (n < 0) throw Error("repeat: negative numbers are not allowed: " + toText(times));
  Ints sizes(times.size() - self->sizes.size(), 1);
  for (int64_t size : self->sizes) sizes.push_back(size);
  Tensor result = reshape(self, sizes);
  for (size_t d = 0; d < times.size(); ++d) {  // one dimension at a time: a tensor has room for few more
    if (times[d] == 1) continue;
    result = plain(result, self.dtype());
    Ints wide(result.sizes()), joined = wide;
    joined[d] *= times[d];
    if (numelOf(std::span<const int64_t>(joined.begin(), joined.size())) == 0) {
      result = emptyTensor(Dims(joined), self.dtype(), self.device());
      continue;
    }
    int64_t before = 1, after = 1;
    for (size_t k = 0; k < wide.size(); ++k) (k < d ? before : after) *= wide[k];
    result = reshape(expand(reshape(result, {before, 1, after}), {before, times[d], after}), joined);
  }
  result = plain(result, self.dtype());
  return result.sharesStorage(self) ? result.clone() : result;
}

// Each element several times: ints[0] times, or as often as a second tensor says; along the dimension that is left in ints.
Tensor repeatInterleave(Op op, Tensors in, const Attributes& attributes) {
  const bool each = in.size() > 1 && in[1].defined();
  const size_t place = each ? 0 : 1;
  if (attributes.ints.size() > place && in[0].dim() == 0) throw Error("repeat_interleave: dimension " + std::to_string(attributes.ints[place]) + " was named but the tensor has none");
  const Tensor self = attributes.ints.size() > place ? in[0] : flatten(in[0], {0, -1});
  const size_t d = dimensionOf(op, self, attributes.integer(place, 0));
  if (!each) {
    const int64_t times = attributes.integer(0, 1);
    if (times < 0) throw Error("repeat_interleave: repeats cannot be negative");
    Ints wide(self.sizes()), joined(self.sizes());
    wide.insert(d + 1, times);
    joined[d] *= times;
    return ops::contiguous(reshape(expand(unsqueeze(self, {int64_t(d) + 1}), wide), joined).clone());
  }
  const int64_t n = self.dim() ? self->sizes[d] : 1;
  const Tensor& counts = in[1];
  if (counts.dim() > 1) throw Error("repeat_interleave: repeats must be 0-dim or 1-dim, not of shape " + toText(counts.sizes()));
  if (kindOf(counts.dtype()) != DTypeKind::integer) throw Error(std::string("repeat_interleave: repeats must be integers, not of ") + dtypeName(counts.dtype()));
  if (counts.numel() != 1 && counts.numel() != n) throw Error("repeat_interleave: " + std::to_string(counts.numel()) + " repeats do not fit " + std::to_string(n) + " elements");
  std::vector<Scalar> places;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t times = int64_t(counts.at(counts.numel() == 1 ? 0 : i).toDouble());
    if (times < 0) throw Error("repeat_interleave: repeats cannot be negative");
    places.insert(places.end(), size_t(times), Scalar(i));
  }
  return index_select(self, fromValues(places, {int64_t(places.size())}, DType::int64, self.device()), {int64_t(d)});
}

// ints: shifts, then their dimensions; one shift alone moves the tensor as if it were flat.
Tensor roll(Op, Tensors in, const Attributes& attributes) {
  const Ints& ints = attributes.ints;
  const Tensor& self = in[0];
  if (ints.size() == 1) return reshape(self.numel() ? shifted(flatten(self, {0, -1}), ints[0], 0) : self.clone(), Ints(self->sizes));
  if (ints.empty() || ints.size() % 2) throw Error("roll: as many shifts as dimensions are needed");
  if (self.numel() == 0) return self.clone();
  Tensor result = self;
  for (size_t i = 0; i < ints.size() / 2; ++i) result = shifted(result, ints[i], ints[ints.size() / 2 + i]);
  return result;
}

// tril and triu: ints[0] is the diagonal.
Tensor triangle(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& self = in[0];
  if (self.dim() < 2) throw Error(std::string(info(op).name) + ": a matrix or a batch of them is needed, not shape " + toText(self.sizes()));
  const int64_t rows = self.size(-2), columns = self.size(-1), diagonal = attributes.integer(0, 0);
  const Tensor inside = emptyTensor({rows, columns}, DType::boolean);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) inside->data<bool>()[i * columns + j] = op == Op::tril ? j - i <= diagonal : j - i >= diagonal;
  const Tensor mask = inside.to(self.device()), zero = self.numel() ? new_zeros(self.detach(), {}) : self;
  const Tensor operands[] = {mask, self, zero};
  Tensor result = emptyTensor(self->sizes, self.dtype(), self.device());
  copyInto(result, elementwise(Op::where, operands));
  return result;
}

// sort: ints are the dimension and whether it descends. Equal elements keep their order, as stable=true asks.
Tensor sort(Op op, Tensors in, const Attributes& attributes) {
  const size_t d = dimensionOf(op, in[0], attributes.integer(0, -1));
  const Tensor places = order(in[0], d, attributes.integer(1, 0) != 0);
  const Tensor sorted = op == Op::argsort ? places : ops::gather(in[0], places, {int64_t(d)});
  Tensor result = emptyStrided(sorted->sizes, denseStridesLike(in[0]), sorted.dtype(), sorted.device());
  copyInto(result, sorted);
  return result;
}

// topk: ints are the number, the dimension, and whether the largest are wanted. The result is sorted.
Tensor topk(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& self = in[0];
  if (self.dtype() == DType::boolean && since(2, 0)) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
  const size_t d = dimensionOf(op, self, attributes.integer(1, -1));
  const int64_t k = attributes.integer(0, 1), size = self.dim() ? self->sizes[d] : 1;
  if (k < 0 || k > size) throw Error(std::string(info(op).name) + ": " + std::to_string(k) + " of " + std::to_string(size) + " elements are not to be had");
  Tensor places = order(self, d, attributes.integer(2, 1) != 0);
  if (self.dim()) places = ops::contiguous(narrow(places, {int64_t(d), 0, k}));
  return op == Op::topk_indices ? places : ops::gather(self, places, {int64_t(d)});
}

}  // namespace kernels
}  // namespace rt
