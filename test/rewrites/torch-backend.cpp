// tensor.h on top of LibTorch instead of our own tensors, so that LibTorch itself is the referee of the verdicts: the same
// verifier and the same table of rewrites must come to the same verdicts on both.
//
// Only the ops that the tests use are here.

#include "test/rewrites/torch-backend.h"

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
    UNARY(zeros_like), UNARY(ones_like), UNARY(max), UNARY(min), UNARY(all), UNARY(any), UNARY(abs), UNARY(tanh), UNARY(sigmoid),
    UNARY(sin), UNARY(cos), UNARY(floor), UNARY(clone), UNARY(argmax), UNARY(relu), UNARY(isinf), UNARY(square), UNARY(bitwise_not),
    BINARY(add), BINARY(sub), BINARY(mul), BINARY(div), BINARY(remainder), BINARY(maximum), BINARY(minimum), BINARY(logical_and),
    BINARY(logical_or), BINARY(gt), BINARY(ge), BINARY(lt), BINARY(le), BINARY(eq), BINARY(ne), BINARY(bitwise_or), BINARY(bitwise_and), BINARY(matmul),
    {"sum", [](const Args& a, const Attributes& s) { return s.ints.empty() ? a[0].sum() : a[0].sum(intsOf(s), s.keepdim); }},
    {"mean", [](const Args& a, const Attributes& s) { return s.ints.empty() ? a[0].mean() : a[0].mean(intsOf(s), s.keepdim); }},
    {"amax", [](const Args& a, const Attributes& s) { return a[0].amax(intsOf(s), s.keepdim); }},
    {"norm", [](const Args& a, const Attributes& s) { return s.ints.empty() ? a[0].norm(s.real(0, 2)) : a[0].norm(s.real(0, 2), intsOf(s), s.keepdim); }},
    {"to", [](const Args& a, const Attributes& s) { return s.dtype ? a[0].to(torchTypes[size_t(*s.dtype)]) : a[0]; }},
    {"full_like", [](const Args& a, const Attributes&) { return at::full_like(a[0], a[1].item()); }},
    {"full", [](const Args& a, const Attributes& s) { return s.dtype ? at::full(intsOf(s), a[0].item(), torchTypes[size_t(*s.dtype)]) : at::full(intsOf(s), a[0].item()); }},
    {"masked_fill", [](const Args& a, const Attributes&) { return a[2].unsafeGetTensorImpl()->is_wrapped_number() ? a[0].masked_fill(a[1], a[2].item()) : a[0].masked_fill(a[1], a[2]); }},
    {"select", [](const Args& a, const Attributes& s) { return a[0].select(s.ints[0], s.ints[1]); }},
    {"slice", [](const Args& a, const Attributes& s) { return a[0].slice(s.ints[0], s.ints[1], s.ints[2], s.ints[3]); }},
    {"unsqueeze", [](const Args& a, const Attributes& s) { return a[0].unsqueeze(s.ints[0]); }},
    {"cat", [](const Args& a, const Attributes& s) { return at::cat(a, s.ints[0]); }},
    {"where", [](const Args& a, const Attributes&) { return at::where(a[0], a[1], a[2]); }},
    {"clamp_min", [](const Args& a, const Attributes&) { return at::clamp_min(a[0], a[1].item()); }},
    {"clamp_max", [](const Args& a, const Attributes&) { return at::clamp_max(a[0], a[1].item()); }},
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
std::span<const int64_t> Tensor::strides() const {
  const auto strides = torchOf(*this).strides();
  return {strides.data(), strides.size()};
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

using Write = void (*)(at::Tensor&, const Args&);

const std::map<std::string_view, Write> writes = {
    {"add", [](at::Tensor& t, const Args& a) { t.add_(a[0]); }},   {"sub", [](at::Tensor& t, const Args& a) { t.sub_(a[0]); }},
    {"mul", [](at::Tensor& t, const Args& a) { t.mul_(a[0]); }},   {"div", [](at::Tensor& t, const Args& a) { t.div_(a[0]); }},
    {"copy", [](at::Tensor& t, const Args& a) { t.copy_(a[0]); }}, {"fill", [](at::Tensor& t, const Args& a) { t.fill_(a[0]); }},
    {"zero", [](at::Tensor& t, const Args&) { t.zero_(); }},
};

void callInPlace(Op op, Tensor self, std::span<const Tensor> rest, const Attributes&) {
  Args torchArgs;
  for (const Tensor& t : rest) torchArgs.push_back(torchOf(t));
  rethrowing([&] { writes.at(info(op).name)(torchOf(self), torchArgs); });
}

static std::string unknownIn(const Block& block) {
  for (const Step& step : block) {
    const std::string_view name = info(step.op).name;
    if (step.kind == Step::Kind::call && !calls.contains(name)) return std::string(name);
    if (step.kind == Step::Kind::inPlace && !writes.contains(name)) return std::string(name) + "_";
    for (const Block* arm : {&step.then, &step.otherwise})
      if (const std::string inside = unknownIn(*arm); !inside.empty()) return inside;
  }
  return "";
}

std::string opWithoutTorch(const Program& program) { return unknownIn(program.body); }

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
