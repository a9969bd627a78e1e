// What the losses share.
#pragma once

#include "runtime/body.h"

namespace rt {

/// The loss itself, its mean or its sum, as ints[0] says (0, 1, 2 as in at::Reduction; absent: mean).
Tensor reduced(Op, const Tensor& loss, const Attributes&);

}  // namespace rt
