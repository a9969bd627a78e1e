// Convolutions as LibTorch does them on a GPU without cuDNN: what each place sees becomes a column (im2col), picked by an index, and
// products of matrices do the rest. All tensors are dense, of one dtype, on one device; no gradient is recorded.
#pragma once

#include "runtime/kernels/convolving.h"
#include "runtime/tensor.h"

namespace rt::convolving {

/// places [N, groups * made, ...] of an image [N, groups * seen, ...] and a weight [groups * made, seen, ...]; no bias where it is undefined.
Tensor placesOf(const Geometry&, const Tensor& image, const Tensor& weight, const Tensor& bias);
/// The image that the places, through the weight, give: the adjoint, which a transposed convolution computes.
Tensor imageOf(const Geometry&, const Tensor& places, const Tensor& weight, const Tensor& bias);
/// The weight's gradient.
Tensor weightOf(const Geometry&, const Tensor& image, const Tensor& places);

}  // namespace rt::convolving
