// A counterexample as small as it gets: fewer elements, simpler values, float32, no transposed storage.
#pragma once

#include "runtime/verify/compare.h"

namespace rt {

struct Counterexample {
  Trial trial;
  Difference difference;
};

/// The result differs in the same way: of one kind, finite where the first one is. At most some 400 runs.
Counterexample shrink(const Pair&, Counterexample);

}  // namespace rt
