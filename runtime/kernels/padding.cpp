// Padding. ints are LibTorch's pads: before and after the last dimension, then the one before it, and so on.
#include "runtime/kernels/formats.h"
#include "runtime/ops.h"

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

}  // namespace

Ints negated(const Ints& ints) {
  Ints result;
  for (int64_t v : ints) result.push_back(-v);
  return result;
}

namespace kernels {

// in: the input and, where it is not 0, the number around it.
Tensor constantPad(Op op, Tensors in, const Attributes& attributes) {
  const Ints& pads = attributes.ints;
  if (pads.size() % 2 || int64_t(pads.size()) / 2 > in[0].dim()) refuse(op, "pads of " + toText(pads) + " do not fit an input of shape " + toText(in[0].sizes()));
  const Tensor left = inside(in[0], pads, -1);
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad <= 0; })) return convertedCopy(left, in[0].dtype());
  Dims sizes = left->sizes;
  for (size_t i = 0; i < pads.size(); ++i) sizes[sizes.size() - 1 - i / 2] += std::max<int64_t>(0, pads[i]);
  const Tensor result = emptyStrided(sizes, stridesLike(in[0], sizes), in[0].dtype(), in[0].device()), value = in.size() > 1 && in[1].defined() ? in[1] : Tensor(0);
  checkFill(value, sizes, result.dtype());
  copyInto(result, value);
  copyInto(inside(result, pads, 1), left);
  return result;
}

}  // namespace kernels
}  // namespace rt
