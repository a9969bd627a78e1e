// Rewrites, right and wrong, each with the verdict that it must get. Wrong ones name the hazard and the counterexample.
// Before that, every program must be found equal to itself: a verifier that fails there is worth nothing.

#include "runtime/verify/verify.h"
#include "test/runtime/program-builder.h"

#include <gtest/gtest.h>

namespace rt {

namespace {

using Builder = ProgramBuilder;
using Make = Program (*)(Builder);
using Kind = Verdict::Kind;

const std::vector<DType> floats = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
const std::vector<DType> ints = {DType::int64};
const std::vector<DType> all = VerifyOptions().dtypes;

struct Rewrite {
  const char* name;
  Make before, after;
  Kind kind;
  const char* text;       // of a counterexample or a reason; of a conditional verdict, the condition
  std::vector<DType> dtypes = all;
  Semantics semantics = {};
};

// ---- pieces that many programs share

// y = then() if `condition`, a host boolean, else otherwise().
template <typename Then, typename Otherwise>
Program choose(Builder& b, Slot condition, Then then, Otherwise otherwise) {
  const Slot y = b.tensor("y");
  b.branch(condition, [&] { b.let(y, then()); }, [&] { b.let(y, otherwise()); });
  return b.returning({y});
}

Program select(Builder& b, Slot mask, Slot then, Slot otherwise) {
  return b.returning({b.op("where", {mask, then, otherwise}, {}, b.tensor("y"))});
}

Slot positiveSum(Builder& b, Slot x) { return b.op("gt", {b.op("sum", {x}), b.integer(0)}); }
Slot truthOf(Builder& b, Slot mask) { return b.item(mask, HostType::boolean); }
Slot hostGreater(Builder& b, Slot x, double v, HostType type) {
  return b.hostOp(HostOp::gt, type, {b.item(b.op("sum", {x}), type), b.number(v, type)});
}

// ---- right rewrites

Program shiftBefore(Builder b) {
  const Slot u = b.tensor("u"), x = b.input("x"), v = b.input("v");
  b.op("add", {x, b.integer(33)}, {}, u);
  const Slot total = b.op("sum", {u});
  b.branch(truthOf(b, b.op("lt", {total, b.integer(0)})), [&] { b.op("add", {u, b.integer(55)}, {}, u); });
  return b.returning({b.op("add", {u, v})});
}
Program shiftAfter(Builder b) {
  const Slot u = b.tensor("u"), x = b.input("x"), v = b.input("v");
  b.op("add", {x, b.integer(33)}, {}, u);
  const Slot cold = b.op("lt", {b.op("sum", {u}), b.integer(0)});
  b.op("where", {cold, b.op("add", {u, b.integer(55)}), u}, {}, u);
  return b.returning({b.op("add", {u, v})});
}

Program pickBefore(Builder b) {
  const Slot x = b.input("x"), u = b.input("u"), v = b.input("v");
  return choose(b, truthOf(b, positiveSum(b, x)), [&] { return u; }, [&] { return v; });
}
Program pickAfter(Builder b) {
  const Slot x = b.input("x"), u = b.input("u"), v = b.input("v");
  return select(b, positiveSum(b, x), u, v);
}

// ---- HZ1: the gradient of the arm that is not taken

Program logBefore(Builder b) {
  const Slot x = b.input("x");
  return choose(b, truthOf(b, positiveSum(b, x)), [&] { return b.op("log", {x}); }, [&] { return b.op("mul", {x, b.integer(2)}); });
}
Program logAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, positiveSum(b, x), b.op("log", {x}), b.op("mul", {x, b.integer(2)}));
}
Program logSafe(Builder b) {
  const Slot x = b.input("x"), hot = positiveSum(b, x);
  return select(b, hot, b.op("log", {b.op("where", {hot, x, b.op("ones_like", {x})})}), b.op("mul", {x, b.integer(2)}));
}

// ---- HZ2: a parameter that only one arm uses

