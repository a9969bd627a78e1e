// Indexing as `tensor.index({...})` has it, and functions that give several views. Source: ATen's TensorIndexing.h.
#pragma once

#include "runtime/tensor.h"

#include <initializer_list>
#include <optional>
#include <variant>
#include <vector>

namespace rt {

struct None {};      // a new dimension of size 1
struct Ellipsis {};  // as many whole dimensions as are left; at most one
struct Slice {       // start, stop, step; the step is positive
  std::optional<int64_t> start{}, stop{}, step{};
};
/// An integer selects, a bool adds a dimension of size 1 or 0, a tensor of integers or a mask gathers.
using Index = std::variant<None, Ellipsis, Slice, bool, int, int64_t, Tensor>;

/// A view, unless a bool or a tensor is among the indices. Throws rt::Error for too many indices, or for one out of range.
Tensor index(const Tensor&, std::initializer_list<Index>);
/// Writes values, which broadcast and are converted, to the place that the indices name.
void index_put_(const Tensor& self, std::initializer_list<Index>, const Tensor& values);

/// Views along a dimension: of `size` each, the last one perhaps smaller; of these sizes; `chunks` of them at most.
std::vector<Tensor> split(const Tensor&, int64_t size, int64_t dim = 0);
std::vector<Tensor> split(const Tensor&, const std::vector<int64_t>& sizes, int64_t dim = 0);
std::vector<Tensor> chunk(const Tensor&, int64_t chunks, int64_t dim = 0);
/// One view for each index of the dimension, which leaves.
std::vector<Tensor> unbind(const Tensor&, int64_t dim = 0);

}  // namespace rt
