// Examples from texts on PyTorch practice, numbered as there: what they say that is true of LibTorch is true here, and what
// they say that is not (T1_2: "== cuts the gradient, eq keeps it") is not.
#include "runtime/ops.h"
#include "test/runtime/program-builder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rt {
namespace {

Tensor tensorOf(std::vector<Scalar> values, std::vector<int64_t> shape, DType dtype = DType::float32) { return fromValues(values, std::move(shape), dtype); }
Tensor parameter(std::vector<Scalar> values, std::vector<int64_t> shape, DType dtype = DType::float32) { return tensorOf(std::move(values), std::move(shape), dtype).setRequiresGrad(true); }

TEST(Practice, T1_1_EqualityGivesABoolMask) {
  const Tensor a = parameter({1, 2, 3}, {3}), b = parameter({1, 1, 3}, {3});
  EXPECT_EQ(toString(ops::eq(a, b)), "tensor([1, 0, 1], boolean)");
}

TEST(Practice, T1_2_AMaskHasNoGradientHoweverItIsWritten) {
  const Tensor a = parameter({1, 2, 3}, {3}), b = parameter({1, 1, 3}, {3});
  const Tensor loss = ops::sum(ops::eq(a, b).to(DType::float32) * 2);
  EXPECT_FALSE(loss.requiresGrad());
  EXPECT_THROW(backward({&loss, 1}, {}), Error);
  EXPECT_FALSE(a.grad().defined());
}

TEST(Practice, T1_4_EqualityBroadcasts) {
  const Tensor column = tensorOf({1, 2, 3}, {3, 1}), row = tensorOf({1, 2, 3}, {1, 3});
  const Tensor mask = ops::eq(column, row);
  EXPECT_EQ(toText(mask.sizes()), "[3, 3]");
  EXPECT_EQ(toString(mask, 9), "tensor([1, 0, 0, 0, 1, 0, 0, 0, 1], boolean)");
  try {
    ops::eq(row, tensorOf({1, 2}, {2}));
    FAIL() << "shapes that do not broadcast were compared";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "eq: shapes [1, 3] and [2] do not broadcast");
  }
}

TEST(Practice, T1_7_WhereKeepsWhatIsEqual) {
  const Tensor a = tensorOf({1, 2, 3}, {3}, DType::int64), b = tensorOf({3, 2, 1}, {3}, DType::int64);
  EXPECT_EQ(toString(ops::where(ops::eq(a, b), a, -1)), "tensor([-1, 2, -1], int64)");
}

TEST(Practice, T2_2_PolynomialInBothOrders) {
  Tensor x = parameter({2.0}, {}), y = parameter({3.0}, {});
  const Tensor z = ops::pow(x, 2) + ops::pow(y, 3) + x * y;
  backward({&z, 1}, {}, true);
  const Tensor dx = x.grad(), dy = y.grad();
  EXPECT_EQ(z.item().d, 37);
  EXPECT_EQ(dx.item().d, 7);
  EXPECT_EQ(dy.item().d, 29);
  const auto second = [&](const Tensor& first) {
    x.clearGrad();
    y.clearGrad();
    backward({&first, 1}, {});
    return std::pair(x.grad().item().d, y.grad().item().d);
  };
  EXPECT_EQ(second(dx), std::pair(2.0, 1.0));
  EXPECT_EQ(second(dy), std::pair(1.0, 18.0));
}

TEST(Practice, T2_3_AHostFlagChoosesThePathOfTheGradient) {
  ProgramBuilder b;
  const Slot x = b.input("x"), flag = b.hostInput("flag", HostType::boolean), y = b.tensor("y");
  b.branch(flag, [&] { b.op("add", {b.op("pow", {x, b.integer(2)}), b.op("sin", {x})}, {}, y); }, [&] { b.op("pow", {x, b.integer(3)}, {}, y); });
  const Program program = b.returning({y});
  ASSERT_EQ(malformed(program), "");
  for (bool squared : {true, false}) {
    const Tensor leaf = parameter({2.0}, {}, DType::float64);
    const Binding bindings[] = {{leaf, {}}, {{}, Scalar(squared)}};
    const Outcome outcome = run(program, bindings);
    ASSERT_FALSE(outcome.threw) << outcome.message;
    EXPECT_DOUBLE_EQ(outcome.outputs.at(0).item().d, squared ? 4 + std::sin(2.0) : 8.0);
    backward(outcome.outputs, {});
    EXPECT_DOUBLE_EQ(leaf.grad().item().d, squared ? 4 + std::cos(2.0) : 12.0);
  }
}

}  // namespace
}  // namespace rt
