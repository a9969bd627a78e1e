// Matrix products: what matmul, and whatever reduces to it, are made of.
#pragma once

#include "runtime/backend.h"
#include "runtime/formula.h"
#include "runtime/tensor.h"

namespace rt {

/// On the device, by its BLAS where that knows the dtype and is worth a call, else an element at a time.
void gemm(Device, DType, const Gemm&);

/// Element i of the products. The rows of all matrices `a` follow one another.
template <typename S> struct MatrixProduct {
  const S *a, *b;
  S* c;
  int64_t m, n, k;
  RT_HD void operator()(int64_t i) const {
    using T = formula::Math<S>;
    const int64_t row = i / n;
    const S *left = a + row * k, *right = b + row / m * k * n + i % n;
    T total = 0;
    for (int64_t l = 0; l < k; ++l) total = T(total + T(left[l]) * T(right[l * n]));
    c[i] = S(total);
  }
};

}  // namespace rt
