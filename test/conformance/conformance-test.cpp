// Every row of the op table against LibTorch: dtype, shape, values, thrown or not, and gradients. A row is tested because
// it is a row: elementwise ones are called in LibTorch by their name through the dispatcher; the others have a line in a
// table below that says which LibTorch call they stand for, and a row without a line fails.
#include "runtime/ops.h"
#include "runtime/tensor.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace {

using rt::DType;
using rt::Op;

constexpr DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64, DType::int32, DType::uint8, DType::boolean};

at::ScalarType torchType(DType dtype) {
  static constexpr at::ScalarType types[] = {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble};
  return types[static_cast<size_t>(dtype)];
}

/// One argument: what both sides are made of.
struct Argument {
  std::vector<int64_t> shape;
  std::vector<double> values;
  DType dtype;
  bool transposed = false;

  rt::Tensor ours() const {
    std::vector<rt::Scalar> scalars(values.begin(), values.end());
    rt::Tensor tensor = rt::fromValues(scalars, shape, dtype);
    return transposed && shape.size() == 2 ? rt::ops::t(rt::fromValues(scalars, {shape[1], shape[0]}, dtype)).detach() : tensor;
  }
  at::Tensor theirs() const {
    at::Tensor tensor = at::tensor(values, at::kDouble).to(torchType(dtype));
    return transposed && shape.size() == 2 ? tensor.reshape({shape[1], shape[0]}).t() : tensor.reshape(shape);
  }
};

std::string describe(const std::string& op, const std::vector<Argument>& arguments) {
  std::string text = op;
  for (const Argument& argument : arguments) {
    text += std::string(" ") + rt::dtypeName(argument.dtype) + rt::toText(argument.shape) + (argument.transposed ? "t" : "") + "{";
    for (double v : argument.values) text += std::to_string(v) + " ";
    text += "}";
  }
  return text;
}

double eps(at::ScalarType type) {
  return type == at::kDouble ? 2.3e-16 : type == at::kFloat ? 1.2e-7 : type == at::kHalf ? 9.8e-4 : 7.9e-3;
}

// Bit for bit where `ulps` is 0; any NaN equals any NaN.
std::string difference(const rt::Tensor& ours, const at::Tensor& theirs, double ulps, double scale = 0) {
  if (torchType(ours.dtype()) != theirs.scalar_type()) return std::string("dtype ") + rt::dtypeName(ours.dtype()) + " instead of " + c10::toString(theirs.scalar_type());
  if (rt::toText(ours.sizes()) != rt::toText({theirs.sizes().data(), theirs.sizes().size()})) return "shape " + rt::toText(ours.sizes()) + " instead of " + rt::toText({theirs.sizes().data(), theirs.sizes().size()});
  at::Tensor flat = theirs.detach().reshape({-1});
  for (int64_t i = 0; i < ours.numel(); ++i) {
    double a = ours.at(i).toDouble(), b = flat[i].to(at::kDouble).item<double>();
    if (std::isnan(a) && std::isnan(b)) continue;
    bool close = a == b && (ulps > 0 || std::signbit(a) == std::signbit(b));
    if (!close && ulps > 0 && std::isfinite(a) && std::isfinite(b)) {
      double tiny = theirs.scalar_type() == at::kHalf ? 6e-8 : theirs.scalar_type() == at::kDouble ? 5e-324 : 1.5e-45;
      double size = std::max({std::abs(a), std::abs(b), scale});
      // LibTorch's half types go through float approximations, whose error is absolute near 0.
      double floor = theirs.scalar_type() == at::kHalf || theirs.scalar_type() == at::kBFloat16 ? 2.4e-7 : 0;
      close = std::abs(a - b) <= std::max({ulps * eps(theirs.scalar_type()) * size, 2 * tiny, floor});
    }
    if (!close) return "element " + std::to_string(i) + " is " + std::to_string(a) + " instead of " + std::to_string(b);
  }
  return {};
}

