// tensor.h on top of LibTorch instead of our own tensors, so that LibTorch itself is the referee of the verdicts: the same
// verifier and the same table of rewrites must come to the same verdicts on both.
//
// Only the ops that the table uses are here.

#include "runtime/tensor.h"

#include <torch/torch.h>

#include <map>

namespace rt {

class TensorBody {
 public:
  explicit TensorBody(at::Tensor t) : tensor(std::move(t)) {}

  static Tensor wrap(at::Tensor t) {
    return t.defined() ? Tensor(std::make_shared<TensorBody>(std::move(t))) : Tensor();
  }
  static at::Tensor& of(const Tensor& t) {
    static thread_local at::Tensor undefined;
    return t.defined() ? t->tensor : undefined;
  }

  at::Tensor tensor;
};

namespace {

at::Tensor& torchOf(const Tensor& t) { return TensorBody::of(t); }

constexpr at::ScalarType torchTypes[] = {
#define DTYPE(name, type, kind, constant) torch::constant,
#include "runtime/dtypes.def"
};

at::Scalar toTorch(const Scalar& s) {
  if (s.kind == Scalar::Kind::boolean) return s.b;
  return s.kind == Scalar::Kind::integer ? at::Scalar(s.i) : at::Scalar(s.d);
}

Scalar fromTorch(const at::Scalar& s) {
  if (s.isBoolean()) return s.toBool();
  return s.isIntegral(false) ? Scalar(s.toLong()) : Scalar(s.toDouble());
}

// LibTorch's messages end in a stack trace.
template <typename F>
auto rethrowing(F body) {
  try {
    return body();
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    throw Error(text.substr(0, text.find('\n')));
  }
}

using Args = std::vector<at::Tensor>;
using Call = at::Tensor (*)(const Args&, const Attributes&);

std::vector<int64_t> intsOf(const Attributes& attributes) { return {attributes.ints.begin(), attributes.ints.end()}; }

#define UNARY(op)  {#op, [](const Args& a, const Attributes&) { return at::op(a[0]); }}
#define BINARY(op) {#op, [](const Args& a, const Attributes&) { return at::op(a[0], a[1]); }}

const std::map<std::string_view, Call> calls = {
    UNARY(neg), UNARY(log), UNARY(exp), UNARY(sqrt), UNARY(trunc), UNARY(isnan), UNARY(logical_not), UNARY(detach),
    UNARY(zeros_like), UNARY(ones_like), UNARY(sum), UNARY(max), UNARY(amax), UNARY(all), UNARY(any),
    BINARY(add), BINARY(sub), BINARY(mul), BINARY(div), BINARY(remainder), BINARY(maximum), BINARY(logical_and),
    BINARY(gt), BINARY(ge), BINARY(lt), BINARY(le), BINARY(eq), BINARY(ne),
    {"where", [](const Args& a, const Attributes&) { return at::where(a[0], a[1], a[2]); }},
    {"clamp_min", [](const Args& a, const Attributes&) { return at::clamp_min(a[0], a[1].item()); }},
    {"reshape", [](const Args& a, const Attributes& s) { return a[0].reshape(intsOf(s)); }},
};

#undef UNARY
#undef BINARY

}  // namespace

Tensor::Tensor(Scalar s) {
  at::Tensor t = c10::scalar_to_tensor(toTorch(s));
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  *this = TensorBody::wrap(std::move(t));
}

DType Tensor::dtype() const {
  return DType(std::find(std::begin(torchTypes), std::end(torchTypes), torchOf(*this).scalar_type()) - torchTypes);
}
Device Tensor::device() const { return Device::cpu; }
std::span<const int64_t> Tensor::sizes() const {
  const auto sizes = torchOf(*this).sizes();
  return {sizes.data(), sizes.size()};
}
int64_t Tensor::dim() const { return torchOf(*this).dim(); }
int64_t Tensor::numel() const { return torchOf(*this).numel(); }
int64_t Tensor::size(int64_t d) const {
  return rethrowing([&] { return torchOf(*this).size(d); });
}
uint32_t Tensor::version() const { return uint32_t(torchOf(*this)._version()); }
bool Tensor::requiresGrad() const { return torchOf(*this).requires_grad(); }
Tensor& Tensor::setRequiresGrad(bool on) {
  torchOf(*this).set_requires_grad(on);
  return *this;
}
Tensor Tensor::grad() const { return TensorBody::wrap(torchOf(*this).grad()); }
Tensor Tensor::clone() const { return TensorBody::wrap(torchOf(*this).clone()); }
Tensor Tensor::to(Device) const { return *this; }
Scalar Tensor::at(int64_t i) const { return fromTorch(torchOf(*this).detach().reshape({-1})[i].item()); }
Scalar Tensor::item() const {
  return rethrowing([&] { return fromTorch(torchOf(*this).item()); });
}

Tensor fromValues(std::span<const Scalar> values, std::vector<int64_t> shape, DType dtype, Device) {
  const at::Tensor t = at::empty(shape, torchTypes[size_t(dtype)]);
  AT_DISPATCH_ALL_TYPES_AND3(at::kBool, at::kHalf, at::kBFloat16, t.scalar_type(), "fromValues", [&] {
    auto* out = t.data_ptr<scalar_t>();
    for (const Scalar& v : values) *out++ = v.kind == Scalar::Kind::integer ? scalar_t(v.i) : scalar_t(v.toDouble());
  });
  return TensorBody::wrap(t);
}

Tensor fromStrided(std::span<const Scalar> storage, std::vector<int64_t> shape, std::vector<int64_t> strides, DType dtype) {
  const Tensor flat = fromValues(storage, {int64_t(storage.size())}, dtype);
  const at::Tensor t = at::empty({0}, torchTypes[size_t(dtype)]);
  return TensorBody::wrap(t.set_(torchOf(flat).storage(), 0, shape, strides));
}

Tensor call(Op op, std::span<const Tensor> args, const Attributes& attributes) {
  Args torchArgs;
  for (const Tensor& t : args) torchArgs.push_back(torchOf(t));
  return rethrowing([&] { return TensorBody::wrap(calls.at(info(op).name)(torchArgs, attributes)); });
}

void callInPlace(Op op, Tensor self, std::span<const Tensor> rest, const Attributes&) {
  if (std::string_view(info(op).name) != "add") throw std::logic_error("only add_ is here");
  rethrowing([&] { return torchOf(self).add_(torchOf(rest[0])); });
}

void backward(std::span<const Tensor> outputs, std::span<const Tensor> cotangents, bool) {
  std::vector<at::Tensor> torchOutputs, torchCotangents;
  for (const Tensor& t : outputs) torchOutputs.push_back(torchOf(t));
  for (const Tensor& t : cotangents) torchCotangents.push_back(torchOf(t));
  rethrowing([&] { torch::autograd::backward(torchOutputs, torchCotangents); });
}

GradMode::GradMode(bool enabled) : before_(at::GradMode::is_enabled()) { at::GradMode::set_enabled(enabled); }
bool GradMode::enabled() { return at::GradMode::is_enabled(); }
GradMode::~GradMode() { at::GradMode::set_enabled(before_); }

// LibTorch imitates nobody: cases for another version are skipped.
SemanticsScope::SemanticsScope(Semantics) {}
SemanticsScope::~SemanticsScope() {}
Semantics SemanticsScope::current() { return {TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR}; }

}  // namespace rt