Program gateBefore(Builder b) {
  const Slot x = b.input("x"), w = b.input("w", true);
  return choose(b, truthOf(b, positiveSum(b, x)), [&] { return b.op("mul", {x, w}); }, [&] { return x; });
}
Program gateAfter(Builder b) {
  const Slot x = b.input("x"), w = b.input("w", true);
  return select(b, positiveSum(b, x), b.op("mul", {x, w}), x);
}

// ---- HZ3: exceptions

Program remainderBefore(Builder b) {
  const Slot x = b.input("x"), n = b.input("n");
  return choose(b, truthOf(b, positiveSum(b, n)), [&] { return b.op("remainder", {x, n}); }, [&] { return x; });
}
Program remainderAfter(Builder b) {
  const Slot x = b.input("x"), n = b.input("n");
  return select(b, positiveSum(b, n), b.op("remainder", {x, n}), x);
}
Program checkedBefore(Builder b) {
  const Slot x = b.input("x");
  b.branch(truthOf(b, positiveSum(b, x)), [&] {}, [&] { b.fail("x must be positive"); });
  return b.returning({b.op("neg", {x}, {}, b.tensor("y"))});
}
Program checkedAfter(Builder b) { return b.returning({b.op("neg", {b.input("x")}, {}, b.tensor("y"))}); }

// ---- HZ6: one arm is the input itself, and it is written to later

Program aliasBefore(Builder b) {
  const Slot x = b.input("x"), y = b.tensor("y");
  b.branch(truthOf(b, positiveSum(b, x)), [&] { b.let(y, x); }, [&] { b.let(y, b.op("mul", {x, b.integer(2)})); });
  b.inPlace("add", {y, b.integer(1)});
  return b.returning({y});
}
Program aliasAfter(Builder b) {
  const Slot x = b.input("x"), y = b.tensor("y");
  b.op("where", {positiveSum(b, x), x, b.op("mul", {x, b.integer(2)})}, {}, y);
  b.inPlace("add", {y, b.integer(1)});
  return b.returning({y});
}

// ---- HZ7: arms of different dtypes

Program halfBefore(Builder b) {
  const Slot x = b.input("x");
  return choose(b, truthOf(b, positiveSum(b, x)), [&] { return x; }, [&] { return b.op("mul", {x, b.number(0.5)}); });
}
Program halfAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, positiveSum(b, x), x, b.op("mul", {x, b.number(0.5)}));
}

// ---- HZ8, HZ9: conditions of one element, or of several

Program elementBefore(Builder b) {
  const Slot c = b.input("c"), u = b.input("u"), v = b.input("v");
  return choose(b, truthOf(b, b.op("gt", {c, b.integer(0)})), [&] { return u; }, [&] { return v; });
}
Program elementAfter(Builder b) {
  const Slot c = b.input("c"), u = b.input("u"), v = b.input("v");
  return select(b, b.op("gt", {c, b.integer(0)}), u, v);
}
Program elementAll(Builder b) {
  const Slot c = b.input("c"), u = b.input("u"), v = b.input("v");
  return select(b, b.op("all", {b.op("gt", {c, b.integer(0)})}), u, v);
}
Program elementReshaped(Builder b) {
  const Slot c = b.input("c"), u = b.input("u"), v = b.input("v");
  return select(b, b.op("reshape", {b.op("gt", {c, b.integer(0)})}), u, v);
}

// ---- HZ10, HZ11, HZ12: the host compares in another type

template <HostType type>
Program tenthBefore(Builder b) {
  const Slot x = b.input("x");
  const Slot hot = b.hostOp(HostOp::gt, HostType::float64,
                            {b.hostOp(HostOp::cast, HostType::float64, {b.item(b.op("sum", {x}), type)}), b.number(0.1)});
  return choose(b, hot, [&] { return b.op("neg", {x}); }, [&] { return x; });
}
Program tenthAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, b.op("gt", {b.op("sum", {x}), b.number(0.1)}), b.op("neg", {x}), x);
}

