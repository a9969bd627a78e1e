// Slopes of the rows of networks: convolutions, pooling, normalizations, embeddings, padding. Made of rows that have gradients
// themselves.
#pragma once

#include "runtime/tensor.h"

namespace rt {

/// Of the row `convolution` with these ints, by its input a, its weight b and its bias.
Tensor convolutionInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor convolutionWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor convolutionBiasSlope(const Tensor& g, const Dims& sizes);
/// Of the row `convolution_weight` by its image a and its places b.
Tensor weightImageSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor weightPlacesSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);

Ints negated(const Ints&);

}  // namespace rt
