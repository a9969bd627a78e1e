#include "test/conformance/referee.h"

#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace conformance {
namespace {

int64_t caseCount = 0;

double epsilonOf(at::ScalarType type) {
  return type == at::kDouble ? 2.3e-16 : type == at::kFloat ? 1.2e-7 : type == at::kHalf ? 9.8e-4 : 7.9e-3;
}
bool isHalf(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

bool near(double a, double b, at::ScalarType type, double ulps, double size) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && (ulps > 0 || std::signbit(a) == std::signbit(b)))) return true;
  if (ulps == 0 || !std::isfinite(a) || !std::isfinite(b)) return false;
  double tiny = type == at::kHalf ? 6e-8 : type == at::kDouble ? 5e-324 : 1.5e-45;
  // LibTorch's half types go through approximations in float, whose error is absolute near 0.
  double least = isHalf(type) ? 2.4e-7 : 2 * tiny;
  return std::abs(a - b) <= std::max(ulps * epsilonOf(type) * std::max({std::abs(a), std::abs(b), size}), least);
}

std::string textOf(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

std::string describe(const std::string& op, const std::vector<Argument>& arguments) {
  std::string text = op;
  for (const Argument& argument : arguments) {
    text += std::string(" ") + rt::dtypeName(argument.dtype) + rt::toText(argument.shape) + (argument.transposed ? "t" : "") + "{";
    for (double v : argument.values) text += textOf(v) + " ";
    text += "}";
  }
  return text;
}

// Strides count where a dimension has more than one element.
bool sameLayout(const rt::Tensor& ours, const at::Tensor& theirs) {
  for (int64_t d = 0; ours.numel() > 0 && d < ours.dim(); ++d)
    if (ours.size(d) > 1 && ours.strides()[size_t(d)] != theirs.stride(d)) return false;
  return true;
}

struct Sides {
  std::vector<rt::Tensor> ours;
  std::vector<at::Tensor> theirs;
};

Sides made(const std::vector<Argument>& arguments, bool gradients) {
  Sides sides;
  for (const Argument& argument : arguments) {
    bool floating = gradients && rt::kindOf(argument.dtype) == rt::DTypeKind::floating;
    sides.ours.push_back(argument.ours());
    sides.ours.back().setRequiresGrad(floating);
    sides.theirs.push_back(argument.theirs().detach().requires_grad_(floating));
  }
  return sides;
}

std::vector<double> weightsFor(int64_t n) {
  std::vector<double> weights;
  for (int64_t i = 0; i < n; ++i) weights.push_back(0.5 + 0.25 * double(i % 7));
  return weights;
}

void backwardOurs(const rt::Tensor& result, bool createGraph = false) {
  std::vector<double> weights = weightsFor(result.numel());
  std::vector<rt::Scalar> scalars(weights.begin(), weights.end());
  rt::Tensor cotangent = rt::fromValues(scalars, {result.sizes().begin(), result.sizes().end()}, result.dtype());
  rt::backward({&result, 1}, {&cotangent, 1}, createGraph);
}
void backwardTheirs(const at::Tensor& result, bool createGraph = false) {
  result.backward(at::tensor(weightsFor(result.numel()), at::kDouble).to(result.scalar_type()).reshape(result.sizes()), true, createGraph);
}

// In ulps of the coarsest dtype: a gradient for a float64 operand is computed from the float32 one, or from an integer's float32.
std::string gradientDifference(const Sides& sides, double ulps) {
  double coarsest = 0;
  for (const at::Tensor& tensor : sides.theirs) coarsest = std::max(coarsest, epsilonOf(tensor.requires_grad() ? tensor.scalar_type() : at::kFloat));
  for (size_t i = 0; i < sides.ours.size(); ++i) {
    if (!sides.theirs[i].requires_grad()) continue;
    rt::Tensor mine = sides.ours[i].grad();
    const at::Tensor& wanted = sides.theirs[i].grad();
    std::string which = "gradient " + std::to_string(i);
    if (mine.defined() != wanted.defined()) return which + (mine.defined() ? " is defined" : " is undefined");
    if (!mine.defined()) continue;
    if (std::string text = difference(mine, wanted, ulps * coarsest / epsilonOf(wanted.scalar_type()), 1); !text.empty()) return which + ": " + text;
  }
  return {};
}

std::string outcome(const std::function<void()>& run) {
  try { run(); } catch (const c10::Error& error) { return std::string(error.what_without_backtrace()).substr(0, 120);  // the backtrace takes longer than the case
  } catch (const std::exception& error) { return error.what(); }
  return {};
}

}  // namespace

