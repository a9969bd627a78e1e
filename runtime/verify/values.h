// The values that break claims: for each dtype its special numbers, the program's own literals with their neighbours, and
// a small deterministic source of random ones. Values are Scalars that the dtype holds exactly.
#pragma once

#include "runtime/host.h"

namespace rt {

/// splitmix64: the same numbers on every platform and in every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  size_t below(size_t n) { return size_t(bits() % n); }
  double uniform();  // [0, 1)
  double normal();

 private:
  uint64_t state_;
};

bool isFloating(DType);

/// The nearest value that `dtype` holds: to nearest even for floating ones, towards zero and wrapping for integers.
Scalar quantize(const Scalar&, DType);

/// The next value up (or down). Of an infinity, of NaN and at the end of an integer's range: the value itself.
Scalar neighbour(const Scalar&, DType, bool up);

/// Constants that appear in the steps of either program, without repetition, in order of appearance; at most 8.
std::vector<Scalar> literalsOf(const Program& before, const Program& after);

/// Simplest first: 1, 0, -1, 2, -2, 0.5, the literals and their neighbours, then the special ones.
std::vector<Scalar> specialValues(DType, std::span<const Scalar> literals);

/// Bit for bit, except that any NaN equals any NaN.
bool identical(const Scalar&, const Scalar&);

/// Shortest text that identifies the value in its dtype: "0.1", "1e+20", "nan", "-0", "true".
std::string toText(const Scalar&, DType);

}  // namespace rt
