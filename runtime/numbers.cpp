// C++ numbers among the operands of an elementwise row: where LibTorch's overloads for a Scalar differ from those for a tensor.
#include "runtime/body.h"

#include <algorithm>
#include <limits>

namespace rt {
namespace {

Tensor converted(const Tensor& from, DType dtype) {
  return from.dtype() == dtype && !from.isWrappedNumber() ? from : convertedCopy(from, dtype);
}

// Computed in a wider dtype and rounded once.
Tensor widened(Op op, Tensors in, DType wide, DType narrow) {
  std::vector<Tensor> operands;
  for (const Tensor& tensor : in) operands.push_back(converted(tensor, wide));
  return converted(elementwise(op, operands), narrow);
}

Tensor one(Op op, const Tensor& a) { return elementwise(op, {&a, 1}); }

// Source: pow_tensor_scalar_kernel and its optimized form.
Tensor power(const Tensor& base, const Tensor& exponent, DType dtype) {
  double e = exponent.item().toDouble();
  bool floating = kindOf(dtype) == DTypeKind::floating;
  if (!floating && e < 0) throw Error("pow: integers to negative integer powers are not allowed");
  if (!floating || sizeOf(dtype) == 2) checkFits(exponent, dtype);
  if (!floating) return {};
  Tensor a = converted(base, dtype);
  if (e == 0.5 && dtype != DType::float16) return one(Op::sqrt, a);
  if (e == -0.5 && dtype != DType::float16) return one(Op::rsqrt, a);
  if (e == -1) return one(Op::reciprocal, a);
  if (e == 2) return one(Op::square, a);
  if (e == -2) return one(Op::reciprocal, one(Op::square, a));
  const Tensor cube[] = {one(Op::square, a), a};
  return e == 3 ? elementwise(Op::mul, cube) : Tensor();
}

struct Range { int64_t lowest, highest; };
Range rangeOf(DType dtype) {
  return withType(dtype, []<typename S>() -> Range {
    if constexpr (std::is_integral_v<S>) return {int64_t(std::numeric_limits<S>::lowest()), int64_t(std::numeric_limits<S>::max())};
    else return {};
  });
}

// A bound that excludes nothing may lie outside the dtype; one that excludes everything may not.
Tensor bound(Op op, bool upper, const Tensor& number, DType dtype) {
  if (kindOf(dtype) == DTypeKind::floating) checkFits(number, dtype);
  if (kindOf(dtype) != DTypeKind::integer) return number;
  Range range = rangeOf(dtype);
  int64_t value = int64_t(number.item().toDouble());
  if (number.dtype() == DType::int64) value = number.item().i;
  if (upper ? value < range.lowest : value > range.highest)
    throw Error(std::string(info(op).name) + ": the bound " + std::to_string(value) + " is outside the range of " + dtypeName(dtype));
  return Tensor(Scalar(std::clamp(value, range.lowest, range.highest)));
}

Tensor clamped(Op op, Tensors in, DType dtype) {
  std::vector<Tensor> operands = {converted(in[0], dtype)};
  bool changed = false;
  for (size_t i = 1; i < in.size(); ++i) {
    operands.push_back(in[i].isWrappedNumber() ? bound(op, op == Op::clamp_max || i == 2, in[i], dtype) : in[i]);
    changed |= !operands.back().isSame(in[i]) && operands.back().item().i != in[i].item().i;
  }
  return changed ? elementwise(op, operands) : Tensor();
}

}  // namespace

bool onlyNumbers(Tensors in) {
  return std::all_of(in.begin(), in.end(), [](const Tensor& tensor) { return tensor.isWrappedNumber(); });
}

Tensor withNumbers(Op op, Tensors in, DType dtype) {
  bool half = sizeOf(dtype) == 2 && kindOf(dtype) == DTypeKind::floating;
  switch (op) {
    case Op::where:  // into half types LibTorch makes the number a float first
      for (const Tensor& tensor : in)
        if (!half) checkFits(tensor, dtype);
      return {};
    case Op::clamp: case Op::clamp_min: case Op::clamp_max: return clamped(op, in, dtype);
    case Op::pow: return in[1].isWrappedNumber() ? power(in[0], in[1], dtype) : Tensor();
    case Op::mul: case Op::div:  // half types compute in float: a single second operand is not rounded before, from LibTorch 2 on
      return half && since(2, 0) && in[1].numel() == 1 && in[1].dtype() != dtype ? widened(op, in, DType::float32, dtype) : Tensor();
    case Op::lerp: {
      if (in[2].dim() > 0 || (in[2].dtype() == dtype && !in[2].isWrappedNumber())) return {};
      DType wide = half ? DType::float32 : dtype;
      checkFits(in[2], wide);
      return half ? widened(op, in, wide, dtype) : Tensor();
    }
    default: return {};
  }
}

}  // namespace rt
