// The language (host arithmetic, item, control flow, text, check) and the verifier's own properties: determinism, what is
// tried, small counterexamples. Which rewrites are right and which are wrong is in test/rewrites.

#include "runtime/verify/search.h"
#include "runtime/verify/values.h"
#include "runtime/verify/verify.h"
#include "test/runtime/program-builder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace rt {

namespace {

using Builder = ProgramBuilder;
using Kind = Verdict::Kind;

const double inf = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();

// ---- host scalars

TEST(Host, itemConvertsAsLibTorch) {
  EXPECT_EQ(itemTo(HostType::int32, Scalar(0.9)).i, 0);
  EXPECT_EQ(itemTo(HostType::int32, Scalar(-1.5)).i, -1);
  EXPECT_EQ(itemTo(HostType::int64, Scalar(3e9)).i, 3000000000);
  EXPECT_TRUE(itemTo(HostType::boolean, Scalar(nan)).b);
  EXPECT_TRUE(itemTo(HostType::boolean, Scalar(5.0)).b);
  EXPECT_FALSE(itemTo(HostType::boolean, Scalar(-0.0)).b);
  EXPECT_EQ(itemTo(HostType::float32, Scalar(inf)).d, inf);
  EXPECT_EQ(itemTo(HostType::float32, Scalar(int64_t(16777217))).d, 16777216);
  EXPECT_TRUE(std::isnan(itemTo(HostType::float32, Scalar(nan)).d));
}

TEST(Host, itemThrowsOnOverflow) {
  const auto message = [](HostType type, const Scalar& v) -> std::string {
    try {
      itemTo(type, v);
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  };
  for (const double v : {1e20, 3e9, -3e9, inf, nan})
    EXPECT_EQ(message(HostType::int32, Scalar(v)), "value cannot be converted to type int without overflow") << v;
  EXPECT_EQ(message(HostType::int32, Scalar(int64_t(1) << 40)), "value cannot be converted to type int without overflow");
  EXPECT_EQ(message(HostType::int64, Scalar(inf)), "value cannot be converted to type int64_t without overflow");
  EXPECT_EQ(message(HostType::float32, Scalar(1e300)), "value cannot be converted to type float without overflow");
}

TEST(Host, arithmeticIsThatOfTheType) {
  EXPECT_EQ(apply(HostOp::add, HostType::int32, Scalar(2147483647), Scalar(1)).i, -2147483648LL);
  EXPECT_EQ(apply(HostOp::add, HostType::int64, Scalar(2147483647), Scalar(1)).i, 2147483648LL);
  EXPECT_EQ(apply(HostOp::add, HostType::float32, Scalar(16777216.0), Scalar(1.0)).d, 16777216.0);
  EXPECT_EQ(apply(HostOp::div, HostType::int32, Scalar(-7), Scalar(2)).i, -3);
  EXPECT_EQ(apply(HostOp::mod, HostType::int32, Scalar(-7), Scalar(2)).i, -1);
  EXPECT_EQ(apply(HostOp::neg, HostType::int32, Scalar(int64_t(-2147483648LL)), Scalar()).i, -2147483648LL);
  EXPECT_EQ(apply(HostOp::div, HostType::float32, Scalar(1.0), Scalar(3.0)).d, double(1.0f / 3.0f));
  EXPECT_EQ(apply(HostOp::div, HostType::float64, Scalar(1.0), Scalar(0.0)).d, inf);
  EXPECT_FALSE(apply(HostOp::lt, HostType::float64, Scalar(nan), Scalar(0.0)).b);
  EXPECT_TRUE(apply(HostOp::ne, HostType::float64, Scalar(nan), Scalar(nan)).b);
  EXPECT_EQ(apply(HostOp::sqrt, HostType::int32, Scalar(2), Scalar()).d, std::sqrt(2.0));
  EXPECT_EQ(apply(HostOp::max, HostType::float64, Scalar(1.0), Scalar(nan)).d, 1.0);
  EXPECT_THROW(apply(HostOp::div, HostType::int64, Scalar(1), Scalar(0)), Error);
  EXPECT_THROW(apply(HostOp::mod, HostType::int32, Scalar(1), Scalar(0)), Error);
}

// ---- programs

Tensor vector(std::initializer_list<double> values, DType dtype = DType::float32) {
  const std::vector<Scalar> scalars(values.begin(), values.end());
  return fromValues(scalars, {int64_t(scalars.size())}, dtype);
}

Outcome runOn(const Program& p, std::vector<Tensor> inputs) {
  std::vector<Binding> bindings;
  for (const Tensor& t : inputs) bindings.push_back({t, {}});
  return run(p, bindings);
}

Program signProgram() {
  Builder b;
  const Slot x = b.input("x"), total = b.op("sum", {x}), v = b.item(total, HostType::float32);
  b.branch(b.hostOp(HostOp::lt, HostType::float32, {v, b.number(0, HostType::float32)}),
           [&] { b.finish({b.op("neg", {x})}); });
  return b.returning({x});
}

TEST(Program, branchesAndFinishesEarly) {
  const Program p = signProgram();
  ASSERT_EQ(malformed(p), "");
  const Outcome negative = runOn(p, {vector({-3, 1})}), positive = runOn(p, {vector({3, 1})});
  EXPECT_EQ(toString(negative.outputs.at(0)), toString(vector({3, -1})));
  EXPECT_EQ(toString(positive.outputs.at(0)), toString(vector({3, 1})));
  EXPECT_EQ(negative.taken, (decltype(negative.taken){{1, true}}));
  EXPECT_EQ(positive.taken, (decltype(positive.taken){{1, false}}));
}

TEST(Program, keepsTheMessageOfAThrow) {
  Builder b;
  b.input("x");
  b.fail("no luck");
  const Outcome o = runOn(b.returning({}), {vector({1})});
  EXPECT_TRUE(o.threw);
  EXPECT_EQ(o.message, "no luck");
}

TEST(Program, hostOutputsArriveAsTensors) {
  Builder b;
  const Slot x = b.input("x");
  const Program p = b.returning({b.item(x, HostType::int32), b.meta(Meta::numel, {x})});
  const Outcome o = runOn(p, {vector({2.5})});
  EXPECT_EQ(o.outputs.at(0).dtype(), DType::int32);
  EXPECT_EQ(o.outputs.at(0).item().i, 2);
  EXPECT_EQ(o.outputs.at(1).dtype(), DType::int64);
}

TEST(Program, assignmentSharesAndInPlaceWritesThrough) {
  Builder b;
  const Slot x = b.input("x"), y = b.tensor("y");
  b.let(y, x);
  b.inPlace("add", {y, b.integer(1)});
  const Tensor t = vector({1, 2});
  runOn(b.returning({y}), {t});
  EXPECT_EQ(toString(t), toString(vector({2, 3})));
}

TEST(Program, gradModeEndsWithTheProgram) {
  Builder b;
  const Slot x = b.input("x");
  b.gradMode(false);
  const Program p = b.returning({b.op("neg", {x})});
  Tensor t = vector({1});
  t.setRequiresGrad(true);
  EXPECT_FALSE(runOn(p, {t}).outputs.at(0).requiresGrad());
  EXPECT_TRUE(GradMode::enabled());
}

TEST(Program, printsOneStepALine) {
  EXPECT_EQ(print(signProgram()),
            "input x\n"
            "%1 = sum(x)\n"
            "%2 = %1.item<float>()\n"
            "%3 = float 0\n"
            "%4 = lt<float>(%2, %3)\n"
            "if %4\n"
            "  %5 = neg(x)\n"
            "  return %5\n"
            "return x\n");
}

TEST(Program, malformedSaysWhatIsWrong) {
  Program p = signProgram();
  p.body[1].type = HostType::int32;
  EXPECT_EQ(malformed(p), "slot '' is not of type int");
  p = signProgram();
  p.body[0].args[0] = 99;
  EXPECT_EQ(malformed(p), "argument: there is no slot 99");
}

// ---- values

TEST(Values, neighboursAreTheNextNumbers) {
  EXPECT_EQ(neighbour(Scalar(1.0), DType::float32, true).d, double(std::nextafterf(1, 2)));
  EXPECT_EQ(neighbour(Scalar(1.0), DType::float32, false).d, double(std::nextafterf(1, 0)));
  EXPECT_EQ(neighbour(Scalar(-1.0), DType::float32, true).d, double(std::nextafterf(-1, 0)));
  EXPECT_EQ(neighbour(Scalar(0.0), DType::float32, false).d, double(std::nextafterf(0, -1)));
  EXPECT_EQ(neighbour(Scalar(1.0), DType::float16, true).d, 1 + std::ldexp(1.0, -10));
  EXPECT_EQ(neighbour(Scalar(1.0), DType::bfloat16, false).d, 1 - std::ldexp(1.0, -8));
  for (const double v : {0.1, 3.7, -1e-40, 1e30}) {
    const Scalar q = quantize(Scalar(v), DType::float32);
    EXPECT_EQ(q.d, double(float(v)));
    EXPECT_EQ(neighbour(q, DType::float32, true).d, double(std::nextafterf(float(v), HUGE_VALF)));
  }
}

TEST(Values, specialValuesAreHeldExactly) {
  const Scalar literals[] = {Scalar(0.1), Scalar(77)};
  for (const DType dtype : VerifyOptions().dtypes)
    for (const Scalar& v : specialValues(dtype, literals)) {
      const Tensor t = fromValues(std::span(&v, 1), {}, dtype);
      EXPECT_TRUE(identical(t.item(), v)) << toText(v, dtype) << " " << dtypeName(dtype);
    }
}

// ---- the verifier

// y = sum(x) op limit ? -x : x, on the host and on the device.
Program hostForm(HostOp op, double limit) {
  Builder b;
  const Slot x = b.input("x"), y = b.tensor("y"), v = b.item(b.op("sum", {x}), HostType::float64);
  b.branch(b.hostOp(op, HostType::float64, {v, b.number(limit)}), [&] { b.op("neg", {x}, {}, y); }, [&] { b.let(y, x); });
  return b.returning({y});
}
Program deviceForm(const char* op, double limit) {
  Builder b;
  const Slot x = b.input("x");
  const Slot mask = b.op(op, {b.op("sum", {x}), b.number(limit)});
  return b.returning({b.op("where", {mask, b.op("neg", {x}), x}, {}, b.tensor("y"))});
}

TEST(Verify, countsRunsOfEveryDType) {
  const Verdict v = verify(hostForm(HostOp::lt, 0), deviceForm("lt", 0));
  EXPECT_EQ(v.kind, Kind::tested) << v.text;
  EXPECT_EQ(v.dtypes, VerifyOptions().dtypes);
  EXPECT_GT(v.inputs, 1000);
  EXPECT_LE(v.inputs, 2000);
}

TEST(Verify, saysTheSameTwice) {
  for (const char* op : {"lt", "le"}) {
    const Verdict a = verify(hostForm(HostOp::lt, 3), deviceForm(op, 3)), b = verify(hostForm(HostOp::lt, 3), deviceForm(op, 3));
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.inputs, b.inputs);
  }
}

TEST(Verify, findsTheLiteralOfAComparison) {
  const Verdict v = verify(hostForm(HostOp::lt, 3), deviceForm("le", 3));
  EXPECT_EQ(v.kind, Kind::refuted);
  EXPECT_EQ(v.text, "at x = 3 the result y is -3 instead of 3");
}

TEST(Verify, shrinksToFewElements) {
  Builder b;
  const Slot x = b.input("x");
  const Program before = b.returning({b.op("sum", {x}, {}, b.tensor("y"))});
  Builder c;
  const Slot z = c.input("x");
  const Program after = c.returning({c.op("mul", {c.op("amax", {z}), c.meta(Meta::numel, {z})}, {}, c.tensor("y"))});
  VerifyOptions options;
  options.dtypes = {DType::int64};
  EXPECT_EQ(verify(before, after, options).text, "at x = [0, 1] the result y is 2 instead of 1");
}

TEST(Verify, reachesAnArmFarFromTheUsualValues) {
  const auto form = [](bool host) {
    Builder b;
    const Slot x = b.input("x"), y = b.tensor("y");
    const Slot mask = b.op("gt", {b.op("sum", {b.op("mul", {x, x})}), b.op("exp", {b.number(14.5)})});
    if (!host) return b.returning({b.op("where", {mask, b.op("neg", {x}), x}, {}, y)});
    b.branch(b.item(mask, HostType::boolean), [&] { b.op("neg", {x}, {}, y); }, [&] { b.let(y, x); });
    return b.returning({y});
  };
  const Verdict v = verify(form(true), form(false));
  EXPECT_EQ(v.kind, Kind::tested) << v.text;
}

TEST(Verify, bisectsToTheBoundary) {
  const Program p = hostForm(HostOp::lt, 0.3), q = p;
  const Profile profile = profileOf(p, q, {});
  const Pair pair{p, q, profile};
  const auto at = [](double v) { return Trial{DType::float32, {{DType::float32, {}, {quantize(Scalar(v), DType::float32)}}}}; };
  const auto [a, b] = boundary(pair, at(-1), at(1), 1);
  EXPECT_EQ(b.inputs[0].values[0].d, neighbour(a.inputs[0].values[0], DType::float32, true).d);
  EXPECT_LT(a.inputs[0].values[0].d, 0.3);
  EXPECT_GE(b.inputs[0].values[0].d, 0.3);
}

TEST(Verify, namesTheBranchThatWasNotReached) {
  const auto nested = [] {
    Builder b;
    const Slot x = b.input("x"), y = b.tensor("y");
    b.let(y, x);
    b.branch(b.item(b.op("gt", {b.op("sum", {x}), b.integer(0)}), HostType::boolean), [&] {
      const Slot deep = b.hostOp(HostOp::gt, HostType::int64, {b.meta(Meta::dim, {x}), b.integer(9)});
      b.branch(deep, [&] { b.op("neg", {x}, {}, y); });
    });
    return b.returning({y});
  };
  const Verdict v = verify(nested(), nested());
  EXPECT_EQ(v.kind, Kind::notVerified);
  EXPECT_EQ(v.text, "no input reached the first arm of branch 2");
}

TEST(Verify, triesHostInputs) {
  const auto form = [](bool wrong) {
    Builder b;
    const Slot x = b.input("x"), n = b.hostInput("n", HostType::int64), y = b.tensor("y");
    const Slot hot = b.hostOp(wrong ? HostOp::gt : HostOp::ge, HostType::int64, {n, b.integer(5)});
    b.branch(hot, [&] { b.op("neg", {x}, {}, y); }, [&] { b.let(y, x); });
    return b.returning({y});
  };
  EXPECT_EQ(verify(form(false), form(false)).kind, Kind::tested);
  const Verdict v = verify(form(false), form(true));
  EXPECT_EQ(v.kind, Kind::refuted);
  EXPECT_EQ(v.text, "at x = 1, n = 5 the result y is 1 instead of -1");
}

TEST(Verify, masksAndIndicesGetTheirDTypes) {
  const auto gather = [](bool twice) {
    Builder b;
    const Slot m = b.input("m"), x = b.input("x"), i = b.input("i");
    const Slot y = b.op("where", {m, x, b.op("neg", {x})});
    return b.returning({b.op("gather", {twice ? b.op("neg", {b.op("neg", {y})}) : y, i}, {0})});
  };
  const Verdict v = verify(gather(false), gather(true));
  EXPECT_NE(v.kind, Kind::notVerified) << v.text;
  EXPECT_NE(v.kind, Kind::refuted) << v.text;
}

TEST(Verify, fixedSizesHold) {
  const auto form = [](bool fixed) {
    Builder b;
    const Slot x = b.input("x"), y = b.tensor("y");
    const Slot rows = fixed ? b.integer(32) : b.meta(Meta::size, {x, b.integer(0)});
    b.view(x, {rows, b.integer(-1)}, y);
    return b.returning({y});
  };
  VerifyOptions options;
  options.fixedSizes = {{0, 32}};
  EXPECT_EQ(verify(form(true), form(false), options).kind, Kind::tested);
  EXPECT_EQ(verify(form(true), form(false)).kind, Kind::refuted);
}

TEST(Verify, parametersAreDifferentFromInputs) {
  const auto form = [](bool parameter, bool device) {
    Builder b;
    const Slot x = b.input("x"), w = b.input("w", parameter), y = b.tensor("y");
    const Slot mask = b.op("gt", {b.op("sum", {x}), b.integer(0)});
    const Slot zero = b.op("zeros_like", {w});
    if (device) return b.returning({b.op("where", {mask, w, zero}, {}, y)});
    b.branch(b.item(mask, HostType::boolean), [&] { b.let(y, w); }, [&] { b.let(y, zero); });
    return b.returning({y});
  };
  EXPECT_EQ(verify(form(false, false), form(false, true)).kind, Kind::tested);
  EXPECT_EQ(verify(form(true, false), form(true, true)).kind, Kind::refuted);
}

// Not a gate: a figure for people.
TEST(Verify, time) {
  const Program before = hostForm(HostOp::lt, 0), after = deviceForm("lt", 0);
  const auto start = std::chrono::steady_clock::now();
  const Verdict v = verify(before, after);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  std::printf("%lld counted runs of a program of 6 steps: %.1f ms\n", static_cast<long long>(v.inputs), ms.count());
}

}  // namespace

}  // namespace rt
