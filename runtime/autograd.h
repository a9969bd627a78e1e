// Reverse mode. A Node remembers how a tensor was computed: the op, its inputs, and the versions of their contents then.
#pragma once

#include "runtime/body.h"
#include "runtime/pool.h"

namespace rt {

/// Where a gradient goes: to the node that computed an input, or to a leaf. Sizes and dtype are the input's.
struct Edge {
  std::shared_ptr<Node> node;
  std::shared_ptr<TensorBody> leaf;
  Dims sizes;
  DType dtype = DType::float32;
};

struct Node {
  Node() {}
  ~Node();
  Op op{};
  bool unimplemented = false;  // LibTorch has no derivative for this form of the op
  bool cut = false;            // a comparison in place: its gradients are zeros
  std::vector<Tensor, Pooled<Tensor>> in;  // those that a gradient needs; the others are undefined
  std::vector<uint32_t, Pooled<uint32_t>> versions;
  std::vector<Edge, Pooled<Edge>> edges;
  Attributes attributes;
  Tensor places;               // of rows that pick elements: where along the dimension
  Tensor output;               // an alias without history, so that nothing points at itself; where a gradient needs it
  uint32_t outputVersion = 0;
  uint64_t sequence = 0;       // gradients flow in the reverse order of computation, as in LibTorch
  Tensor pending;              // during a backward pass: what has arrived
  bool waiting = false;        // and whether the node is among those to come

  // A write through a view, seen from its base: the gradient of the view's part goes through `inner`.
  std::shared_ptr<Node> inner;
  ViewLayout part;
  Dims baseStrides;
};

/// Records that a tensor was computed by this op from `in`.
std::shared_ptr<Node> record(Op, Tensors in, const Attributes&);
/// Keeps the result for the gradients that need it.
void keepOutput(const Tensor& result);
/// The history of `base` after `inner` has written to its view.
std::shared_ptr<Node> throughView(const Tensor& base, const Tensor& view, std::shared_ptr<Node> inner);
Edge edgeOf(const Tensor&);
bool anyNeedsGrad(Tensors);

/// Throws where a tensor that a gradient of the node needs was written to since.
void checkVersions(const Node&);
/// What the gradients of a row mention: bits 0 to 2 its inputs, bit 3 its output.
unsigned savedBy(Op);
/// The gradient column: the gradient of input `i`, given that of the output. Undefined where there is none.
Tensor gradientOf(const std::shared_ptr<Node>&, size_t i, const Tensor& g, bool createGraph);
/// Sums the dimensions in which `sizes` was broadcast.
Tensor sumTo(const Tensor&, std::span<const int64_t> sizes);

}  // namespace rt
