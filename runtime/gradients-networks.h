// Slopes of the rows of networks: convolutions, pooling, normalizations, embeddings, padding. Made of rows that have gradients
// themselves.
#pragma once

#include "runtime/tensor.h"

#include <span>

namespace rt {

/// Of the row `convolution` with these ints, by its input a, its weight b and its bias.
Tensor convolutionInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor convolutionWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor convolutionBiasSlope(const Tensor& g, const Dims& sizes);
/// Of the row `convolution_weight` by its image a and its places b.
Tensor weightImageSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);
Tensor weightPlacesSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints);

/// Of the largest elements of windows over the last `rank` dimensions: `places` tells where they were found in each plane.
Tensor pooledSlope(const Tensor& g, const Tensor& places, const Dims& sizes, size_t rank);
Tensor adaptivePooledSlope(const Tensor& g, const Tensor& places, const Dims& sizes, size_t rank);
/// Of means of windows: the row `backward` takes the sizes of the input and the ints of the pooling, and has the pooling for a
/// gradient.
Tensor meanPoolSlope(Op backward, const Tensor& g, const Dims& sizes, size_t rank, const Ints& ints);
Tensor meanPoolAgain(Op forward, const Tensor& g, size_t rank, const Ints& ints);
Tensor adaptiveAgain(Op forward, const Tensor& g, const Dims& sizes, size_t rank);

/// Of native_batch_norm by input a and weight b; `in` are all inputs.
Tensor batchNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, std::span<const Tensor> in, bool training, double eps);
Tensor batchNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, std::span<const Tensor> in, bool training, double eps);
/// Of layer_norm and of group_norm.
Tensor layerNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double eps);
Tensor layerNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double eps);
Tensor groupNormInputSlope(const Tensor& g, const Tensor& a, const Tensor& b, int64_t groups, double eps);
Tensor groupNormWeightSlope(const Tensor& g, const Tensor& a, const Tensor& b, int64_t groups, double eps);
Tensor sumOverChannels(const Tensor& g);

Tensor embeddingSlope(const Tensor& g, const Tensor& numbers, const Dims& sizes, const Ints& ints);
/// Of the rows reflection_pad and replication_pad.
Tensor edgePadSlope(const Tensor& g, const Tensor& a, Op, const Ints& pads);

Ints negated(const Ints&);

}  // namespace rt
