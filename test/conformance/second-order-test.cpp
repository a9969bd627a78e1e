// Gradients of gradients of the elementwise rows, on finite inputs with zeros, ties and values outside the domains.
#include "test/conformance/referee.h"

#include <gtest/gtest.h>

namespace conformance {
namespace {

class SecondOrder : public testing::TestWithParam<Op> {};

TEST_P(SecondOrder, EqualsLibTorch) {
  Op op = GetParam();
  const size_t count = size_t(rt::info(op).minTensors);
  const auto handle = operatorNamed(rt::info(op).name, count);
  ASSERT_TRUE(handle);
  auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(op, in); };
  auto theirs = [&](const std::vector<at::Tensor>& in) { return callNamed(*handle, in); };
  const double pool[] = {0.5, -1.5, 0, 1, 2, -2, 0, 0.75, -0.3, 3, 1, 0.1, -1};
  Tally tally(rt::info(op).name);
  for (DType dtype : {DType::float32, DType::float64})
    for (const auto& shape : {std::vector<int64_t>{13}, {2, 3}, {}}) {
      std::vector<Argument> arguments;
      for (size_t i = 0; i < count; ++i) {
        Argument one{shape, {}, op == Op::where && i == 0 ? DType::boolean : dtype};
        for (int64_t k = 0; k < rt::numelOf(shape); ++k) one.values.push_back(pool[size_t(k * int64_t(1 + i * 2) + int64_t(i)) % std::size(pool)]);
        arguments.push_back(std::move(one));
      }
      tally.add(arguments, compareSecondOrder(arguments, ours, theirs, 64));
    }
}

std::vector<Op> differentiableRows() {
  std::vector<Op> rows = rowsOf({rt::OpKind::unary, rt::OpKind::binary, rt::OpKind::ternary});
  std::erase_if(rows, [](Op op) { return !rt::info(op).differentiable || !operatorNamed(rt::info(op).name, size_t(rt::info(op).minTensors)) || op == Op::clamp || op == Op::_prelu_kernel; });
  // clamp: ties of two tensor bounds; _prelu_kernel: at 0, LibTorch's first and second derivative take different sides
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Rows, SecondOrder, testing::ValuesIn(differentiableRows()), [](const auto& row) { return rt::info(row.param).name; });

}  // namespace
}  // namespace conformance
