// Running a row: the result, and the node that remembers how it was made; in place, what that does to views and their bases.
#include "runtime/autograd.h"
#include "runtime/backend.h"
#include "runtime/body.h"
#include "runtime/ops.h"

#include <algorithm>
#include <utility>

namespace rt {
namespace {

void checkArity(const OpInfo& row, Tensors in) {
  int count = static_cast<int>(in.size());
  if (count < row.minTensors || (row.maxTensors >= 0 && count > row.maxTensors))
    throw Error(std::string(row.name) + ": " + std::to_string(count) + " tensors were given");
  if (row.kind == OpKind::create) return;
  // A list of tensors has no gaps; of a list behind others, as index tensors are, any may be undefined.
  const size_t needed = row.maxTensors >= 0 ? size_t(row.minTensors) : row.minTensors == 1 ? in.size() : size_t(row.minTensors) - 1;
  for (const Tensor& tensor : in.first(needed))
    if (!tensor.defined()) throw Error(std::string(row.name) + ": an argument is undefined");
}

void checkRefused(Op op, Tensors in) {
  const OpInfo& row = info(op);
  if (op == Op::masked_fill && kindOf(in[0].dtype()) != DTypeKind::floating && in[2]->needsGrad())
    throw Error("masked_fill: gradients do not go through tensors of " + std::string(dtypeName(in[0].dtype())));
  for (size_t i = 0; row.refused && i < in.size(); ++i)
    if ((row.refused >> std::min<size_t>(i, 2) & 1) && in[i].defined() && in[i]->needsGrad())
      throw Error(std::string(row.name) + ": the derivative for input " + std::to_string(i) + " is not implemented");
}

using Kernel = Tensor (*)(Op, Tensors, const Attributes&);
constexpr Kernel kernelTable[] = {
#define KERNEL(name, result, ulps, minimum, maximum, by, ...) kernels::by,
#include "runtime/ops.def"
};
constexpr size_t firstKernel = 0
#define UNARY(...) +1
#define BINARY(...) +1
#define TERNARY(...) +1
#define REDUCE(...) +1
#define VIEW(...) +1
#include "runtime/ops.def"
    ;

Kernel kernelOf(Op op) { return kernelTable[static_cast<size_t>(op) - firstKernel]; }

Tensor forward(Op op, Tensors in, const Attributes& attributes) {
  switch (info(op).kind) {
    case OpKind::unary: case OpKind::binary: case OpKind::ternary: return elementwise(op, in);
    case OpKind::reduce: return reduce(op, in[0], attributes);
    case OpKind::view: return viewOf(op, in[0], attributes);
    case OpKind::create: return create(op, in, attributes);
    case OpKind::kernel: return kernelOf(op)(op, in, attributes);
  }
  return {};
}

// clamp with one bound is clamp_min or clamp_max; with a tensor for a bound, LibTorch 2 shares a tie as maximum does.
Op clampRow(Op op, std::vector<Tensor>& in) {
  if (op == Op::clamp && in.size() == 3) {
    if (!in[1].defined() && !in[2].defined()) throw Error("clamp: at least one of min and max must be given");
    if (!in[1].defined()) { in.erase(in.begin() + 1); op = Op::clamp_max; }
    else if (!in[2].defined()) { in.pop_back(); op = Op::clamp_min; }
  }
  if (op == Op::clamp && in.size() == 2) op = Op::clamp_min;
  bool one = (op == Op::clamp_min || op == Op::clamp_max) && in.size() == 2 && in[1].defined();
  if (one && !in[1].isWrappedNumber() && since(2, 0)) return op == Op::clamp_min ? Op::maximum : Op::minimum;
  return op;
}

}  // namespace

// A result that sees a tensor which only the kernel knew is no view.
static Tensor standsAlone(Tensor result, Tensors in) {
  if (result.defined() && result->base && std::none_of(in.begin(), in.end(), [&](const Tensor& tensor) { return result.sharesStorage(tensor); })) {
    result->node = historyOf(result);
    result->base = nullptr;
    result->madeWithoutGrad = false;
  }
  return result;
}

Tensor call(Op op, Tensors in, const Attributes& attributes) {
  std::vector<Tensor> bounds;
  if (op == Op::clamp || op == Op::clamp_min || op == Op::clamp_max) {
    bounds.assign(in.begin(), in.end());
    op = clampRow(op, bounds);
    in = bounds;
  }
  const OpInfo& row = info(op);
  checkArity(row, in);
  if (row.composed) return standsAlone(forward(op, in, attributes), in);
  if (attributes.dtype && row.kind == OpKind::reduce && kindOf(*attributes.dtype) != DTypeKind::floating && GradMode::enabled() && anyNeedsGrad(in))
    throw Error(std::string(row.name) + ": gradients do not go through tensors of " + dtypeName(*attributes.dtype));
  if (GradMode::enabled() && anyNeedsGrad(in)) checkRefused(op, in);
  Tensor result;
  {
    bool recording = GradMode::enabled();
    GradMode off(false);
    result = row.kind == OpKind::view ? viewOf(op, in[0], attributes, recording) : standsAlone(forward(op, in, attributes), in);
  }
  if (!GradMode::enabled() || !row.differentiable || !anyNeedsGrad(in) || kindOf(result->dtype) != DTypeKind::floating) return result;
  if (!in.empty() && result.body() == in[0].body()) return result;  // nothing was computed: to() of the same dtype
  result->node = record(op, in, attributes);
  result->nodeVersion = result->storage->version;
  keepOutput(result);
  return result;
}

namespace {

// An expanded tensor has elements that are one in memory: what is written last would win.
void checkOneElementEach(const OpInfo& row, const Tensor& self) {
  for (size_t d = 0; d < self->sizes.size() && self.numel() > 0; ++d)
    if (self->sizes[d] > 1 && self->strides[d] == 0)
      throw Error(std::string(row.name) + "_: more than one element of the tensor refers to a single memory location, sizes " + toText(self.sizes()) + ", strides " + toText(self.strides()));
}

// What LibTorch writes to an expanded tensor without a look at its strides.
bool mayWriteTwice(Op op, const std::vector<Tensor>& in) {
  switch (op) {
    case Op::zero: case Op::index_put: case Op::tril: case Op::triu: case Op::masked_fill: return true;
    default: return op == Op::fill && in[1].isWrappedNumber();
  }
}

struct Bytes { const std::byte *begin, *end; };
Bytes bytesOf(const Tensor& tensor) {
  const int64_t span = spanOf(tensor->sizes, tensor->strides);
  const std::byte* begin = tensor->storage->data + size_t(tensor->offset) * sizeOf(tensor->dtype);
  return {begin, begin + size_t(span) * sizeOf(tensor->dtype)};
}

// Source: at::get_overlap_status. Elementwise rows may read exactly what they write; the others may not. Tensors with gaps are
// not judged.
void checkNoOverlap(Op op, const Tensor& self, Tensors others) {
  const OpInfo& row = info(op);
  const bool elementwise = row.kind <= OpKind::ternary || op == Op::masked_fill || op == Op::copy;
  for (const Tensor& other : others) {
    if (!self.sharesStorage(other) || (!self.isSame(other) && (self.numel() == 0 || other.numel() == 0))) continue;
    const bool same = self.isSame(other);
    if (!same && !(isDense(self->sizes, self->strides) && isDense(other->sizes, other->strides))) continue;
    const Bytes mine = bytesOf(self), theirs = bytesOf(other);
    const bool full = same || (mine.begin == theirs.begin && mine.end == theirs.end && self->strides == other->strides);
    if (full ? !elementwise : mine.begin < theirs.end && theirs.begin < mine.end)
      throw Error(std::string(row.name) + "_: some elements of an input and of the tensor that is written to are one in memory");
  }
}

// In place, the logical rows write truth values and leave the history as it is; comparisons cut it.
bool leavesHistory(Op op) { return op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor || op == Op::logical_not; }
bool cutsHistory(Op op) { return op == Op::eq || op == Op::ne || op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge; }
// LibTorch has no derivative for these forms.
bool lacksInPlaceGradient(Op op) { return op == Op::asinh || op == Op::acosh || op == Op::atanh; }

void checkTrackedWrite(const OpInfo& row, const Tensor& self) {
  const std::string name = std::string(row.name) + "_: ";
  if (self->base && self->madeWithoutGrad && !self->base->inference)
    throw Error(name + "a view that was made in no-grad mode is being modified in place with gradients enabled");
  if (self->base && self->base->requiresGrad && !self->base->node) throw Error(name + "a view of a leaf Variable that requires grad is being used in an in-place operation");
  if (self.requiresGrad() && self.isLeaf()) throw Error(name + "a leaf Variable that requires grad is being used in an in-place operation");
}

struct Write {
  Tensor result;
  bool moves;  // values are taken as they are, whatever their dtype
};

Write whatIsWritten(Op op, const std::vector<Tensor>& in, const Attributes& attributes) {
  const Tensor& self = in[0];
  bool moves = op == Op::copy || op == Op::fill || op == Op::zero;
  if (op == Op::fill && in[1].dim() > 0) throw Error("fill_: the value has shape " + toText(in[1].sizes()) + ", it must be 0-dimensional");
  if (op == Op::fill) checkFill(in[1], self->sizes, self.dtype());
  if (moves) return {op == Op::zero ? Tensor(0) : in[1], true};
  std::vector<Tensor> operands = in;
  if (op == Op::mul && in[1].isWrappedNumber()) std::swap(operands[0], operands[1]);  // LibTorch's mul_ of a number has it first
  GradMode off(false);
  return {forward(op, operands, attributes), info(op).result == ResultRule::boolean};
}

// The history of what was written. A write through a view changes its base's.
void rebase(Tensor& self, std::shared_ptr<Node> node) {
  if (!self->base) {
    self->node = std::move(node);
    self->requiresGrad = false;
    self->nodeVersion = self->storage->version;
    keepOutput(self);
    return;
  }
  const Tensor base(self->base);
  node->output = alias(self);
  node->outputVersion = self->storage->version;
  base->node = throughView(base, self, std::move(node));
  base->requiresGrad = false;
  self->node = nullptr;  // made anew by historyOf
  self->nodeVersion = self->storage->version - 1;
}

}  // namespace

void callInPlace(Op op, Tensor self, Tensors rest, const Attributes& attributes) {
  std::vector<Tensor> in = {self};
  in.insert(in.end(), rest.begin(), rest.end());
  op = clampRow(op, in);
  const OpInfo& row = info(op);
  checkArity(row, in);
  const bool ontoItself = op == Op::copy && in[1].body() == self.body();
  if (!ontoItself && !mayWriteTwice(op, in)) checkOneElementEach(row, self);
  if (op != Op::fill && !ontoItself) checkNoOverlap(op, self, op == Op::masked_fill ? rest.first(1) : rest);  // its value is read first
  if (self->inference && !InferenceMode::enabled()) throw Error(std::string(row.name) + "_: an inference tensor cannot be modified in place outside inference mode");
  bool tracked = GradMode::enabled() && anyNeedsGrad(in) && !leavesHistory(op) && (op != Op::copy || kindOf(self.dtype()) == DTypeKind::floating);
  if (tracked) checkTrackedWrite(row, self);
  if (row.composed) {
    in[0] = self.clone();
    const Tensor value[] = {call(op, in, attributes)};
    return callInPlace(Op::copy, self, value);
  }

  // Elements that are one in memory are filled if the mask names any of them.
  if (op == Op::masked_fill && self.numel() > 0 && in[1].dtype() == DType::boolean)
    for (size_t d = 0; d < self->sizes.size(); ++d)
      if (self->sizes[d] > 1 && self->strides[d] == 0) in[1] = ops::any(ops::expand(in[1], self.sizes()), {int64_t(d)}, true);

  Write write = whatIsWritten(op, in, attributes);
  auto shape = broadcast(row.name, self.sizes(), write.result.sizes());
  if (!shape || !(shape.value == Dims(self.sizes())))
    throw Error(std::string(row.name) + "_: output with shape " + toText(self.sizes()) + " does not match the shape " + toText(write.result.sizes()));
  if (!write.moves && kindOf(write.result.dtype()) > kindOf(self.dtype()))
    throw Error(std::string(row.name) + "_: result type " + dtypeName(write.result.dtype()) + " cannot be cast to the output type " + dtypeName(self.dtype()));

  std::shared_ptr<Node> node;
  if (tracked) {
    Edge before = edgeOf(self);
    GradMode off(false);
    in[0] = alias(self).clone();  // as LibTorch: the formula may need what was there before the write
    node = record(op, in, attributes);
    node->edges[0] = before;
    node->cut = cutsHistory(op);
    node->unimplemented = lacksInPlaceGradient(op);
  }
  copyInto(self, write.result);
  ++self->storage->version;
  if (node) rebase(self, std::move(node));
}

}  // namespace rt
