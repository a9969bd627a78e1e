// Slopes of the losses that have a backward kernel of their own in LibTorch: its formulas, so that NaN, infinity and ties have
// the same places. `ints` are the row's (ints[0]: the reduction); g is that of the reduced loss.
#pragma once

#include "runtime/tensor.h"

namespace rt {

Tensor mseLossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor smoothL1LossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double beta);
Tensor huberLossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double delta);
Tensor softMarginLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Ints& ints);

/// `weight` may be undefined.
Tensor nllLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints);
Tensor binaryCrossEntropySlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints);
Tensor binaryCrossEntropyTargetSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints);
/// `rest`: weight, and pos_weight if it is there.
Tensor logitsLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, std::span<const Tensor> rest, const Ints& ints);
Tensor logitsLossTargetSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, std::span<const Tensor> rest, const Ints& ints);

/// What LibTorch's kernels compute half types in; other dtypes as they are.
Tensor widened(const Tensor&);
/// The number as the dtype stores it.
double roundedTo(DType, double);

}  // namespace rt
