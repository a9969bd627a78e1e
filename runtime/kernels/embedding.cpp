// Rows of a matrix by number.
#include "runtime/body.h"
#include "runtime/ops.h"

namespace rt::kernels {

// in: the matrix, the numbers. ints, which only the gradient reads: the number that gets none, or -1; 1 to divide by how often
// each number appears.
Tensor embedding(Op, Tensors in, const Attributes&) {
  const Tensor &weight = in[0], &numbers = in[1];
  if (weight.dim() != 2) throw Error("embedding: the weight must be a matrix, not of shape " + toText(weight.sizes()));
  if (numbers.dtype() != DType::int64 && numbers.dtype() != DType::int32)
    throw Error(std::string("embedding: the numbers must be of int64 or int32, not ") + dtypeName(numbers.dtype()));
  Ints shape(numbers.sizes());
  shape.push_back(weight.size(1));
  const Tensor rows = ops::index_select(weight, ops::reshape(numbers.to(DType::int64), {numbers.numel()}), {0});
  return numbers.dim() == 1 ? rows : alias(ops::view(rows, shape));
}

}  // namespace rt::kernels
