#include "runtime/autograd.h"

#include "runtime/ops.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rt {
namespace {

thread_local uint64_t nextSequence = 0;

// Sums in the order of arrival, as LibTorch's input buffers do.
void accumulate(Tensor& into, const Tensor& g) { into = into.defined() ? ops::add(into, g) : g; }

// What LibTorch's validate_outputs does to a gradient before it goes on.
Tensor fitted(const Tensor& g, const Edge& edge, Op op) {
  if (g->sizes == edge.sizes) return g->dtype == edge.dtype ? g : g.to(edge.dtype);
  auto wide = broadcast(info(op).name, edge.sizes, g.sizes());
  if (!wide || !(wide.value == g->sizes))
    throw Error(std::string(info(op).name) + ": returned an invalid gradient of shape " + toText(g.sizes()) + " for an input of shape " + toText(edge.sizes));
  Tensor result = sumTo(g, edge.sizes);
  return result.dtype() == edge.dtype ? result : result.to(edge.dtype);
}

// The row that names the elements which another row picks.
std::optional<Op> placesOf(Op op) {
  switch (op) {
    case Op::max_dim: return Op::argmax;
    case Op::min_dim: return Op::argmin;
    case Op::median_dim: return Op::median_index;
    case Op::cummax: return Op::cummax_indices;
    case Op::cummin: return Op::cummin_indices;
    case Op::max_pool2d: return Op::max_pool2d_indices;
    case Op::max_pool3d: return Op::max_pool3d_indices;
    case Op::adaptive_max_pool2d: return Op::adaptive_max_pool2d_indices;
    case Op::adaptive_max_pool3d: return Op::adaptive_max_pool3d_indices;
    case Op::sort: return Op::argsort;
    case Op::topk: return Op::topk_indices;
    default: return {};
  }
}

Tensor onesLike(const Tensor& like) {
  Tensor ones = emptyStrided(like->sizes, denseStridesLike(like), like->dtype, like.device());
  copyInto(ones, Tensor(1));
  return ones;
}

bool earlier(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) { return a->sequence < b->sequence; }

class Pass {
 public:
  explicit Pass(bool createGraph) : createGraph_(createGraph) {}
  // A pass that threw leaves nothing behind in the graph.
  ~Pass() { for (const auto& node : ready_) node->pending = {}, node->waiting = false; }

  // An undefined gradient travels too: nodes on its way check what they saved.
  void send(const Edge& edge, const Tensor& g) {
    if (edge.node) {
      if (!edge.node->waiting) {
        edge.node->waiting = true;
        ready_.push_back(edge.node);
        std::push_heap(ready_.begin(), ready_.end(), earlier);
      }
      if (g.defined()) accumulate(edge.node->pending, g);
    } else if (edge.leaf && g.defined()) {
      auto it = std::find_if(leaves_.begin(), leaves_.end(), [&](const auto& leaf) { return leaf.first == edge.leaf; });
      if (it == leaves_.end()) it = leaves_.insert(leaves_.end(), {edge.leaf, {}});
      accumulate(it->second, g);
    }
  }

  void run() {
    while (!ready_.empty()) {
      std::pop_heap(ready_.begin(), ready_.end(), earlier);
      std::shared_ptr<Node> node = std::move(ready_.back());
      ready_.pop_back();
      Tensor g = std::exchange(node->pending, {});
      node->waiting = false;
      if (node->inner) throughInner(*node, g);
      else sendParts(node, 0, g);
    }
    for (auto& [leaf, g] : leaves_) accumulate(leaf->grad, leaf->grad.defined() || createGraph_ ? g : alias(g));
  }

 private:
  void sendParts(const std::shared_ptr<Node>& node, size_t from, const Tensor& g) {
    checkVersions(*node);
    for (size_t i = from; i < node->edges.size(); ++i) {
      const Edge& edge = node->edges[i];
      if (!edge.node && !edge.leaf) continue;
      const Tensor part = g.defined() ? gradientOf(node, i, g, createGraph_) : Tensor();
      send(edge, part.defined() ? fitted(part, edge, node->op) : part);
    }
  }

  // LibTorch's CopySlices: the part that was written goes through the op, the rest of the base stays as it is.
  void throughInner(const Node& node, const Tensor& g) {
    if (!g.defined()) return sendParts(node.inner, 0, g);
    Tensor whole = ops::contiguous(g);
    if (whole->offset) whole = whole.clone();
    if (!(node.baseStrides == whole->strides)) {
      whole = emptyStrided(g->sizes, node.baseStrides, g.dtype(), g.device());
      copyInto(whole, g);
    }
    Ints place(node.part.sizes);
    for (int64_t stride : node.part.strides) place.push_back(stride);
    place.push_back(node.part.offset);
    checkVersions(*node.inner);
    Tensor part = ops::as_strided(whole, place), before = gradientOf(node.inner, 0, part, createGraph_);
    if (node.edges[0].node || node.edges[0].leaf) {
      before = before.defined() ? fitted(before, node.inner->edges[0], node.inner->op) : ops::zeros_like(part.detach());
      send(node.edges[0], ops::as_strided_scatter(whole, before, place));
    }
    sendParts(node.inner, 1, part);
  }

