// Creation: from sizes, from numbers, or after another tensor.
#include "runtime/body.h"
#include "runtime/loops.h"

#include <cmath>

namespace rt {
namespace {

Tensor filled(Dims sizes, Dims strides, DType dtype, Device device, const Tensor& value) {
  checkFill(value, sizes, dtype);
  Tensor result = emptyStrided(sizes, strides, dtype, device);
  copyInto(result, value);
  return result;
}

Tensor filled(Dims sizes, DType dtype, Device device, const Tensor& value) { return filled(sizes, contiguousStrides(sizes), dtype, device, value); }

DType dtypeOfNumber(const Tensor& value) { return kindOf(value.dtype()) == DTypeKind::floating && value.isWrappedNumber() ? DType::float32 : value.dtype(); }

Dims checkedSizes(const Ints& ints) {
  if (ints.size() > Dims::capacity) throw Error("more than " + std::to_string(Dims::capacity) + " dimensions are not supported");
  for (int64_t size : ints)
    if (size < 0) throw Error("negative sizes are not allowed: " + toText(ints));
  return Dims(ints);
}

struct Range {
  DType dtype;
  bool whole;
  Scalar start, end, step;
};

// arange(end), arange(start, end), arange(start, end, step); integers unless a bound is floating.
Range rangeOf(Tensors in, const Attributes& attributes) {
  const bool single = in.size() == 1;
  bool whole = true;
  for (const Tensor& tensor : in) whole &= kindOf(tensor.dtype()) != DTypeKind::floating;
  return {attributes.dtype.value_or(whole ? DType::int64 : DType::float32), whole, single ? Scalar(int64_t(0)) : in[0].item(), in[single ? 0 : 1].item(),
          in.size() > 2 ? in[2].item() : Scalar(int64_t(1))};
}

// Fills with `value(i)`, which computes in T: LibTorch's acc_type on the CPU.
template <typename F> Tensor counted(int64_t n, DType dtype, F value) {
  Tensor result = emptyTensor({n}, dtype, Device::cpu);
  withType(dtype, [&]<typename S>() {
    S* out = result->data<S>();
    for (int64_t i = 0; i < n; ++i) out[i] = convertTo<S>(value.template operator()<S>(i));
  });
  return result;
}

template <typename S> using Accumulator = std::conditional_t<std::is_integral_v<S>, int64_t, std::conditional_t<sizeof(S) == 2, float, double>>;
template <typename T> T numberAs(const Scalar& v) { return v.kind == Scalar::Kind::floating ? T(v.d) : T(v.kind == Scalar::Kind::boolean ? v.b : v.i); }

// Source: ATen's arange_out. The bounds of an integer range are integers.
Tensor arange(Tensors in, const Attributes& attributes) {
  const Range range = rangeOf(in, attributes);
  if (range.dtype == DType::boolean) throw Error("arange: not for tensors of boolean");
  const double start = range.start.toDouble(), end = range.end.toDouble(), step = range.step.toDouble();
  if (!(step > 0 || step < 0)) throw Error("arange: step must be nonzero");
  if (!std::isfinite(start) || !std::isfinite(end)) throw Error("arange: unsupported range");
  if (step > 0 ? end < start : end > start) throw Error("arange: the bounds do not fit the sign of the step");
  double count = std::ceil((end - start) / step);
  if (range.dtype == DType::int64 && range.whole) {
    const int64_t first = numberAs<int64_t>(range.start), last = numberAs<int64_t>(range.end), by = numberAs<int64_t>(range.step);
    count = double((last - first + by - (by > 0 ? 1 : -1)) / by);
  }
  return counted(int64_t(count), range.dtype, [&]<typename S>(int64_t i) {
    using T = Accumulator<S>;
    return T(numberAs<T>(range.start) + numberAs<T>(range.step) * T(i));
  });
}

// From both ends towards the middle. Source: ATen's linspace.
Tensor linspace(Tensors in, const Attributes& attributes) {
  const int64_t n = attributes.integer(0, 0);
  if (n < 0) throw Error("linspace: number of steps must be non-negative");
  const DType dtype = attributes.dtype.value_or(DType::float32);
  if (dtype == DType::boolean && n > 1) throw Error("linspace: not for tensors of boolean");
  const Scalar from = in[0].item(), to = in[1].item();
  if (n > 0) checkFits(in[0], dtype);
  if (n > 1) checkFits(in[1], dtype);
  return counted(n, dtype, [&]<typename S>(int64_t i) {
    using T = std::conditional_t<std::is_integral_v<S>, double, std::conditional_t<sizeof(S) == 2, float, S>>;
    const T start = T(convertTo<S>(numberAs<T>(from))), end = T(convertTo<S>(numberAs<T>(to)));
    if (n == 1) return start;
    T step = (end - start) / T(n - 1);
    if constexpr (!std::is_integral_v<S>) step = T(S(step));
    return i < n / 2 ? start + step * T(i) : end - step * T(n - i - 1);
  });
}

Tensor eye(const Attributes& attributes) {
  const int64_t rows = attributes.integer(0, 0), columns = attributes.integer(1, rows);
  if (rows < 0 || columns < 0) throw Error("eye: sizes must be greater or equal to 0, they are " + toText(attributes.ints));
  Tensor result = filled({rows, columns}, attributes.dtype.value_or(DType::float32), Device::cpu, Tensor(0));
  withType(result.dtype(), [&]<typename S>() {
    for (int64_t i = 0; i < std::min(rows, columns); ++i) result->data<S>()[i * columns + i] = S(1);
  });
  return result;
}

}  // namespace

// LibTorch does not check what fills a single element of a half type.
void checkFill(const Tensor& value, const Dims& sizes, DType dtype) {
  if (numelOf(sizes) != 1 || kindOf(dtype) != DTypeKind::floating || sizeOf(dtype) > 2) checkFits(value, dtype);
}

Tensor create(Op op, Tensors in, const Attributes& attributes) {
  DType asked = attributes.dtype.value_or(DType::float32);
  auto like = [&](const Tensor& value) { return filled(in[0]->sizes, denseStridesLike(in[0]), attributes.dtype.value_or(in[0].dtype()), in[0].device(), value); };
  auto sized = [&](const Tensor& value) { return filled(checkedSizes(attributes.ints), attributes.dtype.value_or(in[0].dtype()), in[0].device(), value); };
  switch (op) {
    case Op::empty: case Op::zeros: return filled(checkedSizes(attributes.ints), asked, Device::cpu, Tensor(0));
    case Op::ones: return filled(checkedSizes(attributes.ints), asked, Device::cpu, Tensor(1));
    case Op::full: return filled(checkedSizes(attributes.ints), attributes.dtype.value_or(dtypeOfNumber(in[0])), Device::cpu, in[0]);
    case Op::arange: return arange(in, attributes);
    case Op::linspace: return linspace(in, attributes);
    case Op::eye: return eye(attributes);
    case Op::empty_like: case Op::zeros_like: return like(Tensor(0));
    case Op::ones_like: return like(Tensor(1));
    case Op::full_like: return like(in[1]);
    case Op::new_zeros: return sized(Tensor(0));
    case Op::new_ones: return sized(Tensor(1));
    default: return sized(in[1]);  // new_full
  }
}

}  // namespace rt