using Ours = std::function<rt::Tensor(const std::vector<rt::Tensor>&)>;
using Theirs = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// Runs both sides on one case. Returns what differs.
std::string compare(const std::vector<Argument>& arguments, const Ours& ours, const Theirs& theirs, double ulps, bool gradients) {
  std::vector<rt::Tensor> mine;
  std::vector<at::Tensor> referee;
  bool differentiable = false;
  for (const Argument& argument : arguments) {
    mine.push_back(argument.ours());
    referee.push_back(argument.theirs().clone());
    if (argument.transposed) referee.back() = argument.theirs();
    bool floating = gradients && rt::kindOf(argument.dtype) == rt::DTypeKind::floating;
    mine.back().setRequiresGrad(floating);
    referee.back() = referee.back().detach().requires_grad_(floating);
    differentiable |= floating;
  }
  rt::Tensor result;
  at::Tensor expected;
  std::string thrown, expectedThrow;
  try { result = ours(mine); } catch (const rt::Error& error) { thrown = error.what(); }
  try { expected = theirs(referee); } catch (const std::exception& error) { expectedThrow = std::string(error.what()).substr(0, 120); }
  if (thrown.empty() != expectedThrow.empty()) return thrown.empty() ? "does not throw: " + expectedThrow : "throws " + thrown;
  if (!thrown.empty()) return {};
  if (std::string text = difference(result, expected, ulps); !text.empty()) return text;
  if (!differentiable || result.requiresGrad() != expected.requires_grad()) return result.requiresGrad() == expected.requires_grad() || !differentiable ? "" : "requires_grad differs";
  if (!result.requiresGrad()) return {};

  std::vector<rt::Scalar> weights;
  std::vector<double> numbers;
  for (int64_t i = 0; i < result.numel(); ++i) numbers.push_back(0.5 + 0.25 * double(i % 7)), weights.emplace_back(numbers.back());
  std::vector<int64_t> shape(result.sizes().begin(), result.sizes().end());
  rt::Tensor cotangent = rt::fromValues(weights, shape, result.dtype());
  rt::backward({&result, 1}, {&cotangent, 1});
  expected.backward(at::tensor(numbers, at::kDouble).to(expected.scalar_type()).reshape(expected.sizes()));
  for (size_t i = 0; i < mine.size(); ++i) {
    if (!referee[i].requires_grad()) continue;
    if (mine[i].grad().defined() != referee[i].grad().defined()) return "gradient " + std::to_string(i) + (mine[i].grad().defined() ? " is defined" : " is undefined");
    if (!mine[i].grad().defined()) continue;
    if (std::string text = difference(mine[i].grad(), referee[i].grad(), std::max(ulps, 16.0), 1); !text.empty()) return "gradient " + std::to_string(i) + ": " + text;
  }
  return {};
}

/// Counts cases and keeps the first few differences of a row.
class Tally {
 public:
  explicit Tally(std::string row) : row_(std::move(row)) {}
  ~Tally() { RecordProperty(row_); }
  void add(const std::vector<Argument>& arguments, const std::string& text) {
    ++cases_;
    if (!text.empty() && shown_++ < 3) ADD_FAILURE() << describe(row_, arguments) << ": " << text;
  }

 private:
  void RecordProperty(const std::string&) { total() += cases_; }

 public:
  static int64_t& total() { static int64_t count = 0; return count; }

 private:
  std::string row_;
  int64_t cases_ = 0;
  int shown_ = 0;
};

const std::vector<double>& valuesFor(DType dtype) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<double> floating = {0.5, -1.5, 0, -0.0, 1, 2, -2, 3.25, -0.75, inf, -inf, nan, 0.1, 1e-3, 100, 1e-7};
  static const std::vector<double> integer = {1, 2, 0, 3, 7, 5, 4, 6, 1, 2, 9, 8, 100, 31, 2, 1};
  static const std::vector<double> truth = {1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1};
  rt::DTypeKind kind = rt::kindOf(dtype);
  return kind == rt::DTypeKind::floating ? floating : kind == rt::DTypeKind::integer ? integer : truth;
}

