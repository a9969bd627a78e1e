// Views, and the rows that copy.
#include "runtime/body.h"
#include "runtime/ops.h"

namespace rt {
namespace {

Tensor copyOf(const Tensor& from) {
  Tensor result = emptyTensor(from->sizes, from.dtype(), from.device());
  copyInto(result, from);
  return result;
}

void checkInside(const ViewLayout& layout, const Tensor& tensor) {
  int64_t last = layout.offset;
  for (size_t d = 0; d < layout.sizes.size(); ++d) last += (layout.sizes[d] - 1) * layout.strides[d];
  if (numelOf(layout.sizes) > 0 && size_t(last + 1) * sizeOf(tensor.dtype()) > tensor->storage->bytes)
    throw Error("as_strided: sizes " + toText(layout.sizes) + ", strides " + toText(layout.strides) + " and offset " + std::to_string(layout.offset) + " leave the storage");
}

}  // namespace

Tensor viewOf(Op op, const Tensor& tensor, const Attributes& attributes, bool recording) {
  ViewLayout from{tensor->sizes, tensor->strides, tensor->offset};
  auto layout = viewLayout(op, from, attributes.ints);
  if (op == Op::flatten && layout && tensor.dim() > 0 && layout.value.sizes == tensor->sizes) return tensor;
  if (!layout && layout.error == "copy") {
    Tensor copy = copyOf(tensor);
    copy->sizes = layout.value.sizes;
    copy->strides = contiguousStrides(layout.value.sizes);
    return copy;
  }
  if (!layout) throw Error(layout.error);
  if (op == Op::as_strided) checkInside(layout.value, tensor);
  Tensor view = alias(tensor);
  view->wrapped = false;
  view->sizes = layout.value.sizes;
  view->strides = layout.value.strides;
  view->offset = layout.value.offset;
  view->base = tensor->base ? tensor->base : tensor.body();
  view->nodeVersion = view->storage->version;
  view->madeWithoutGrad = !recording || tensor->madeWithoutGrad;
  return view;
}

namespace kernels {

// LibTorch's clone_preserve_strides: gaps stay gaps, unless elements overlap.
Tensor cloneOfStrides(const Tensor& tensor) {
  if (!since(2, 0)) return convertedCopy(tensor, tensor.dtype());
  for (size_t d = 0; d < tensor->sizes.size(); ++d)
    if (tensor->sizes[d] > 1 && tensor->strides[d] == 0) return convertedCopy(tensor, tensor.dtype());
  if (tensor.numel() == 0) return convertedCopy(tensor, tensor.dtype());
  Tensor result = emptyStrided(tensor->sizes, tensor->strides, tensor.dtype(), tensor.device());
  copyInto(result, tensor);
  return result;
}

// slice_scatter and its kin: a copy of the first tensor, with the second in the place that the view names.
Tensor scatterView(Op op, Tensors in, const Attributes& attributes) {
  Op view = op == Op::slice_scatter ? Op::slice : op == Op::select_scatter ? Op::select : op == Op::diagonal_scatter ? Op::diagonal : Op::as_strided;
  Tensor result = cloneOfStrides(in[0]), part = viewOf(view, result, attributes);
  if (!(part->sizes == in[1]->sizes)) throw Error(std::string(info(op).name) + ": a source of shape " + toText(in[1].sizes()) + " does not fit a slice of shape " + toText(part.sizes()));
  copyInto(part, in[1]);
  return result;
}

// A copy that is read backwards along each named dimension.
Tensor flip(Op op, Tensors in, const Attributes& attributes) {
  Tensor backwards = alias(in[0]);
  auto named = reducedDimensions(info(op).name, attributes.ints, in[0].sizes());
  if (!named) throw Error(named.error);
  for (size_t d = 0; d < backwards->sizes.size() && !attributes.ints.empty(); ++d)
    if (named.value[d] && backwards->sizes[d] > 0) {
      backwards->offset += (backwards->sizes[d] - 1) * backwards->strides[d];
      backwards->strides[d] = -backwards->strides[d];
    }
  Tensor result = emptyStrided(in[0]->sizes, denseStridesLike(in[0]), in[0].dtype(), in[0].device());
  copyInto(result, backwards);
  return result;
}

Tensor maskedFill(Op, Tensors in, const Attributes&) {
  if (in[2].dim() > 0) throw Error("masked_fill: the value has " + std::to_string(in[2].dim()) + " dimensions");
  if (in[1].dtype() != DType::boolean && (in[1].dtype() != DType::uint8 || since(2, 0))) throw Error("masked_fill: the mask must be a bool tensor");
  checkFits(Tensor(in[2].item()), in[0].dtype());
  Tensor operands[] = {in[1], in[2].dtype() == in[0].dtype() ? in[2] : convertedCopy(in[2], in[0].dtype()), in[0]};
  auto shape = broadcast("masked_fill", in[0].sizes(), in[1].sizes());
  if (!shape) throw Error(shape.error);
  Tensor result = emptyTensor(shape.value, in[0].dtype(), in[0].device());  // LibTorch clones into contiguous memory
  copyInto(result, elementwise(Op::where, operands));
  return result;
}

Tensor convert(Op, Tensors in, const Attributes& attributes) {
  DType wanted = attributes.dtype.value_or(in[0].dtype());
  return in[0].dtype() == wanted ? in[0] : convertedCopy(in[0], wanted);
}
Tensor clone(Op, Tensors in, const Attributes&) { return convertedCopy(in[0], in[0].dtype()); }
Tensor contiguous(Op, Tensors in, const Attributes&) { return in[0].isContiguous() ? in[0] : copyOf(in[0]); }
Tensor detach(Op, Tensors in, const Attributes&) { return alias(in[0]); }
Tensor onlyInPlace(Op op, Tensors, const Attributes&) { throw Error(std::string(info(op).name) + ": there is only an in-place form"); }

}  // namespace kernels
}  // namespace rt
