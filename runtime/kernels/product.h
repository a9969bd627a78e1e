// One product of matrices: BLAS for large floating ones, a loop for the others.
#pragma once

#include "runtime/formula.h"

#include <type_traits>

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*, const int*);
}

namespace rt {

/// A factor in row-major order, rows `step` elements apart; `transposed`: its transpose is meant.
template <typename S> struct Factor {
  const S* data;
  int64_t step;
  bool transposed = false;
};

constexpr int64_t smallProduct = 4096;  // multiplications below which a plain loop is faster than a BLAS call

/// c[m, n] = a[m, k] b[k, n], added to what is there if `add`; the rows of c are `step` apart.
template <typename S> void multiply(Factor<S> a, Factor<S> b, S* c, int64_t step, int64_t m, int64_t n, int64_t k, bool add = false) {
  using T = formula::Math<S>;
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    if (m * n * k > smallProduct) {
      // BLAS counts by columns: it sees the transposes, in the other order.
      const int rows = int(m), columns = int(n), depth = int(k), steps[] = {int(a.step), int(b.step), int(step)};
      const S one = 1, before = add ? 1 : 0;
      const char *left = a.transposed ? "T" : "N", *right = b.transposed ? "T" : "N";
      if constexpr (std::is_same_v<S, float>) sgemm_(right, left, &columns, &rows, &depth, &one, b.data, &steps[1], a.data, &steps[0], &before, c, &steps[2]);
      else dgemm_(right, left, &columns, &rows, &depth, &one, b.data, &steps[1], a.data, &steps[0], &before, c, &steps[2]);
      return;
    }
  }
  const int64_t down[] = {a.transposed ? 1 : a.step, b.transposed ? 1 : b.step}, across[] = {a.transposed ? a.step : 1, b.transposed ? b.step : 1};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T total = add ? T(c[i * step + j]) : T(0);
      for (int64_t l = 0; l < k; ++l) total = T(total + T(a.data[i * down[0] + l * across[0]]) * T(b.data[l * down[1] + j * across[1]]));
      c[i * step + j] = S(total);
    }
}

}  // namespace rt