Program truncatedBefore(Builder b) {
  const Slot x = b.input("x");
  return choose(b, hostGreater(b, x, 0, HostType::int32), [&] { return b.op("neg", {x}); }, [&] { return x; });
}
Program truncatedAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, positiveSum(b, x), b.op("neg", {x}), x);
}
Program truncatedTrunc(Builder b) {
  const Slot x = b.input("x");
  return select(b, b.op("gt", {b.op("trunc", {b.op("sum", {x})}), b.integer(0)}), b.op("neg", {x}), x);
}

Program bigBefore(Builder b) {
  const Slot x = b.input("x"), total = b.item(b.op("sum", {x}), HostType::float32);
  const Slot equal = b.hostOp(HostOp::eq, HostType::float32, {total, b.number(16777216, HostType::float32)});
  return choose(b, equal, [&] { return b.op("neg", {x}); }, [&] { return x; });
}
Program bigAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, b.op("eq", {b.op("sum", {x}), b.integer(16777216)}), b.op("neg", {x}), x);
}

Program notGreaterBefore(Builder b) {
  const Slot x = b.input("x");
  const Slot cold = b.hostOp(HostOp::logicalNot, HostType::boolean, {hostGreater(b, x, 0, HostType::float64)});
  return choose(b, cold, [&] { return b.op("neg", {x}); }, [&] { return x; });
}
Program notGreaterAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, b.op("le", {b.op("sum", {x}), b.integer(0)}), b.op("neg", {x}), x);
}
Program notGreaterRight(Builder b) {
  const Slot x = b.input("x");
  return select(b, b.op("logical_not", {positiveSum(b, x)}), b.op("neg", {x}), x);
}

// ---- HZ14: the second operand of && is only valid if the first one holds

Program shortCircuitBefore(Builder b) {
  const Slot x = b.input("x"), n = b.input("n"), y = b.tensor("y");
  const auto even = [&] { return truthOf(b, b.op("eq", {b.op("remainder", {b.op("sum", {x}), b.op("sum", {n})}), b.integer(0)})); };
  b.let(y, x);
  b.branch(truthOf(b, positiveSum(b, n)), [&] { b.branch(even(), [&] { b.op("neg", {x}, {}, y); }); });
  return b.returning({y});
}
Program shortCircuitAfter(Builder b) {
  const Slot x = b.input("x"), n = b.input("n");
  const Slot even = b.op("eq", {b.op("remainder", {b.op("sum", {x}), b.op("sum", {n})}), b.integer(0)});
  return select(b, b.op("logical_and", {positiveSum(b, n), even}), b.op("neg", {x}), x);
}

// ---- HZ21: a value that was read is a constant for the gradient

Program scaledBefore(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("mul", {h, b.item(b.op("sum", {h}), HostType::float64)}, {}, b.tensor("y"))});
}
Program scaledAfter(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("mul", {h, b.op("sum", {h})}, {}, b.tensor("y"))});
}
Program scaledDetached(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("mul", {h, b.op("detach", {b.op("sum", {h})})}, {}, b.tensor("y"))});
}

// ---- HZ24: gradients at the tie. NaN, where the gradient of clamp is 0, is kept out by a check.

void rejectNaN(Builder& b, Slot x) {
  b.branch(truthOf(b, b.op("any", {b.op("isnan", {x})})), [&] { b.fail("nan"); });
}
Program tieWhere(Builder b) {
  const Slot x = b.input("x", false, true);
  rejectNaN(b, x);
  return select(b, b.op("lt", {x, b.integer(0)}), b.op("zeros_like", {x}), x);
}
Program tieClamp(Builder b) {
  const Slot x = b.input("x", false, true);
  rejectNaN(b, x);
  return b.returning({b.op("clamp_min", {x, b.integer(0)}, {}, b.tensor("y"))});
}

