// Along one dimension: softmax, log_softmax, and running sums, products and extremes.
#include "runtime/body.h"
#include "runtime/kernels/runs.h"
#include "runtime/launch.h"
#include "runtime/ops.h"

namespace rt {
namespace {

// The exponentials of a contiguous float line, in a loop that is compiled for wide registers too.
#if defined(__x86_64__) && defined(__linux__) && !defined(__CUDACC__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void softmaxLine(const float* from, float* out, int64_t n, bool logarithm) {
  constexpr int lanes = 16;
  float tops[lanes], totals[lanes] = {}, top = from[0], total = 0;
  for (int k = 0; k < lanes; ++k) tops[k] = from[0];
  bool nan = false;
  int64_t whole = n / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes)
    for (int k = 0; k < lanes; ++k) nan |= from[i + k] != from[i + k], tops[k] = from[i + k] > tops[k] ? from[i + k] : tops[k];
  for (int64_t i = whole; i < n; ++i) nan |= from[i] != from[i], top = from[i] > top ? from[i] : top;
  for (int k = 0; k < lanes; ++k) top = tops[k] > top ? tops[k] : top;
  if (nan || top - top != 0) top = __builtin_nanf("");  // infinity minus infinity, and NaN, make NaNs of the whole line
  for (int64_t i = 0; i < whole; i += lanes)
    for (int k = 0; k < lanes; ++k) {
      float e = expOfNegative(from[i + k] - top);
      if (!logarithm) out[i + k] = e;
      totals[k] += e;
    }
  for (int64_t i = whole; i < n; ++i) {
    float e = expOfNegative(from[i] - top);
    if (!logarithm) out[i] = e;
    total += e;
  }
  for (int k = 0; k < lanes; ++k) total += totals[k];
  float logTotal = logarithm ? std::log(total) : 0;
  if (logarithm) for (int64_t i = 0; i < n; ++i) out[i] = from[i] - top - logTotal;
  else for (int64_t i = 0; i < n; ++i) out[i] = out[i] / total;
}

size_t oneDimension(Op op, const Tensor& tensor, const Attributes& attributes) {
  if (attributes.ints.size() != 1) throw Error(std::string(info(op).name) + ": one dimension is needed");
  return dimensionOf(op, tensor, attributes.ints[0]);
}

}  // namespace

Lines linesOf(const Tensor& dense, size_t d) {
  Lines lines{1, 1, 1};
  if (dense.dim()) lines = {0, dense->sizes[d], 1};
  for (size_t k = d + 1; k < dense->sizes.size(); ++k) lines.step *= dense->sizes[k];
  lines.count = lines.length ? dense.numel() / lines.length : 0;
  return lines;
}

namespace kernels {

Tensor softmax(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& tensor = in[0];
  DType dtype = attributes.dtype.value_or(tensor.dtype());
  if (kindOf(dtype) != DTypeKind::floating && tensor.numel() > 0) throw Error(std::string(info(op).name) + ": not for tensors of " + dtypeName(dtype));
  size_t d = oneDimension(op, tensor, attributes);
  Tensor from = plain(tensor, dtype), result = emptyTensor(tensor->sizes, dtype, tensor.device());
  Lines lines = linesOf(from, d);
  bool logarithm = op == Op::log_softmax, wide = dtype == DType::float32 && lines.step == 1 && lines.length >= 64 && tensor.device() == Device::cpu;
  if (lines.length == 0) return result;
  if (wide) {
    const float* values = from->data<float>();
    float* out = result->data<float>();
    parallelFor(lines.count, std::max<int64_t>(1, 16384 / lines.length), [=](int64_t begin, int64_t end) {
      for (int64_t l = begin; l < end; ++l) softmaxLine(values + l * lines.length, out + l * lines.length, lines.length, logarithm);
    });
    return result;
  }
  withType(dtype, [&]<typename S>() {
    if constexpr (!std::is_integral_v<S>) launch(tensor.device(), lines.count, Softmax<S>{from->data<S>(), result->data<S>(), lines, logarithm}, lines.length * 8);
  });
  return result;
}

Tensor cumulative(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& tensor = in[0];
  size_t d = oneDimension(op, tensor, attributes);
  bool sums = op == Op::cumsum || op == Op::cumprod, places = op == Op::cummax_indices || op == Op::cummin_indices;
  DType dtype = attributes.dtype.value_or(!sums || kindOf(tensor.dtype()) == DTypeKind::floating ? tensor.dtype() : DType::int64);
  Tensor from = plain(tensor, dtype), result = emptyTensor(tensor->sizes, places ? DType::int64 : dtype, tensor.device());
  Lines lines = linesOf(from, d);
  withType(dtype, [&]<typename S>() {
    if (sums) return launch(tensor.device(), lines.count, CumulativeSum<S>{from->data<S>(), result->data<S>(), lines, op == Op::cumprod}, lines.length);
    S* out = places ? nullptr : result->data<S>();
    int64_t* index = places ? result->data<int64_t>() : nullptr;
    launch(tensor.device(), lines.count, CumulativeExtreme<S>{from->data<S>(), out, index, lines, op == Op::cummax || op == Op::cummax_indices}, lines.length);
  });
  return result;
}

}  // namespace kernels
}  // namespace rt
