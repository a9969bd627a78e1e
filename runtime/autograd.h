// Reverse mode. A Node remembers how a tensor was computed: the op, its inputs, and the versions of their contents then.
#pragma once

#include "runtime/body.h"

namespace rt {

/// Where a gradient goes: to the node that computed an input, or to a leaf. Sizes and dtype are the input's.
struct Edge {
  std::shared_ptr<Node> node;
  std::shared_ptr<TensorBody> leaf;
  Dims sizes;
  DType dtype = DType::float32;
};

struct Node {
  Op op{};
  std::vector<Tensor> in;
  std::vector<uint32_t> versions;
  std::vector<Edge> edges;
  Attributes attributes;
  Tensor output;             // an alias without history, so that nothing points at itself
  uint32_t outputVersion = 0;
  uint64_t sequence = 0;     // gradients flow in the reverse order of computation, as in LibTorch
};

/// Records that `output` was computed by this op. `in` as they were before an in-place op changed them.
std::shared_ptr<Node> record(Op, Tensors in, const Attributes&, std::vector<Edge> edges);
Edge edgeOf(const Tensor&);
bool anyNeedsGrad(Tensors);

/// The gradient column: the gradient of input `i`, given that of the output. Undefined where there is none.
Tensor gradientOf(const std::shared_ptr<Node>&, size_t i, const Tensor& g, bool createGraph);
/// Sums the dimensions in which `sizes` was broadcast.
Tensor sumTo(const Tensor&, std::span<const int64_t> sizes);
/// Gradients that are scattered into a tensor of the input's sizes, for views that take a part.
Tensor viewBackward(Op, const Tensor& g, const Dims& sizes, const Ints& ints);

}  // namespace rt