  bool createGraph_;
  std::vector<std::shared_ptr<Node>> ready_;
  std::vector<std::pair<std::shared_ptr<TensorBody>, Tensor>> leaves_;
};

}  // namespace

// Long chains are taken apart in a loop: the stack would not hold their destructors.
Node::~Node() {
  static thread_local std::vector<std::shared_ptr<Node>>* chain = nullptr;
  std::vector<std::shared_ptr<Node>> own;
  const bool outermost = !chain;
  if (outermost) chain = &own;
  for (Edge& edge : edges)
    if (edge.node) chain->push_back(std::move(edge.node));
  if (!outermost) return;
  while (!own.empty()) {
    std::shared_ptr<Node> next = std::move(own.back());
    own.pop_back();
  }
  chain = nullptr;
}

std::shared_ptr<Node> record(Op op, Tensors in, const Attributes& attributes) {
  auto node = makePooled<Node>();
  const OpInfo& row = info(op);
  const unsigned saved = savedBy(op);
  node->op = op;
  node->in.resize(in.size());
  node->versions.resize(in.size());
  node->edges.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    node->edges.push_back(edgeOf(in[i]));
    const bool number = row.kind <= OpKind::ternary && i >= size_t(row.tensors);
    if (!in[i].defined() || !(number || i > 2 || (saved >> i & 1))) continue;
    if (in[i]->inference) throw Error(std::string(row.name) + ": inference tensors cannot be saved for backward; clone to get a normal tensor");
    node->in[i] = in[i];
    node->versions[i] = in[i]->storage->version;
  }
  node->attributes = attributes;
  node->sequence = ++nextSequence;
  if (auto index = placesOf(op)) {
    GradMode off(false);
    Attributes kept = attributes;
    kept.keepdim = true;
    node->places = call(*index, in.first(1), kept);
  }
  return node;
}

void keepOutput(const Tensor& result) {
  if (!(savedBy(result->node->op) >> 3 & 1)) return;
  result->node->output = alias(result);
  result->node->outputVersion = result->storage->version;
}

std::shared_ptr<Node> throughView(const Tensor& base, const Tensor& view, std::shared_ptr<Node> inner) {
  auto node = makePooled<Node>();
  node->op = inner->op;
  node->edges.push_back(edgeOf(base));
  node->part = {view->sizes, view->strides, view->offset - base->offset};
  node->baseStrides = base->strides;
  node->inner = std::move(inner);
  node->sequence = ++nextSequence;
  return node;
}

const std::shared_ptr<Node>& historyOf(const Tensor& tensor) {
  TensorBody& body = *tensor.body();
  if (!body.base || body.nodeVersion == body.storage->version) return body.node;
  if (body.base->needsGrad() && body.madeWithoutGrad && !body.inference)
    throw Error("a view that was made in no-grad mode is used after its base, or another view of it, was modified in place with gradients enabled");
  body.nodeVersion = body.storage->version;
  if (!body.base->needsGrad()) return body.node;
  Ints place(body.sizes);
  for (int64_t stride : body.strides) place.push_back(stride);
  if (place.size() < Ints::capacity) place.push_back(body.offset);
  const Tensor base[] = {Tensor(body.base)};
  body.node = record(Op::as_strided, base, {place});
  body.node->in[0] = alias(base[0]);
  return body.node;
}

Edge edgeOf(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  Edge edge{historyOf(tensor), {}, tensor->sizes, tensor->dtype};
  if (!edge.node && tensor->requiresGrad) edge.leaf = tensor.body();  // a view made without gradients has neither
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
    const Edge start = edgeOf(outputs[i]);
    if (!start.node && !start.leaf) throw Error("element 0 of tensors does not require grad and does not have a grad_fn");
    if (kindOf(outputs[i].dtype()) != DTypeKind::floating) throw Error("gradients do not go through tensors of " + std::string(dtypeName(outputs[i].dtype())));
    Tensor g = i < cotangents.size() && cotangents[i].defined() ? cotangents[i] : onesLike(outputs[i]);
    if (!(Dims(g.sizes()) == Dims(outputs[i].sizes()))) throw Error("a cotangent of shape " + toText(g.sizes()) + " does not fit an output of shape " + toText(outputs[i].sizes()));
    pass.send(start, g);
  }
  pass.run();
}

}  // namespace rt
