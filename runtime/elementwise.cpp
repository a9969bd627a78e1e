// Elementwise rows: common dtype, common shape, then the device's loop.
#include "runtime/backend.h"
#include "runtime/body.h"

#include <algorithm>
#include <numeric>

namespace rt {
namespace {

Dims commonShape(Op op, Tensors in) {
  Dims shape(in[0].sizes());
  for (const Tensor& tensor : in.subspan(1)) {
    auto wider = broadcast(info(op).name, shape, tensor.sizes());
    if (!wider) throw Error(wider.error);
    shape = wider.value;
  }
  return shape;
}

// Numbers alone stay numbers of the widest type, as they do in the Scalar arithmetic of LibTorch's gradients.
DType commonDType(Op op, Tensors in) {
  TypeClass types;
  if (onlyNumbers(in)) {
    DType widest = in[0].dtype();
    for (const Tensor& number : in) widest = promote(widest, number.dtype());
    if (info(op).result == ResultRule::floating && kindOf(widest) != DTypeKind::floating) return DType::float64;
    return widest == DType::boolean && info(op).result == ResultRule::numeric ? DType::int64 : widest;
  }
  for (const Tensor& tensor : op == Op::where ? in.subspan(1) : in) types.add(tensor.dtype(), tensor.dim() > 0, tensor.isWrappedNumber());
  return types.result();
}

// The result keeps the order of dimensions in memory of the first operand of its shape that is not contiguous.
Dims resultStrides(const Dims& shape, Tensors in) {
  for (const Tensor& tensor : in)
    if (tensor->sizes == shape && !tensor->contiguous()) return denseStridesLike(tensor);
  return contiguousStrides(shape);
}

// Where everything is dense in one order, one dimension is enough.
void flatten(Loop& loop, size_t operands) {
  auto dense = [&](const Dims& strides) { return strides == contiguousStrides(loop.shape); };
  bool all = loop.shape.size() > 1 && dense(loop.outStrides);
  for (size_t k = 0; all && k < operands; ++k) all = dense(loop.inStrides[k]);
  if (!all) return;
  loop.shape = {numelOf(loop.shape)};
  loop.outStrides = {1};
  for (size_t k = 0; k < operands; ++k) loop.inStrides[k] = {1};
}

void checkDivisor(Op op, const Tensor& divisor) {
  if (kindOf(divisor.dtype()) == DTypeKind::floating) return;
  for (int64_t i = 0; i < divisor.numel(); ++i)
    if (divisor.at(i).toDouble() == 0) throw Error(std::string(info(op).name) + ": ZeroDivisionError");
}

Device commonDevice(Op op, Tensors in) {
  Device device = Device::cpu;
  for (const Tensor& tensor : in)
    if (tensor.device() != Device::cpu) device = tensor.device();
  for (const Tensor& tensor : in)
    if (tensor.device() != device && tensor.dim() > 0) throw Error(std::string(info(op).name) + ": tensors are on different devices");
  return device;
}

// Rows that LibTorch does not promote as its other arithmetic.
void checkDTypes(Op op, Tensors in) {
  if (onlyNumbers(in)) return;
  for (const Tensor& tensor : in) {
    if (op == Op::sub && tensor.dtype() == DType::boolean) throw Error("sub: a bool tensor cannot be subtracted, or subtracted from; use logical_not to invert a mask");
    if (op == Op::lerp && tensor.dtype() != in[0].dtype() && (tensor.dim() > 0 || !tensor.isSame(in[2])))
      throw Error(std::string("lerp: expected tensors of ") + dtypeName(in[0].dtype()) + ", not of " + dtypeName(tensor.dtype()));
  }
}

}  // namespace

Dims denseStridesLike(const Tensor& tensor) {
  const Dims& shape = tensor->sizes;
  if (tensor->contiguous()) return contiguousStrides(shape);
  std::array<size_t, Dims::capacity> order{};
  std::iota(order.begin(), order.begin() + shape.size(), size_t(0));
  std::stable_sort(order.begin(), order.begin() + shape.size(), [&](size_t a, size_t b) { return tensor->strides[a] > tensor->strides[b]; });
  Dims strides(shape.size(), 1);
  int64_t next = 1;
  for (size_t i = shape.size(); i-- > 0; next *= std::max<int64_t>(shape[order[i]], 1)) strides[order[i]] = next;
  return strides;
}

Tensor elementwise(Op op, Tensors in) {
  if (op == Op::where && in[0].dtype() != DType::boolean)
    throw Error(std::string("where: the condition must be a bool tensor, not ") + dtypeName(in[0].dtype()));
  checkDTypes(op, in);
  Dims shape = commonShape(op, in);
  DType common = commonDType(op, in);
  if (op == Op::square && common == DType::boolean) common = DType::int64;  // LibTorch's square is pow(a, 2)
  if (op == Op::lerp && kindOf(in[0].dtype()) != DTypeKind::floating) throw Error(std::string("lerp: not for tensors of ") + dtypeName(in[0].dtype()));
  auto result = resultDType(op, common);
  if (!result) throw Error(result.error);
  DType compute = info(op).result == ResultRule::boolean ? common : result.value;

  if (Tensor special = withNumbers(op, in, compute); special.defined()) return special;

  Device device = commonDevice(op, in);
  std::array<Tensor, 3> operands;
  Loop loop{.shape = shape};
  for (size_t k = 0; k < in.size(); ++k) {
    bool keeps = op == Op::where && k == 0;
    operands[k] = in[k];
    if (operands[k]->dtype != compute && !keeps) {
      operands[k] = emptyTensor(in[k]->sizes, compute, in[k].device());
      copyInto(operands[k], in[k]);
    }
    if (operands[k].device() != device) operands[k] = operands[k].to(device);
    loop.inStrides[k] = expandedStrides(operands[k]->sizes, operands[k]->strides, shape);
    loop.in[k] = operands[k]->storage->data + size_t(operands[k]->offset) * sizeOf(operands[k]->dtype);
  }
  if (op == Op::remainder || op == Op::fmod) checkDivisor(op, operands[1]);

  DType stored = info(op).result == ResultRule::boolean ? DType::boolean : compute;
  bool plainOrder = op == Op::pow && in[0].isWrappedNumber();
  Tensor out = emptyStrided(shape, plainOrder ? contiguousStrides(shape) : resultStrides(shape, in), stored, device);
  out->wrapped = onlyNumbers(in);
  loop.out = out->storage->data;
  loop.outStrides = out->strides;
  flatten(loop, in.size());
  if (!backendOf(device).elementwise(op, compute, loop)) throw Error(std::string(info(op).name) + ": not for tensors of " + dtypeName(compute));
  return out;
}

}  // namespace rt
