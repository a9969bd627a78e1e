// Padding. ints are LibTorch's pads: before and after the last dimension, then the one before it, and so on.
#include "runtime/kernels/formats.h"
#include "runtime/ops.h"

#include <algorithm>
#include <iterator>

namespace rt {
namespace {

[[noreturn]] void refuse(Op op, const std::string& why) { throw Error(std::string(info(op).name) + ": " + why); }

// The part of a tensor that is left where pads are negative (sign -1), or that lies between positive ones (sign 1).
Tensor inside(const Tensor& tensor, const Ints& pads, int64_t sign) {
  Tensor part = alias(tensor);
  for (size_t i = 0; i < pads.size(); i += 2) {
    const size_t d = part->sizes.size() - 1 - i / 2;
    const int64_t before = std::max<int64_t>(0, sign * pads[i]), after = std::max<int64_t>(0, sign * pads[i + 1]);
    if (part->sizes[d] < before + after) refuse(Op::constant_pad_nd, "pads of " + toText(pads) + " leave nothing of shape " + toText(tensor.sizes()));
    part->sizes[d] -= before + after;
    part->offset += before * part->strides[d];
  }
  return part;
}

enum class Mode : int64_t { constant, reflect, replicate, circular };

// Where each element along a padded dimension is taken from. Source: ReflectionPad, ReplicationPad and _pad_circular.
Tensor placesAlong(Mode mode, int64_t size, int64_t before, int64_t after) {
  const Tensor places = emptyTensor({size + before + after}, DType::int64);
  for (int64_t i = 0; i < size + before + after; ++i) {
    const int64_t at = i - before;
    places->data<int64_t>()[i] = mode == Mode::reflect     ? at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at
                                 : mode == Mode::replicate ? std::clamp<int64_t>(at, 0, size - 1)
                                                           : ((at % size) + size) % size;
  }
  return places;
}

// f(dimension, places) for each padded dimension.
template <typename F> void eachPadded(Mode mode, const Ints& pads, std::span<const int64_t> sizes, F f) {
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int64_t d = int64_t(sizes.size()) - 1 - int64_t(i / 2);
    f(d, placesAlong(mode, sizes[size_t(d)], pads[i], pads[i + 1]));
  }
}

// Source: at::native::padding::pad_shape_check.
void checkEdges(Op op, Mode mode, const Tensor& input, const Ints& pads, size_t rank) {
  const size_t dims = input->sizes.size();
  if (pads.size() != 2 * rank || (dims != rank + 1 && dims != rank + 2))
    refuse(op, "pads of " + toText(pads) + " do not fit an input of shape " + toText(input.sizes()));
  for (size_t d = dims - rank - 1; d < dims; ++d)
    if (input->sizes[d] == 0) refuse(op, "nothing but the batch may be empty, not in shape " + toText(input.sizes()));
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int64_t size = input->sizes[dims - 1 - i / 2];
    if (mode == Mode::reflect && (pads[i] >= size || pads[i + 1] >= size))
      refuse(op, "a reflection must be smaller than its dimension: pads of " + toText(pads) + ", shape " + toText(input.sizes()));
    if (size + pads[i] + pads[i + 1] < 1) refuse(op, "pads of " + toText(pads) + " leave nothing of shape " + toText(input.sizes()));
  }
}

struct Edge { Op op; Mode mode; size_t rank; };
constexpr Edge edges[] = {
    {Op::reflection_pad1d, Mode::reflect, 1},    {Op::reflection_pad2d, Mode::reflect, 2},    {Op::reflection_pad3d, Mode::reflect, 3},
    {Op::replication_pad1d, Mode::replicate, 1}, {Op::replication_pad2d, Mode::replicate, 2}, {Op::replication_pad3d, Mode::replicate, 3},
};
const Edge& edgeFor(Op op) { return *std::find_if(std::begin(edges), std::end(edges), [op](const Edge& edge) { return edge.op == op; }); }

Tensor copied(const Tensor& view) {
  return view.isContiguous() ? view.clone() : ops::contiguous(view);
}

