// Elementwise rows: common dtype, common shape, then the device's loop.
#include "runtime/backend.h"
#include "runtime/body.h"

#include <algorithm>

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

// Merges neighbouring dimensions that every operand walks as one; the last is the fastest in memory.
void coalesce(Loop& loop, size_t operands, std::span<const size_t> order) {
  Loop merged = loop;
  merged.shape.clear(), merged.outStrides.clear();
  for (size_t k = 0; k < operands; ++k) merged.inStrides[k].clear();
  for (size_t i = order.size(); i-- > 0;) {
    size_t d = order[i], last = merged.shape.size();
    if (loop.shape[d] == 1) continue;
    auto follows = [&](const Dims& before, const Dims& now) { return before[last - 1] == now[d] * loop.shape[d]; };
    bool joins = last > 0 && follows(merged.outStrides, loop.outStrides);
    for (size_t k = 0; joins && k < operands; ++k) joins = follows(merged.inStrides[k], loop.inStrides[k]);
    auto place = [&](Dims& into, int64_t v) { if (joins) into[last - 1] = v; else into.push_back(v); };
    place(merged.shape, joins ? merged.shape[last - 1] * loop.shape[d] : loop.shape[d]);
    place(merged.outStrides, loop.outStrides[d]);
    for (size_t k = 0; k < operands; ++k) place(merged.inStrides[k], loop.inStrides[k][d]);
  }
  loop = merged;
}

// LibTorch's order of dimensions, the fastest first. Source: TensorIteratorBase::reorder_dimensions, and infer_dense_strides,
// which is the same for one operand. Strides of 0 decide nothing.
using Order = std::array<size_t, Dims::capacity>;
Order memoryOrder(const Dims& shape, std::span<const Dims* const> strides) {
  Order order{};
  size_t rank = shape.size();
  for (size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  auto compare = [&](size_t first, size_t second) {
    for (const Dims* operand : strides) {
      int64_t a = (*operand)[first], b = (*operand)[second];
      if (a == 0 || b == 0) continue;
      if (a != b) return a < b ? -1 : 1;
      if (shape[first] > shape[second]) return 1;
    }
    return 0;
  };
  for (size_t i = 1; i < rank; ++i)
    for (size_t at = i, before = i; before-- > 0;) {
      int c = compare(order[before], order[at]);
      if (c > 0) std::swap(order[before], order[at]), at = before;
      else if (c < 0) break;
    }
  return order;
}

Dims stridesInOrder(const Dims& shape, const Order& order) {
  Dims strides(shape.size(), 1);
  int64_t next = 1;
  for (size_t i = 0; i < shape.size(); next *= std::max<int64_t>(shape[order[i]], 1), ++i) strides[order[i]] = next;
  return strides;
}

}  // namespace

Dims iteratedStrides(const Dims& shape, std::span<const Dims* const> operands) { return stridesInOrder(shape, memoryOrder(shape, operands)); }

