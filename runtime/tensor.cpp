#include "runtime/tensor.h"

#include "runtime/autograd.h"
#include "runtime/backend.h"
#include "runtime/body.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace rt {
namespace {

thread_local bool gradEnabled = true;
thread_local Semantics semantics;

const TensorBody& checked(const Tensor& tensor) {
  if (!tensor.defined()) throw Error("the tensor is undefined");
  return *tensor.body();
}

}  // namespace

// --- storage and bodies

const Backend& backendOf(Device device) {
  if (device == Device::cpu) return cpuBackend();
  const Backend* cuda = cudaBackend();
  if (!cuda) throw Error("this build has no CUDA");
  return *cuda;
}

Storage::Storage(size_t n, Device where) : bytes(n), device(where) {
  bool small = where == Device::cpu && n <= sizeof(small_);
  data = small ? small_ : static_cast<std::byte*>(backendOf(where).allocate(n));
}
Storage::~Storage() {
  if (data != small_) backendOf(device).release(data);
}

size_t sizeOf(DType dtype) {
  return withType(dtype, []<typename S>() { return sizeof(S); });
}

bool TensorBody::contiguous() const {
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return true;
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Tensor emptyStrided(Dims sizes, Dims strides, DType dtype, Device device) {
  int64_t n = numelOf(sizes);
  if (n < 0 || n > (int64_t(1) << 40)) throw Error("a tensor of shape " + toText(sizes) + " cannot be made");
  auto body = std::make_shared<TensorBody>();
  body->storage = std::make_shared<Storage>(size_t(n) * sizeOf(dtype), device);
  body->sizes = sizes;
  body->strides = strides;
  body->dtype = dtype;
  return Tensor(std::move(body));
}
Tensor emptyTensor(Dims sizes, DType dtype, Device device) {
  Dims strides = contiguousStrides(sizes);
  return emptyStrided(sizes, strides, dtype, device);
}

Tensor alias(const Tensor& tensor) {
  auto body = std::make_shared<TensorBody>();
  const TensorBody& from = checked(tensor);
  body->storage = from.storage;
  body->sizes = from.sizes;
  body->strides = from.strides;
  body->offset = from.offset;
  body->dtype = from.dtype;
  body->wrapped = from.wrapped;
  return Tensor(std::move(body));
}

void copyInto(const Tensor& to, const Tensor& from) {
  Loop loop{.shape = to->sizes, .out = nullptr, .outStrides = to->strides};
  Tensor source = from;
  if (source->storage->device != to->storage->device) source = source.to(to.device());
  loop.inStrides[0] = expandedStrides(source->sizes, source->strides, to->sizes);
  loop.out = to->storage->data + size_t(to->offset) * sizeOf(to->dtype);
  loop.in[0] = source->storage->data + size_t(source->offset) * sizeOf(source->dtype);
  backendOf(to.device()).convert(to->dtype, source->dtype, loop);
}

Tensor convertedCopy(const Tensor& from, DType dtype) {
  Tensor result = emptyStrided(from->sizes, denseStridesLike(from), dtype, from.device());
  copyInto(result, from);
  return result;
}

Tensor plain(const Tensor& tensor, DType dtype) {
  const TensorBody& body = checked(tensor);
  if (body.dtype == dtype && body.contiguous()) return tensor;
  Tensor result = emptyTensor(body.sizes, dtype, body.storage->device);
  copyInto(result, tensor);
  return result;
}

void checkFits(const Tensor& number, DType dtype) {
  if (!number->wrapped) return;
  Scalar value = number.at(0);
  bool fits = withType(dtype, [&]<typename S>() {
    if constexpr (std::is_same_v<S, bool> || std::is_same_v<S, double>) return true;
    else if constexpr (std::is_integral_v<S>) {
      if (value.kind == Scalar::Kind::floating) return value.d >= double(std::numeric_limits<S>::min()) && value.d <= double(std::numeric_limits<S>::max());
      int64_t v = value.kind == Scalar::Kind::integer ? value.i : value.b;
      if (std::is_unsigned_v<S>) return v >= -int64_t(std::numeric_limits<S>::max()) && v <= int64_t(std::numeric_limits<S>::max());  // LibTorch lets negatives wrap
      return v >= int64_t(std::numeric_limits<S>::min()) && v <= int64_t(std::numeric_limits<S>::max());
    } else {
      double v = value.toDouble();
      return !std::isfinite(v) || std::isfinite(float(S(float(v))));
    }
  });
  if (!fits) throw Error(std::string("value cannot be converted to type ") + dtypeName(dtype) + " without overflow");
}

// --- Tensor

Tensor::Tensor(Scalar value) {
  DType dtype = value.kind == Scalar::Kind::floating ? DType::float64 : value.kind == Scalar::Kind::integer ? DType::int64 : DType::boolean;
  *this = fromValues({&value, 1}, {}, dtype);
  body_->wrapped = true;
}

DType Tensor::dtype() const { return checked(*this).dtype; }
Device Tensor::device() const { return checked(*this).storage->device; }
std::span<const int64_t> Tensor::sizes() const { return checked(*this).sizes; }
std::span<const int64_t> Tensor::strides() const { return checked(*this).strides; }
int64_t Tensor::dim() const { return static_cast<int64_t>(checked(*this).sizes.size()); }
int64_t Tensor::numel() const { return checked(*this).numel(); }
int64_t Tensor::size(int64_t d) const {
  const TensorBody& body = checked(*this);
  auto wrapped = wrapDimension("size", d, body.sizes);
  if (!wrapped || body.sizes.empty()) throw Error(wrapped ? "size: a 0-dim tensor has no dimension " + std::to_string(d) : wrapped.error);
  return body.sizes[size_t(wrapped.value)];
}
bool Tensor::isContiguous() const { return checked(*this).contiguous(); }
bool Tensor::isWrappedNumber() const { return checked(*this).wrapped; }
bool Tensor::sharesStorage(const Tensor& other) const { return defined() && other.defined() && body_->storage == other.body_->storage; }
bool Tensor::isSame(const Tensor& other) const { return body_ == other.body_; }
uint32_t Tensor::version() const { return checked(*this).storage->version; }
bool Tensor::requiresGrad() const { return checked(*this).needsGrad(); }
bool Tensor::isLeaf() const { return !checked(*this).node; }
Tensor Tensor::grad() const { return checked(*this).grad; }
void Tensor::clearGrad() { body_->grad = {}; }

Tensor& Tensor::setRequiresGrad(bool wanted) {
  if (wanted && kindOf(dtype()) != DTypeKind::floating) throw Error("only floating point tensors can require gradients, not " + std::string(dtypeName(dtype())));
  if (!wanted && !isLeaf()) throw Error("only leaves can stop requiring gradients; use detach");
  body_->requiresGrad = wanted;
  return *this;
}

Tensor Tensor::detach() const {
  Tensor in[] = {*this};
  return call(Op::detach, in);
}
Tensor Tensor::clone() const {
  Tensor in[] = {*this};
  return call(Op::clone, in);
}
Tensor Tensor::to(DType wanted) const {
  Tensor in[] = {*this};
  return call(Op::to, in, {{}, false, wanted});
}

Tensor Tensor::to(Device wanted) const {
  const TensorBody& body = checked(*this);
  if (body.storage->device == wanted) return *this;
  Tensor result = alias(*this);
  result->storage = std::make_shared<Storage>(body.storage->bytes, wanted);
  const Storage &from = *body.storage, &to = *result->storage;
  if (wanted == Device::cpu) backendOf(from.device).toHost(to.data, from.data, from.bytes);
  else backendOf(wanted).fromHost(to.data, from.data, from.bytes);
  return result;
}

Scalar Tensor::at(int64_t i) const {
  const TensorBody& body = checked(*this);
  if (body.storage->device != Device::cpu) return to(Device::cpu).at(i);
  int64_t offset = 0;
  for (size_t d = body.sizes.size(); d-- > 0; i /= body.sizes[d]) offset += i % body.sizes[d] * body.strides[d];
  return withType(body.dtype, [&]<typename S>() -> Scalar {
    S value = body.data<S>()[offset];
    if constexpr (std::is_same_v<S, bool>) return Scalar(value);
    else if constexpr (std::is_integral_v<S>) return Scalar(int64_t(value));
    else return Scalar(double(value));
  });
}

Scalar Tensor::item() const {
  if (numel() != 1) throw Error("a Tensor with " + std::to_string(numel()) + " elements cannot be converted to Scalar");
  return at(0);
}

Tensor fromStrided(std::span<const Scalar> values, std::vector<int64_t> shape, std::vector<int64_t> strides, DType dtype) {
  auto body = std::make_shared<TensorBody>();
  body->storage = std::make_shared<Storage>(values.size() * sizeOf(dtype), Device::cpu);
  body->sizes = Dims(shape);
  body->strides = Dims(strides);
  body->dtype = dtype;
  withType(dtype, [&]<typename S>() {
    S* data = body->data<S>();
    for (size_t i = 0; i < values.size(); ++i) {
      const Scalar& v = values[i];
      if constexpr (std::is_same_v<S, bool>) data[i] = v.kind == Scalar::Kind::floating ? v.d != 0 : v.kind == Scalar::Kind::integer ? v.i != 0 : v.b;
      else if constexpr (std::is_integral_v<S>) data[i] = v.kind == Scalar::Kind::floating ? S(int64_t(v.d)) : v.kind == Scalar::Kind::integer ? S(v.i) : S(v.b);
      else data[i] = S(sizeof(S) == 8 ? v.toDouble() : float(v.toDouble()));
    }
  });
  return Tensor(std::move(body));
}

Tensor fromValues(std::span<const Scalar> values, std::vector<int64_t> shape, DType dtype, Device device) {
  Dims strides = contiguousStrides(shape);
  if (static_cast<int64_t>(values.size()) != numelOf(shape)) throw Error("shape " + toText(shape) + " does not fit " + std::to_string(values.size()) + " values");
  Tensor result = fromStrided(values, std::move(shape), {strides.begin(), strides.end()}, dtype);
  return device == Device::cpu ? result : result.to(device);
}

// --- running rows

namespace {

bool isComposite(const OpInfo& row) { return std::string_view(row.gradients[0]) == "composed"; }

void checkArity(const OpInfo& row, Tensors in) {
  int count = static_cast<int>(in.size());
  if (count < row.minTensors || (row.maxTensors >= 0 && count > row.maxTensors))
    throw Error(std::string(row.name) + ": " + std::to_string(count) + " tensors were given");
  if (row.kind == OpKind::create) return;
  for (const Tensor& tensor : row.maxTensors < 0 ? in : in.first(size_t(row.minTensors)))
    if (!tensor.defined()) throw Error(std::string(row.name) + ": an argument is undefined");
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

Tensor forward(Op op, Tensors in, const Attributes& attributes) {
  switch (info(op).kind) {
    case OpKind::unary: case OpKind::binary: case OpKind::ternary: return elementwise(op, in);
    case OpKind::reduce: return reduce(op, in[0], attributes);
    case OpKind::view: return viewOf(op, in[0], attributes);
    case OpKind::create: return create(op, in, attributes);
    case OpKind::kernel: return kernelTable[static_cast<size_t>(op) - firstKernel](op, in, attributes);
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
  if (one && !in[1].isWrappedNumber() && semantics.major >= 2) return op == Op::clamp_min ? Op::maximum : Op::minimum;
  return op;
}

// Two tensors for bounds: LibTorch 2 shares ties as minimum and maximum do, on operands of the common dtype.
bool sharesTies(Tensors in) {
  bool truth = std::all_of(in.begin(), in.end(), [](const Tensor& tensor) { return tensor.defined() && tensor.dtype() == DType::boolean; });
  return !truth && semantics.major >= 2 && in[1].defined() && in[2].defined() && !(in[1].isWrappedNumber() && in[2].isWrappedNumber());
}
Tensor clampBetween(Tensors in) {
  TypeClass types;
  for (const Tensor& tensor : in) types.add(tensor.dtype(), tensor.dim() > 0, tensor.isWrappedNumber());
  const Tensor lower[] = {in[0].to(types.result()), in[1].to(types.result())};
  const Tensor upper[] = {call(Op::maximum, lower), in[2].to(types.result())};
  return call(Op::minimum, upper);
}

}  // namespace

Tensor call(Op op, Tensors in, const Attributes& attributes) {
  std::vector<Tensor> bounds;
  if (op == Op::clamp || op == Op::clamp_min || op == Op::clamp_max) {
    bounds.assign(in.begin(), in.end());
    op = clampRow(op, bounds);
    in = bounds;
    if (op == Op::clamp && sharesTies(in)) return clampBetween(in);
  }
  const OpInfo& row = info(op);
  checkArity(row, in);
  if (isComposite(row)) return forward(op, in, attributes);
  Tensor result;
  {
    GradMode off(false);
    result = forward(op, in, attributes);
  }
  if (!gradEnabled || !row.differentiable || !anyNeedsGrad(in) || kindOf(result->dtype) != DTypeKind::floating) return result;
  if (!in.empty() && result.body() == in[0].body()) return result;  // nothing was computed: to() of the same dtype
  std::vector<Edge> edges;
  for (const Tensor& tensor : in) edges.push_back(edgeOf(tensor));
  auto node = record(op, in, attributes, std::move(edges));
  node->output = alias(result);
  node->outputVersion = result.version();
  result->node = std::move(node);
  return result;
}

void callInPlace(Op op, Tensor self, Tensors rest, const Attributes& attributes) {
  std::vector<Tensor> in = {self};
  in.insert(in.end(), rest.begin(), rest.end());
  op = clampRow(op, in);
  const OpInfo& row = info(op);
  checkArity(row, in);
  bool tracked = gradEnabled && anyNeedsGrad(in) && kindOf(self.dtype()) == DTypeKind::floating;
  if (gradEnabled && self->requiresGrad && self.isLeaf()) throw Error("a leaf Variable that requires grad is being used in an in-place operation");
  if (tracked && (self->isView || self->storage->views > 0)) throw Error("in-place writes to views that take part in gradients are not supported");
  if (tracked && isComposite(row)) throw Error(std::string(row.name) + ": the in-place form with gradients is not supported");

  Tensor result;
  {
    GradMode off(false);
    std::vector<Tensor> operands = in;
    if (op == Op::mul && in[1].isWrappedNumber()) std::swap(operands[0], operands[1]);  // LibTorch's mul_ of a number has it first
    result = op == Op::copy || op == Op::fill ? in[1] : op == Op::zero ? Tensor(0) : forward(op, operands, attributes);
    if (op == Op::fill) checkFits(in[1], self.dtype());
  }
  auto shape = broadcast(row.name, self.sizes(), result.sizes());
  if (!shape || !(shape.value == Dims(self.sizes()))) throw Error(std::string(row.name) + "_: output with shape " + toText(self.sizes()) + " does not match the shape " + toText(result.sizes()));
  bool moves = op == Op::copy || op == Op::fill || op == Op::zero || row.result == ResultRule::boolean;
  if (!moves && kindOf(result.dtype()) > kindOf(self.dtype()))
    throw Error(std::string(row.name) + "_: result type " + dtypeName(result.dtype()) + " cannot be cast to the output type " + dtypeName(self.dtype()));

  std::shared_ptr<Node> node;
  if (tracked && row.differentiable) {
    std::vector<Edge> edges;
    for (const Tensor& tensor : in) edges.push_back(edgeOf(tensor));
    GradMode off(false);
    in[0] = alias(self).clone();  // as LibTorch: the formula may need what was there before the write
    node = record(op, in, attributes, std::move(edges));
  }
  copyInto(self, result);
  ++self->storage->version;
  if (!tracked) return;
  if (node) {
    node->output = alias(self);
    node->outputVersion = self.version();
  }
  self->node = std::move(node);
  self->requiresGrad = false;
}

// --- scopes

GradMode::GradMode(bool on) : before_(std::exchange(gradEnabled, on)) {}
GradMode::~GradMode() { gradEnabled = before_; }
bool GradMode::enabled() { return gradEnabled; }
SemanticsScope::SemanticsScope(Semantics wanted) : before_(std::exchange(semantics, wanted)) {}
SemanticsScope::~SemanticsScope() { semantics = before_; }
Semantics SemanticsScope::current() { return semantics; }

std::string toString(const Tensor& tensor, int64_t limit) {
  if (!tensor.defined()) return "undefined";
  std::string text = "tensor(" + std::string(tensor.dim() ? "[" : "");
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (i) text += ", ";
    if (i == limit) { text += "..."; break; }
    char number[40];
    std::snprintf(number, sizeof number, "%.9g", tensor.at(i).toDouble());
    text += number;
  }
  return text + (tensor.dim() ? "], " : ", ") + dtypeName(tensor.dtype()) + ")";
}

}  // namespace rt
