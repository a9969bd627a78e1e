// Does `after` do what `before` does? Runs both on inputs chosen to break the claim and compares everything that a caller
// can see: exceptions, values (bit for bit, any NaN equals any NaN), shapes, dtypes, contents of the inputs afterwards
// (in-place writes), and gradients of every floating input.
//
// A run counts only if neither program threw. A throw on one side only is a difference.
// All tensor inputs of one run have one dtype. Shapes are equal in the first phase; the second phase mixes broadcasting
// shapes. The verdict is conditional where only some runs differ, and a condition tells which: shapes that broadcast, shapes
// that an arm never accepts, dtypes other than the first ones, a layout in memory, a write that changes nothing.
#pragma once

#include "runtime/verify/trial.h"

namespace rt {

struct Verdict {
  enum class Kind : uint8_t {
    tested,       // no difference on `inputs` counted runs, and every branch of `before` was taken both ways
    conditional,  // the same, but only under `condition`; `text` is a counterexample that it excludes, if there is one
    refuted,      // `text` is the smallest counterexample found: "at x = [-1, 2] the gradient of x is [nan, 0] instead of [0, 0]"
    notVerified,  // `text` says why: "no input reached the else arm"
  };
  Kind kind = Kind::notVerified;
  std::string text;
  std::string condition;                // "'a' and 'b' have the same shape"
  int64_t inputs = 0;                   // counted runs
  std::vector<DType> dtypes;            // that had at least one counted run, in the order of VerifyOptions::dtypes
  std::optional<Trial> example;         // the counterexample; else an input on which the two agree
  DType differing = DType::float32;     // of a refuted one: the dtype of the run that differed first
};

struct VerifyOptions {
  std::vector<DType> dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64};
  int64_t maxInputs = 2000;             // runs, over all dtypes
  uint64_t seed = 1;
  Semantics semantics;                  // the LibTorch version to imitate
  Device device = Device::cpu;
  std::vector<std::pair<int, int64_t>> fixedSizes;  // (input, its size in dimension 0); such inputs have rank 1 to 3
};

/// `before` and `after` have the same inputs, slot names included, in the same order. Deterministic.
Verdict verify(const Program& before, const Program& after, const VerifyOptions& = {});

}  // namespace rt
