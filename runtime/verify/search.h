// Finds inputs for arms of branches that the plan did not reach, and inputs next to the boundary between two arms.
#pragma once

#include "runtime/verify/compare.h"
#include "runtime/verify/inputs.h"

namespace rt {

/// A trial in which `before` takes `arm` of the branch at `where` and does not throw, made by scaling and shifting `like`.
std::optional<Trial> force(const Pair&, Inputs&, const Trial& like, uint32_t where, bool arm);

/// Whether values of the trial's shapes make `before` take `arm` and throw.
bool reachesThrowing(const Pair&, Inputs&, const Trial& like, uint32_t where, bool arm);

/// `a` and `b` differ in values only and take different arms. Bisects between them; the two trials returned do so too, and
/// are as near to each other as their dtypes allow.
std::pair<Trial, Trial> boundary(const Pair&, Trial a, Trial b, uint32_t where);

/// Whether `b` has the shapes and dtypes of `a`.
bool sameForm(const Trial& a, const Trial& b);

/// The arm that was taken, if the branch ran.
std::optional<bool> armAt(const Outcome&, uint32_t where);

}  // namespace rt