// What lies outside is wrapped around what negative pads leave.
Tensor circular(Op op, const Tensor& input, const Ints& pads) {
  if (!since(2, 0) && int64_t(pads.size()) != 2 * (input.dim() - 2)) refuse(op, "pads of " + toText(pads) + " do not fit shape " + toText(input.sizes()));
  Tensor result = input;
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int64_t size = input->sizes[input->sizes.size() - 1 - i / 2], kept = size + std::min<int64_t>(0, pads[i]) + std::min<int64_t>(0, pads[i + 1]);
    if (pads[i] > size || pads[i + 1] > size)
      refuse(op, "circular pads must not be larger than their dimension: pads of " + toText(pads) + ", shape " + toText(input.sizes()));
    if (size + pads[i] + pads[i + 1] < 0 || (kept <= 0 && size + pads[i] + pads[i + 1] > 0))
      refuse(op, "pads of " + toText(pads) + " leave nothing of shape " + toText(input.sizes()));
  }
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int64_t d = input.dim() - 1 - int64_t(i / 2), before = std::max<int64_t>(0, pads[i]), after = std::max<int64_t>(0, pads[i + 1]);
    result = ops::narrow(result, {d, before - pads[i], result.size(d) + pads[i] - before + pads[i + 1] - after});
    if (before + after > 0) result = ops::index_select(result, placesAlong(Mode::circular, result.size(d), before, after).to(result.device()), {d});
  }
  return result.sharesStorage(input) ? copied(result) : ops::contiguous(result);
}

}  // namespace

Tensor edgePadSlope(const Tensor& g, const Tensor& a, Op op, const Ints& pads) {
  Tensor result = g;
  eachPadded(edgeFor(op).mode, pads, a.sizes(), [&](int64_t d, const Tensor& places) {
    Ints sizes(result.sizes());
    sizes[size_t(d)] = a.size(d);
    const Tensor like[] = {g.detach()};
    result = ops::index_add(call(Op::new_zeros, like, {sizes}), places.to(g.device()), result, {d});
  });
  return result;
}

Ints negated(const Ints& ints) {
  Ints result;
  for (int64_t v : ints) result.push_back(-v);
  return result;
}

namespace kernels {

// in: the input and, where it is not 0, the number around it.
Tensor constantPad(Op op, Tensors in, const Attributes& attributes) {
  const Ints& pads = attributes.ints;
  if (pads.size() % 2 || int64_t(pads.size()) / 2 > in[0].dim())
    refuse(op, "pads of " + toText(pads) + " do not fit an input of shape " + toText(in[0].sizes()));
  const Tensor left = inside(in[0], pads, -1);
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad <= 0; })) return convertedCopy(left, in[0].dtype());
  Dims sizes = left->sizes;
  for (size_t i = 0; i < pads.size(); ++i) sizes[sizes.size() - 1 - i / 2] += std::max<int64_t>(0, pads[i]);
  const Tensor result = emptyStrided(sizes, stridesLike(in[0], sizes), in[0].dtype(), in[0].device());
  const Tensor value = in.size() > 1 && in[1].defined() ? in[1] : Tensor(0);
  checkFill(value, sizes, result.dtype());
  copyInto(result, value);
  copyInto(inside(result, pads, 1), left);
  return result;
}

Tensor edgePad(Op op, Tensors in, const Attributes& attributes) {
  const Edge& edge = edgeFor(op);
  checkEdges(op, edge.mode, in[0], attributes.ints, edge.rank);
  if (in[0].dtype() == DType::boolean) refuse(op, "not for tensors of boolean");
  Tensor result = in[0];
  eachPadded(edge.mode, attributes.ints, in[0].sizes(), [&](int64_t d, const Tensor& places) {
    result = ops::index_select(result, places.to(result.device()), {d});
  });
  return laidOut(result, result.dtype(), stridesLike(in[0], result->sizes));
}

// in: the input and, for constants, the number. reals[0]: 0 constant, 1 reflect, 2 replicate, 3 circular.
Tensor pad(Op op, Tensors in, const Attributes& attributes) {
  const Mode mode = Mode(int64_t(attributes.real(0, 0)));
  const Ints& pads = attributes.ints;
  if (mode == Mode::constant) return call(Op::constant_pad_nd, in, {pads});
  if (in.size() > 1 && in[1].defined() && in[1].item().toDouble() != 0) refuse(op, "only constants take a value");
  const size_t rank = pads.size() / 2;
  if (pads.size() % 2 || rank < 1 || rank > 3 || (in[0].dim() != int64_t(rank) + 1 && in[0].dim() != int64_t(rank) + 2))
    refuse(op, "pads of " + toText(pads) + " do not fit an input of shape " + toText(in[0].sizes()));
  if (mode == Mode::circular) return circular(op, in[0], pads);
  const Edge& edge = *std::find_if(std::begin(edges), std::end(edges), [&](const Edge& one) { return one.mode == mode && one.rank == rank; });
  return call(edge.op, in.first(1), {pads});
}

}  // namespace kernels
}  // namespace rt
