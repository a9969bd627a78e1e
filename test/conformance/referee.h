// What both sides of a comparison are made of, and the comparison itself: dtype, shape, strides, values, thrown or not, and
// gradients of first and second order. Any NaN equals any NaN.
#pragma once

#include "runtime/ops.h"
#include "runtime/tensor.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace conformance {

using rt::DType;
using rt::Op;
using Ours = std::function<rt::Tensor(const std::vector<rt::Tensor>&)>;
using Theirs = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

at::ScalarType torchType(DType);

/// One tensor argument, made alike on both sides. `transposed`: of rank 2, column-major in memory.
struct Argument {
  std::vector<int64_t> shape;
  std::vector<double> values;
  DType dtype;
  bool transposed = false;

  rt::Tensor ours() const;
  at::Tensor theirs() const;
};
/// An argument of this shape with values of the dtype's pool: ties, infinities, NaN, -0, denormals, extremes.
Argument argument(std::vector<int64_t> shape, DType, size_t shift, bool transposed = false);

/// How near values must be. `ulps` 0: bit for bit, -0 differs from 0. Gradients have their own, around 1.
struct Tolerance {
  double ulps = 0;
  double gradientUlps = 16;
};

/// What differs, or nothing. `size` is the least magnitude that ulps are taken of.
std::string difference(const rt::Tensor&, const at::Tensor&, double ulps, double size = 0);

/// Runs both sides on clones of the arguments. Returns what differs.
std::string compare(const std::vector<Argument>&, const Ours&, const Theirs&, Tolerance, bool gradients);

/// The same for the gradients of the first gradients, over inputs that all require them; nothing where LibTorch has none.
std::string compareSecondOrder(const std::vector<Argument>&, const Ours&, const Theirs&, double ulps);

/// Counts a row's cases and shows the first few that differ.
class Tally {
 public:
  explicit Tally(std::string row) : row_(std::move(row)) {}
  void add(const std::vector<Argument>&, const std::string& difference);

 private:
  std::string row_;
  int shown_ = 0;
};

std::vector<Op> rowsOf(std::initializer_list<rt::OpKind>);

/// The overload of aten's operator that takes this many tensors, and nothing else that has no default.
std::optional<c10::OperatorHandle> operatorNamed(const std::string& name, size_t tensors);
/// Calls with the tensors in order; what is left takes its default.
at::Tensor callNamed(const c10::OperatorHandle&, const std::vector<at::Tensor>&);

}  // namespace conformance
