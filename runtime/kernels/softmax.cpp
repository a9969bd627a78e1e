// softmax, log_softmax and cumsum along one dimension.
#include "runtime/body.h"
#include "runtime/formula.h"
#include "runtime/ops.h"

namespace rt {
namespace {

size_t oneDimension(Op op, const Tensor& tensor, const Attributes& attributes) {
  if (attributes.ints.size() != 1) throw Error(std::string(info(op).name) + ": one dimension is needed");
  auto d = wrapDimension(info(op).name, attributes.ints[0], tensor.sizes());
  if (!d) throw Error(d.error);
  return size_t(d.value);
}

}  // namespace

Tensor softmax(Op op, const Tensor& tensor, const Attributes& attributes) {
  using namespace ops;
  DType dtype = attributes.dtype.value_or(tensor.dtype());
  if (kindOf(dtype) != DTypeKind::floating) throw Error(std::string(info(op).name) + ": not for tensors of " + dtypeName(dtype));
  int64_t dim = int64_t(oneDimension(op, tensor, attributes));
  if (tensor.numel() == 0) return emptyTensor(tensor->sizes, dtype);
  // Half types compute in float and round once.
  Tensor wide = plain(tensor, sizeOf(dtype) == 2 ? DType::float32 : dtype);
  Tensor centred = wide - amax(wide, {dim}, true);
  Tensor exponentials = exp(centred), total = sum(exponentials, {dim}, true);
  Tensor result = op == Op::softmax ? exponentials / total : centred - log(total);
  return plain(result, dtype);
}

Tensor cumsum(const Tensor& tensor, const Attributes& attributes) {
  size_t d = oneDimension(Op::cumsum, tensor, attributes);
  DType dtype = attributes.dtype.value_or(kindOf(tensor.dtype()) == DTypeKind::floating ? tensor.dtype() : DType::int64);
  Tensor from = plain(tensor, dtype), result = emptyTensor(tensor->sizes, dtype);
  int64_t length = tensor.dim() ? tensor.size(int64_t(d)) : 1, step = tensor.dim() ? from->strides[d] : 1, n = tensor.numel();
  if (n == 0) return result;
  withType(dtype, [&]<typename S>() {
    using T = formula::Math<S>;
    for (int64_t start = 0; start < n; ++start) {
      if (start / step % length != 0) continue;
      T total = 0;
      for (int64_t i = 0; i < length; ++i) {
        total = T(total + T(from->data<S>()[start + i * step]));
        result->data<S>()[start + i * step] = S(total);
      }
    }
  });
  return result;
}

}  // namespace rt