at::ScalarType torchType(DType dtype) {
  static constexpr at::ScalarType types[] = {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble};
  return types[static_cast<size_t>(dtype)];
}

rt::Tensor Argument::ours() const {
  std::vector<rt::Scalar> scalars(values.begin(), values.end());
  if (!transposed || shape.size() != 2) return rt::fromValues(scalars, shape, dtype);
  return rt::ops::t(rt::fromValues(scalars, {shape[1], shape[0]}, dtype)).detach();
}
at::Tensor Argument::theirs() const {
  at::Tensor tensor = at::tensor(values, at::kDouble).to(torchType(dtype));
  return transposed && shape.size() == 2 ? tensor.reshape({shape[1], shape[0]}).t() : tensor.reshape(shape);
}

Argument argument(std::vector<int64_t> shape, DType dtype, size_t shift, bool transposed) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<double> floating = {0.5, -1.5, 0, -0.0, 1, 2, -2, 3.25, -0.75, inf, -inf, nan, 0.1, 1e-3, 100, 1e-7, 1e-41, -3, 3, 65000, 1};
  static const std::vector<double> whole = {1, 2, 0, 3, 7, 5, 4, 6, 1, 2, 9, 8, 100, 31, 2, 1};
  static const std::vector<double> negative = {1, -2, 0, 3, -7, 5, -1, 6, 1, 2, -9, 8, 100, -31, 2, -128};
  static const std::vector<double> truth = {1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1};
  rt::DTypeKind kind = rt::kindOf(dtype);
  const std::vector<double>& pool = kind == rt::DTypeKind::floating ? floating : kind == rt::DTypeKind::boolean ? truth : dtype == DType::uint8 ? whole : negative;
  Argument result{std::move(shape), {}, dtype, transposed};
  int64_t n = rt::numelOf(result.shape);
  for (int64_t i = 0; i < n; ++i) result.values.push_back(pool[(size_t(i) * (shift % 5 + 1) + shift) % pool.size()]);
  return result;
}

std::string difference(const rt::Tensor& ours, const at::Tensor& theirs, double ulps, double size) {
  at::ScalarType type = theirs.scalar_type();
  if (torchType(ours.dtype()) != type) return std::string("dtype ") + rt::dtypeName(ours.dtype()) + " instead of " + c10::toString(type);
  std::string shape = rt::toText({theirs.sizes().data(), theirs.sizes().size()});
  if (rt::toText(ours.sizes()) != shape) return "shape " + rt::toText(ours.sizes()) + " instead of " + shape;
  if (type == at::kLong) {  // a double does not hold them all
    at::Tensor flat = theirs.detach().contiguous();
    for (int64_t i = 0; i < ours.numel(); ++i)
      if (ours.at(i).i != flat.const_data_ptr<int64_t>()[i]) return "element " + std::to_string(i) + " is " + std::to_string(ours.at(i).i) + " instead of " + std::to_string(flat.const_data_ptr<int64_t>()[i]);
    return {};
  }
  at::Tensor flat = theirs.detach().to(at::kDouble).contiguous();
  for (int64_t i = 0; i < ours.numel(); ++i) {
    double a = ours.at(i).toDouble(), b = flat.const_data_ptr<double>()[i];
    if (!near(a, b, type, ulps, size)) return "element " + std::to_string(i) + " is " + textOf(a) + " instead of " + textOf(b);
  }
  return {};
}

std::string compare(const std::vector<Argument>& arguments, const Ours& ours, const Theirs& theirs, Tolerance tolerance, bool gradients) {
  Sides sides = made(arguments, gradients);
  rt::Tensor result;
  at::Tensor expected;
  std::string thrown = outcome([&] { result = ours(sides.ours); }), expectedThrow = outcome([&] { expected = theirs(sides.theirs); });
  if (thrown.empty() != expectedThrow.empty()) return thrown.empty() ? "does not throw: " + expectedThrow : "throws " + thrown;
  if (!thrown.empty()) return {};
  if (std::string text = difference(result, expected, tolerance.ulps); !text.empty()) return text;
  if (!sameLayout(result, expected)) return "strides " + rt::toText(result.strides()) + " instead of " + rt::toText({expected.strides().data(), expected.strides().size()});
  if (!gradients) return {};
  if (result.requiresGrad() != expected.requires_grad()) return "requires_grad differs";
  if (!result.requiresGrad()) return {};
  thrown = outcome([&] { backwardOurs(result); }), expectedThrow = outcome([&] { backwardTheirs(expected); });
  if (thrown.empty() != expectedThrow.empty()) return thrown.empty() ? "backward does not throw: " + expectedThrow : "backward throws " + thrown;
  return thrown.empty() ? gradientDifference(sides, tolerance.gradientUlps) : "";
}

