// Draws cases and programs, shrinks what differs, prints it.
#pragma once

#include "test/conformance/session.h"

namespace samples {

/// A program and what differed in it.
struct Finding {
  Program program;
  Difference difference;
};

/// One row on fresh arguments, backward from its result; run as it is drawn.
Finding runCase(uint64_t seed, const Row&);
}  // namespace samples
