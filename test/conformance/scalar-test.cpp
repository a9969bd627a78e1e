// Rows with C++ numbers for operands: LibTorch's overloads that take a Scalar, called by name, against wrapped numbers.
#include "test/conformance/referee.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace conformance {
namespace {

constexpr DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64, DType::int32, DType::uint8, DType::boolean};

std::vector<rt::Scalar> numbers() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return {true, 0, 1, 2, 3, -1, -3, 300, 0.0, 1.0, 0.5, -0.5, 2.0, 3.0, -1.0, -2.0, 0.1, 1e-7, 1e6, 1e300, inf, -inf, std::numeric_limits<double>::quiet_NaN()};
}

c10::IValue valueOf(const rt::Scalar& number) {
  using Kind = rt::Scalar::Kind;
  return number.kind == Kind::boolean ? at::Scalar(number.b) : number.kind == Kind::integer ? at::Scalar(number.i) : at::Scalar(number.d);
}

/// An overload, and which of its tensor arguments are Scalars there.
struct Overload {
  Op op;
  std::string name;
  std::vector<size_t> scalars;
};

std::vector<Overload> overloads() {
  std::vector<Overload> found;
  auto add = [&](Op op, const char* name, std::vector<size_t> scalars) {
    if (c10::Dispatcher::singleton().findSchema({std::string("aten::") + rt::info(op).name, name})) found.push_back({op, name, std::move(scalars)});
  };
  for (Op op : rowsOf({rt::OpKind::binary})) {
    if (op == Op::clamp_min || op == Op::clamp_max) add(op, "", {1});
    add(op, "Scalar", {op == Op::pow ? size_t(0) : size_t(1)});  // pow.Scalar has a number for base
    add(op, "Tensor_Scalar", {1});
  }
  add(Op::where, "ScalarOther", {2});
  add(Op::where, "ScalarSelf", {1});
  add(Op::clamp, "", {1, 2});
  add(Op::lerp, "Scalar", {2});
  return found;
}

class WithNumbers : public testing::TestWithParam<Overload> {};

TEST_P(WithNumbers, EqualsLibTorch) {
  const auto& [op, overload, scalars] = GetParam();
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + rt::info(op).name).c_str(), overload.c_str());
  const size_t count = size_t(rt::info(op).minTensors);
  auto isScalar = [&](size_t i) { return std::find(scalars.begin(), scalars.end(), i) != scalars.end(); };
  // LibTorch looks at the exponent before the dtype, and takes a bool to the power of true.
  auto taken = [&](DType dtype, const rt::Scalar& number) { return op != Op::pow || dtype != DType::boolean || number.kind != rt::Scalar::Kind::boolean; };
  for (const rt::Scalar& number : numbers()) {
    const rt::Scalar second = number.kind == rt::Scalar::Kind::floating ? rt::Scalar(number.d + 1) : rt::Scalar(4);
    auto scalarFor = [&](size_t i) -> const rt::Scalar& { return i == 2 && scalars.size() == 2 ? second : number; };
    auto ours = [&](const std::vector<rt::Tensor>& tensors) {
      std::vector<rt::Tensor> in;
      for (size_t i = 0, next = 0; i < count; ++i) in.push_back(isScalar(i) ? rt::Tensor(scalarFor(i)) : tensors[next++]);
      return rt::call(op, in);
    };
    auto theirs = [&](const std::vector<at::Tensor>& tensors) {
      torch::jit::Stack stack;
      size_t next = 0, i = 0;
      for (const auto& parameter : handle.schema().arguments()) {
        if (i == count) stack.push_back(*parameter.default_value());
        else if (isScalar(i)) stack.push_back(valueOf(scalarFor(i)));
        else stack.emplace_back(tensors[next++]);
        ++i;
      }
      handle.callBoxed(&stack);
      return stack.back().toTensor();
    };
    Tally tally(std::string(rt::info(op).name) + "." + overload + " with " + rt::toString(rt::Tensor(number)));
    for (DType dtype : dtypes)
      for (const auto& shape : {std::vector<int64_t>{21}, {}, {2, 3}}) {
        if (!taken(dtype, number)) continue;
        std::vector<Argument> arguments;
        for (size_t i = 0; i < count; ++i)
          if (!isScalar(i)) arguments.push_back(argument(shape, op == Op::where && i == 0 ? DType::boolean : dtype, i + 1, shape.size() == 2));
        tally.add(arguments, compare(arguments, ours, theirs, {ulpsOf(op), 32}, true));
      }
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, WithNumbers, testing::ValuesIn(overloads()), [](const auto& one) {
  return std::string(rt::info(one.param.op).name) + "_" + (one.param.name.empty() ? "" : one.param.name + "_") + std::to_string(one.param.scalars[0]);
});

// The in-place forms, with a number and with a tensor: the result keeps the dtype, or is refused.
class InPlace : public testing::TestWithParam<Op> {};

TEST_P(InPlace, EqualsLibTorch) {
  const Op op = GetParam();
  const std::string name = rt::info(op).name;
  auto ours = [&](const std::vector<rt::Tensor>& in, const rt::Tensor& other) {
    rt::Tensor self = in[0].detach().clone();
    rt::callInPlace(op, self, {&other, 1});
    return self;
  };
  auto theirs = [&](const char* overload, const std::vector<at::Tensor>& in, c10::IValue other) {
    const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + name + "_").c_str(), overload);
    torch::jit::Stack stack = {in[0].detach().clone(), std::move(other)};
    for (size_t i = 2; i < handle.schema().arguments().size(); ++i) stack.push_back(*handle.schema().arguments()[i].default_value());
    handle.callBoxed(&stack);
    return stack.back().toTensor();
  };
  auto has = [&](const char* overload) { return c10::Dispatcher::singleton().findSchema({"aten::" + name + "_", overload}).has_value(); };
  Tally tally(name + "_");
  for (DType dtype : dtypes) {
    const std::vector<Argument> self = {argument({21}, dtype, 1)};
    for (const char* overload : {"Scalar", "Tensor_Scalar"})
      for (const rt::Scalar& number : has(overload) ? numbers() : std::vector<rt::Scalar>{}) {
        if (op == Op::pow && dtype == DType::boolean) continue;
        std::string text = compare(self, [&](const auto& in) { return ours(in, rt::Tensor(number)); }, [&](const auto& in) { return theirs(overload, in, valueOf(number)); }, {ulpsOf(op)}, false);
        tally.add(self, text.empty() ? text : "with " + rt::toString(rt::Tensor(number)) + ": " + text);
      }
    for (DType otherType : has("Tensor") ? std::vector<DType>(std::begin(dtypes), std::end(dtypes)) : std::vector<DType>{})
      for (const auto& shape : {std::vector<int64_t>{21}, {}, {1}, {2, 21}}) {
        const std::vector<Argument> both = {self[0], argument(shape, otherType, 12)};
        tally.add(both, compare(both, [&](const auto& in) { return ours(in, in[1]); }, [&](const auto& in) { return theirs("Tensor", in, in[1]); }, {ulpsOf(op)}, false));
      }
  }
}
std::vector<Op> inPlaceRows() {
  std::vector<Op> rows = rowsOf({rt::OpKind::binary});
  std::erase_if(rows, [](Op op) { return !c10::Dispatcher::singleton().findSchema({std::string("aten::") + rt::info(op).name + "_", "Tensor"}); });
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Rows, InPlace, testing::ValuesIn(inPlaceRows()), [](const auto& row) { return rt::info(row.param).name; });

}  // namespace
}  // namespace conformance
