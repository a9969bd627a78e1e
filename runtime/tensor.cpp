#include "runtime/tensor.h"

#include "runtime/autograd.h"
#include "runtime/backend.h"
#include "runtime/body.h"
#include "runtime/pool.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace rt {
namespace {

thread_local bool gradEnabled = true, inferenceEnabled = false;
thread_local Semantics semantics;

const TensorBody& checked(const Tensor& tensor) {
  if (!tensor.defined()) throw Error("the tensor is undefined");
  return *tensor.body();
}

}  // namespace

size_t dimensionOf(Op op, const Tensor& tensor, int64_t dim) {
  auto d = wrapDimension(info(op).name, dim, tensor.sizes());
  if (!d) throw Error(d.error);
  return size_t(d.value);
}

bool isMask(const Tensor& index) { return index.dtype() == DType::boolean || index.dtype() == DType::uint8; }

// --- storage and bodies

bool since(int major, int minor) { return semantics.major > major || (semantics.major == major && semantics.minor >= minor); }

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
Storage::Storage(void* memory, size_t n, Device where, std::function<void(void*)> release)
    : data(static_cast<std::byte*>(memory)), bytes(n), device(where), release_(release ? std::move(release) : [](void*) {}) {}
Storage::~Storage() {
  if (release_) release_(data);
  else if (data != small_) backendOf(device).release(data);
}

void* dataOf(const Tensor& tensor) { return tensor->storage->data + size_t(tensor->offset) * sizeOf(tensor->dtype); }

bool TensorBody::contiguous() const {
  bool dense = true;
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return true;
    if (sizes[d] == 1) continue;
    dense &= strides[d] == expected;
    expected *= sizes[d];
  }
  return dense;
}

static Tensor emptyOf(const Dims& sizes, const Dims& strides, int64_t elements, DType dtype, Device device) {
  auto body = makePooled<TensorBody>();
  body->storage = makePooled<Storage>(size_t(elements) * sizeOf(dtype), device);
  body->sizes = sizes;
  body->strides = strides;
  body->dtype = dtype;
  body->inference = inferenceEnabled;
  return Tensor(std::move(body));
}
static int64_t checkedNumel(const Dims& sizes) {
  const int64_t n = numelOf(sizes);
  if (n < 0 || n > (int64_t(1) << 40)) throw Error("a tensor of shape " + toText(sizes) + " cannot be made");
  return n;
}
Tensor emptyStrided(const Dims& sizes, const Dims& strides, DType dtype, Device device) {
  checkedNumel(sizes);
  return emptyOf(sizes, strides, spanOf(sizes, strides), dtype, device);
}
Tensor emptyTensor(const Dims& sizes, DType dtype, Device device) { return emptyOf(sizes, contiguousStrides(sizes), checkedNumel(sizes), dtype, device); }

Tensor fromBlob(void* data, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, DType dtype, std::function<void(void*)> release, Device device) {
  if (!strides.empty() && strides.size() != shape.size()) throw Error("from_blob: sizes " + toText(shape) + " and strides " + toText(strides) + " differ in number");
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] < 0 || (!strides.empty() && strides[d] < 0)) throw Error("from_blob: negative sizes and strides are not allowed: " + toText(shape) + ", " + toText(strides));
  if (shape.size() > Dims::capacity) throw Error("from_blob: more than " + std::to_string(Dims::capacity) + " dimensions are not supported");
  auto body = makePooled<TensorBody>();
  body->sizes = Dims(shape);
  body->strides = strides.empty() ? contiguousStrides(shape) : Dims(strides);
  body->dtype = dtype;
  body->storage = makePooled<Storage>(data, size_t(spanOf(body->sizes, body->strides)) * sizeOf(dtype), device, std::move(release));
  body->inference = inferenceEnabled;
  return Tensor(std::move(body));
}

Tensor alias(const Tensor& tensor) {
  auto body = makePooled<TensorBody>();
  const TensorBody& from = checked(tensor);
  body->storage = from.storage;
  body->sizes = from.sizes;
  body->strides = from.strides;
  body->offset = from.offset;
  body->dtype = from.dtype;
  body->wrapped = from.wrapped;
  body->inference = from.inference;
  return Tensor(std::move(body));
}

void copyInto(const Tensor& to, const Tensor& from) {
  Loop loop{.shape = to->sizes, .out = nullptr, .outStrides = to->strides};
  Tensor source = from;
  if (source->storage->device != to->storage->device) source = source.to(to.device());
  loop.inStrides[0] = expandedStrides(source->sizes, source->strides, to->sizes);
  loop.out = dataOf(to);
  loop.in[0] = dataOf(source);
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
  *this = emptyTensor({}, dtype);
  std::byte* data = body_->storage->data;
  if (dtype == DType::float64) new (data) double(value.d);
  else if (dtype == DType::int64) new (data) int64_t(value.i);
  else new (data) bool(value.b);
  body_->wrapped = true;
  body_->inference = false;
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
uint32_t Tensor::version() const {
  if (checked(*this).inference) throw Error("inference tensors do not track a version");
  return body_->storage->version;
}
bool Tensor::isInference() const { return checked(*this).inference; }
bool Tensor::requiresGrad() const { return checked(*this).needsGrad(); }
bool Tensor::isLeaf() const {
  const TensorBody& body = checked(*this);
  return body.base && body.madeWithoutGrad ? !body.node : !historyOf(*this);
}
Tensor Tensor::grad() const { return checked(*this).grad; }
void Tensor::clearGrad() { body_->grad = {}; }

Tensor& Tensor::setRequiresGrad(bool wanted) {
  if (wanted && kindOf(dtype()) != DTypeKind::floating) throw Error("only floating point tensors can require gradients, not " + std::string(dtypeName(dtype())));
  if (wanted && body_->inference && !inferenceEnabled) throw Error("an inference tensor cannot be made to require gradients outside inference mode");
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
  result->storage = makePooled<Storage>(body.storage->bytes, wanted);
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
  auto body = makePooled<TensorBody>();
  body->storage = makePooled<Storage>(values.size() * sizeOf(dtype), Device::cpu);
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

// --- scopes

GradMode::GradMode(bool on) : before_(std::exchange(gradEnabled, on)) {}
GradMode::~GradMode() { gradEnabled = before_; }
bool GradMode::enabled() { return gradEnabled; }
InferenceMode::InferenceMode(bool on) : mode_(gradEnabled && !on), before_(std::exchange(inferenceEnabled, on)) {}
InferenceMode::~InferenceMode() { inferenceEnabled = before_; }
bool InferenceMode::enabled() { return inferenceEnabled; }
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
