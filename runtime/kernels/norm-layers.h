// What the normalizations check alike.
#pragma once

#include "runtime/tensor.h"

#include <initializer_list>

namespace rt {

/// Throws unless the input's last dimensions have these sizes, and the parameters have just these.
void checkNormalized(Op, const Tensor& input, const Ints& sizes, std::initializer_list<Tensor> parameters);

}  // namespace rt
