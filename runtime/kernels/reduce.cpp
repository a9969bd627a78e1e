// Reductions: the kept dimensions come first, the reduced ones are then runs of neighbours.
#include "runtime/body.h"
#include "runtime/formula.h"
#include "runtime/ops.h"

#include <cmath>
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
  Attributes order{{shape.order.begin(), shape.order.end()}, false, {}};
  Tensor view = tensor.dim() ? viewOf(Op::permute, tensor, order) : tensor;
  return plain(view, dtype);
}

// Out reduce(const In*, n) for every run.
template <typename In, typename Out, typename F> Tensor eachRun(const Tensor& tensor, const Shape& shape, DType in, DType out, F reduceRun) {
  Tensor values = reducedLast(tensor, shape, in), result = emptyTensor(shape.kept, out);
  const In* from = values->data<In>();
  Out* to = result->data<Out>();
  for (int64_t i = 0; i < shape.outer; ++i) to[i] = Out(reduceRun(from + i * shape.inner, shape.inner));
  return result;
}

DType sumType(DType dtype, const Attributes& attributes) {
  if (attributes.dtype) return *attributes.dtype;
  return kindOf(dtype) == DTypeKind::floating ? dtype : DType::int64;
}

Tensor sumOrProduct(Op op, const Tensor& tensor, const Shape& shape, DType dtype) {
  return withType(dtype, [&]<typename S>() {
    using T = formula::Math<S>;
    return eachRun<S, S>(tensor, shape, dtype, dtype, [&](const S* run, int64_t n) {
      T total = op == Op::sum ? T(0) : T(1);
      for (int64_t i = 0; i < n; ++i) total = op == Op::sum ? T(total + T(run[i])) : T(total * T(run[i]));
      return total;
    });
  });
}

// The place of the largest (smallest) value; the first of equals; the first NaN wins over all.
template <typename S> int64_t extreme(const S* run, int64_t n, bool largest) {
  using T = formula::Math<S>;
  int64_t best = 0;
  for (int64_t i = 0; i < n; ++i) {
    T v = T(run[i]), b = T(run[best]);
    if (v != v) return i;
    if (largest ? v > b : v < b) best = i;
  }
  return best;
}

Tensor extremes(Op op, const Tensor& tensor, const Shape& shape) {
  bool index = op == Op::argmax || op == Op::argmin;
  bool largest = op == Op::amax || op == Op::max || op == Op::max_dim || op == Op::argmax;
  if (shape.inner == 0) throw Error(std::string(info(op).name) + ": a reduction over no elements has no result");
  DType dtype = tensor.dtype();
  if (index && dtype == DType::boolean) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
  return withType(dtype, [&]<typename S>() {
    if (index) return eachRun<S, int64_t>(tensor, shape, dtype, DType::int64, [&](const S* run, int64_t n) { return extreme(run, n, largest); });
    return eachRun<S, S>(tensor, shape, dtype, dtype, [&](const S* run, int64_t n) { return run[extreme(run, n, largest)]; });
  });
}

Tensor truth(Op op, const Tensor& tensor, const Shape& shape) {
  return eachRun<bool, bool>(tensor, shape, DType::boolean, DType::boolean, [&](const bool* run, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (run[i] == (op == Op::any)) return op == Op::any;
    return op == Op::all;
  });
}

void needFloating(Op op, DType dtype) {
  if (kindOf(dtype) != DTypeKind::floating) throw Error(std::string(info(op).name) + ": the input must be floating point, not " + dtypeName(dtype));
}

Tensor norm(const Tensor& tensor, const Shape& shape, DType dtype) {
  return withType(dtype, [&]<typename S>() {
    using T = formula::Math<S>;
    return eachRun<S, S>(tensor, shape, dtype, dtype, [&](const S* run, int64_t n) -> formula::Math<S> {
      T total = 0;
      for (int64_t i = 0; i < n; ++i) total = T(total + T(run[i]) * T(run[i]));
      return T(std::sqrt(double(total)));
    });
  });
}

// Welford, in double as LibTorch does on the CPU; the correction is 1.
Tensor variance(Op op, const Tensor& tensor, const Shape& shape, DType dtype) {
  return withType(dtype, [&]<typename S>() {
    return eachRun<S, S>(tensor, shape, dtype, dtype, [&](const S* run, int64_t n) -> formula::Math<S> {
      double mean = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        double v = double(formula::Math<S>(run[i])), delta = v - mean;
        mean += delta / double(i + 1);
        squares += delta * (v - mean);
      }
      double result = n > 1 ? squares / double(n - 1) : std::numeric_limits<double>::quiet_NaN();
      return formula::Math<S>(op == Op::std ? std::sqrt(result) : result);
    });
  });
}

Tensor logSumExp(const Tensor& tensor, const Attributes& attributes) {
  using namespace ops;
  Tensor floating = kindOf(tensor.dtype()) == DTypeKind::floating ? tensor : tensor.to(DType::float32);
  if (floating.numel() == 0) return log(sum(exp(floating), attributes.ints, attributes.keepdim));
  Tensor top = amax(floating, attributes.ints, true);
  top = where(isinf(top), 0, top);
  Tensor total = log(sum(exp(floating - top), attributes.ints, attributes.keepdim));
  return total + (attributes.keepdim ? top : reshape(top, {total.sizes().begin(), total.sizes().end()}));
}

}  // namespace

Tensor reduce(Op op, const Tensor& tensor, const Attributes& attributes) {
  Shape shape = shapeOf(op, tensor, attributes);
  DType dtype = attributes.dtype.value_or(tensor.dtype());
  bool needsDim = op == Op::max_dim || op == Op::min_dim;
  if (needsDim && attributes.ints.size() != 1) throw Error(std::string(info(op).name) + ": one dimension is needed");
  switch (op) {
    case Op::sum: case Op::prod: return sumOrProduct(op, tensor, shape, sumType(tensor.dtype(), attributes));
    case Op::mean: {
      needFloating(op, dtype);
      Tensor total = sumOrProduct(Op::sum, tensor, shape, dtype);
      return ops::div(total, Tensor(Scalar(double(shape.inner))));
    }
    case Op::all: case Op::any: return truth(op, tensor, shape);
    case Op::norm: needFloating(op, dtype); return norm(tensor, shape, dtype);
    case Op::var: case Op::std: needFloating(op, dtype); return variance(op, tensor, shape, dtype);
    case Op::logsumexp: return logSumExp(tensor, attributes);
    default: return extremes(op, tensor, shape);
  }
}

}  // namespace rt
