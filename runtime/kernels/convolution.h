// The arguments of the row `convolution`, as its ints have them for each spatial dimension: stride, padding, dilation, output
// padding; then the number of groups, and 1 for a transposed one. What is absent has its default.
#pragma once

#include "runtime/rules.h"

namespace rt {

struct ConvolutionInts {
  ConvolutionInts(const Ints&, size_t rank);
  Dims stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  bool transposed = false;
  Ints ints() const;
};

}  // namespace rt