// ---- vacuous claims

Program neverBefore(Builder b) {
  const Slot x = b.input("x");
  const Slot deep = b.hostOp(HostOp::gt, HostType::int64, {b.meta(Meta::dim, {x}), b.integer(9)});
  return choose(b, deep, [&] { return b.op("neg", {x}); }, [&] { return x; });
}
Program neverAfter(Builder b) {
  const Slot x = b.input("x"), y = b.tensor("y");
  b.let(y, x);
  return b.returning({y});
}
Program throwing(Builder b) {
  b.input("x");
  b.fail("not implemented");
  return b.returning({});
}

// ---- boundaries that no literal names

template <HostOp op>
Program seventhBefore(Builder b) {
  const Slot x = b.input("x"), total = b.item(b.op("mul", {b.op("sum", {x}), b.integer(7)}), HostType::float64);
  return choose(b, b.hostOp(op, HostType::float64, {total, b.number(0.875)}), [&] { return b.op("neg", {x}); }, [&] { return x; });
}

// ---- reports of users, numbered as in the collection that the checks come from

Program peakBefore(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("div", {h, b.item(b.op("max", {h}), HostType::float64)}, {}, b.tensor("y"))});
}
Program peakAfter(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("div", {h, b.op("max", {h})}, {}, b.tensor("y"))});
}
Program peakDetached(Builder b) {
  const Slot h = b.input("h", false, true);
  return b.returning({b.op("div", {h, b.op("detach", {b.op("max", {h})})}, {}, b.tensor("y"))});
}

Program rootBefore(Builder b) {
  const Slot x = b.input("x");
  return choose(b, truthOf(b, positiveSum(b, x)), [&] { return b.op("sqrt", {x}); }, [&] { return x; });
}
Program rootAfter(Builder b) {
  const Slot x = b.input("x");
  return select(b, positiveSum(b, x), b.op("sqrt", {x}), x);
}

Slot notZero(Builder& b, Slot x) { return b.op("ne", {b.op("sum", {x}), b.integer(0)}); }
Program quotientBefore(Builder b) {
  const Slot n = b.input("n"), d = b.input("d");
  return choose(b, truthOf(b, notZero(b, d)), [&] { return b.op("div", {n, d}); }, [&] { return b.op("zeros_like", {n}); });
}
Program quotientAfter(Builder b) {
  const Slot n = b.input("n"), d = b.input("d");
  return select(b, notZero(b, d), b.op("div", {n, d}), b.op("zeros_like", {n}));
}

Program infiniteBefore(Builder b) {
  const Slot flag = b.input("flag"), a = b.input("a"), c = b.input("c");
  return choose(b, truthOf(b, flag), [&] { return b.op("div", {a, b.integer(0)}); }, [&] { return c; });
}
Program infiniteAfter(Builder b) {
  const Slot flag = b.input("flag"), a = b.input("a"), c = b.input("c");
  return select(b, b.op("ne", {b.op("reshape", {flag}), b.integer(0)}), b.op("div", {a, b.integer(0)}), c);
}

Program greaterElement(Builder b) {
  const Slot a = b.input("a"), c = b.input("b");
  return select(b, b.op("gt", {a, c}), a, c);
}
Program maximumElement(Builder b) {
  const Slot a = b.input("a"), c = b.input("b");
  return b.returning({b.op("maximum", {a, c}, {}, b.tensor("y"))});
}

Program cacheBefore(Builder b) {
  const Slot gate = b.input("gate"), cache = b.input("cache"), x = b.input("x");
  const Slot open = b.hostOp(HostOp::gt, HostType::float64, {b.item(b.op("sum", {gate}), HostType::float64), b.number(0.5)});
  b.branch(open, [&] { b.inPlace("add", {cache, x}); });
  return b.returning({b.op("mul", {cache, b.integer(2)}, {}, b.tensor("y"))});
}
Program cacheAfter(Builder b) {
  const Slot gate = b.input("gate"), cache = b.input("cache"), x = b.input("x");
  const Slot kept = b.op("where", {b.op("gt", {b.op("sum", {gate}), b.number(0.5)}), b.op("add", {cache, x}), cache});
  return b.returning({b.op("mul", {kept, b.integer(2)}, {}, b.tensor("y"))});
}