namespace {

void checkDivisor(Op op, const Tensor& divisor) {
  if (kindOf(divisor.dtype()) == DTypeKind::floating) return;
  const Tensor values = divisor.to(Device::cpu);
  for (int64_t i = 0; i < values.numel(); ++i)
    if (values.at(i).toDouble() == 0) throw Error(std::string(info(op).name) + ": ZeroDivisionError");
}

Device commonDevice(Op op, Tensors in) {
  Device device = Device::cpu;
  for (const Tensor& tensor : in)
    if (tensor->storage->device != Device::cpu) device = tensor->storage->device;
  if (device == Device::cpu) return device;
  for (const Tensor& tensor : in)
    if (tensor.device() != device && tensor.dim() > 0) throw Error(std::string(info(op).name) + ": tensors are on different devices");
  return device;
}

// Rows that LibTorch does not promote as its other arithmetic.
void checkDTypes(Op op, Tensors in) {
  const bool particular = op == Op::sub || op == Op::lerp || op == Op::heaviside || op == Op::_prelu_kernel;
  if (!particular || onlyNumbers(in)) return;
  for (const Tensor& tensor : in) {
    if (op == Op::sub && tensor.dtype() == DType::boolean) throw Error("sub: a bool tensor cannot be subtracted, or subtracted from; use logical_not to invert a mask");
    if (op == Op::lerp && in[2].isWrappedNumber() && kindOf(in[0].dtype()) != DTypeKind::floating) throw Error(std::string("lerp: not for tensors of ") + dtypeName(in[0].dtype()));
    if ((op == Op::heaviside || op == Op::_prelu_kernel) && tensor.dtype() != in[0].dtype())
      throw Error(std::string(info(op).name) + ": expected tensors of " + dtypeName(in[0].dtype()) + ", not of " + dtypeName(tensor.dtype()));
    if (op == Op::lerp && tensor.dtype() != in[0].dtype() && (tensor.dim() > 0 || &tensor != &in[2] || !(since(2, 0) || tensor.isWrappedNumber())))
      throw Error(std::string("lerp: expected tensors of ") + dtypeName(in[0].dtype()) + ", not of " + dtypeName(tensor.dtype()));
  }
}

// Numbers behind the tensors must fit what the row computes in.
void takeNumbers(Op op, Tensors numbers, DType compute, Loop& loop) {
  const OpInfo& row = info(op);
  DType wide = kindOf(compute) == DTypeKind::floating && sizeOf(compute) == 2 ? DType::float32 : compute;
  bool arithmetic = op == Op::add || op == Op::sub;
  for (size_t i = 0; i < 3; ++i) {
    loop.numbers[i] = row.numbers[i];
    if (i >= numbers.size() || !numbers[i].defined()) continue;
    Scalar value = numbers[i].item();
    if (arithmetic && value.kind == Scalar::Kind::floating && kindOf(compute) != DTypeKind::floating)
      throw Error(std::string(row.name) + ": alpha must be a whole number for tensors of " + dtypeName(compute));
    if (arithmetic && value.kind == Scalar::Kind::boolean && compute != DType::boolean) throw Error(std::string(row.name) + ": a bool alpha is for bool tensors only");
    if (op == Op::celu && value.toDouble() == 0) throw Error("celu: alpha cannot be 0");
    checkFits(numbers[i], wide);
    loop.numbers[i] = value.toDouble();
  }
}

// The dtype of every tensor, if numbers beside them do not make it another.
std::optional<DType> plainDType(Op op, Tensors in) {
  std::optional<DType> common;
  DTypeKind widest = DTypeKind::boolean;
  for (const Tensor& tensor : op == Op::where ? in.subspan(1) : in) {
    if (tensor->wrapped) widest = std::max(widest, kindOf(tensor->dtype));
    else if (common.value_or(tensor->dtype) != tensor->dtype) return {};
    else common = tensor->dtype;
  }
  return common && widest <= kindOf(*common) ? common : std::nullopt;
}

DType computeDType(Op op, Tensors in) {
  const std::optional<DType> simple = plainDType(op, in);
  DType common = simple ? *simple : commonDType(op, in);
  if (op == Op::square && common == DType::boolean) common = DType::int64;  // LibTorch's square is pow(a, 2)
  const ResultRule rule = info(op).result;
  if (kindOf(common) == DTypeKind::floating && (rule == ResultRule::same || rule == ResultRule::numeric || rule == ResultRule::floating)) return common;
  auto result = resultDType(op, common);
  if (!result) throw Error(result.error);
  return info(op).result == ResultRule::boolean ? common : result.value;
}

void runLoop(Op op, DType compute, Loop& loop, Device device) {
  if (!backendOf(device).elementwise(op, compute, loop)) throw Error(std::string(info(op).name) + ": not for tensors of " + dtypeName(compute));
}

// Most calls by far: tensors of one shape and dtype without gaps, and C++ numbers beside them.
struct PlainLoop {
  alignas(8) std::byte numbers[3][8];  // of the type that is computed in
  Loop loop;
  const Tensor* like = nullptr;

  bool takes(Op op, Tensors in, DType compute, Device device) {
    if (op == Op::remainder || op == Op::fmod || kindOf(compute) != DTypeKind::floating) return false;
    bool numbersToo = false;
    for (size_t k = 0; k < in.size(); ++k) {
      const TensorBody& body = *in[k].body();
      const bool condition = op == Op::where && k == 0;
      if (body.wrapped && !condition && device == Device::cpu) {
        numbersToo = true;
        continue;
      }
      if (body.wrapped || (body.dtype != compute && !condition) || body.storage->device != device || !body.contiguous() || (like && !(body.sizes == (*like)->sizes))) return false;
      if (!like) like = &in[k];
    }
    if (!like || (numbersToo && withNumbers(op, in, compute).defined())) return false;
    for (size_t k = 0; k < in.size(); ++k) place(k, in[k], compute);
    return true;
  }

 private:
  void place(size_t k, const Tensor& operand, DType compute) {
    const bool number = operand->wrapped;
    if (number) {
      Loop one;
      one.out = numbers[k], one.in[0] = dataOf(operand);
      cpuBackend().convert(compute, operand->dtype, one);
    }
    loop.in[k] = number ? numbers[k] : dataOf(operand);
    loop.inStrides[k].push_back(number ? 0 : 1);
  }
};

}  // namespace

