// What kind of input each input of a program wants to be, found by running the program on ones and twos of several
// shapes and dtypes and watching where it throws. No knowledge of single ops is needed for that.
#pragma once

#include "runtime/verify/trial.h"

namespace rt {

struct InputProfile {
  std::optional<HostType> host;     // a host scalar of this type
  bool element = false;             // throws for more than one element: `item` reads it
  bool flag = false;                // only ever read by item<bool>(): tried as boolean and as the run's dtype in turns
  bool floatingOnly = false;        // float32 in a run of an integer dtype
  bool parameter = false;
  bool constant = false;            // requires no gradient
  std::optional<DType> dtype;       // a mask or an index: throws for the run's dtype, accepts this one
  std::optional<int64_t> firstSize; // VerifyOptions::fixedSizes
};

struct Profile {
  std::vector<InputProfile> inputs;
  Shape base;                       // a smallest shape at which `before` runs
  std::vector<Scalar> literals;     // of both programs
  bool writes = false;              // one of the programs has an in-place step
};

struct VerifyOptions;
Profile profileOf(const Program& before, const Program& after, const VerifyOptions&);

/// Dtype of input `i` in a run of `dtype`. `alternate` switches flags between boolean and the run's dtype.
DType dtypeIn(const InputProfile&, DType dtype, bool alternate);

}  // namespace rt
