// Reductions: the kept dimensions come first, the reduced ones are then runs of neighbours.
#include "runtime/body.h"
#include "runtime/kernels/runs.h"
#include "runtime/launch.h"
#include "runtime/ops.h"

#include <limits>

namespace rt {
namespace {

struct Shape {
  Dims kept, order;  // sizes of the result; the permutation that brings reduced dimensions last
  int64_t outer = 1, inner = 1;
};

Shape shapeOf(Op op, const Tensor& tensor, const Attributes& attributes) {
  auto mask = reducedDimensions(info(op).name, attributes.ints, tensor.sizes());
  if (!mask) throw Error(mask.error);
  Shape shape;
  for (size_t d = 0; d < tensor->sizes.size(); ++d) {
    if (mask.value[d]) {
      shape.inner *= tensor->sizes[d];
      if (attributes.keepdim) shape.kept.push_back(1);
    } else {
      shape.outer *= tensor->sizes[d];
      shape.kept.push_back(tensor->sizes[d]);
      shape.order.push_back(int64_t(d));
    }
  }
  for (size_t d = 0; d < tensor->sizes.size(); ++d)
    if (mask.value[d]) shape.order.push_back(int64_t(d));
  return shape;
}

Tensor reducedLast(const Tensor& tensor, const Shape& shape, DType dtype) {
  Attributes order{Ints(shape.order)};
  Tensor view = tensor.dim() ? viewOf(Op::permute, tensor, order) : tensor;
  return plain(view, dtype);
}

// Of these, the result of a run's parts is that of the run.
template <template <typename> typename F> constexpr bool joinsParts = false;
template <> constexpr bool joinsParts<Sum> = true;
template <> constexpr bool joinsParts<Extreme> = true;
template <> constexpr bool joinsParts<Truth> = true;

// Launches the functor on runs of `tensor` as `in`; the rest of the functor's members follow. A GPU's thread takes a run: a single
// long one is cut into parts, the last of them shorter, whose results are a run again.
template <template <typename> typename F, typename... Rest> Tensor eachRun(const Tensor& tensor, const Shape& shape, DType in, DType out, Rest... rest) {
  constexpr int64_t part = 1024;
  const bool cut = joinsParts<F> && tensor.device() != Device::cpu && shape.outer == 1 && shape.inner > 2 * part;
  const int64_t runs = cut ? shape.inner / part : shape.outer, length = cut ? part : shape.inner, left = cut ? shape.inner % part : 0;
  Tensor values = reducedLast(tensor, shape, in), result = emptyTensor(cut ? Dims{runs + (left > 0)} : shape.kept, out, tensor.device());
  withType(in, [&]<typename S>() {
    using Out = std::remove_pointer_t<decltype(F<S>::out)>;
    launch(tensor.device(), runs, F<S>{{values->data<S>(), result->data<Out>(), length}, rest...}, length);
    launch(tensor.device(), left > 0, F<S>{{values->data<S>() + runs * length, result->data<Out>() + runs, left}, rest...}, left);
  });
  if (cut) return eachRun<F>(result, {shape.kept, {0}, 1, result.numel()}, out, out, rest...);
  return result;
}

DType sumType(DType dtype, const Attributes& attributes) {
  if (attributes.dtype) return *attributes.dtype;
  return kindOf(dtype) == DTypeKind::floating ? dtype : DType::int64;
}

Tensor extremes(Op op, const Tensor& tensor, const Shape& shape) {
  bool index = op == Op::argmax || op == Op::argmin;
  bool largest = op == Op::amax || op == Op::max || op == Op::max_dim || op == Op::argmax;
  if (shape.inner == 0) throw Error(std::string(info(op).name) + ": a reduction over no elements has no result");
  DType dtype = tensor.dtype();
  if (index && dtype == DType::boolean && since(2, 0)) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
  if (index) return eachRun<ExtremeIndex>(tensor, shape, dtype, DType::int64, largest);
  return eachRun<Extreme>(tensor, shape, dtype, dtype, largest);
}

void needFloating(Op op, DType dtype) {
  if (kindOf(dtype) != DTypeKind::floating) throw Error(std::string(info(op).name) + ": the input must be floating point, not " + dtypeName(dtype));
}

Tensor logSumExp(const Tensor& tensor, const Attributes& attributes) {
  using namespace ops;
  Tensor floating = kindOf(tensor.dtype()) == DTypeKind::floating ? tensor : tensor.to(DType::float32);
  if (floating.numel() == 0) return log(sum(exp(floating), attributes.ints, attributes.keepdim));
  Tensor top = amax(floating, attributes.ints, true);
  top = where(isinf(top), 0, top);
  Tensor total = log(sum(exp(floating - top), attributes.ints, attributes.keepdim));
  return total + (attributes.keepdim ? top : reshape(top, total.sizes()));
}

}  // namespace

Tensor reduce(Op op, const Tensor& tensor, const Attributes& attributes) {
  Shape shape = shapeOf(op, tensor, attributes);
  DType dtype = attributes.dtype.value_or(tensor.dtype());
  bool needsDim = op == Op::max_dim || op == Op::min_dim || op == Op::median_dim || op == Op::median_index;
  if (needsDim && attributes.ints.size() != 1) throw Error(std::string(info(op).name) + ": one dimension is needed");
  switch (op) {
    case Op::sum:
      // Summed in float, rounded once: by the functor, unless it reads another dtype or rounds a part.
      if ((dtype != tensor.dtype() || tensor.device() != Device::cpu) && sizeOf(dtype) == 2 && kindOf(dtype) == DTypeKind::floating)
        return convertedCopy(eachRun<Sum>(tensor, shape, DType::float32, DType::float32), dtype);
      return eachRun<Sum>(tensor, shape, sumType(tensor.dtype(), attributes), sumType(tensor.dtype(), attributes));
    case Op::prod: return eachRun<Product>(tensor, shape, sumType(tensor.dtype(), attributes), sumType(tensor.dtype(), attributes));
    case Op::mean:
      needFloating(op, dtype);
      if (sizeOf(dtype) == 2) return convertedCopy(ops::div(eachRun<Sum>(tensor, shape, DType::float32, DType::float32), Tensor(Scalar(double(shape.inner)))), dtype);
      return ops::div(eachRun<Sum>(tensor, shape, dtype, dtype), Tensor(Scalar(double(shape.inner))));
    case Op::all: case Op::any: {
      Tensor result = eachRun<Truth>(tensor, shape, tensor.dtype(), DType::boolean, op == Op::any);
      return tensor.dtype() == DType::uint8 ? result.to(DType::uint8) : result;  // as LibTorch: once the type of masks
    }
    case Op::median: case Op::median_dim: case Op::median_index:
      if (tensor.dtype() == DType::boolean && (tensor.numel() > 0 || op != Op::median)) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
      if (shape.inner == 0 && op != Op::median) throw Error(std::string(info(op).name) + ": a reduction over no elements has no result");
      if (op == Op::median_index) return eachRun<MedianIndex>(tensor, shape, tensor.dtype(), DType::int64);
      if (shape.inner == 0) return convertedCopy(Tensor(std::numeric_limits<double>::quiet_NaN()), tensor.dtype()).to(tensor.device());
      return eachRun<Median>(tensor, shape, tensor.dtype(), tensor.dtype());
    case Op::nansum: {
      const Tensor operands[] = {ops::isnan(tensor), Tensor(0), tensor};
      return reduce(Op::sum, elementwise(Op::where, operands), attributes);
    }
    case Op::count_nonzero: return ops::sum(ops::ne(tensor, 0), attributes.ints, attributes.keepdim);
    case Op::norm:
      needFloating(op, dtype);
      if (shape.inner == 0 && (attributes.real(0, 2) < 0 || attributes.real(0, 2) == std::numeric_limits<double>::infinity()))
        throw Error("norm: there is no largest or smallest of no elements");
      return eachRun<Norm>(tensor, shape, dtype, dtype, attributes.real(0, 2), tensor.dim() > 0 || attributes.ints.empty());
    case Op::var: case Op::std: needFloating(op, dtype); return eachRun<Variance>(tensor, shape, dtype, dtype, attributes.real(0, 1), op == Op::std);
    case Op::logsumexp: return logSumExp(tensor, attributes);
    default: return extremes(op, tensor, shape);
  }
}

}  // namespace rt
