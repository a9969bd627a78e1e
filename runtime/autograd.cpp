#include "runtime/autograd.h"

#include "runtime/ops.h"

#include <algorithm>
#include <map>

namespace rt {
namespace {

thread_local uint64_t nextSequence = 0;

// Sums in the order of arrival, as LibTorch's input buffers do.
void accumulate(Tensor& into, const Tensor& g) { into = into.defined() ? ops::add(into, g) : g; }

// What LibTorch's validate_outputs does to a gradient before it goes on.
Tensor fitted(const Tensor& g, const Edge& edge) {
  Tensor result = Dims(g.sizes()) == edge.sizes ? g : sumTo(g, edge.sizes);
  return result.dtype() == edge.dtype ? result : result.to(edge.dtype);
}

using Pending = std::map<uint64_t, std::pair<std::shared_ptr<Node>, Tensor>, std::greater<>>;

class Pass {
 public:
  explicit Pass(bool createGraph) : createGraph_(createGraph) {}

  void send(const Edge& edge, const Tensor& g) {
    if (!g.defined()) return;
    if (edge.node) {
      auto& entry = pending_[edge.node->sequence];
      entry.first = edge.node;
      accumulate(entry.second, g);
    } else if (edge.leaf) {
      auto it = std::find_if(leaves_.begin(), leaves_.end(), [&](const auto& leaf) { return leaf.first == edge.leaf; });
      if (it == leaves_.end()) it = leaves_.insert(leaves_.end(), {edge.leaf, {}});
      accumulate(it->second, g);
    }
  }

  void run() {
    while (!pending_.empty()) {
      auto [node, g] = pending_.begin()->second;
      pending_.erase(pending_.begin());
      for (size_t i = 0; i < node->edges.size(); ++i) {
        const Edge& edge = node->edges[i];
        if (!edge.node && !edge.leaf) continue;
        Tensor part = gradientOf(node, i, g, createGraph_);
        if (part.defined()) send(edge, fitted(part, edge));
      }
    }
    for (auto& [leaf, g] : leaves_) accumulate(leaf->grad, leaf->grad.defined() || createGraph_ ? g : g.detach());
  }

 private:
  bool createGraph_;
  Pending pending_;
  std::vector<std::pair<std::shared_ptr<TensorBody>, Tensor>> leaves_;
};

}  // namespace

std::shared_ptr<Node> record(Op op, Tensors in, const Attributes& attributes, std::vector<Edge> edges) {
  auto node = std::make_shared<Node>();
  node->op = op;
  node->in.assign(in.begin(), in.end());
  for (const Tensor& tensor : in) node->versions.push_back(tensor.defined() ? tensor.version() : 0);
  node->edges = std::move(edges);
  node->attributes = attributes;
  node->sequence = ++nextSequence;
  return node;
}

Edge edgeOf(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  Edge edge{tensor->node, {}, tensor->sizes, tensor->dtype};
  if (!edge.node && tensor->requiresGrad) edge.leaf = tensor.body();
  return edge;
}

bool anyNeedsGrad(Tensors in) {
  return std::any_of(in.begin(), in.end(), [](const Tensor& tensor) { return tensor.defined() && tensor->needsGrad(); });
}

Tensor sumTo(const Tensor& g, std::span<const int64_t> sizes) {
  Ints dims;
  size_t shift = g->sizes.size() - sizes.size();
  for (size_t d = 0; d < g->sizes.size(); ++d)
    if (d < shift || (sizes[d - shift] == 1 && g->sizes[d] != 1)) dims.push_back(int64_t(d));
  Tensor total = dims.empty() ? g : ops::sum(g, dims, true);
  return ops::reshape(total, sizes);
}

void backward(std::span<const Tensor> outputs, std::span<const Tensor> cotangents, bool createGraph) {
  GradMode mode(createGraph);
  Pass pass(createGraph);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined() || !outputs[i].requiresGrad()) throw Error("element 0 of tensors does not require grad and does not have a grad_fn");
    Tensor g = i < cotangents.size() && cotangents[i].defined() ? cotangents[i] : ops::add(ops::zeros_like(outputs[i].detach()), 1);
    if (!(Dims(g.sizes()) == Dims(outputs[i].sizes()))) throw Error("a cotangent of shape " + toText(g.sizes()) + " does not fit an output of shape " + toText(outputs[i].sizes()));
    pass.send(edgeOf(outputs[i]), g);
  }
  pass.run();
}

}  // namespace rt