Argument argument(std::vector<int64_t> shape, DType dtype, size_t shift, bool transposed = false) {
  const std::vector<double>& pool = valuesFor(dtype);
  Argument result{std::move(shape), {}, dtype, transposed};
  int64_t n = rt::numelOf(result.shape);
  for (int64_t i = 0; i < n; ++i) result.values.push_back(pool[(size_t(i) * (shift % 5 + 1) + shift) % pool.size()]);
  return result;
}

const std::vector<std::vector<int64_t>> shapes = {{}, {1}, {3}, {0}, {2, 3}, {3, 1}, {1, 3}, {2, 0}, {16}};

// --- elementwise rows, by name through the dispatcher

std::optional<c10::OperatorHandle> operatorNamed(const std::string& name, size_t tensors) {
  for (const char* overload : {"Tensor", "", "Tensor_Tensor", "self"}) {
    auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + name, overload});
    if (!handle) continue;
    const auto& parameters = handle->schema().arguments();
    size_t count = 0;
    bool rest = true;
    for (const auto& parameter : parameters) {
      bool tensor = parameter.type()->isSubtypeOf(*c10::TensorType::get()) || parameter.type()->isSubtypeOf(*c10::OptionalType::create(c10::TensorType::get()));
      if (tensor) ++count;
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
    if (next < tensors.size() && !parameter.default_value().has_value()) stack.emplace_back(tensors[next++]);
    else if (next < tensors.size() && parameter.type()->isSubtypeOf(*c10::OptionalType::create(c10::TensorType::get()))) stack.emplace_back(tensors[next++]);
    else stack.push_back(*parameter.default_value());
  }
  handle.callBoxed(&stack);
  return stack.back().toTensor();
}

// Rows whose result IEEE decides; the others go through each library's own exp, log and so on.
bool isExact(Op op) {
  switch (op) {
    case Op::neg: case Op::abs: case Op::sign: case Op::relu: case Op::floor: case Op::ceil: case Op::round: case Op::trunc: case Op::isnan:
    case Op::isinf: case Op::isfinite: case Op::logical_not: case Op::bitwise_not: case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge:
    case Op::logical_and: case Op::logical_or: case Op::logical_xor: case Op::bitwise_and: case Op::bitwise_or: case Op::bitwise_xor: case Op::where:
      return true;
    default: return false;
  }
}

std::vector<Op> rowsOf(std::initializer_list<rt::OpKind> kinds) {
  std::vector<Op> rows;
  for (size_t i = 0; i <= static_cast<size_t>(Op::new_full); ++i)
    for (rt::OpKind kind : kinds)
      if (rt::info(static_cast<Op>(i)).kind == kind) rows.push_back(static_cast<Op>(i));
  return rows;
}

// Which of 0 and -0 is the larger one LibTorch decides differently in its vector loops and at their ends.
bool ignoresZeroSign(Op op) { return op == Op::maximum || op == Op::minimum || op == Op::clamp_min || op == Op::clamp_max || op == Op::clamp; }
double toleranceOf(Op op) { return ignoresZeroSign(op) ? 1e-9 : isExact(op) ? 0 : 4; }

class Elementwise : public testing::TestWithParam<Op> {};

