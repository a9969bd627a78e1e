// The arguments of pooling, as the rows' ints have them: for each spatial dimension kernel, stride (the kernel, where it is
// absent), padding and, of a maximum, dilation; 1 to round the result's size up; of a mean, 0 to leave the padding out of the
// count, and a divisor instead of the count.
#pragma once

#include "runtime/tensor.h"

namespace rt {

struct PoolInts {
  PoolInts(const Ints&, size_t rank, bool mean);
  Dims kernel, stride, padding, dilation;
  bool ceil = false, countsPadding = true, overrides = false;
  int64_t divisor = 0;
};

/// Of adaptive pooling: throws where the gradient is empty but for its batch.
void checkNotEmpty(Op, const Tensor& g);

}  // namespace rt