const Rewrite rewrites[] = {
    {"add in one arm", shiftBefore, shiftAfter, Kind::tested, ""},
    {"pick one of two", pickBefore, pickAfter, Kind::conditional, "'u' and 'v' have the same shape"},
    {"HZ1 log", logBefore, logAfter, Kind::refuted, "at x = 0 the gradient of x is nan instead of 2", floats},
    {"HZ1 log of a safe input", logBefore, logSafe, Kind::tested, "", floats},
    {"HZ2 parameter of one arm", gateBefore, gateAfter, Kind::refuted,
     "at x = 0, w = 0 the gradient of w is zeros instead of undefined: an optimizer with weight decay would change it"},
    {"HZ3 division by zero gained", remainderBefore, remainderAfter, Kind::refuted,
     "at x = 0, n = 0 in int64 the rewrite throws '*", ints},
    {"HZ3 check lost", checkedBefore, checkedAfter, Kind::refuted,
     "at x = 0 the rewrite does not throw: 'before' throws 'x must be positive'"},
    {"HZ6 alias written to", aliasBefore, aliasAfter, Kind::refuted, "at x = 1 afterwards x is 1 instead of 2"},
    {"HZ7 dtypes of the arms", halfBefore, halfAfter, Kind::conditional, "the tensors are floating point"},
    {"HZ7 dtypes of the arms, integers", halfBefore, halfAfter, Kind::refuted, "at x = 1 in int64 the dtype of y is float32 instead of int64", ints},
    {"HZ7 floating alone", halfBefore, halfAfter, Kind::tested, "", floats},
    {"HZ8 condition of rank 1", elementBefore, elementAfter, Kind::refuted,
     "at c = [0], u = 0, v = 0 the shape of y is [1] instead of []"},
    {"HZ9 condition of two elements", elementBefore, elementAll, Kind::refuted,
     "at c = [0, 0], u = 0, v = 0 the rewrite does not throw: 'before' throws 'a Tensor with 2 elements cannot be converted to Scalar'"},
    {"HZ9 reshaped to one element", elementBefore, elementReshaped, Kind::conditional, "'u' and 'v' have the same shape"},
    {"HZ10 0.1f against 0.1", tenthBefore<HostType::float32>, tenthAfter, Kind::refuted,
     "at x = 0.1 the result y is 0.1 instead of -0.1", {DType::float32}},
    {"HZ10 int of a fraction", truncatedBefore, truncatedAfter, Kind::refuted, "at x = 0.5 the result y is -0.5 instead of 0.5", {DType::float64}},
    {"HZ10 int64 through float", bigBefore, bigAfter, Kind::refuted,
     "at x = 16777217 in int64 the result y is 16777217 instead of -16777217", ints},
    {"HZ11 negated comparison", notGreaterBefore, notGreaterAfter, Kind::refuted,
     "at x = nan the gradient of x is 1 instead of -1", floats},
    {"HZ11 logical_not", notGreaterBefore, notGreaterRight, Kind::tested, ""},
    {"HZ12 overflow", truncatedBefore, truncatedTrunc, Kind::refuted,
     "at x = nan the rewrite does not throw: 'before' throws 'value cannot be converted to type int without overflow'",
     {DType::float32}},
    {"HZ14 short circuit", shortCircuitBefore, shortCircuitAfter, Kind::refuted,
     "at x = 0, n = 0 in int64 the rewrite throws '*", ints},
    {"HZ21 gradient through a read", scaledBefore, scaledAfter, Kind::refuted, "at h = 1 the gradient of h is 2 instead of 1"},
    {"HZ21 detached", scaledBefore, scaledDetached, Kind::tested, ""},
    {"HZ24 clamp at the tie in 1.13", tieWhere, tieClamp, Kind::tested, "", all, {1, 13}},
    {"HZ24 clamp at the tie in 2.15", tieWhere, tieClamp, Kind::refuted, "at x = 0 the gradient of x is 0 instead of 1", all, {2, 15}},
    {"R001 maximum with its gradient", peakBefore, peakAfter, Kind::refuted, "at h = 1 the gradient of h is 0 instead of 1"},
    {"R001 maximum as a constant", peakBefore, peakDetached, Kind::tested, ""},
    {"R026 write in one arm", cacheBefore, cacheAfter, Kind::refuted, "at gate = 1, cache = 0, x = 1 afterwards cache is 0 instead of 1"},
    {"R029 sqrt", rootBefore, rootAfter, Kind::refuted, "at x = 0 the gradient of x is nan instead of 1", floats},
    {"R032 quotient", quotientBefore, quotientAfter, Kind::refuted, "at n = 0, d = 0 the gradient of n is nan instead of 0", floats},
    {"R034 infinite arm", infiniteBefore, infiniteAfter, Kind::refuted, "at flag = false, a = 0, c = 0 the gradient of a is nan instead of 0", floats},
    {"R047 maximum at the tie", greaterElement, maximumElement, Kind::refuted, "at a = 0, b = 0 the gradient of a is 0.5 instead of 0", floats},
    {"R040 quotient of integers", quotientBefore, quotientAfter, Kind::refuted, "at n = 0, d = 0 in int64 the dtype of y is float32 instead of int64", ints},
    {"vacuous arm", neverBefore, neverAfter, Kind::notVerified, "no input reached the first arm"},
    {"everything throws", throwing, throwing, Kind::notVerified, "every input tried throws: not implemented"},
    {"boundary without a literal", seventhBefore<HostOp::gt>, seventhBefore<HostOp::ge>, Kind::refuted,
     "at x = 0.125 the result y is -0.125 instead of 0.125", {DType::float32}},
};

