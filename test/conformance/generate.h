// Draws cases and programs, shrinks what differs, prints it.
#pragma once

#include "test/conformance/session.h"

namespace samples {

/// A program and what differed in it.
struct Finding {
  Program program;
  Difference difference;
  std::map<std::string, int64_t> open;  // elements that LibTorch leaves open, by reason
};

/// One row on fresh arguments, backward from its result; run as it is drawn.
Finding runCase(uint64_t seed, const Row&);
/// 5 to 15 lines on a few tensors: views, in-place writes, branches, some without gradients; then backward.
Finding runProgram(uint64_t seed);
/// The smallest program found that differs in the same way.
Finding shrunk(const Finding&);
/// C++ to paste into a main(), with both results as comments.
std::string snippetOf(const Finding&);

}  // namespace samples