TEST_P(Elementwise, EqualsLibTorch) {
  Op op = GetParam();
  const rt::OpInfo& row = rt::info(op);
  size_t count = size_t(row.minTensors);
  auto handle = operatorNamed(row.name, count);
  ASSERT_TRUE(handle) << "aten has no " << row.name;
  Tally tally(row.name);
  auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(op, in); };
  auto theirs = [&](const std::vector<at::Tensor>& in) { return callNamed(*handle, in); };
  for (DType dtype : dtypes)
    for (const auto& shape : shapes)
      for (size_t shift = 0; shift < 4; ++shift) {
        std::vector<Argument> arguments;
        for (size_t i = 0; i < count; ++i) {
          bool condition = op == Op::where && i == 0;
          arguments.push_back(argument(i == 1 && shift == 3 ? std::vector<int64_t>{} : shape, condition ? DType::boolean : dtype, shift + i, shift == 1 && i == 0));
        }
        tally.add(arguments, compare(arguments, ours, theirs, toleranceOf(op), op != Op::clamp));  // clamp: ties of two tensor bounds, see below
      }
}
INSTANTIATE_TEST_SUITE_P(Rows, Elementwise, testing::ValuesIn(rowsOf({rt::OpKind::unary, rt::OpKind::binary, rt::OpKind::ternary})),
                         [](const auto& row) { return rt::info(row.param).name; });

// --- the other rows: arguments, and the LibTorch call that they stand for

struct Case {
  Op op;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<int64_t> ints;
  bool keepdim;
  Theirs theirs;
};

using T = const std::vector<at::Tensor>&;
#define REDUCTION(name, call, callKeep, callAll)                                                            \
  {Op::name, {{2, 3}}, {1}, false, [](T t) { return call; }}, {Op::name, {{2, 3}}, {0}, true, [](T t) { return callKeep; }}, \
  {Op::name, {{2, 3}}, {}, false, [](T t) { return callAll; }}, {Op::name, {{}}, {}, false, [](T t) { return callAll; }}