VerifyOptions optionsOf(const Rewrite& r) {
  VerifyOptions options;
  options.dtypes = r.dtypes;
  options.semantics = r.semantics;
  return options;
}

std::string caseName(const testing::TestParamInfo<Rewrite>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

void PrintTo(const Rewrite& r, std::ostream* out) { *out << r.name; }

// A star at the end stands for anything, such as an exception's text that differs between releases.
bool matches(const std::string& text, std::string_view expected) {
  return expected.ends_with('*') ? text.starts_with(expected.substr(0, expected.size() - 1)) : text == expected;
}

class Rewrites : public testing::TestWithParam<Rewrite> {};

TEST_P(Rewrites, verdict) {
  const SemanticsScope scope(GetParam().semantics);
  if (SemanticsScope::current().minor != GetParam().semantics.minor) GTEST_SKIP() << "LibTorch imitates no other version";
  const Program before = GetParam().before({}), after = GetParam().after({});
  const Verdict v = verify(before, after, optionsOf(GetParam()));
  EXPECT_EQ(int(v.kind), int(GetParam().kind)) << v.text << "\nbefore:\n" << print(before) << "after:\n" << print(after);
  const std::string& text = v.kind == Kind::conditional ? v.condition : v.text;
  EXPECT_TRUE(matches(text, GetParam().text)) << text;
}

TEST_P(Rewrites, equalsItself) {
  for (const Make make : {GetParam().before, GetParam().after}) {
    const Program p = make({});
    EXPECT_EQ(malformed(p), "");
    const Verdict v = verify(p, p, optionsOf(GetParam()));
    EXPECT_TRUE(v.kind == Kind::tested || v.kind == Kind::notVerified) << v.text << "\n" << print(p);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Rewrites, testing::ValuesIn(rewrites), caseName);

}  // namespace

}  // namespace rt
