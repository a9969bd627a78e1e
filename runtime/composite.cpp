// COMPOSITE rows: functions of other rows, which carry the gradients.
#include "runtime/body.h"
#include "runtime/ops.h"

#include <array>
#include <limits>

namespace rt {

using namespace ops;

namespace {

Tensor numberOr(Tensors in, size_t i, Scalar otherwise) { return i < in.size() && in[i].defined() ? in[i] : Tensor(otherwise); }

Tensor withNumbersBehind(Op op, const Tensor& a, std::initializer_list<double> numbers) {
  std::vector<Tensor> in = {a};
  for (double number : numbers) in.emplace_back(number);
  return call(op, in);
}

double largestOf(DType dtype) {
  return withType(dtype, []<typename S>() -> double {
    if constexpr (std::is_same_v<S, Half>) return 65504;
    else if constexpr (std::is_same_v<S, BFloat16>) return 3.3895313892515355e38;
    else return double(std::numeric_limits<S>::max());
  });
}

}  // namespace

namespace kernels {

// A weight per channel, which is dimension 1 from rank 2 on.
Tensor prelu(Op, Tensors in, const Attributes&) {
  const Tensor &a = in[0], &weight = in[1];
  if (weight.dim() > 1) throw Error("prelu: the weight must be a scalar or 1-dimensional, not of shape " + toText(weight.sizes()));
  if (a.dtype() != weight.dtype()) throw Error(std::string("prelu: the weight must be of ") + dtypeName(a.dtype()) + ", not " + dtypeName(weight.dtype()));
  int64_t channels = a.dim() < 2 ? 1 : a.size(1);
  if (weight.numel() != 1 && (a.dim() == 0 || weight.numel() != channels))
    throw Error("prelu: " + std::to_string(weight.numel()) + " weights do not fit an input of shape " + toText(a.sizes()));
  Ints shape(size_t(a.dim()), 1);
  if (a.dim() > 1) shape[1] = weight.numel();
  return _prelu_kernel(a, a.dim() == 0 ? reshape(weight, {}) : reshape(weight, shape));
}

// The first half times the sigmoid of the second.
Tensor glu(Op, Tensors in, const Attributes& attributes) {
  const Tensor& a = in[0];
  int64_t dim = attributes.integer(0, -1);
  if (a.dim() == 0) throw Error("glu: a 0-dim tensor has no halves");
  int64_t size = a.size(dim);
  if (size % 2) throw Error("glu: dimension " + std::to_string(dim) + " of shape " + toText(a.sizes()) + " is odd");
  return narrow(a, {dim, 0, size / 2}) * sigmoid(narrow(a, {dim, size / 2, size / 2}));
}

Tensor nanToNum(Op, Tensors in, const Attributes&) {
  const Tensor& a = in[0];
  if (kindOf(a.dtype()) != DTypeKind::floating) return a.clone();
  double largest = largestOf(a.dtype());
  Tensor finite = where(isposinf(a), numberOr(in, 2, largest), where(isneginf(a), numberOr(in, 3, -largest), a));
  return where(isnan(a), numberOr(in, 1, 0.0), finite);
}

Tensor rsub(Op, Tensors in, const Attributes&) {
  std::vector<Tensor> swapped = {in[1], in[0]};
  if (in.size() > 2) swapped.push_back(in[2]);
  return call(Op::sub, swapped);
}

Tensor floatPower(Op, Tensors in, const Attributes&) {
  const Tensor &a = in[0], &b = in[1];
  return pow(a.isWrappedNumber() ? a : a.to(DType::float64), b.isWrappedNumber() ? b : b.to(DType::float64));
}

Tensor activation(Op op, Tensors in, const Attributes&) {
  const Tensor& a = in[0];
  switch (op) {
    case Op::selu: return withNumbersBehind(Op::elu, a, {1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1});
    case Op::relu6: return withNumbersBehind(Op::hardtanh, a, {0, 6});
    case Op::softsign: return a / (1 + abs(a));
    default: return a - tanh(a);  // tanhshrink
  }
}

// Adding a dimension is a view that gradients pass through.
Tensor stack(Op, Tensors in, const Attributes& attributes) {
  std::vector<Tensor> parts;
  int64_t dim = attributes.integer(0, 0);
  for (const Tensor& tensor : in) {
    if (Dims(tensor.sizes()) != Dims(in[0].sizes())) throw Error("stack: shapes " + toText(in[0].sizes()) + " and " + toText(tensor.sizes()) + " differ");
    parts.push_back(tensor);
  }
  const int64_t rank = in[0].dim(), at = dim < 0 ? dim + rank + 1 : dim;
  if (at < 0 || at > rank) throw Error("stack: dimension " + std::to_string(dim) + " is out of range for shape " + toText(in[0].sizes()));
  if (at == rank || in[0].numel() == 0) {
    for (Tensor& part : parts) part = unsqueeze(part, {at});
    return call(Op::cat, parts, {{at}});
  }
  Ints shape(in[0]->sizes);  // one dimension is taken apart, as LibTorch does: the memory format of the parts is kept
  shape.insert(size_t(at), int64_t(parts.size()));
  return reshape(call(Op::cat, parts, {{at}}), shape);
}

}  // namespace kernels
}  // namespace rt
