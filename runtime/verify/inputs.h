// What to try: shapes times values, simplest first, so that the first counterexample is a small one.
//
// Phase 1 gives all tensor inputs one shape, except those that `item` reads, which also get one element. Phase 2 gives
// shapes that broadcast to the inputs that phase 1 kept alike.
#pragma once

#include "runtime/verify/profile.h"
#include "runtime/verify/values.h"

namespace rt {

using Layout = std::vector<Shape>;  // one shape per input

class Inputs {
 public:
  Inputs(const Profile&, DType, uint64_t seed);

  /// At most `budget` trials; the first ones have the fewest elements.
  std::vector<Trial> alike(size_t budget);
  std::vector<Trial> broadcasting(size_t budget);

  /// The trial's shapes and kinds with random values around `shift`, `scale` apart; used to force a branch.
  Trial scattered(const Trial&, double scale, double shift);

 private:
  void addScalars(const Layout&);
  void addPattern(const Layout&, size_t kind);
  template <typename Value> Trial& add(const Layout&, Value);
  std::vector<Trial> take(size_t budget);
  std::vector<Layout> alikeLayouts() const;
  std::vector<Layout> broadcastingLayouts() const;
  Scalar special(size_t input, DType, size_t k);  // k-th of the input's special values, from the start again after the last
  Scalar near(DType, double v) const;

  const Profile& profile_;
  DType dtype_;
  Random random_;
  std::vector<std::vector<Scalar>> pools_;  // by dtype, made on demand
  std::vector<Trial> trials_;                // under construction
  size_t elements_ = 0;                      // in them
};

}  // namespace rt