std::vector<Case> otherCases() {
  return {
      REDUCTION(sum, t[0].sum(1), t[0].sum(0, true), t[0].sum()),
      REDUCTION(mean, t[0].mean(1), t[0].mean(0, true), t[0].mean()),
      {Op::prod, {{2, 3}}, {1}, false, [](T t) { return t[0].prod(1); }},
      {Op::prod, {{2, 3}}, {}, false, [](T t) { return t[0].prod(); }},
      REDUCTION(amax, t[0].amax({1}), t[0].amax({0}, true), t[0].amax()),
      REDUCTION(amin, t[0].amin({1}), t[0].amin({0}, true), t[0].amin()),
      {Op::max, {{2, 3}}, {}, false, [](T t) { return t[0].max(); }},
      {Op::min, {{2, 3}}, {}, false, [](T t) { return t[0].min(); }},
      {Op::max_dim, {{2, 3}}, {1}, false, [](T t) { return std::get<0>(t[0].max(1)); }},
      {Op::min_dim, {{2, 3}}, {0}, true, [](T t) { return std::get<0>(t[0].min(0, true)); }},
      {Op::argmax, {{2, 3}}, {1}, false, [](T t) { return t[0].argmax(1); }},
      {Op::argmin, {{2, 3}}, {}, false, [](T t) { return t[0].argmin(); }},
      {Op::all, {{2, 3}}, {1}, false, [](T t) { return t[0].all(1).to(at::kBool); }},
      {Op::any, {{2, 3}}, {}, false, [](T t) { return t[0].any().to(at::kBool); }},
      {Op::norm, {{2, 3}}, {}, false, [](T t) { return t[0].norm(); }},
      {Op::logsumexp, {{2, 3}}, {1}, false, [](T t) { return t[0].logsumexp(1); }},
      {Op::var, {{2, 3}}, {}, false, [](T t) { return t[0].var(); }},
      {Op::std, {{2, 3}}, {}, false, [](T t) { return t[0].std(); }},
      {Op::view, {{2, 3}}, {3, -1}, false, [](T t) { return t[0].view({3, -1}); }},
      {Op::reshape, {{2, 3}}, {6}, false, [](T t) { return t[0].reshape({6}); }},
      {Op::flatten, {{2, 3, 2}}, {1, -1}, false, [](T t) { return t[0].flatten(1); }},
      {Op::squeeze, {{2, 1, 3}}, {1}, false, [](T t) { return t[0].squeeze(1); }},
      {Op::unsqueeze, {{2, 3}}, {-1}, false, [](T t) { return t[0].unsqueeze(-1); }},
      {Op::permute, {{2, 3, 4}}, {2, 0, 1}, false, [](T t) { return t[0].permute({2, 0, 1}); }},
      {Op::transpose, {{2, 3}}, {0, 1}, false, [](T t) { return t[0].transpose(0, 1); }},
      {Op::t, {{2, 3}}, {}, false, [](T t) { return t[0].t(); }},
      {Op::expand, {{1, 3}}, {2, 3}, false, [](T t) { return t[0].expand({2, 3}); }},
      {Op::narrow, {{4, 3}}, {0, 1, 2}, false, [](T t) { return t[0].narrow(0, 1, 2); }},
      {Op::select, {{4, 3}}, {1, -1}, false, [](T t) { return t[0].select(1, -1); }},
      {Op::slice, {{5, 3}}, {0, 1, 5, 2}, false, [](T t) { return t[0].slice(0, 1, 5, 2); }},
      {Op::softmax, {{2, 3}}, {1}, false, [](T t) { return t[0].softmax(1); }},
      {Op::log_softmax, {{2, 3}}, {1}, false, [](T t) { return t[0].log_softmax(1); }},
      {Op::cumsum, {{2, 3}}, {0}, false, [](T t) { return t[0].cumsum(0); }},
      {Op::matmul, {{2, 3}, {3, 4}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::matmul, {{3}, {3}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::matmul, {{2, 3}, {3}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::matmul, {{3}, {3, 2}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::matmul, {{2, 2, 3}, {3, 2}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::matmul, {{2, 3}, {2, 3}}, {}, false, [](T t) { return t[0].matmul(t[1]); }},
      {Op::mm, {{2, 3}, {3, 4}}, {}, false, [](T t) { return t[0].mm(t[1]); }},
      {Op::linear, {{2, 3}, {4, 3}, {4}}, {}, false, [](T t) { return at::linear(t[0], t[1], t[2]); }},
      {Op::cat, {{2, 3}, {1, 3}}, {0}, false, [](T t) { return at::cat({t[0], t[1]}, 0); }},
      {Op::stack, {{2, 3}, {2, 3}}, {1}, false, [](T t) { return at::stack({t[0], t[1]}, 1); }},
      {Op::to, {{2, 3}}, {}, false, [](T t) { return t[0].to(t[0].scalar_type()); }},
      {Op::clone, {{2, 3}}, {}, false, [](T t) { return t[0].clone(); }},
      {Op::contiguous, {{2, 3}}, {}, false, [](T t) { return t[0].contiguous(); }},
      {Op::detach, {{2, 3}}, {}, false, [](T t) { return t[0].detach(); }},
      {Op::zeros_like, {{2, 3}}, {}, false, [](T t) { return at::zeros_like(t[0]); }},
      {Op::ones_like, {{2, 3}}, {}, false, [](T t) { return at::ones_like(t[0]); }},
      {Op::new_zeros, {{2, 3}}, {4}, false, [](T t) { return t[0].new_zeros({4}); }},
      {Op::new_ones, {{2, 3}}, {4}, false, [](T t) { return t[0].new_ones({4}); }},
      {Op::zeros, {}, {2, 3}, false, [](T) { return at::zeros({2, 3}); }},
      {Op::ones, {}, {2, 3}, false, [](T) { return at::ones({2, 3}); }},
      {Op::eye, {}, {2, 3}, false, [](T) { return at::eye(2, 3); }},
  };
}

class Other : public testing::TestWithParam<Case> {};

TEST_P(Other, EqualsLibTorch) {
  const Case& one = GetParam();
  Tally tally(rt::info(one.op).name);
  auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(one.op, in, {one.ints, one.keepdim, {}}); };
  for (DType dtype : dtypes)
    for (size_t shift = 0; shift < 8; ++shift) {
      std::vector<Argument> arguments;
      for (const auto& shape : one.shapes) arguments.push_back(argument(shape, dtype, shift + arguments.size(), shift % 4 == 3));
      tally.add(arguments, compare(arguments, ours, one.theirs, rt::info(one.op).kind == rt::OpKind::view ? 0 : 16, true));
    }
}
INSTANTIATE_TEST_SUITE_P(Rows, Other, testing::ValuesIn(otherCases()),
                         [](const auto& one) { return std::string(rt::info(one.param.op).name) + "_" + std::to_string(one.index); });

// The gradient of clamp with tensors for bounds, where no two of the three are equal. At ties with a bound our row shares as
// a composition of maximum and minimum; LibTorch has another rule when the two bounds tie as well.
TEST(Rows, ClampBetweenTensors) {
  Argument x{{5}, {-2, -0.5, 0.25, 0.75, 3}, DType::float32}, low{{5}, {-1, -1, 0, 0, 0}, DType::float32}, high{{5}, {1, 1, 1, 0.5, 2}, DType::float32};
  auto ours = [](const std::vector<rt::Tensor>& in) { return rt::call(Op::clamp, in); };
  EXPECT_EQ(compare({x, low, high}, ours, [](T t) { return t[0].clamp(t[1], t[2]); }, 0, true), "");
}

// Rows that the table above cannot call with its arguments alone have a test of their own, by name.
TEST(Rows, EachIsTested) {
  std::vector<Op> own = {Op::gather, Op::index_select, Op::scatter_add, Op::index_add, Op::masked_fill, Op::copy, Op::fill, Op::zero, Op::full, Op::arange, Op::full_like, Op::new_full};
  std::vector<Case> cases = otherCases();
  for (Op op : rowsOf({rt::OpKind::reduce, rt::OpKind::view, rt::OpKind::kernel, rt::OpKind::create})) {
    bool listed = std::any_of(cases.begin(), cases.end(), [&](const Case& one) { return one.op == op; });
    EXPECT_TRUE(listed || std::find(own.begin(), own.end(), op) != own.end()) << rt::info(op).name << " has no test";
  }
}

TEST(Rows, IndexingAndFilling) {
  auto index = argument({2, 3}, DType::int64, 0);
  index.values = {0, 2, 1, 3, 0, 2};
  auto places = argument({3}, DType::int64, 0);
  places.values = {2, 0, 2};
  Tally tally("indexing");
  for (DType dtype : dtypes) {
    auto self = argument({4, 3}, dtype, 1), value = argument({2, 3}, dtype, 2), rows = argument({3, 3}, dtype, 3), one = argument({}, dtype, 0), mask = argument({4, 3}, DType::boolean, 0);
    using R = const std::vector<rt::Tensor>&;
    auto check = [&](std::vector<Argument> arguments, Op op, std::vector<int64_t> ints, Theirs theirs) {
      tally.add(arguments, compare(arguments, [&](R in) { return rt::call(op, in, {ints, false, {}}); }, theirs, 4, true));
    };
    check({self, index}, Op::gather, {0}, [](T t) { return t[0].gather(0, t[1]); });
    check({self, places}, Op::index_select, {0}, [](T t) { return t[0].index_select(0, t[1]); });
    check({self, index, value}, Op::scatter_add, {0}, [](T t) { return t[0].scatter_add(0, t[1], t[2]); });
    check({self, places, rows}, Op::index_add, {0}, [](T t) { return t[0].index_add(0, t[1], t[2]); });
    check({self, mask, one}, Op::masked_fill, {}, [](T t) { return t[0].masked_fill(t[1], t[2]); });
    check({self, one}, Op::full_like, {}, [](T t) { return at::full_like(t[0], t[1].detach().item()); });
    auto inPlace = [&](Op op, std::vector<Argument> arguments, Theirs theirs) {
      tally.add(arguments, compare(arguments, [&](R in) {
        rt::Tensor copy = in[0].detach().clone();
        rt::callInPlace(op, copy, std::span(in).subspan(1));
        return copy.detach();
      }, [&](T t) { return theirs(t).detach(); }, 0, false));
    };
    inPlace(Op::copy, {self, one}, [](T t) { return t[0].detach().clone().copy_(t[1]); });
    inPlace(Op::fill, {self, one}, [](T t) { return t[0].detach().clone().fill_(t[1]); });
    inPlace(Op::zero, {self}, [](T t) { return t[0].detach().clone().zero_(); });
    inPlace(Op::add, {self, one}, [](T t) { return t[0].detach().clone().add_(t[1]); });
    inPlace(Op::div, {self, one}, [](T t) { return t[0].detach().clone().div_(t[1]); });
  }
  rt::Tensor five[] = {rt::Tensor(5)}, half[] = {rt::Tensor(rt::Scalar(0.5))};
  EXPECT_EQ(difference(rt::call(Op::arange, five), at::arange(5), 0), "");
  EXPECT_EQ(difference(rt::call(Op::full, half, {{2}, false, {}}), at::full({2}, 0.5), 0), "");
}

// Every pair of dtypes in each of the three classes: with dimensions, 0-dim, and C++ numbers.
TEST(Promotion, EqualsResultType) {
  for (DType a : dtypes)
    for (DType b : dtypes)
      for (int shapesOf = 0; shapesOf < 4; ++shapesOf) {
        std::vector<int64_t> left = shapesOf & 1 ? std::vector<int64_t>{2} : std::vector<int64_t>{}, right = shapesOf & 2 ? std::vector<int64_t>{2} : std::vector<int64_t>{};
        rt::TypeClass types;
        types.add(a, !left.empty(), false);
        types.add(b, !right.empty(), false);
        at::Tensor x = at::zeros(left, torchType(a)), y = at::zeros(right, torchType(b));
        EXPECT_EQ(torchType(types.result()), at::result_type(x, y)) << rt::dtypeName(a) << left.size() << " " << rt::dtypeName(b) << right.size();
      }
  for (DType a : dtypes)
    for (int rank = 0; rank < 2; ++rank)
      for (rt::Scalar number : {rt::Scalar(true), rt::Scalar(3), rt::Scalar(0.5)}) {
        rt::TypeClass types;
        types.add(a, rank > 0, false);
        types.add(rt::Tensor(number).dtype(), false, true);
        at::Tensor x = at::zeros(rank ? std::vector<int64_t>{2} : std::vector<int64_t>{}, torchType(a));
        at::Scalar theirs = number.kind == rt::Scalar::Kind::boolean ? at::Scalar(true) : number.kind == rt::Scalar::Kind::integer ? at::Scalar(3) : at::Scalar(0.5);
        EXPECT_EQ(torchType(types.result()), at::result_type(x, theirs)) << rt::dtypeName(a) << rank;
      }
}

// Measured with LibTorch 1.13.1 and 2.15.0: the gradient of clamp at the bound itself.
TEST(Versions, ClampAtItsBound) {
  for (auto [major, wanted] : {std::pair(1, 1.0), std::pair(2, 0.0)}) {
    rt::SemanticsScope scope({major, major == 1 ? 13 : 15});
    rt::Scalar zero(0.0);
    rt::Tensor x = rt::fromValues({&zero, 1}, {}, DType::float32);
    x.setRequiresGrad(true);
    rt::Tensor in[] = {x, rt::Tensor(0)};
    rt::Tensor y = rt::call(Op::clamp_min, in);
    rt::backward({&y, 1}, {});
    EXPECT_EQ(x.grad().item().toDouble(), wanted);
  }
}

class CaseCount : public testing::Environment {
  void TearDown() override { std::printf("%lld cases against LibTorch\n", static_cast<long long>(Tally::total())); }
};
[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new CaseCount);

}  // namespace
