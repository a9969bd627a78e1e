// Enough of LibTorch's face for the checks to see tensors, and to be read in milliseconds: damaged sources are about how the
// tool takes them, not about LibTorch. `--torch` takes the real headers instead.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace at {
struct Scalar { Scalar(double); };
enum class ScalarType { Float, Double, Long };
struct Tensor {
  Tensor();
  Tensor sum() const;
  Tensor mean() const;
  Tensor min() const;
  Tensor max() const;
  Tensor abs() const;
  Tensor sqrt() const;
  Tensor norm() const;
  Tensor any() const;
  Tensor to(ScalarType) const;
  Tensor view(std::initializer_list<int64_t>) const;
  Tensor reshape(std::initializer_list<int64_t>) const;
  Tensor transpose(int64_t, int64_t) const;
  Tensor gt(const Scalar&) const;
  Tensor& add_(const Tensor&);
  Tensor& mul_(const Scalar&);
  int64_t size(int64_t) const;
  int64_t dim() const;
  int64_t numel() const;
  bool defined() const;
  template <typename T> T item() const;
  Scalar item() const;
  Tensor operator-() const;
  Tensor operator[](int64_t) const;
};
#define TENSOR_OPERATOR(op)                     \
  Tensor operator op(const Tensor&, const Tensor&); \
  Tensor operator op(const Tensor&, const Scalar&); \
  Tensor operator op(const Scalar&, const Tensor&);
TENSOR_OPERATOR(+) TENSOR_OPERATOR(-) TENSOR_OPERATOR(*) TENSOR_OPERATOR(/)
TENSOR_OPERATOR(<) TENSOR_OPERATOR(<=) TENSOR_OPERATOR(>) TENSOR_OPERATOR(>=) TENSOR_OPERATOR(==) TENSOR_OPERATOR(!=)
#undef TENSOR_OPERATOR
Tensor where(const Tensor&, const Tensor&, const Tensor&);
Tensor log(const Tensor&);
Tensor exp(const Tensor&);
Tensor relu(const Tensor&);
Tensor matmul(const Tensor&, const Tensor&);
Tensor softmax(const Tensor&, int64_t);
Tensor zeros_like(const Tensor&);
}  // namespace at

namespace torch {
using namespace at;
namespace nn {
struct Module {
  bool is_training() const;
};
}  // namespace nn
}  // namespace torch