Dims denseStridesLike(const Tensor& tensor) {
  const Dims& shape = tensor->sizes;
  if (isDense(shape, tensor->strides)) return tensor->strides;
  const Dims* strides[] = {&tensor->strides};
  return stridesInOrder(shape, memoryOrder(shape, strides));
}

// hardtanh is clamp between numbers, with all that clamp does about bounds outside the dtype.
static Tensor clampWithin(Tensors in) {
  const OpInfo& row = info(Op::hardtanh);
  const bool whole = kindOf(in[0].dtype()) != DTypeKind::floating;
  auto bound = [&](size_t k) {
    const Scalar value = in.size() > k && in[k].defined() ? in[k].item() : Scalar(row.numbers[k - 1]);
    return Tensor(whole && value.kind == Scalar::Kind::floating ? Scalar(int64_t(value.d)) : value);
  };
  if (in[0].dtype() == DType::boolean) throw Error("hardtanh: not for tensors of boolean");
  const Tensor operands[] = {in[0], bound(1), bound(2)};
  Tensor result = elementwise(Op::clamp, operands);
  return result.dtype() == in[0].dtype() ? result : convertedCopy(result, in[0].dtype());
}

Tensor elementwise(Op op, Tensors all) {
  const OpInfo& row = info(op);
  Tensors in = all.first(size_t(row.tensors));
  if (op == Op::where && in[0].dtype() == DType::uint8) {  // once the type of masks
    const Tensor operands[] = {convertedCopy(in[0], DType::boolean), in[1], in[2]};
    return elementwise(op, operands);
  }
  if (op == Op::hardtanh) return clampWithin(all);
  std::array<Tensor, 2> cleared;
  if (op == Op::softshrink && !since(2, 0) && kindOf(in[0].dtype()) == DTypeKind::floating) {  // LibTorch 1 made NaN 0
    const Tensor isNaN[] = {elementwise(Op::isnan, in), Tensor(0), in[0]};
    cleared = {elementwise(Op::where, isNaN), all.size() > 1 ? all[1] : Tensor()};
    all = std::span(cleared).first(all.size());
    in = all.first(1);
  }
  if (op == Op::where && in[0].dtype() != DType::boolean)
    throw Error(std::string("where: the condition must be a bool tensor, not ") + dtypeName(in[0].dtype()));
  checkDTypes(op, in);
  DType compute = computeDType(op, in), stored = row.result == ResultRule::boolean ? DType::boolean : compute;
  Device device = commonDevice(op, in);
  PlainLoop plainLoop;
  Loop& loop = plainLoop.loop;
  if (row.numbers[0] != 0 || row.maxTensors > row.tensors) takeNumbers(op, all.subspan(in.size()), compute, loop);

  if (plainLoop.takes(op, in, compute, device)) {
    const Dims& sizes = (*plainLoop.like)->sizes;
    Tensor out = emptyTensor(sizes, stored, device);
    loop.shape.push_back(numelOf(sizes));
    loop.outStrides.push_back(1);
    loop.out = out->storage->data;
    runLoop(op, compute, loop, device);
    return out;
  }

  Dims shape = commonShape(op, in);
  if (Tensor special = withNumbers(op, in, compute); special.defined()) return special;
  std::array<Tensor, 3> operands;
  std::array<const Dims*, 3> strides{};
  loop.shape = shape;
  for (size_t k = 0; k < in.size(); ++k) {
    bool keeps = op == Op::where && k == 0;
    operands[k] = in[k]->dtype == compute || keeps ? in[k] : convertedCopy(in[k], compute);
    if (operands[k].device() != device) operands[k] = operands[k].to(device);
    loop.inStrides[k] = expandedStrides(operands[k]->sizes, operands[k]->strides, shape);
    loop.in[k] = dataOf(operands[k]);
    strides[k] = &loop.inStrides[k];
  }
  if (numelOf(shape) > 0 && (op == Op::remainder || op == Op::fmod || op == Op::div_floor || op == Op::div_trunc || op == Op::floor_divide)) checkDivisor(op, operands[1]);

  Order order = memoryOrder(shape, std::span(strides).first(in.size()));
  const bool asFirst = op == Op::_prelu_kernel && in[0]->sizes == shape;
  bool plainOrder = (op == Op::pow && in[0].isWrappedNumber()) || op == Op::log_sigmoid;  // LibTorch makes these results contiguous
  Tensor out = emptyStrided(shape, asFirst && since(2, 0) ? denseStridesLike(in[0]) : plainOrder || asFirst ? contiguousStrides(shape) : stridesInOrder(shape, order), stored, device);
  out->wrapped = onlyNumbers(in);
  loop.out = out->storage->data;
  loop.outStrides = out->strides;
  coalesce(loop, in.size(), std::span(order).first(shape.size()));
  runLoop(op, compute, loop, device);
  return out;
}

}  // namespace rt