// LibTorch has no such derivative, or fails on the way to it.
static bool isMissing(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.find("is not implemented") != text.npos || text.find("ZeroTensors are immutable") != text.npos;
}

std::string compareSecondOrder(const std::vector<Argument>& arguments, const Ours& ours, const Theirs& theirs, double ulps) {
  Sides sides = made(arguments, true);
  try {
    backwardTheirs(theirs(sides.theirs), true);
  } catch (const c10::Error& error) {
    if (isMissing(error)) return {};
    throw;
  }
  backwardOurs(ours(sides.ours), true);
  std::vector<rt::Tensor> mine;
  std::vector<at::Tensor> referee;
  for (size_t i = 0; i < sides.ours.size(); ++i) {
    mine.push_back(sides.ours[i].grad());
    referee.push_back(sides.theirs[i].grad());
    sides.ours[i].clearGrad();
    sides.theirs[i].mutable_grad() = at::Tensor();
    if (mine[i].defined() != referee[i].defined()) return "first gradient " + std::to_string(i) + " is defined on one side only";
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    if (!mine[i].defined()) continue;
    try {
      if (referee[i].requires_grad()) backwardTheirs(referee[i]);
    } catch (const c10::Error& error) {
      if (isMissing(error)) return {};
      throw;
    }
    if (mine[i].requiresGrad()) backwardOurs(mine[i]);
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    rt::Tensor found = sides.ours[i].grad();
    at::Tensor wanted = sides.theirs[i].grad();
    if (!found.defined() && !wanted.defined()) continue;  // undefined and zeros are alike in the second order
    if (!wanted.defined() || wanted._is_zerotensor()) wanted = at::zeros_like(sides.theirs[i]);
    if (!found.defined()) found = rt::ops::zeros_like(sides.ours[i]);
    if (std::string text = difference(found, wanted, ulps, 1); !text.empty()) return "second gradient " + std::to_string(i) + ": " + text;
  }
  return {};
}

void Tally::add(const std::vector<Argument>& arguments, const std::string& text) {
  ++caseCount;
  if (!text.empty() && shown_++ < 3) ADD_FAILURE() << describe(row_, arguments) << ": " << text;
}

std::vector<Op> rowsOf(std::initializer_list<rt::OpKind> kinds) {
  std::vector<Op> rows;
  for (size_t i = 0; i < rt::opCount; ++i)
    for (rt::OpKind kind : kinds)
      if (rt::info(static_cast<Op>(i)).kind == kind) rows.push_back(static_cast<Op>(i));
  return rows;
}

std::optional<c10::OperatorHandle> operatorNamed(const std::string& name, size_t tensors) {
  auto isTensor = [](const c10::Argument& parameter) {
    return parameter.type()->isSubtypeOf(*c10::TensorType::get()) || parameter.type()->isSubtypeOf(*c10::OptionalType::create(c10::TensorType::get()));
  };
  for (const char* overload : {"Tensor", "", "Tensor_Tensor", "self"}) {
    auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + name, overload});
    if (!handle) continue;
    size_t count = 0;
    bool rest = true;
    for (const auto& parameter : handle->schema().arguments()) {
      if (isTensor(parameter)) ++count;
      else rest &= parameter.default_value().has_value();
    }
    if (count == tensors && rest) return handle;
  }
  return {};
}

at::Tensor callNamed(const c10::OperatorHandle& handle, const std::vector<at::Tensor>& tensors) {
  torch::jit::Stack stack;
  size_t next = 0;
  for (const auto& parameter : handle.schema().arguments()) {
    bool tensor = !parameter.default_value().has_value() || parameter.type()->isSubtypeOf(*c10::OptionalType::create(c10::TensorType::get()));
    if (tensor && next < tensors.size()) stack.emplace_back(tensors[next++]);
    else stack.push_back(*parameter.default_value());
  }
  handle.callBoxed(&stack);
  return stack.back().toTensor();
}

namespace {

class CaseCount : public testing::Environment {
  void TearDown() override { std::printf("%lld cases against LibTorch\n", static_cast<long long>(caseCount)); }
};
[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new CaseCount);

}  // namespace
}  // namespace conformance
