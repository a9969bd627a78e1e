// One run's inputs as plain data, so that they can be generated, shrunk and printed; and the tensors made from them.
#pragma once

#include "runtime/program.h"

namespace rt {

using Shape = std::vector<int64_t>;

struct InputValue {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<Scalar> values;  // in logical order; a host scalar has one
  bool transposed = false;     // of rank 2 and stored column by column
};

struct Trial {
  DType dtype = DType::float32;      // of the tensor inputs that follow the run's dtype
  std::vector<InputValue> inputs;    // one per Program::inputs
  bool gradients = true;             // floating inputs require a gradient
  bool unitCotangents = false;       // ones, which read well, instead of random numbers, which tell more apart
};

int64_t numel(const Shape&);

Tensor materialize(const InputValue&, Device);

/// "x = [-1, 2], n = 3", with " in float64" unless the run's dtype is float32; empty without inputs.
std::string describe(const Program&, const Trial&);

/// "[2, 3]"
std::string toText(const Shape&);
/// Nested lists, each number as short as identifies it: "[[1, 2], [0.1, nan]]".
std::string toText(const Tensor&);

}  // namespace rt
