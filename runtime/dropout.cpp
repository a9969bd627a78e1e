// Dropout: the numbers are those of LibTorch's default generator, drawn by bernoulli_ with a number.
#include "runtime/body.h"
#include "runtime/ops.h"
#include "runtime/random.h"

namespace rt::kernels {

// ints[0]: whether it is in training. reals[0]: the probability to become 0.
Tensor dropout(Op, Tensors in, const Attributes& attributes) {
  const double p = attributes.real(0, 0.5);
  if (!(p >= 0 && p <= 1)) throw Error("dropout: the probability must be between 0 and 1, not " + std::to_string(p));
  if (p == 0 || !attributes.integer(0, 1) || in[0].numel() == 0) return in[0];
  const Attributes sameType{{}, false, in[0].dtype()};
  if (p == 1) return in[0] * call(Op::zeros, {}, sameType).to(in[0].device());
  const Tensor noise = emptyStrided(in[0]->sizes, denseStridesLike(in[0]), in[0].dtype()), keeps[] = {1 - p};
  bernoulli_(noise, 1 - p);
  callInPlace(Op::div, noise, keeps);
  return in[0] * noise.to(in[0].device());
}

}  // namespace rt::kernels
