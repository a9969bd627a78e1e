// Every row of the op table against LibTorch. A row is tested because it is a row: elementwise ones are called in LibTorch
// by their name through the dispatcher; the others have a line in a table below that says which LibTorch call they stand
// for, and a row without a line fails.
#include "test/conformance/referee.h"

#include <gtest/gtest.h>

namespace conformance {
namespace {

constexpr DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64, DType::int32, DType::int16, DType::int8, DType::uint8, DType::boolean};

const std::vector<std::vector<int64_t>> shapes = {{}, {1}, {3}, {0}, {2, 3}, {3, 1}, {1, 3}, {2, 0}, {21}, {2, 3, 2}};

// --- elementwise rows

class Elementwise : public testing::TestWithParam<Op> {
 protected:
  void check(const std::vector<Argument>& arguments) {
    Op op = GetParam();
    auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(op, in); };
    auto theirs = [&](const std::vector<at::Tensor>& in) { return callNamed(*handle_, in); };
    tally_.add(arguments, compare(arguments, ours, theirs, {ulpsOf(op)}, op != Op::clamp));  // clamp: ties of two tensor bounds, see below
  }
  void SetUp() override { ASSERT_TRUE(handle_) << "aten has no " << rt::info(GetParam()).name; }
  DType dtypeOf(size_t i, DType dtype) const { return GetParam() == Op::where && i == 0 ? DType::boolean : dtype; }
  size_t count() const { return size_t(rt::info(GetParam()).minTensors); }

 private:
  std::optional<c10::OperatorHandle> handle_ = operatorNamed(rt::info(GetParam()).name, count());
  Tally tally_{rt::info(GetParam()).name};
};

TEST_P(Elementwise, EqualsLibTorch) {
  for (DType dtype : dtypes)
    for (const auto& shape : shapes)
      for (size_t shift = 0; shift < 4; ++shift) {
        std::vector<Argument> arguments;
        for (size_t i = 0; i < count(); ++i)
          arguments.push_back(argument(i == 1 && shift == 3 ? std::vector<int64_t>{} : shape, dtypeOf(i, dtype), shift + i, shift == 1 && i == 0));
        check(arguments);
      }
}

// Shapes that broadcast, and two that do not; both in memory order and transposed.
TEST_P(Elementwise, Broadcasts) {
  if (count() == 1) return;
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> pairs = {
      {{2, 3}, {3}}, {{3}, {2, 3}}, {{3, 1}, {1, 2}}, {{2, 1}, {3}}, {{1, 1, 2}, {3, 1}}, {{0}, {1}}, {{2, 0}, {2, 1}}, {{1}, {}}, {{2}, {3}}, {{2, 3}, {3, 2}}, {{0}, {2}}};
  for (DType dtype : {DType::float32, DType::bfloat16, DType::int64, DType::boolean})
    for (const auto& [left, right] : pairs)
      for (bool transposed : {false, true}) {
        std::vector<Argument> arguments = {argument(left, dtypeOf(0, dtype), 2, transposed), argument(right, dtype, 4, transposed)};
        if (count() == 3) arguments.push_back(argument({1}, dtype, 7));
        check(arguments);
      }
}

// Operands of different dtypes, in the three classes that promotion tells apart.
TEST_P(Elementwise, Promotes) {
  if (count() == 1) return;
  for (DType left : dtypes)
    for (DType right : dtypes)
      for (int ranks = 0; ranks < 4; ++ranks) {
        std::vector<Argument> arguments = {argument(ranks & 1 ? std::vector<int64_t>{6} : std::vector<int64_t>{}, dtypeOf(0, left), 1), argument(ranks & 2 ? std::vector<int64_t>{6} : std::vector<int64_t>{}, right, 12)};
        if (count() == 3) arguments.push_back(argument({6}, left, 5));
        check(arguments);
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
      tally.add(arguments, compare(arguments, ours, one.theirs, {rt::info(one.op).kind == rt::OpKind::view ? 0.0 : 16.0}, true));
    }
}
INSTANTIATE_TEST_SUITE_P(Rows, Other, testing::ValuesIn(otherCases()),
                         [](const auto& one) { return std::string(rt::info(one.param.op).name) + "_" + std::to_string(one.index); });

// The gradient of clamp with tensors for bounds, where no two of the three are equal. At ties with a bound our row shares as
// a composition of maximum and minimum; LibTorch has another rule when the two bounds tie as well.
TEST(Rows, ClampBetweenTensors) {
  Argument x{{5}, {-2, -0.5, 0.25, 0.75, 3}, DType::float32}, low{{5}, {-1, -1, 0, 0, 0}, DType::float32}, high{{5}, {1, 1, 1, 0.5, 2}, DType::float32};
  auto ours = [](const std::vector<rt::Tensor>& in) { return rt::call(Op::clamp, in); };
  EXPECT_EQ(compare({x, low, high}, ours, [](T t) { return t[0].clamp(t[1], t[2]); }, {}, true), "");
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
      tally.add(arguments, compare(arguments, [&](R in) { return rt::call(op, in, {ints, false, {}}); }, theirs, {4}, true));
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
      }, [&](T t) { return theirs(t).detach(); }, {}, false));
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

}  // namespace
}  // namespace conformance
