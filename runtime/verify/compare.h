// One trial, both programs: run, then compare everything that a caller can see.
#pragma once

#include "runtime/verify/profile.h"

namespace rt {

struct Pair {
  const Program& before;
  const Program& after;
  const Profile& profile;
  Device device = Device::cpu;
};

struct Difference {
  enum class Kind : uint8_t { throws, outputs, dtype, shape, value, signOfZero, content, write, backwardThrows, gradient, definedness, graph, layout };
  Kind kind;
  std::string text;  // "the gradient of x is nan instead of 0"; reads on after "at x = 0 "
  bool finiteBefore = true, finiteAfter = true;  // of values and gradients: what a smaller counterexample keeps
};

struct Comparison {
  bool threw = false;                    // both programs, or both backward passes: nothing to compare, not counted
  std::string message;                   // what `before` threw then
  std::optional<Difference> difference;
  std::optional<Difference> slight;      // besides equal values: something that most programs cannot see (layout, version)
  Outcome before;                        // its branches; its outputs are gone
  uint64_t requiresBefore = 0, requiresAfter = 0;  // bit i: output i requires a gradient
  bool counted() const { return !threw && !difference; }
};

Comparison compare(const Pair&, const Trial&);

/// Runs `before` alone, without gradients.
Outcome runBefore(const Pair&, const Trial&);

/// "the result y", "the result", "result 2".
std::string resultName(const Program&, std::span<const Slot> slots, size_t i);

}  // namespace rt
