// Examples from texts on PyTorch practice, numbered as in test/runtime/practice-test.cpp, here and in LibTorch: the same
// numbers, dtypes and gradients, and errors in the same places. docs/claims.md tells what the texts claim.
#include "test/conformance/referee.h"

#include "runtime/body.h"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace conformance {
namespace {

using R = const std::vector<rt::Tensor>&;
using T = const std::vector<at::Tensor>&;

Argument of(std::vector<double> values, DType dtype = DType::float32) { return {{int64_t(values.size())}, std::move(values), dtype}; }

rt::Tensor ours(const Argument& argument, bool requiresGrad) { return argument.ours().setRequiresGrad(requiresGrad); }
at::Tensor theirs(const Argument& argument, bool requiresGrad) { return argument.theirs().set_requires_grad(requiresGrad); }

// The three spellings: the row, torch::eq, and the operator.
rt::Tensor equal(R in) { return rt::ops::eq(in[0], in[1]); }
at::Tensor equalByName(T in) { return at::eq(in[0], in[1]); }
at::Tensor equalByOperator(T in) { return in[0] == in[1]; }

TEST(Practice, T1_1_EqualityGivesTheSameMaskInBothSpellings) {
  const std::vector<Argument> in = {of({1, 2, 3}), of({1, 1, 3})};
  for (Theirs spelling : {equalByName, equalByOperator}) {
    EXPECT_EQ(compare(in, equal, spelling, {}, true), "");
    const at::Tensor mask = spelling({theirs(in[0], true), theirs(in[1], true)});
    EXPECT_EQ(mask.scalar_type(), at::kBool);
    EXPECT_TRUE(mask.equal(at::tensor({1, 0, 1}).to(at::kBool)));
  }
}

TEST(Practice, T1_2_NoGradientPassesThroughEitherSpelling) {
  const Argument a = of({1, 2, 3}), b = of({1, 1, 3});
  for (Theirs spelling : {equalByName, equalByOperator}) {
    const at::Tensor x = theirs(a, true), y = theirs(b, true), loss = (spelling({x, y}).to(at::kFloat) * 2).sum();
    EXPECT_FALSE(loss.requires_grad());
    EXPECT_THROW(loss.backward(), c10::Error);
    EXPECT_FALSE(x.grad().defined());
  }
  const rt::Tensor x = ours(a, true), y = ours(b, true), loss = rt::ops::sum(rt::ops::eq(x, y).to(DType::float32) * 2);
  EXPECT_FALSE(loss.requiresGrad());
  EXPECT_THROW(rt::backward({&loss, 1}, {}), rt::Error);
  EXPECT_FALSE(x.grad().defined());
}

// The operators that LibTorch's dispatcher sees while `f` runs.
std::vector<std::string> operators;
template <typename F> std::vector<std::string> operatorsOf(F&& f) {
  operators.clear();
  auto note = [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> { return operators.emplace_back(call.name()), nullptr; };
  const auto callback = at::addThreadLocalCallback(at::RecordFunctionCallback(note).scopes({at::RecordScope::FUNCTION}));
  f();
  at::removeCallback(callback);
  return operators;
}

TEST(Practice, T1_3_BothSpellingsAreOneOperator) {
  const at::Tensor a = of({1, 2, 3}).theirs(), b = of({1, 1, 3}).theirs();
  for (Theirs spelling : {equalByName, equalByOperator}) EXPECT_EQ(operatorsOf([&] { spelling({a, b}); }), std::vector<std::string>{"aten::eq"});
}

TEST(Practice, T1_4_BothSpellingsBroadcastAlikeAndFailAlike) {
  const Argument column{{3, 1}, {1, 2, 3}, DType::float32}, row{{1, 3}, {1, 2, 3}, DType::float32}, two = of({1, 2});
  for (Theirs spelling : {equalByName, equalByOperator}) {
    EXPECT_EQ(compare({column, row}, equal, spelling, {}, true), "");
    EXPECT_TRUE(spelling({column.theirs(), row.theirs()}).equal(at::eye(3).to(at::kBool)));
    EXPECT_EQ(compare({row, two}, equal, spelling, {}, true), "");  // throws on both sides
  }
  const auto textOf = [&](Theirs spelling) {
    try {
      spelling({row.theirs(), two.theirs()});
    } catch (const c10::Error& error) {
      return std::string(error.what_without_backtrace());
    }
    return std::string();
  };
  EXPECT_NE(textOf(equalByName), "");
  EXPECT_EQ(textOf(equalByName), textOf(equalByOperator));
}

// A loss module that keeps its accuracy as a member, and what the runtime makes of its forward.
struct Losses {
  at::Tensor accuracy;
  at::Tensor forward(const at::Tensor& pred, const at::Tensor& target) {
    const at::Tensor correct = at::eq(pred.argmax(1), target);
    accuracy = correct.to(at::kFloat).mean().detach();
    return at::cross_entropy_loss(pred, target);
  }
};

TEST(Practice, T1_6_ALossModuleThatKeepsItsAccuracy) {
  Argument pred = argument({6, 4}, DType::float32, 0), target = of({0, 3, 1, 2, 2, 0}, DType::int64);
  for (size_t i = 0; i < pred.values.size(); ++i) pred.values[i] = double(i * 7 % 23) / 4 - 2;
  for (DType dtype : {DType::float32, DType::float64}) {
    pred.dtype = dtype;
    const rt::Tensor x = ours(pred, true), classes = target.ours();
    const rt::Tensor accuracy = rt::ops::mean(rt::ops::eq(rt::ops::argmax(x, {1}), classes).to(DType::float32)).detach();
    const rt::Tensor in[] = {x, classes};
    const rt::Tensor loss = rt::call(Op::cross_entropy_loss, in);
    rt::backward({&loss, 1}, {});

    Losses module;
    const at::Tensor y = theirs(pred, true), wanted = module.forward(y, target.theirs());
    wanted.backward();
    EXPECT_EQ(difference(accuracy, module.accuracy, 0), "");
    EXPECT_FALSE(accuracy.requiresGrad() || module.accuracy.requires_grad());
    EXPECT_EQ(difference(loss, wanted.detach(), 4), "");
    EXPECT_EQ(difference(x.grad(), y.grad(), 4, 1.0 / 6), "");
  }
}

TEST(Practice, T1_7_WhereKeepsWhatIsEqual) {
  const Argument a = of({1, 2, 3}, DType::int64), b = of({3, 2, 1}, DType::int64);
  auto kept = [](R in) { return rt::ops::where(rt::ops::eq(in[0], in[1]), in[0], -1); };
  auto keptByLibTorch = [](T in) { return at::where(at::eq(in[0], in[1]), in[0], -1); };
  EXPECT_EQ(compare({a, b}, kept, keptByLibTorch, {}, false), "");
  const at::Tensor result = keptByLibTorch({a.theirs(), b.theirs()});
  EXPECT_EQ(result.scalar_type(), at::kLong);
  EXPECT_TRUE(result.equal(at::tensor({-1, 2, -1}, at::kLong)));
}

// The size that a text times: bench-runtime has the time.
TEST(Practice, T1_5_BothSpellingsAgreeOnManyElements) {
  const at::Tensor counted = at::arange(512 * 512 * 100, at::kInt).reshape({512, 512, 100}), a = counted.remainder(7).to(at::kFloat), b = counted.remainder(5).to(at::kFloat);
  const std::vector<int64_t> sizes = {512, 512, 100};
  const rt::Tensor x = rt::fromBlob(a.data_ptr(), sizes, {}, DType::float32), y = rt::fromBlob(b.data_ptr(), sizes, {}, DType::float32), mask = rt::ops::eq(x, y);
  const at::Tensor found = at::from_blob(const_cast<std::byte*>(mask->storage->data), sizes, at::kBool);
  for (Theirs spelling : {equalByName, equalByOperator}) EXPECT_TRUE(spelling({a, b}).equal(found));
}

// What makes the host wait is reading a value, not the spelling of the comparison.
TEST(Practice, T1_8_OnlyReadingAValueReadsTheHost) {
  const at::Tensor a = of({1, 2, 3}).theirs(), b = of({1, 1, 3}).theirs();
  auto readsOf = [](auto&& f) {
    const auto names = operatorsOf(f);
    return std::count(names.begin(), names.end(), "aten::_local_scalar_dense");
  };
  for (Theirs spelling : {equalByName, equalByOperator}) {
    EXPECT_EQ(readsOf([&] { at::where(spelling({a, b}), a, -1); }), 0);
    EXPECT_EQ(readsOf([&] { for (int64_t i = 0; i < 3; ++i) (void)spelling({a[i], b[i]}).item<bool>(); }), 3);
  }
}

// Through BLAS on both sides; bench-runtime --large has the product of 10000 x 10000 and its time.
TEST(Practice, T2_1_AProductOfLargeMatrices) {
  const at::Tensor counted = at::arange(600 * 600, at::kInt).reshape({600, 600}), a = counted.remainder(17).to(at::kFloat) - 8, b = counted.remainder(13).to(at::kFloat) - 6;
  const rt::Tensor x = rt::fromBlob(a.data_ptr(), {600, 600}, {}, DType::float32), y = rt::fromBlob(b.data_ptr(), {600, 600}, {}, DType::float32), z = rt::ops::matmul(x, y);
  // Sums of whole numbers below 2^24: exact in any order.
  EXPECT_TRUE(at::matmul(a, b).equal(at::from_blob(const_cast<std::byte*>(z->storage->data), {600, 600}, at::kFloat)));
}

TEST(Practice, T2_2_PolynomialInBothOrders) {
  auto polynomial = [](R in) { return rt::ops::pow(in[0], 2) + rt::ops::pow(in[1], 3) + in[0] * in[1]; };
  auto polynomialOfLibTorch = [](T in) { return in[0].pow(2) + in[1].pow(3) + in[0] * in[1]; };
  for (DType dtype : {DType::float32, DType::float64}) {
    const std::vector<Argument> in = {{{}, {2}, dtype}, {{}, {3}, dtype}};
    EXPECT_EQ(compare(in, polynomial, polynomialOfLibTorch, {0, 0}, true), "");
    EXPECT_EQ(compareSecondOrder(in, polynomial, polynomialOfLibTorch, 0), "");
    const at::Tensor x = theirs(in[0], true), y = theirs(in[1], true);
    polynomialOfLibTorch({x, y}).backward();
    EXPECT_EQ(x.grad().item<double>(), 7);
    EXPECT_EQ(y.grad().item<double>(), 29);
  }
}

TEST(Practice, T2_3_AHostFlagChoosesThePathOfTheGradient) {
  for (bool squared : {true, false}) {
    auto path = [squared](R in) { return squared ? rt::ops::pow(in[0], 2) + rt::ops::sin(in[0]) : rt::ops::pow(in[0], 3); };
    auto pathOfLibTorch = [squared](T in) { return squared ? in[0].pow(2) + in[0].sin() : in[0].pow(3); };
    for (DType dtype : {DType::float32, DType::float64}) EXPECT_EQ(compare({{{3}, {2, -0.5, 0}, dtype}}, path, pathOfLibTorch, {2, 2}, true), "");
  }
}

// Numbers of a layer, the same on each run.
Argument spread(std::vector<int64_t> shape, double scale, DType dtype) {
  Argument result{std::move(shape), {}, dtype};
  for (int64_t i = 0, n = rt::numelOf(result.shape); i < n; ++i) result.values.push_back(double((i * 37 + 11) % 101 - 50) / 50 * scale);
  return result;
}

// Convolution, relu, pooling and normalization, in training and then in evaluation; the loss weighs the results unevenly, since
// what is normalized has a sum that does not depend on the input.
TEST(Practice, T2_5_ABlockOfConvolutionPoolingAndNormalization) {
  for (DType dtype : {DType::float32, DType::float64}) {
    const std::vector<Argument> in = {spread({1, 3, 32, 32}, 1, dtype), spread({64, 3, 3, 3}, 0.2, dtype), spread({64}, 0.1, dtype), spread({64}, 1.5, dtype), spread({64}, 0.5, dtype)};
    const Argument weights = spread({1, 64, 15, 15}, 1, dtype), ones{{64}, std::vector<double>(64, 1), dtype}, zeros{{64}, std::vector<double>(64, 0), dtype};
    std::vector<rt::Tensor> mine = {zeros.ours(), ones.ours()};
    std::vector<at::Tensor> referee = {zeros.theirs().clone(), ones.theirs().clone()};
    auto block = [&](R t, bool training) {
      const rt::Tensor layer[] = {t[0], t[1], t[2]}, seen[] = {rt::ops::relu(rt::call(Op::conv2d, layer))};
      const rt::Tensor pooled = rt::call(Op::max_pool2d, seen, {{2, 2}}), normalized[] = {pooled, t[3], t[4], mine[0], mine[1]};
      return rt::call(Op::batch_norm, normalized, {{training}, false, {}, {0.1, 1e-5}});
    };
    auto blockOfLibTorch = [&](T t, bool training) {
      return at::batch_norm(at::max_pool2d(at::conv2d(t[0], t[1], t[2]).relu(), {2, 2}), t[3], t[4], referee[0], referee[1], training, 0.1, 1e-5, false);
    };
    for (bool training : {true, false}) {
      std::vector<rt::Tensor> x;
      std::vector<at::Tensor> y;
      for (const Argument& argument : in) x.push_back(ours(argument, true)), y.push_back(theirs(argument, true));
      const rt::Tensor result = block(x, training), loss = rt::ops::sum(result * weights.ours());
      const at::Tensor wanted = blockOfLibTorch(y, training);
      rt::backward({&loss, 1}, {});
      (wanted * weights.theirs()).sum().backward();
      EXPECT_EQ(difference(result, wanted.detach(), 64, 1), "");
      for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(difference(x[i].grad(), y[i].grad(), 1024, 16), "") << "gradient " << i;  // sums over 225 places that nearly cancel
      for (size_t i = 0; i < 2; ++i) EXPECT_EQ(difference(mine[i], referee[i], 4, 1), "") << "running statistic " << i;
    }
  }
}

// An array and the tensors on it: one memory, which all of them see.
TEST(Practice, T2_6_ArraysShareTheirMemory) {
  std::vector<float> mine = {1, 2, 3, 4, 5, 6}, theirs = mine;
  const rt::Tensor a = rt::fromBlob(mine.data(), {2, 3}, {}, DType::float32), row = rt::ops::select(a, {0, 1}), column = rt::ops::t(a);
  const at::Tensor b = at::from_blob(theirs.data(), {2, 3}), theirRow = b.select(0, 1), theirColumn = b.t();
  const rt::Tensor ten[] = {rt::Tensor(10)};
  rt::callInPlace(rt::Op::mul, row, ten);
  theirRow.mul_(10);
  EXPECT_EQ(mine, theirs);
  EXPECT_EQ(mine, (std::vector<float>{1, 2, 3, 40, 50, 60}));
  EXPECT_EQ(column.at(1).toDouble(), theirColumn.flatten()[1].item<double>());
  mine[0] = theirs[0] = -1;
  EXPECT_EQ(column.at(0).toDouble(), theirColumn.flatten()[0].item<double>());
  EXPECT_TRUE(row.sharesStorage(column) && theirRow.is_alias_of(theirColumn));
  for (const rt::Tensor& tensor : {a, row, column}) EXPECT_EQ(tensor.version(), 1);
  for (const at::Tensor& tensor : {b, theirRow, theirColumn}) EXPECT_EQ(tensor._version(), 1);
  EXPECT_FALSE(a.clone().sharesStorage(a) || b.clone().is_alias_of(b));
}

}  // namespace
}  // namespace conformance
